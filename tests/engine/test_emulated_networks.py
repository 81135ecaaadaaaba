"""Emulated links between clusters, the ranks' time per message, and interfaces, in real jobs.

The tests check bounds that the model guarantees: no message is visible before it is due. collector/tests/engine tests
the due times themselves. The engine computes them alike under every MPI library, so one library runs these jobs.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import engine_jobs
import pytest
from engine_jobs import HOP_IRECV, HOP_ISEND, HOP_ISEND_COMPLETE, FinishedJob, ticks_of, tree_file
from local_mpi import LocalMpi

BYTES = 2_400
"""Size of each message of `sums`."""
MS = 1_000_000
UP, DOWN = 0, 1
"""Roles, as encoded in the lowest two bits of a hop's tag."""


def topology(clusters: dict[str, int], placement: str = "round-robin", **emulate: Any) -> dict[str, Any]:
    """A topology file with `clusters[name]` hosts in each cluster: A0, A1, ..."""
    hosts = [{"name": f"{name}{i}", "cluster": name} for name, count in clusters.items() for i in range(count)]
    return {"schema_version": 1, "placement": placement, "hosts": hosts, "emulate": emulate}


def run(mpi: LocalMpi, ranks: int, tree: dict[str, Any], network: dict[str, Any]) -> FinishedJob:
    job = engine_jobs.check(mpi, ranks, tree, "sums", 3, topology=network)
    assert job.is_correct, job
    return job


def moments(job: FinishedJob, kind: str, role: int) -> dict[int, list[tuple[int, int, int]]]:
    """Ticks, rank and peer of all events of this kind and role, by the hop tag of their collective."""
    events: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for rank, records in enumerate(job.records):
        for r in records:
            if r.kind == kind and r.tag & 3 == role:
                events[r.tag].append((r.ticks, rank, r.peer))
    return {tag: sorted(times) for tag, times in events.items()}


def from_first_send(job: FinishedJob, role: int) -> Iterator[int]:
    """Ticks from the first send of a role to the last receive, for each collective."""
    sent, received = moments(job, HOP_ISEND, role), moments(job, HOP_IRECV, role)
    assert len(sent) == 11
    for tag, times in sent.items():
        yield received[tag][-1][0] - times[0][0]


def test_messages_of_all_hosts_of_a_cluster_share_its_link(first_mpi: LocalMpi) -> None:
    # Two children in B send 2,400 bytes each over one link of 1 MB/s. Regression: each of them had its own link.
    shared = [{"from": "B", "to": "A", "bytes_per_second": 1e6, "latency_ns": 3 * MS}]
    job = run(first_mpi, 3, tree_file("flat"), topology({"A": 1, "B": 2}, cluster_pairs=shared))
    least_ticks = ticks_of(job, 2 * BYTES * 1000 + 3 * MS - 100_000)
    assert min(from_first_send(job, UP)) >= least_ticks


def test_a_gateway_s_interface_serves_what_passes_through_it(first_mpi: LocalMpi) -> None:
    # From B1 over B0 and A0 to A1: six interfaces of 2 ms, one after another. B0's own message passes three more.
    pair = {"from": "B", "to": "A", "latency_ns": MS, "gateways": {"from": "B0", "to": "A1"}}
    network = topology({"A": 2, "B": 2}, cluster_pairs=[pair], host_interface={"per_message_ns": 2 * MS})
    tree = tree_file({"shape": "explicit", "parents": [None, 0, 0, 0]})
    job = run(first_mpi, 4, tree, network)
    sent, received = moments(job, HOP_ISEND, UP), moments(job, HOP_IRECV, UP)
    for tag, times in sent.items():
        begin = next(ticks for ticks, rank, _ in times if rank == 3)
        arrival = next(ticks for ticks, _, peer in received[tag] if peer == 3)
        assert arrival - begin >= ticks_of(job, 6 * 2 * MS + MS - 100_000)


def test_a_parent_pays_for_every_message_of_its_host(first_mpi: LocalMpi) -> None:
    job = run(first_mpi, 4, tree_file("flat"), topology({"A": 1}, rank={"per_message_ns": 2 * MS, "per_byte_ns": 100}))
    cost_ns = 2 * MS + BYTES * 100
    # Up: a child sends, the root receives three. Down: the root sends three, the last child receives one.
    assert min(from_first_send(job, UP)) >= ticks_of(job, 4 * cost_ns - 100_000)
    assert min(from_first_send(job, DOWN)) >= ticks_of(job, 4 * cost_ns - 100_000)
    # A rank completes a send only when its time has passed, so it cannot leave earlier.
    sent, done = (
        {(tag, rank): ticks for tag, times in moments(job, kind, UP).items() for ticks, rank, _ in times}
        for kind in (HOP_ISEND, HOP_ISEND_COMPLETE)
    )
    assert min(done[hop] - ticks for hop, ticks in sent.items()) >= ticks_of(job, cost_ns - 100_000)


FAR_NS = 120 * MS
UNDISTURBED_NS = 20 * MS


def test_a_message_from_far_away_holds_up_none_from_nearby(first_mpi: LocalMpi) -> None:
    # Regression: the root's interface served messages in the order of their stamps, so the near one was due after the
    # far one.
    links = {"wan": {"latency_ns": FAR_NS}, "lan": {"latency_ns": MS}}
    network = topology({"A": 1, "B": 1}, links=links, host_interface={"per_message_ns": MS})
    network["hosts"].append({"name": "A1", "cluster": "A"})
    job = run(first_mpi, 3, tree_file("flat"), network)
    far, undisturbed = ticks_of(job, FAR_NS), ticks_of(job, UNDISTURBED_NS)
    sent = {(tag, rank): ticks for tag, times in moments(job, HOP_ISEND, UP).items() for ticks, rank, _ in times}
    received = moments(job, HOP_IRECV, UP)
    assert len(received) == 11
    order = {tag: [peer for _, _, peer in times] for tag, times in received.items()}
    # A call counts only under two conditions. The near message was due at least half of the far one's latency before
    # it. And the root looked when the far one was due; other programs may keep it from its core.
    arrivals = {tag: next(ticks for ticks, _, peer in times if peer == 1) for tag, times in received.items()}
    tags = [
        tag
        for tag in received
        if sent[tag, 2] < sent[tag, 1] + far // 2 and arrivals[tag] < sent[tag, 1] + far + undisturbed
    ]
    assert tags
    assert [order[tag] for tag in tags] == [[2, 1]] * len(tags)


EIGHT_WAY = {
    "placement": "block",
    "links": {"shm": {"latency_ns": 5 * MS}, "lan": {"latency_ns": 12 * MS}},
    "rank": {"per_message_ns": 2 * MS},
}


def parents(group: int, *, layer: bool = False) -> list[int | None]:
    """The parent of each of 32 ranks on four hosts of eight ranks, in a tree in which the first rank of each group
    sends to the root. layer: it sends to the first rank of its host instead."""
    parent_of: list[int | None] = []
    for rank in range(32):
        host, first = rank - rank % 8, rank - rank % group
        up = first if rank != first else host if layer and first != host else 0
        parent_of.append(None if rank == 0 else up)
    return parent_of


@pytest.mark.parametrize(
    ("parent_of", "up", "down"),
    [
        # A leaf sends, its parent receives seven and sends, the root receives three. Down the same.
        pytest.param(parents(8), 12 * 2 + 5 + 12, 12 * 2 + 5 + 12, id="one root a host"),
        # In groups of four, the host's first rank also receives from the other group.
        pytest.param(
            *(parents(4, layer=True), 10 * 2 + 2 * 5 + 12, 10 * 2 + 2 * 5 + 12),
            id="another layer",
            marks=pytest.mark.statistics,
        ),
        # The root has received from its own group and the other one when the six from other hosts arrive.
        pytest.param(
            *(parents(4), 11 * 2 + 5 + 12, 11 * 2 + 5 + 12), id="two groups of four", marks=pytest.mark.statistics
        ),
    ],
)
def test_no_tree_over_eight_way_hosts_is_faster_than_its_ranks(
    parent_of: list[int | None], up: int, down: int, first_mpi: LocalMpi
) -> None:
    job = run(first_mpi, 32, tree_file({"shape": "explicit", "parents": parent_of}), topology({"A": 4}, **EIGHT_WAY))
    assert min(from_first_send(job, UP)) >= ticks_of(job, up * MS - 100_000)
    assert min(from_first_send(job, DOWN)) >= ticks_of(job, down * MS - 100_000)
