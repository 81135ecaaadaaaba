"""`analyze remap --probe-missing` starts a job that measures what the run did not."""

import shlex
from typing import Any

import local_mpi
from jobs import HEAT_PLATE, Run, analyze, by_key

HOSTS = [{"name": name, "cluster": "A"} for name in ("a", "b", "c", "d")]
TOPOLOGY: dict[str, Any] = {"schema_version": 1, "hosts": HOSTS, "placement": "block"}


def test_pairs_of_hosts_that_no_hop_measured_are_measured(first_mpi: local_mpi.LocalMpi, traced: Run) -> None:
    program = first_mpi.compile(HEAT_PLATE)
    words = ("--size", "64", "--iterations", "30", "--tolerance", "0", "--late-rank", "3", "--late-ms", "5")
    job = traced(first_mpi, 4, program, *words, tree="chain", topology=TOPOLOGY)
    assert job.code == 0, job.err
    asked = ("remap", "--search", "0", "--algorithms", "tree")
    before = by_key(analyze(job.trace, *asked), "name")
    assert before["flat"]["unmeasured_pairs"] == 2
    launcher = shlex.join(first_mpi.launch(4))
    after = by_key(analyze(job.trace, *asked, "--probe-missing", launcher), "name")
    assert {row["unmeasured_pairs"] for row in after.values() if row["predicted_low_ns"] < row["measured_ns"]} == {0}
    # What the run measured is its own.
    assert after["today: chain"]["predicted_ns"] == before["today: chain"]["predicted_ns"]
