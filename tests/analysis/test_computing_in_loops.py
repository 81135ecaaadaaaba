"""Ranks and call sites that the diagnosis names in drawn loops with blocking collectives."""

from pathlib import Path
from typing import Any

import hopscope
from drawing import draw

INNER, OUTER = "MPI_Allreduce", "MPI_Bcast"


def causes(directory: Path, steps: list[tuple[str, list[int]]]) -> list[dict[str, Any]]:
    """The entries of the diagnosis for a run of collectives that end 1 µs after the last enter. steps: the operation of
    each collective, and the computing of each rank before it in µs."""
    calls = ["collective_id rank location enter_ns leave_ns call_site engine"]
    intervals = ["rank location begin_ns end_ns region kind call_site"]
    ranks = range(len(steps[0][1]))
    intervals += [f"{rank} {rank} -9 0 MPI_Init init a" for rank in ranks]
    free = 0
    for c, (op, work) in enumerate(steps):
        end = free + 1000 * (max(work) + 1)
        calls += [f"{c} {rank} {rank} {free + 1000 * work[rank]} {end} {op} native" for rank in ranks]
        free = end
    intervals += [f"{rank} {rank} {free + 10} - MPI_Finalize finalize z" for rank in ranks]
    trace = hopscope.open(
        draw(
            directory / "d",
            ranks="rank host\n" + "\n".join(f"{rank} h" for rank in ranks),
            comms=f"comm name size members\n0 w {len(ranks)} {','.join(map(str, ranks))}",
            collectives="comm seq op root comm_size\n"
            + "\n".join(f"0 {c} {op} {'-' if op == INNER else 0} {len(ranks)}" for c, (op, _) in enumerate(steps)),
            calls="\n".join(calls),
            intervals="\n".join(intervals),
        )
    )
    return [row for row in trace.diagnose().to_pylist() if row["kind"] not in ("balanced", "tracing", "start-up")]


def test_an_inner_and_an_outer_loop_have_causes_of_their_own(tmp_path: Path) -> None:
    # Regression: both follow the same call, so they were one entry with the figures of one loop at the other's call.
    steps = [*[(INNER, [5, 5, 16, 5])] * 4, (OUTER, [60, 20, 20, 20])] * 12
    named = [
        (row["kind"], row["ranks"], [site["mpi"] for site in row["call_sites"]]) for row in causes(tmp_path, steps)
    ]
    assert sorted(named[:2]) == [("imbalance", [0], [OUTER]), ("imbalance", [2], [INNER])]


def test_a_few_long_delays_of_one_rank_beside_small_ones_of_all_are_no_rotating_delay(tmp_path: Path) -> None:
    # Regression: ranks took turns in nearly all iterations, so rank 1, with most of the excess, was named nowhere.
    steps = [
        (INNER, [20 + 3 * (c % 3 == rank) + 300 * (rank == 1 and c % 20 == 7) for rank in range(3)]) for c in range(100)
    ]
    first = causes(tmp_path, steps)[0]
    assert first["kind"] != "rotating-delay"
    assert first["ranks"] == [1]
