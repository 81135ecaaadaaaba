"""Open MPI between two hosts that are far apart, untouched: its messages and the path show the slow link."""

import os
import subprocess
import sys
from pathlib import Path

import hopscope
import local_mpi
import networks
import pytest
from messages import is_one_to_one, messages

pytestmark = pytest.mark.alone

PROGRAM = Path(__file__).parent / "programs" / "sites.c"
DELAY = 0.02


@pytest.fixture(autouse=True, scope="module")
def machine_can() -> None:
    """Some may not make namespaces."""
    reason = networks.why_not()
    if reason:
        pytest.skip(f"two hosts: {reason}")


@pytest.mark.parametrize("hierarchical", [False, True])
def test_the_slow_link_is_seen_and_on_the_path(
    open_mpi: local_mpi.LocalMpi, hierarchical: bool, tmp_path: Path
) -> None:
    """In a hierarchical Allreduce the messages between the hosts are those of a nonblocking one on a communicator of
    the library's own: they were missing, and the path led past them."""
    sites = networks.topology(tmp_path, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": round(DELAY * 1e9)}}})
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--net", str(sites), "--dir", "trace", "--"]
    words = [open_mpi.launcher, "-n", "4", "--mca", "coll_han_priority", "100" if hierarchical else "0"]
    done = subprocess.run(
        [*run, *words, str(open_mpi.compile(PROGRAM))],
        cwd=tmp_path,
        env={**os.environ, "HOPSCOPE_KEEP_SPOOL": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert is_one_to_one(messages(tmp_path / "trace"))
    trace = hopscope.open(tmp_path / "trace")
    wan = [hop for hop in trace.table("hops").to_pylist() if hop["link"] == "wan"]
    assert min(hop["recv_end_ns"] - hop["send_begin_ns"] for hop in wan) >= 0.9e9 * DELAY
    # On a part of the communicator, a hierarchical collective calls functions of the same name.
    ops = {c["collective_id"]: c["op"] for c in trace.table("collectives").to_pylist()}
    calls = [call for call in trace.table("calls").to_pylist() if ops[call["collective_id"]] != "MPI_Barrier"]
    assert {call["algorithm"] is None for call in calls} == {hierarchical}
    # The first one of each operation sets up connections, or communicators.
    later = {c["collective_id"] for c in trace.table("collectives").to_pylist() if c["seq"] >= 3}
    assert later <= {hop["collective_id"] for hop in wan}
    # A Bcast or Barrier may find its message there, because the sites leave the Allreduce one after the other.
    sums = {c["collective_id"] for c in trace.table("collectives").to_pylist() if c["op"] == "MPI_Allreduce"}
    slow = [stretch for stretch in trace.table("path_stretches").to_pylist() if stretch["category"] == "wan"]
    # On a busy machine a rank may be held up for longer than the link delays.
    assert len(sums & {s["path_collective_id"] for s in slow if s["path"] == "collective"}) >= len(sums) / 2
    assert sum(s["end_ns"] - s["begin_ns"] for s in slow if s["path"] == "run") >= len(sums) / 2 * 1e9 * DELAY
