"""Progress loops with any mix of tests and probes, also of inactive requests, take little room in a trace."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.launch import find_mpi
from hopscope.launch.inspection import POLLS
from traced_worlds import Traced, program, run

PROGRAMS = Path(__file__).parent / "programs"
LOOPS = ("mixed", "yielding", "pausing", "inactive")
PAIRS_PER_SECOND = 100
"""A pair of records stands for the polls of 10 ms, or of more time if no poll follows after a pause."""
EDGES = 12
"""Pairs at both ends of the loop, and pairs that a chunk change ends."""


# Regression: polling two functions in turn made a pair of records for each call: 91 MB in 0.3 s.
@pytest.mark.parametrize("loop", LOOPS)
def test_unsuccessful_polls_share_a_pair_of_records(mpi: local_mpi.LocalMpi, loop: str, tmp_path: Path) -> None:
    job = run(mpi, tmp_path, 2, program(mpi, "polling"), loop)
    assert job.returncode == 0, job.stderr
    trace = hopscope.open(tmp_path / "trace")
    intervals = trace.table("intervals").to_pylist()
    pairs = Counter(row["rank"] for row in intervals if row["region"] in POLLS)
    for rank, seconds, turns in (line.split() for line in job.stdout.splitlines() if line.count(" ") == 2):
        assert 0 < pairs[int(rank)] <= PAIRS_PER_SECOND * float(seconds) + EDGES, f"{turns} turns"
    messages = trace.table("messages").to_pylist()
    assert len(messages) == 4
    assert all(row["recv_end_ns"] is not None for row in messages)
    assert {row["verdict"] for row in trace.check_data().to_pylist()} <= {"holds", "exempt", "nothing to check"}


WAITS = [(method, nap_us) for method in ("iprobe", "test") for nap_us in (0, 1000)]
WAITS += [("probe", 0), ("mprobe", 0), ("collective", 1000), ("collective", -1)]
"""Methods of waiting, each with the sleep between two polls in us; -1: the rank yields its core."""


def computing_of_ranks(trace: hopscope.Trace) -> dict[int, float]:
    """Computing of each rank on the critical path, as a share of it."""
    rows = trace.critical_path(by="rank").to_pylist()
    whole = sum(row["time_ns"] for row in rows)
    return {row["rank"]: row["compute_ns"] / whole for row in rows}


# Regression: sleeps between polls counted as computing of the waiting rank, and a message that was probed first counted
# as not waited for. So all of the path was on the waiting rank. The MPI library's hops ended the polls that led to a
# nonblocking collective.
@pytest.mark.parametrize("busy", ["work", "sleep"])
@pytest.mark.parametrize(("method", "nap_us"), WAITS)
def test_a_rank_that_polls_waits_for_the_one_that_is_late(
    mpi: local_mpi.LocalMpi, method: str, nap_us: int, busy: str, tmp_path: Path
) -> None:
    done = run(mpi, tmp_path, 2, program(mpi, "poller"), method, str(nap_us), busy)
    assert done.returncode == 0, done.stderr
    trace = Traced(tmp_path / "trace").trace
    computing = computing_of_ranks(trace)
    assert computing.get(0, 0) < computing[1] / 2
    problems = [row["ranks"] for row in trace.diagnose().to_pylist() if row["severity"] == "PROBLEM"]
    assert [1] in problems
    assert [0] not in problems


def test_the_master_of_a_pool_waits_while_it_sleeps_between_polls(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    mpi = next(mpi for mpi in local_mpi.find_all() if mpi.release in ("openmpi-4", "openmpi-5"))
    library = find_mpi([program(mpi, "poller")]).path
    assert library is not None
    words = (sys.executable, str(PROGRAMS / "pool.py"))
    done = run(mpi, tmp_path, 3, *words, MPI4PY_MPIABI=mpi.flavour, LD_LIBRARY_PATH=str(library.parent))
    assert done.returncode == 0, done.stderr
    trace = Traced(tmp_path / "trace").trace
    computing = computing_of_ranks(trace)
    assert computing.get(0, 0) < (computing.get(1, 0) + computing.get(2, 0)) / 2
    assert not any(0 in row["ranks"] for row in trace.diagnose().to_pylist() if row["severity"] == "PROBLEM")
