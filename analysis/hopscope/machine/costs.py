"""Costs of messages and of local work on a machine.

A hop from one rank to another takes latency + bytes * per_byte. Between hosts, it also has to pass the network
interfaces of both hosts, which may serve only one message at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopscope.machine.emulated import REAL, Machine
from hopscope.machine.hops import Array
from hopscope.vocabulary.links import LINKS, classes_of_hosts, link_class

INTRA_HOST = link_class(same_rank=False, same_host=True, same_cluster=True)
# Up to this size, a message's time hardly depends on its bytes.
SMALL = 1024
# A size counts as measured if it differs from a measured size by at most this factor. Times of other sizes may not be
# on one line: over TCP, 64 KiB took 4 latencies of a link, and 16 KiB took 1.15.
NEAR_RATIO = 3.0
# The latencies of a message by rendezvous, in order: of the RTS, of the CTS, and of the message itself.
RENDEZVOUS_LATENCIES = ("announcement_ns", "answer_ns", "announced_ns")


@dataclass
class LinkCost:
    """The time of a message on one class of links: latency_ns + bytes * per_byte_ns.

    hops: the number of hops to which the costs were fitted; 0 if the costs are those of another class. most_bytes,
    sizes: the largest size and all sizes of these hops. tells_bytes: True if the sizes differ enough to show the time
    per byte.
    send_ns, receive_ns: the time that a message takes its sender and its receiver; None: as in LocalCost.
    eager_bytes: longer messages are sent by rendezvous. For these, announcement_ns, answer_ns and announced_ns are the
    latencies of the RTS, the CTS and the message itself (None: latency_ns), and announced_per_byte_ns is an extra time
    per byte.
    """

    latency_ns: float
    per_byte_ns: float = 0.0
    hops: int = 0
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

    def message_ns(self, size: float) -> float:
        """The time of a message of this size, including RTS and CTS if it is sent by rendezvous."""
        if size <= self.eager_bytes:
            return self.latency_ns + self.per_byte_ns * size
        phases = [
            self.latency_ns if phase_ns is None else phase_ns
            for phase_ns in (vars(self)[name] for name in RENDEZVOUS_LATENCIES)
        ]
        return sum(phases) + (self.per_byte_ns + self.announced_per_byte_ns) * size

    def is_measured_size(self, size: Array) -> Array:
        """Mask of the sizes that are near a measured one; True for all if the class of links has no measured sizes."""
        if not (self.hops and self.sizes):
            return np.ones(len(size), bool)
        log_ratio = np.log(np.maximum(size, SMALL)[:, None] / np.maximum(np.asarray(self.sizes), SMALL)[None, :])
        return np.abs(log_ratio).min(axis=1) <= math.log(NEAR_RATIO)


@dataclass
class LocalCost:
    """The times of a rank's own work, ns: per collective (enter, leave) or per message. handle_up_ns: for a message
    received towards the root, including its combining; handle_down_ns: for one received from the root."""

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
        """The receiver's time for a message, without combining."""
        handling = [time for time in (self.handle_up_ns, self.handle_down_ns) if time > 0]
        # If nothing was combined, both times estimate the same cost, so their mean counts.
        is_split = len(handling) == 2 and self.handle_down_ns <= self.handle_up_ns
        return self.handle_down_ns if is_split else sum(handling) / max(1, len(handling))

    @property
    def combine_ns(self) -> float:
        """The time to combine a message, without the time per byte."""
        return max(0.0, self.handle_up_ns - self.receive_ns)


HostPair = tuple[int, int]


@dataclass
class Costs:
    """Everything that the replay needs to know about the machine.

    links: by class. pairs: latencies of outlying pairs of hosts, ns. measured: the pairs whose latency the hops show;
    other pairs have the latency of their class. Pairs are directed.
    """

    links: dict[str, LinkCost]
    local: LocalCost
    interface_message_ns: float = 0.0
    interface_per_byte_ns: float = 0.0
    pairs: dict[HostPair, float] = field(default_factory=dict[HostPair, float])  # latency_ns of outlying pairs
    measured: frozenset[HostPair] = frozenset()
    machine: Machine = REAL

    def arrays(self, host_clusters: Sequence[int]) -> dict[str, Any]:
        """The costs as the arrays that `routes.fitted` needs. host_clusters: the cluster of each host."""
        clusters = np.asarray([*host_clusters, *self.machine.gateways_clusters])
        link = self.classes(host_clusters)
        latency = np.asarray([self.links[name].latency_ns for name in LINKS])[link]
        per_byte = np.asarray([self.links[name].per_byte_ns for name in LINKS])[link]
        for pair, value in self.pairs.items():
            latency[pair] = value
        usual = np.asarray([self.links[name].latency_ns for name in LINKS])[link]
        message_per_byte = np.asarray([self.links[name].announced_per_byte_ns for name in LINKS])[link]
        return {
            "latency_ns": np.ascontiguousarray(latency.ravel()),
            # If a pair's latency differs from its class's, its rendezvous latencies differ by the same amount.
            **{
                name: np.maximum(0.0, latency - usual + self._phase_latency(name)[link]).ravel()
                for name in RENDEZVOUS_LATENCIES
            },
            "announced_per_byte_ns": message_per_byte.ravel(),
            "per_byte_ns": np.ascontiguousarray((per_byte + self.machine.wire_per_byte_ns).ravel()),
            **vars(self.local),
            **self.machine.arrays(clusters),
            "interface_message_ns": self.interface_message_ns,
            "interface_per_byte_ns": self.interface_per_byte_ns + self.machine.interface_per_byte_ns,
        }

    def _phase_latency(self, column: str) -> Array:
        """One of RENDEZVOUS_LATENCIES for each class of links; the class's latency where the column is None."""
        latencies = [(vars(self.links[name])[column], self.links[name].latency_ns) for name in LINKS]
        return np.asarray([usual if phase_ns is None else phase_ns for phase_ns, usual in latencies])

    def classes(self, host_clusters: Sequence[int]) -> Array:
        """The link class of each pair of hosts, including gateways: hosts x hosts. See `classes_of_hosts`."""
        return classes_of_hosts([*host_clusters, *self.machine.gateways_clusters])
