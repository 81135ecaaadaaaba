"""`analyze remap --probe-missing` starts a job that measures what the run did not."""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import local_mpi
import pytest
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


@pytest.mark.parametrize(
    ("launcher", "said"),
    [("mpirun 'x", "cannot be read: No closing quotation"), ("", "takes the launcher"), ("no-such -n 2", "no-such")],
)
def test_a_launcher_that_starts_no_probe_is_refused_at_once(launcher: str, said: str) -> None:
    """An open quotation mark was a traceback, and a launcher that does not exist was said after half a minute."""
    trace = local_mpi.ROOT / "sample_traces" / "demo" / "trace"
    words = [Path(sys.executable).with_name("analyze"), "remap", trace, "--probe-missing", launcher]
    done = subprocess.run(words, env=local_mpi.without_hopscope(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr and "replaying" not in done.stderr
