"""A machine that answers a probe by PLogP's rules, and a clock on which measurements take time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SimulatedLink:
    """A link's times in ns, and its time per byte in ns."""

    latency: float
    overhead: float
    gap: float
    per_byte: float


SHM = SimulatedLink(300, 100, 200, 0.1)
LAN = SimulatedLink(20_000, 3_000, 5_000, 1.0)
WAN = SimulatedLink(5_000_000, 3_000, 6_000, 50.0)


@dataclass
class SimulatedMachine:
    """Ranks on hosts in clusters. jitter: as a share of each time. odd: the links of pairs of hosts that differ."""

    hosts: Sequence[str]
    cluster_of: dict[str, str]
    jitter: float = 0.01
    odd: dict[frozenset[str], SimulatedLink] = field(default_factory=dict[frozenset[str], SimulatedLink])
    library: str = "none"
    gamma: float = 0.25
    time_s: float = 0.0
    commands: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def clock(self) -> float:
        """The time in seconds."""
        return self.time_s

    def link(self, a: int, b: int) -> SimulatedLink:
        first, second = self.hosts[a], self.hosts[b]
        if frozenset((first, second)) in self.odd:
            return self.odd[frozenset((first, second))]
        if first == second:
            return SHM
        return LAN if self.cluster_of[first] == self.cluster_of[second] else WAN

    def measure(self, *words: object) -> dict[int, list[float]]:
        """Executes one command of a probe; see collector/src/probe/measure.h."""
        self.commands.append(words)
        kind, size, *rest = words
        assert isinstance(size, int)
        times: dict[int, list[float]] = {}
        if kind == "combine":
            times[0] = [self._shaken(self.gamma * size) for _ in range(int(str(rest[0])))]
            self.time_s += sum(times[0]) / 1e9
            return times
        groups = [str(word).split(":") for word in rest[2:]]
        took = 0.0
        for leader, peers in groups:
            sender, first = int(leader), int(peers.split(",")[0])
            values, seconds = getattr(self, f"_{kind}")(self.link(sender, first), size, *rest[:2], len(groups))
            times[sender], took = values, max(took, seconds)
        self.time_s += took
        return times

    def _shaken(self, time: float) -> float:
        return time * (1 + self.chance.uniform(-self.jitter, self.jitter))

    def _pingpong(
        self, link: SimulatedLink, size: int, count: int, limit: int, _groups: int
    ) -> tuple[list[float], float]:
        way = link.latency + link.gap + size * link.per_byte
        count = max(2, min(count, int(limit / (2 * way)) + 1))
        values = [self._shaken(2 * way) for _ in range(count)]
        return values, sum(values) / 1e9

    def _gap(self, link: SimulatedLink, size: int, messages: int, count: int, groups: int) -> tuple[list[float], float]:
        """The gap of a link. Several senders share an interface."""
        gap = groups * (link.gap + size * link.per_byte)
        return [self._shaken(2 * messages * gap) for _ in range(count)], count * (
            4 * messages * gap + 4 * link.latency
        ) / 1e9

    def _overhead(
        self, link: SimulatedLink, _size: int, count: int, delay: int, _groups: int
    ) -> tuple[list[float], float]:
        return [self._shaken(link.overhead) for _ in range(2 * count)], count * 2 * delay / 1e9


def two_sites(**changes: object) -> SimulatedMachine:
    """A machine with two hosts of two ranks in A, and two in B."""
    names = ("a0", "a1", "b0", "b1")
    machine = SimulatedMachine([name for name in names for _ in range(2)], {name: name[0].upper() for name in names})
    for name, value in changes.items():
        setattr(machine, name, value)
    return machine
