"""What messages and local work cost on a machine.

A hop from one rank to another takes latency + bytes * per_byte after it was sent, and, between hosts, has to pass the
two hosts' interfaces, which may serve one message at a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from hopscope.links import LINKS, link_class
from hopscope.model.hops import Array
from hopscope.model.machine import REAL, Machine

INSIDE = link_class(same_rank=False, same_host=True, same_cluster=True)
# Up to so many bytes, what a message takes hardly depends on them.
SMALL = 1024
# What messages take is taken to lie on a line up to so many times as many bytes, or as few, as some that were measured.
# Farther off, networks change their ways: 64 KiB over TCP took 4 latencies of a link and 16 KiB took 1.15.
NEAR = 3.0
# If the longest message of a class takes no longer than an empty one by more than this share of the slowest link, no
# size in between is a guess.
BYTES_MATTER = 0.1
# The slowest that an unmeasured link may be if no slower class was measured, ns. Light takes 100 ms through fibre half
# around the world, and routes are half as long again.
SLOWEST_NS = {"shm": 1e6, "lan": 1e7, "wan": 1.5e8}
# Messages that wait for one another for a smaller share of what one takes alone do not wait.
FREE = 0.1
# The latencies of a message that is announced, in their order.
ANNOUNCED = ("announcement_ns", "answer_ns", "announced_ns")


Ends = tuple[float, float, float]
"""Of a value that is not known exactly, in the order of the next."""
EXPECTED, LOWEST, HIGHEST = 0, 1, 2


@dataclass(frozen=True)
class Met:
    """What two messages of so many bytes took that met somewhere: the slower of them alone, and how much longer the
    slower one took if they met, at the least and at the most."""

    bytes: float
    alone_ns: float
    least_wait_ns: float
    most_wait_ns: float

    @property
    def waits(self) -> bool:
        """Whether one waits for the other at all."""
        return self.most_wait_ns > FREE * self.alone_ns


@dataclass
class LinkCost:
    """latency_ns + bytes * per_byte_ns of one link class; hops: how many it was fitted from, 0 for a stand-in.

    fastest_ns, slowest_ns: latencies of the class's fastest and slowest measured pair of hosts. least_bytes,
    most_bytes: of the messages that it was fitted from; sizes: all that these had; tells_bytes: whether they differ by
    enough to show what a byte takes. send_ns, receive_ns: what a message takes its two ranks; None: what one takes on
    any link. eager_bytes: a longer message is announced before it goes. announcement_ns, answer_ns: the latencies of
    the announcement and of the answer to it; announced_ns: that of the message itself, with announced_per_byte_ns
    beyond what bytes take on the link. None: as any other message. off_ns: of bytes that no hop had and a probe
    measured, how much longer a message takes than all this says, and what a byte of it takes.
    """

    latency_ns: float
    per_byte_ns: float = 0.0
    hops: int = 0
    fastest_ns: float = 0.0
    slowest_ns: float = 0.0
    least_bytes: float = 0.0
    most_bytes: float = math.inf
    sizes: tuple[float, ...] = ()
    tells_bytes: bool = True
    send_ns: float | None = None
    receive_ns: float | None = None
    eager_bytes: float = math.inf
    announcement_ns: float | None = None
    answer_ns: float | None = None
    announced_ns: float | None = None
    announced_per_byte_ns: float = 0.0
    off_ns: tuple[tuple[float, Ends, float], ...] = ()

    def message_ns(self, size: float) -> float:
        """What a message of so many bytes takes, with its announcement if it has one."""
        if size <= self.eager_bytes:
            return self.latency_ns + self.per_byte_ns * size
        ways = [self.latency_ns if own is None else own for own in (vars(self)[name] for name in ANNOUNCED)]
        return sum(ways) + (self.per_byte_ns + self.announced_per_byte_ns) * size

    def judges(self, size: Array) -> Array:
        """Whether the measured messages tell what one of each size takes."""
        within = (size >= self.least_bytes) & (size <= self.most_bytes)
        return within | (size < self.least_bytes) & self.tells_bytes | (size <= SMALL) & (self.least_bytes <= SMALL)

    def is_near(self, size: Array) -> Array:
        """Whether a hop had about so many bytes. Of a class without any, sizes are not what lacks."""
        return are_near(size, self.sizes) if self.hops and self.sizes else np.ones(len(size), bool)

    def beyond_ns(self, size: Array) -> Array:
        """How much longer messages of each size take than the rest says, and what their bytes do: sizes x (expected,
        lowest, highest, per byte). NaN where neither a hop nor a probe had about as many bytes."""
        found = np.full((len(size), 4), np.nan)
        if self.off_ns:
            probed = np.asarray([size_ for size_, *_ in self.off_ns])
            nearest = np.abs(np.log(np.maximum(size, 1)[:, None] / np.maximum(probed, 1)[None, :])).argmin(axis=1)
            near = are_near(size, probed)
            found[near] = np.asarray([(*off, each) for _, off, each in self.off_ns])[nearest[near]]
        found[self.is_near(size)] = 0.0, 0.0, 0.0, self.per_byte_ns
        return found


def are_near(size: Array, known: Sequence[float] | Array) -> Array:
    """Whether each size is about as many bytes as one of those that are known."""
    apart = np.log(np.maximum(size, SMALL)[:, None] / np.maximum(np.asarray(known, np.float64), SMALL)[None, :])
    return np.abs(apart).min(axis=1) <= math.log(NEAR)


@dataclass
class LocalCost:
    """Time that a rank spends itself: ns, per collective (enter, leave) or per message."""

    enter_ns: float = 0.0
    handle_up_ns: float = 0.0
    combine_per_byte_ns: float = 0.0
    handle_down_ns: float = 0.0
    send_ns: float = 0.0
    leave_ns: float = 0.0
    copy_ns: float = 0.0
    copy_per_byte_ns: float = 0.0

    @property
    def receive_ns(self) -> float:
        """What a message takes its receiver; operands are combined besides."""
        known = [time for time in (self.handle_up_ns, self.handle_down_ns) if time > 0]
        # Where nothing was combined, up and down are two views of one cost.
        is_split = len(known) == 2 and self.handle_down_ns <= self.handle_up_ns
        return self.handle_down_ns if is_split else sum(known) / max(1, len(known))

    @property
    def combine_ns(self) -> float:
        """What a combination takes beside its bytes."""
        return max(0.0, self.handle_up_ns - self.receive_ns)


HostPair = tuple[int, int]


@dataclass
class Costs:
    """Everything that the replay needs to know about the machine.

    measured: the pairs of hosts, from and to, whose latency the hops show. unmeasured: how fast the other pairs are
    taken to be: typical of their class, as its fastest or slowest measured pair, or as slow as they may be. at_most_ns:
    the latency of a pair is no longer, because a message that nobody waited for was there by then. shortest_ns: what a
    message of the fewest bytes measured took between two hosts, directed. sizes_as: what messages take of which others
    had far more bytes or far fewer: as a line through these has it, or as these themselves. clusters_share: from which
    cluster to which bytes queue for one link with those of all pairs of their hosts; directions_share: between which
    clusters (True first) or hosts (False) with those that go the opposite way, the lower number first. pinged: of the
    pairs measured, those that only a probe did. met: what a probe measured of messages that meet, by what they pass and
    its number.
    """

    links: dict[str, LinkCost]
    local: LocalCost
    interface_message_ns: float = 0.0
    interface_per_byte_ns: float = 0.0
    pairs: dict[HostPair, float] = field(default_factory=dict[HostPair, float])  # latency_ns of outlying ones, directed
    measured: frozenset[HostPair] = frozenset()
    pinged: frozenset[HostPair] = frozenset()
    unmeasured: Literal["typical", "fastest", "slowest", "bound"] = "typical"
    shortest_ns: dict[HostPair, float] = field(default_factory=dict[HostPair, float])
    at_most_ns: dict[HostPair, float] = field(default_factory=dict[HostPair, float])
    sizes_as: Literal["line", "shortest", "longest"] = "line"
    clusters_share: frozenset[tuple[int, int]] = frozenset()
    directions_share: frozenset[tuple[bool, int, int]] = frozenset()
    met: Mapping[tuple[str, int], Met] = field(default_factory=dict[tuple[str, int], Met])
    machine: Machine = REAL

    def arrays(self, host_clusters: Sequence[int]) -> dict[str, Any]:
        """What `routes.fitted` makes a machine of; host_clusters: the cluster of each host."""
        clusters = np.asarray([*host_clusters, *self.machine.gateways_clusters])
        link = self.classes(host_clusters)
        latency = np.asarray([self.links[name].latency_ns for name in LINKS])[link]
        known = self._is_measured(len(clusters))
        if self.unmeasured != "typical":
            extreme = np.asarray([self._extreme_ns(name) for name in LINKS])[link]
            for (src, dst), most in self.at_most_ns.items():
                extreme[src, dst] = min(extreme[src, dst], most)
            latency = np.where(known, latency, extreme)
        per_byte = np.asarray([self.links[name].per_byte_ns for name in LINKS])[link]
        for (src, dst), value in self.pairs.items():
            if known[src, dst] or self.unmeasured == "typical":
                latency[src, dst] = value
            else:
                # Its other direction is outlying: so may this one be, or not.
                latency[src, dst] = (min if self.unmeasured == "fastest" else max)(latency[src, dst], value)
        interface_per_byte_ns = self.interface_per_byte_ns
        if self.sizes_as == "longest":
            most = np.asarray([max(self.links[name].sizes, default=0.0) for name in LINKS])[link]
            latency += np.asarray([self.per_byte_ns(name) for name in LINKS])[link] * most
        elif self.sizes_as == "shortest":
            per_byte, interface_per_byte_ns = np.zeros_like(per_byte), 0.0
            for (src, dst), value in self.shortest_ns.items():
                latency[src, dst] = min(latency[src, dst], value)
        usual = np.asarray([self.links[name].latency_ns for name in LINKS])[link]
        announced = np.asarray([self.links[name].announced_per_byte_ns for name in LINKS])[link]
        return {
            "latency_ns": np.ascontiguousarray(latency.ravel()),
            # Of a pair whose latency is another one, these are too.
            **{name: np.maximum(0.0, latency - usual + self._own(name)[link]).ravel() for name in ANNOUNCED},
            "announced_per_byte_ns": announced.ravel(),
            "per_byte_ns": np.ascontiguousarray((per_byte + self.machine.wire_per_byte_ns).ravel()),
            **vars(self.local),
            **self.machine.arrays(clusters),
            "interface_message_ns": self.interface_message_ns,
            "interface_per_byte_ns": interface_per_byte_ns + self.machine.interface_per_byte_ns,
        }

    def _own(self, column: str) -> Array:
        """A latency of each class of links, of which None means that it is like any other."""
        known = [(vars(self.links[name])[column], self.links[name].latency_ns) for name in LINKS]
        return np.asarray([usual if own is None else own for own, usual in known])

    def per_byte_ns(self, name: str) -> float:
        """Of a message over a link of a class, with the two interfaces that it passes."""
        between = LINKS.index(name) > LINKS.index(INSIDE)
        return self.links[name].per_byte_ns + 2 * self.interface_per_byte_ns * between

    def bytes_matter(self, name: str) -> bool:
        """Whether it makes a difference how many bytes a message over a link of a class has."""
        slowest = max(link.latency_ns for link in self.links.values() if link.hops or link is self.links[name])
        return self.per_byte_ns(name) * max(self.links[name].sizes, default=0.0) > BYTES_MATTER * slowest

    def classes(self, host_clusters: Sequence[int]) -> Array:
        """The link class of each pair of hosts, as its place in LINKS; of two ranks of one host on the diagonal."""
        clusters = np.asarray([*host_clusters, *self.machine.gateways_clusters])
        near, far, here = (
            LINKS.index(link_class(same_rank=False, same_host=same_host, same_cluster=same_cluster))
            for same_host, same_cluster in ((False, True), (False, False), (True, True))
        )
        link = np.where(clusters[:, None] == clusters[None, :], near, far)
        np.fill_diagonal(link, here)
        return link

    def shifted(self, by_ns: Mapping[str, float], host_clusters: Sequence[int] | None = None) -> Costs:
        """The same with latencies of these classes longer by so much; those of their pairs too of an emulated machine,
        or if host_clusters are given."""
        links = {
            name: replace(
                link,
                **{
                    column: max(0.0, vars(link)[column] + by_ns.get(name, 0.0))
                    for column in ("latency_ns", *ANNOUNCED)
                    if vars(link)[column] is not None
                },
            )
            for name, link in self.links.items()
        }
        if host_clusters is None and not self.machine.emulated:
            return replace(self, links=links)
        classes = self.classes(self.machine.host_clusters if host_clusters is None else host_clusters)
        pairs = {pair: max(0.0, latency + by_ns.get(LINKS[classes[pair]], 0.0)) for pair, latency in self.pairs.items()}
        return replace(self, links=links, pairs=pairs)

    def longer_by(self, name: str, ns: float, of: tuple[float, float], host_clusters: Sequence[int]) -> Costs:
        """The same if messages of a class take so much longer. of: their mean bytes, and what a byte of them takes."""
        size, per_byte = of
        link = self.links[name]
        costs = replace(self, links=self.links | {name: replace(link, per_byte_ns=per_byte)})
        return costs.shifted({name: ns + (link.per_byte_ns - per_byte) * size}, host_clusters)

    def in_bytes(self, per_byte_ns: Mapping[str, float], host_clusters: Sequence[int]) -> Costs:
        """The same if a byte takes so much longer on these classes, whose messages, all of about one size, take no
        longer for it: it was in their latencies, also those of outlying pairs."""
        links = dict(self.links)
        hidden: dict[str, float] = {}
        for name, each in per_byte_ns.items():
            link = links[name]
            hidden[name] = min(each * link.most_bytes, link.latency_ns)
            per_byte = link.per_byte_ns + hidden[name] / link.most_bytes
            links[name] = replace(
                link, latency_ns=link.latency_ns - hidden[name], per_byte_ns=per_byte, tells_bytes=True
            )
        classes = self.classes(host_clusters)
        pairs = {pair: max(0.0, ns - hidden.get(LINKS[classes[pair]], 0.0)) for pair, ns in self.pairs.items()}
        return replace(self, links=links, pairs=pairs)

    def _extreme_ns(self, name: str) -> float:
        """The latency of an unmeasured pair of a class. At most, a link is as slow as the next slower class."""
        if self.unmeasured != "bound":
            return float(vars(self.links[name])[f"{self.unmeasured}_ns"])
        slower = [self.links[other].slowest_ns for other in LINKS[LINKS.index(name) + 1 :] if self.links[other].hops]
        return max(self.links[name].slowest_ns, slower[0] if slower else SLOWEST_NS.get(name, 0.0))

    def _is_measured(self, hosts: int) -> Array:
        """hosts x hosts; a host's own inside is no pair and counts as measured."""
        known = np.eye(hosts, dtype=bool)
        for src, dst in self.measured:
            known[src, dst] = True
        return known
