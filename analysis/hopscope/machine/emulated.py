"""Links and queues of an emulated machine, from the run's `emulated` (`emulate` in topology.schema.json).

The compiled network (analysis/native/paths/network.h) reproduces the delays that the collector emulated. If a link's
latency or bandwidth changes over time, its mean latency or mean time per byte is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopscope.machine.hops import Array, Hops
from hopscope.native import _paths
from hopscope.vocabulary.links import link_class


@dataclass(frozen=True, eq=False)
class Machine:
    """An emulated machine; times in ns. In matrices of hosts or clusters, rows are senders and columns receivers. Hosts
    with ranks come before gateways without ranks. wire_per_byte_ns: of a pair's own link. shared_per_byte_ns: of a link
    that all hosts of two clusters share."""

    emulated: bool = False
    has_traces: bool = False
    interface_message_ns: float = 0.0
    interface_per_byte_ns: float = 0.0
    cut_through: bool = False
    rank_message_ns: float = 0.0
    rank_per_byte_ns: float = 0.0
    clusters: int = 0  # 0 if no clusters share a link
    gateways_clusters: tuple[int, ...] = ()  # the clusters of gateways without ranks
    host_clusters: tuple[int, ...] = ()
    latency_ns: Array | float = 0.0
    wire_per_byte_ns: Array | float = 0.0
    shared_per_byte_ns: Array = field(default_factory=lambda: np.zeros(0))
    gateway_from: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    gateway_to: Array = field(default_factory=lambda: np.zeros(0, np.int32))

    def latencies(self) -> Array:
        """The emulated latency between each two hosts: hosts x hosts."""
        hosts = len(self.host_clusters) + len(self.gateways_clusters)
        return np.broadcast_to(self.latency_ns, (hosts, hosts))

    def rank_ns(self, size: Array) -> Array:
        """The emulated time, ns, that a message of each size takes a rank."""
        return self.rank_message_ns + self.rank_per_byte_ns * size

    def arrays(self, clusters: Array) -> dict[str, Any]:
        """The machine's values as `hopscope.native._paths` takes them. clusters: the cluster of each host."""
        return {
            "hosts": len(clusters),
            "clusters": self.clusters,
            "cluster": clusters.astype(np.int32),
            "interface_message_ns": self.interface_message_ns,
            "interface_per_byte_ns": self.interface_per_byte_ns,
            "cut_through": self.cut_through,
            "rank_message_ns": self.rank_message_ns,
            "rank_per_byte_ns": self.rank_per_byte_ns,
            "shared_per_byte_ns": self.shared_per_byte_ns.ravel(),
            "gateway_from": self.gateway_from.ravel(),
            "gateway_to": self.gateway_to.ravel(),
        }

    def delays(self, hops: Hops) -> Array:
        """The time, ns, that interfaces, links and ranks added to each hop's latency."""
        clusters = np.asarray([*self.host_clusters, *self.gateways_clusters])
        hosts, latency = len(clusters), self.latencies()
        costs = {
            **self.arrays(clusters),
            "latency_ns": np.ascontiguousarray(latency.ravel(), np.float64),
            "per_byte_ns": np.ascontiguousarray(np.broadcast_to(self.wire_per_byte_ns, (hosts, hosts)).ravel()),
        }
        order = np.argsort(hops.sent, kind="stable")
        places = {name: getattr(hops, name)[order].astype(np.int64) for name in ("src", "dst", "src_host", "dst_host")}
        times = {"sent_ns": hops.sent, "ready_ns": hops.posted, "bytes": hops.size}
        due = np.empty(len(order))
        due[order] = _paths.due_times(
            costs, places | {name: values[order].astype(np.float64) for name, values in times.items()}
        )
        return due - hops.sent - latency[hops.src_host, hops.dst_host]


REAL = Machine()
"""A machine without emulated links. Its costs have to be fitted to hops."""


def machine_of(
    emulated: dict[str, Any] | None, hosts: Sequence[str], host_clusters: Sequence[int], clusters: Sequence[str]
) -> Machine:
    """The machine that a run's `emulated` describes; REAL if the run emulated nothing. hosts, host_clusters: the names
    of the ranks' hosts, and the number of each host's cluster. clusters: the names of the clusters."""
    if not emulated:
        return REAL
    names, of_host = list(hosts), list(host_clusters)
    shared = [pair for pair in emulated.get("cluster_pairs", []) if pair["from"] in clusters and pair["to"] in clusters]
    for pair in shared:
        for end, gateway in pair.get("gateways", {}).items():
            if gateway not in names:
                names.append(gateway)
                of_host.append(list(clusters).index(pair[end]))
    count, per_byte = len(clusters), np.zeros((len(clusters), len(clusters)))
    gateways = {end: np.full((count, count), -1, np.int32) for end in ("from", "to")}
    latency, wire = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    for a, cluster in enumerate(of_host):
        for b, peer_cluster in enumerate(of_host):
            word = link_class(same_rank=False, same_host=a == b, same_cluster=cluster == peer_cluster)
            _overwrite(emulated.get("links", {}).get(word, {}), latency, wire, (a, b))
    for pair in shared:
        place = list(clusters).index(pair["from"]), list(clusters).index(pair["to"])
        for end, gateway in pair.get("gateways", {}).items():
            gateways[end][place] = names.index(gateway)
        ends = np.ix_(np.asarray(of_host) == place[0], np.asarray(of_host) == place[1])
        shared_per_byte = np.zeros_like(wire)
        _overwrite(pair, latency, shared_per_byte, ends)
        if shared_per_byte[ends].any():
            per_byte[place], wire[ends] = shared_per_byte[ends].flat[0], 0
    for pair in emulated.get("pairs", []):
        if pair["from"] in names and pair["to"] in names:
            _overwrite(pair, latency, wire, (names.index(pair["from"]), names.index(pair["to"])))
    interface, rank = emulated.get("host_interface", {}), emulated.get("rank", {})
    links = [*emulated.get("links", {}).values(), *emulated.get("pairs", []), *emulated.get("cluster_pairs", [])]
    return Machine(
        True,
        any("trace" in key for link in links for key in link),
        interface.get("per_message_ns", 0.0),
        1e9 / interface["bytes_per_second"] if "bytes_per_second" in interface else 0.0,
        interface.get("cut_through", False),
        rank.get("per_message_ns", 0.0),
        rank.get("per_byte_ns", 0.0),
        count if shared else 0,
        tuple(of_host[len(hosts) :]),
        tuple(host_clusters),
        latency,
        wire,
        per_byte if shared else REAL.shared_per_byte_ns,
        gateways["from"] if shared else REAL.gateway_from,
        gateways["to"] if shared else REAL.gateway_to,
    )


def _overwrite(link: dict[str, Any], latency: Array, per_byte: Array, place: Any) -> None:
    """Sets the latency and the time per byte of these pairs of hosts to the values of `link`, if it has them."""
    latencies = link.get("latency_trace_ns", link.get("latency_ns"))
    rates = link.get("bytes_per_second_trace", link.get("bytes_per_second"))
    if latencies is not None:
        latency[place] = np.asarray(latencies, np.float64).mean()
    if rates is not None:
        per_byte[place] = (1e9 / np.asarray(rates, np.float64)).mean()
