"""Programs whose second threads communicate: the activities of these threads are those of the rank."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import hopscope
import local_mpi
import pytest
from traced_worlds import run

PROGRAM = Path(__file__).parent / "programs" / "threads.c"
ROUNDS = 40


def traced(mpi: local_mpi.LocalMpi, form: str, folder: Path) -> hopscope.Trace:
    """A run of the program on two ranks."""
    job = run(mpi, folder, 2, str(mpi.compile(PROGRAM, "-pthread")), form)
    assert job.returncode == 0, job.stderr
    return hopscope.open(folder / "trace")


def intervals(trace: hopscope.Trace, kind: str) -> Counter[tuple[int, int]]:
    """The number of intervals of a kind, by rank and thread."""
    rows = [row for row in trace.table("intervals").to_pylist() if row["kind"] == kind]
    return Counter((row["rank"], row["location"] >> 32) for row in rows)


# Regression: in all forms except the first, both ranks were more than 99.9 % useful, and the path was one stretch of
# computing.
@pytest.mark.parametrize("form", ["first", "joined", "alone", "tasks"])
def test_the_rank_whose_second_thread_works_longer_is_seen(mpi: local_mpi.LocalMpi, form: str, tmp_path: Path) -> None:
    trace = traced(mpi, form, tmp_path)
    useful = {row["rank"]: row["useful_share"] for row in trace.efficiency(by="rank").to_pylist()}
    assert useful[0] < useful[1]
    path = [row for row in trace.table("path_stretches").to_pylist() if row["path"] == "run"]
    assert sum(row["category"] == "compute" and row["rank"] == 1 for row in path) > ROUNDS / 2
    assert all(successor["begin_ns"] == row["end_ns"] for row, successor in itertools.pairwise(path))
    rows = trace.check_data().to_pylist()
    assert {row["verdict"] for row in rows} <= {"holds", "exempt", "nothing to check"}


def test_threads_that_follow_one_another_share_a_recording(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # Regression: each thread left two files.
    trace = traced(mpi, "tasks", tmp_path)
    assert {row["location"] >> 32 for row in trace.table("calls").to_pylist()} == {0, 1}
    # An interval before the first thread is created, and one after the end of each.
    assert intervals(trace, "idle") == {(rank, 1): ROUNDS + 1 for rank in (0, 1)}
    assert intervals(trace, "join") == {(rank, 0): ROUNDS for rank in (0, 1)}


def test_a_rank_computes_while_a_second_thread_waits_in_mpi(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # The first thread works through all rounds while the second one waits in MPI_Recv for a message that is sent at the
    # end.
    trace = traced(mpi, "polled", tmp_path)
    assert set(intervals(trace, "p2p")) == {(rank, thread) for rank in (0, 1) for thread in (0, 1)}
    useful = {row["rank"]: row["useful_ns"] for row in trace.efficiency(by="rank").to_pylist()}
    assert useful[1] > 0.9 * ROUNDS * 12_000_000
