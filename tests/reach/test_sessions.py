"""A program with consecutive sessions: the first one is recorded, and a message says that the others are not."""

from pathlib import Path

import pytest
from traced_worlds import RELEASES, Traced, program, run


# MPICH 5 may leave the memory of a session behind if another one begins at once, also without the collector.
@pytest.mark.unfinished
def test_sessions_that_begin_after_all_had_ended_are_said_not_to_be_recorded(tmp_path: Path) -> None:
    if "mpich-5" not in RELEASES:
        pytest.skip("only in MPICH 5 does such a program live by itself")
    mpi = RELEASES["mpich-5"]
    done = run(mpi, tmp_path, 2, program(mpi, "session_rounds"), str(tmp_path / "ended"))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"{r} of round {n}: sum 1" for r in (0, 1) for n in range(3)]
    warnings = [line for line in done.stderr.splitlines() if "earlier ones had closed" in line]
    assert len([line for line in warnings if line.startswith("hopscope: an MPI session was opened")]) == 1, done.stderr
    traced = Traced(tmp_path / "trace")
    (missing,) = traced.facts["missing"]
    assert missing.startswith("the later MPI sessions of ranks 0 to 1 (")
    assert [(row["op"], row["complete"]) for row in traced.rows("collectives")] == [("MPI_Allreduce", True)]
