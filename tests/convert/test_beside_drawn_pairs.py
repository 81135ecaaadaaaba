"""Two archives of one run: calls match exactly, clocks align within the planted error, and the function that makes a
rank late is named."""

from pathlib import Path

import hopscope
import pytest
from drawn_pairs import HELPER, MAIN, RANKS, Plan, foreign_archive, our_archive, plan_of, program_of
from hopscope.dataset.beside.addition import add
from hopscope.dataset.convert import ensure_dataset

WRAPPING_NS = 400
"""The largest time between the begins, or ends, of a call in both recorders."""
SEEDS = [pytest.param(seed, marks=[] if seed < 3 else [pytest.mark.statistics]) for seed in range(20)]


def common_calls(plan: Plan, total: int) -> int:
    """The number of calls of a thread that neither recorder misses."""
    first, last = (max(cuts) for cuts in zip(plan.cuts, plan.foreign_cuts, strict=True))
    return max(0, total - first - last)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_drawn_pair_tells_the_function_that_makes_a_rank_late(seed: int, tmp_path: Path) -> None:
    plan = plan_of(seed)
    program = program_of(plan)
    anchor = our_archive(program, tmp_path / "ours")
    addition = add(ensure_dataset(anchor), foreign_archive(program, tmp_path / "foreign"))

    # Each call that both recorded is matched with itself, and the other tool's own calls with none: they are in one
    # archive only.
    threads = (MAIN, HELPER) if plan.has_threads else (MAIN,)
    assert len(addition.matches) == RANKS * len(threads)
    for match in addition.matches:
        rank = match.thread.rank
        line = match.line
        entered = line.mapped(match.foreign.calls.enter_ns[match.foreign_rows])
        distance = abs(entered - match.thread.calls.enter_ns[match.rows])
        assert distance.max() <= 2 * plan.error_ns + WRAPPING_NS + 100, (rank, distance.max())
        assert line.residual_ns <= plan.error_ns + WRAPPING_NS / 2
    expected = sorted(common_calls(plan, program.calls[rank, thread]) for rank in range(RANKS) for thread in threads)
    assert sorted(len(match.rows) for match in addition.matches) == expected

    trace = hopscope.open(anchor)
    site = {"assemble": ("MPI_Sendrecv", "main > step > exchange"), "smooth": ("MPI_Allreduce", "main > step")}
    entries = [row for row in trace.diagnose().to_pylist() if row["kind"] == "imbalance"]
    assert [(entry["ranks"], entry["functions"]) for entry in entries] == [
        ([plan.guilty_rank], [plan.guilty_function, "spend"])
    ]
    assert site[plan.guilty_function] in [(call["mpi"], call["place"]) for call in entries[0]["call_sites"]]
    # All calls have the other tool's wrapper as call site. Their paths set them apart again.
    assert {row["place"] for row in trace.places().to_pylist() if "exchange" in row["place"]} == {site["assemble"][1]}
    broken = [row for row in trace.check_data().to_pylist() if row["verdict"] == "fails"]
    assert broken == []
