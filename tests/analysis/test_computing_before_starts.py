"""Computing before the start of a nonblocking collective, compared between ranks in drawn loops."""

from pathlib import Path
from typing import Any

import hopscope
import pytest
from drawing import draw

ITERATIONS = 30


def loop(directory: Path, work: list[list[int]], after: int, op: str) -> dict[str, Any]:
    """The first entry of the diagnosis for a loop of nonblocking collectives that end 1 µs after the last rank begins
    to wait.

    work: for each iteration, the computing of each rank before the start in µs. after: the computing of each rank
    between start and wait, in µs.
    """
    calls = ["collective_id rank location enter_ns wait_begin_ns leave_ns complete_ns call_site engine"]
    intervals = ["rank location begin_ns end_ns region kind call_site"]
    ranks = range(len(work[0]))
    free = [0] * len(ranks)
    intervals += [f"{rank} {rank} -9 0 MPI_Init init a" for rank in ranks]
    for c, row in enumerate(work):
        starts = [free[rank] + 1000 * row[rank] for rank in ranks]
        for rank, start in enumerate(starts):
            end = max(starts) + 1000 * (after + 1)
            wait = start + 1000 * after
            calls.append(f"{c} {rank} {rank} {start} {wait} {start + 10} {end} starts native")
            intervals.append(f"{rank} {rank} {wait} {end} MPI_Wait wait waits")
            free[rank] = end
    intervals += [f"{rank} {rank} {max(free) + 10} - MPI_Finalize finalize z" for rank in ranks]
    trace = hopscope.open(
        draw(
            directory / "d",
            ranks="rank host\n" + "\n".join(f"{rank} h" for rank in ranks),
            comms=f"comm name size members\n0 w {len(ranks)} {','.join(map(str, ranks))}",
            collectives="comm seq op comm_size\n" + "\n".join(f"0 {c} {op} {len(ranks)}" for c in range(len(work))),
            calls="\n".join(calls),
            intervals="\n".join(intervals),
        )
    )
    return next(row for row in trace.diagnose().to_pylist() if row["kind"] != "balanced")


@pytest.mark.parametrize("op", ["MPI_Iallreduce", "MPI_Allreduce_init"])
def test_computing_before_the_start_of_a_nonblocking_collective_is_compared_with_that_of_the_others_there(
    tmp_path: Path, op: str
) -> None:
    # Rank 1 computes 35 µs before the start, the others 5, and all compute 8 µs until they wait. Regression: rank 1 was
    # compared with the 13 µs that the others compute meanwhile, though it has 8 of those still before it.
    first = loop(tmp_path, [[5, 35, 5, 5]] * ITERATIONS, 8, op)
    assert (first["kind"], first["ranks"]) == ("imbalance", [1])
    assert first["evidence"].startswith("35.0 µs there, where the others compute 5.00 µs;")
    assert first["cost_share"] == pytest.approx(30 / 44, abs=0.02)
    assert first["call_sites"][0]["mpi"] == ("MPI_Start" if op == "MPI_Allreduce_init" else op)
