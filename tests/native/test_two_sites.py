"""Open MPI between two distant hosts: its own messages and the path show the slow link."""

import hopscope
import local_mpi
import networks
import pytest
from messages import matches_one_to_one, messages
from network_jobs import WAN_NS, sites_job
from recorded_jobs import shared_folder


@pytest.fixture(autouse=True, scope="module")
def machine_can() -> None:
    """Skips the test if this user may not make namespaces."""
    reason = networks.why_not()
    if reason:
        pytest.skip(f"two hosts: {reason}")


@pytest.mark.parametrize("hierarchical", [False, True])
def test_the_slow_link_is_seen_and_on_the_path(
    open_mpi: local_mpi.LocalMpi, hierarchical: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Regression: in a hierarchical Allreduce, the messages between hosts belong to a nonblocking one on a communicator
    that the library makes. They were missing, so the path did not contain them."""
    folder = sites_job(shared_folder(tmp_path_factory), open_mpi, hierarchical=hierarchical)
    assert matches_one_to_one(messages(folder))
    trace = hopscope.open(folder)
    wan = [hop for hop in trace.table("hops").to_pylist() if hop["link"] == "wan"]
    assert min(hop["recv_end_ns"] - hop["send_begin_ns"] for hop in wan) >= WAN_NS
    # On a part of the communicator, a hierarchical collective calls the same functions.
    ops = {c["collective_id"]: c["op"] for c in trace.table("collectives").to_pylist()}
    calls = [call for call in trace.table("calls").to_pylist() if ops[call["collective_id"]] != "MPI_Barrier"]
    assert {call["algorithm"] is None for call in calls} == {hierarchical}
    # The first collective of each operation sets up connections or communicators.
    warm_collectives = {c["collective_id"] for c in trace.table("collectives").to_pylist() if c["seq"] >= 3}
    assert warm_collectives <= {hop["collective_id"] for hop in wan}
    # In a Bcast or Barrier the message may already be there, because the sites leave the Allreduce one after the other.
    # It may also be there in an Allreduce to which a rank comes late, but not in all of them.
    sums = {c["collective_id"] for c in trace.table("collectives").to_pylist() if c["op"] == "MPI_Allreduce"}
    slow = [stretch for stretch in trace.table("path_stretches").to_pylist() if stretch["category"] == "wan"]
    for path in ("collective", "run"):
        crossings = [row["end_ns"] - row["begin_ns"] for row in slow if row["path"] == path]
        assert max(crossings, default=0) >= WAN_NS
    assert sums & {row["path_collective_id"] for row in slow if row["path"] == "collective"}
