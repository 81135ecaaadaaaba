"""Progress loops of any mix of tests and probes, also of requests that are not active, take little room."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.launch.inspection import POLLS

PROGRAM = Path(__file__).parent / "programs" / "polling.c"
LOOPS = ("mixed", "yielding", "pausing", "inactive")
PAIRS_PER_SECOND = 100
"""A pair of records stands for the polls of 10 ms, or of more if none of them follows after a pause."""
EDGES = 12
"""Pairs at the ends of the loop, and those that a chunk change ends."""


# Polling two functions in turn made a pair of records for each call: 91 MB in 0.3 s.
@pytest.mark.parametrize("loop", LOOPS)
def test_unsuccessful_polls_share_a_pair_of_records(mpi: local_mpi.LocalMpi, loop: str, tmp_path: Path) -> None:
    program = mpi.compile(PROGRAM)
    command = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--"]
    job = subprocess.run(
        [*command, *mpi.launch(2), str(program), loop],
        cwd=tmp_path,
        env={**os.environ, **mpi.patience()},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
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
