"""Emulated links between clusters, the time that messages cost ranks, and interfaces, in real jobs.

What is checked are bounds that the model promises: no message is visible before it is due. collector/tests/engine has
the due times themselves. The engine computes them alike under every MPI library, so one library runs them.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import engine_jobs
import pytest
from engine_jobs import HOP_IRECV, HOP_ISEND, HOP_ISEND_COMPLETE, Ended, every, ticks_of
from local_mpi import LocalMpi

BYTES = 2_400
"""What each message of `sums` carries."""
MS = 1_000_000
UP, DOWN = 0, 1
"""Roles, as the lowest two bits of a hop's tag have them."""


def topology(clusters: dict[str, int], placement: str = "round-robin", **emulate: Any) -> dict[str, Any]:
    """So many hosts of each cluster: A0, A1, ..."""
    hosts = [{"name": f"{name}{i}", "cluster": name} for name, count in clusters.items() for i in range(count)]
    return {"schema_version": 1, "placement": placement, "hosts": hosts, "emulate": emulate}


def run(mpi: LocalMpi, ranks: int, tree: dict[str, Any], network: dict[str, Any]) -> Ended:
    ended = engine_jobs.check(mpi, ranks, tree, "sums", 3, topology=network)
    assert ended.same, ended
    return ended


def moments(ended: Ended, kind: str, role: int) -> dict[int, list[tuple[int, int, int]]]:
    """Of each collective, by the tag of its hops: when, rank and peer of every such event."""
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for rank, records in enumerate(ended.records):
        for r in records:
            if r.kind == kind and r.tag & 3 == role:
                found[r.tag].append((r.ticks, rank, r.peer))
    return {tag: sorted(times) for tag, times in found.items()}


def from_first_send(ended: Ended, role: int) -> Iterator[int]:
    """For each collective, from the first send of a role to the last receive."""
    sent, received = moments(ended, HOP_ISEND, role), moments(ended, HOP_IRECV, role)
    assert len(sent) == 11
    for tag, times in sent.items():
        yield received[tag][-1][0] - times[0][0]


def test_messages_of_all_hosts_of_a_cluster_share_its_link(first_mpi: LocalMpi) -> None:
    # Two children in B send 2,400 bytes each over one link of 1 MB/s; each of them had a link of its own.
    shared = [{"from": "B", "to": "A", "bytes_per_second": 1e6, "latency_ns": 3 * MS}]
    ended = run(first_mpi, 3, every("flat"), topology({"A": 1, "B": 2}, cluster_pairs=shared))
    least = ticks_of(ended, 2 * BYTES * 1000 + 3 * MS - 100_000)
    assert min(from_first_send(ended, UP)) >= least


def test_a_gateway_s_interface_serves_what_passes_through_it(first_mpi: LocalMpi) -> None:
    # From B1 by B0 to A0 by A1: six interfaces of 2 ms, one after another. B0's own message passes three more.
    pair = {"from": "B", "to": "A", "latency_ns": MS, "gateways": {"from": "B0", "to": "A1"}}
    network = topology({"A": 2, "B": 2}, cluster_pairs=[pair], host_interface={"per_message_ns": 2 * MS})
    tree = every({"shape": "explicit", "parents": [None, 0, 0, 0]})
    ended = run(first_mpi, 4, tree, network)
    sent, received = moments(ended, HOP_ISEND, UP), moments(ended, HOP_IRECV, UP)
    for tag, times in sent.items():
        began = next(at for at, rank, _ in times if rank == 3)
        seen = next(at for at, _, peer in received[tag] if peer == 3)
        assert seen - began >= ticks_of(ended, 6 * 2 * MS + MS - 100_000)


def test_a_parent_pays_for_every_message_of_its_host(first_mpi: LocalMpi) -> None:
    ended = run(first_mpi, 4, every("flat"), topology({"A": 1}, rank={"per_message_ns": 2 * MS, "per_byte_ns": 100}))
    each = 2 * MS + BYTES * 100
    # Up: a child sends, the root takes three in. Down: the root sends three, the last child takes its own in.
    assert min(from_first_send(ended, UP)) >= ticks_of(ended, 4 * each - 100_000)
    assert min(from_first_send(ended, DOWN)) >= ticks_of(ended, 4 * each - 100_000)
    # A rank is not done with a send before its time, so it cannot leave earlier.
    sent, done = (
        {(tag, rank): at for tag, times in moments(ended, kind, UP).items() for at, rank, _ in times}
        for kind in (HOP_ISEND, HOP_ISEND_COMPLETE)
    )
    assert min(done[hop] - at for hop, at in sent.items()) >= ticks_of(ended, each - 100_000)


FAR_NS = 120 * MS
UNDISTURBED_NS = 20 * MS


def test_a_message_from_far_away_holds_up_none_from_nearby(first_mpi: LocalMpi) -> None:
    # The root's interface served them as their stamps came, so the near one was due behind the far one.
    links = {"wan": {"latency_ns": FAR_NS}, "lan": {"latency_ns": MS}}
    network = topology({"A": 1, "B": 1}, links=links, host_interface={"per_message_ns": MS})
    network["hosts"].append({"name": "A1", "cluster": "A"})
    ended = run(first_mpi, 3, every("flat"), network)
    far, undisturbed = ticks_of(ended, FAR_NS), ticks_of(ended, UNDISTURBED_NS)
    sent = {(tag, rank): at for tag, times in moments(ended, HOP_ISEND, UP).items() for at, rank, _ in times}
    received = moments(ended, HOP_IRECV, UP)
    assert len(received) == 11
    order = {tag: [peer for _, _, peer in times] for tag, times in received.items()}
    # Only calls count in which the near one was due half of the far one's way before it and the root, which other
    # programs may keep from its core, looked when the far one was due.
    seen = {tag: next(at for at, _, peer in times if peer == 1) for tag, times in received.items()}
    counted = [
        tag
        for tag in received
        if sent[tag, 2] < sent[tag, 1] + far // 2 and seen[tag] < sent[tag, 1] + far + undisturbed
    ]
    assert counted
    assert [order[tag] for tag in counted] == [[2, 1]] * len(counted)


EIGHT_WAY = {
    "placement": "block",
    "links": {"shm": {"latency_ns": 5 * MS}, "lan": {"latency_ns": 12 * MS}},
    "rank": {"per_message_ns": 2 * MS},
}


def parents(group: int, *, layer: bool = False) -> list[int | None]:
    """32 ranks on four hosts of eight, in groups that send to the root; layer: through the first rank of their host."""
    of: list[int | None] = []
    for rank in range(32):
        host, first = rank - rank % 8, rank - rank % group
        up = first if rank != first else host if layer and first != host else 0
        of.append(None if rank == 0 else up)
    return of


@pytest.mark.parametrize(
    ("of", "up", "down"),
    [
        # A leaf sends, its parent takes seven in and sends, the root takes three in. Down the same.
        pytest.param(parents(8), 12 * 2 + 5 + 12, 12 * 2 + 5 + 12, id="one root a host"),
        # Groups of four, then their host's root takes in the other group's.
        pytest.param(
            *(parents(4, layer=True), 10 * 2 + 2 * 5 + 12, 10 * 2 + 2 * 5 + 12),
            id="another layer",
            marks=pytest.mark.statistics,
        ),
        # The root has its own group's and the other one's when six come from elsewhere.
        pytest.param(
            *(parents(4), 11 * 2 + 5 + 12, 11 * 2 + 5 + 12), id="two groups of four", marks=pytest.mark.statistics
        ),
    ],
)
def test_no_tree_over_eight_way_hosts_is_faster_than_its_ranks(
    of: list[int | None], up: int, down: int, first_mpi: LocalMpi
) -> None:
    ended = run(first_mpi, 32, every({"shape": "explicit", "parents": of}), topology({"A": 4}, **EIGHT_WAY))
    assert min(from_first_send(ended, UP)) >= ticks_of(ended, up * MS - 100_000)
    assert min(from_first_send(ended, DOWN)) >= ticks_of(ended, down * MS - 100_000)
