"""Makes the measurements of a probe: the most important first, until the budget of time is used up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hopscope.machine.probe.levels import Pair, clusters_of, separation_certainty
from hopscope.machine.probe.places import Host, Link, Places, hosts_of, is_outlying, meetings
from hopscope.machine.probe.sampling import FIRST, POINT_SECONDS, Budget, Value, median_of, settle
from hopscope.machine.probe.session import Machine

SIZES = (1, 1 << 16, 1 << 20, 1 << 10, 1 << 13, 1 << 18, 1 << 7, 1 << 22)
"""Sizes of messages in bytes, the most informative ones first."""
OPERATIONS = ("MPI_SUM", "MPI_PROD", "MPI_MIN", "MPI_MAX", "MPI_BOR")
TYPES = ("MPI_DOUBLE", "MPI_FLOAT", "MPI_INT", "MPI_LONG")
COMBINED = (1 << 16, 1 << 20, 1 << 10)
"""The sizes, in bytes, for which combining is measured."""
CROWD_BYTES = 1 << 18
"""The size, in bytes, of messages in measurements with several concurrent senders."""

LATENCY_SHARE = 0.25
"""Share of the budget for measuring the latencies between all hosts."""
LATENCY_TRIPS = 20
NS = 1e9
_GAP_NS = 2e6
"""A gap is measured by the difference between a shorter and a longer run of messages. The additional messages take at
least this time, ns, which is well above the errors of a clock and a wait."""
_GAP_WAYS = 10
"""A gap's additional messages also take at least this multiple of the latency, so that a transport can grow its
window."""
_MOST_MESSAGES = 4000
_TOO_SLOW = POINT_SECONDS
"""A gap is not measured if one measurement would take longer than this, s."""

_PLAUSIBLE = 0.1
"""A gap from a short trial is plausible if it is more than this share of the trial's whole time per message, which also
contains latencies."""

Progress = Callable[[str], None]


@dataclass
class Point:
    """The measurements of one message size on one link. Times are in ns; None if not measured."""

    bytes: int
    one_way: Value | None = None
    gaps: dict[int, Value | None] = field(default_factory=dict[int, "Value | None"])
    """The time between two messages of a sender, by the number of destinations to which it sends in turn."""
    send_overhead: Value | None = None
    receive_overhead: Value | None = None


@dataclass
class Crowd:
    """A measurement with several ranks that send at once. kind, ends: `interface`, and the number of the senders' host;
    or `clusters`, and the numbers of the senders' and the receivers' clusters."""

    kind: str
    ends: tuple[int, ...]
    gaps: dict[int, Value | None]
    """The time between two messages of one sender, by the number of senders."""


@dataclass
class Measured:
    """All results of a probe. hosts_apart: the certainty that messages inside hosts are faster than between hosts.
    combines: ns per byte, by operation, type and bytes."""

    places: Places
    hosts_apart: float | None
    points: dict[Link, dict[int, Point]]
    combines: dict[tuple[str, str, int], Value | None]
    crowds: list[Crowd]
    spent_seconds: float


class Prober:
    """Measures on a machine until a budget is used up."""

    def __init__(
        self,
        machine: Machine,
        budget: Budget,
        progress: Progress = lambda text: None,
        sizes: Sequence[int] = SIZES,
    ) -> None:
        self.machine, self.budget, self.progress, self.sizes = machine, budget, progress, sizes

    def run(self) -> Measured:
        """Makes all measurements, in order of importance."""
        hosts = hosts_of(self.machine.hosts)
        places, hosts_apart = self._places(hosts)
        links = [link for link in places.links() if not link.outlying or self._is_really_off(places, link)]
        points = {link: {size: Point(size) for size in sorted(self.sizes)} for link in links}
        kinds = [
            (op, type_name)
            for op in OPERATIONS
            for type_name in TYPES
            if op != "MPI_BOR" or type_name in ("MPI_INT", "MPI_LONG")
        ]
        combines: dict[tuple[str, str, int], Value | None] = {
            (*kind, size): None for size in COMBINED for kind in kinds
        }
        crowds = _crowds(places)
        usual, odd = ([link for link in links if link.outlying == is_odd] for is_odd in (False, True))
        # The first sizes are enough for most parameters of every model.
        for group, sizes in ((usual, self.sizes[:3]), (odd, self.sizes[:2])):
            for size in sizes:
                for link in group:
                    self._point(places, link, points[link][size])
            if group is usual:
                self._combines(combines, kinds)
                for crowd, senders in crowds:
                    self._crowd(crowd, senders)
        for size in self.sizes:
            for link in links:
                if points[link][size].one_way is None:
                    self._point(places, link, points[link][size])
        return Measured(places, hosts_apart, points, combines, [crowd for crowd, _ in crowds], self.budget.spent)

    def _places(self, hosts: Sequence[Host]) -> tuple[Places, float | None]:
        """Measures the latencies between all hosts and inside them. Returns them with the clusters that they show, and
        the certainty that messages inside hosts are faster."""
        shared_hosts = [(number, host) for number, host in enumerate(hosts) if len(host.ranks) > 1]
        rounds = [[(number, number)] for number, _ in shared_hosts] + meetings(len(hosts))
        limit = int(max(0.01, self.budget.seconds * LATENCY_SHARE / max(1, len(rounds))) * NS)
        samples: dict[Pair, list[float]] = {}
        for number, pairs in enumerate(rounds):
            self.progress(f"latencies between hosts, {number + 1} of {len(rounds)}")
            ranks = [hosts[a].ranks[:2] if a == b else (hosts[a].ranks[0], hosts[b].ranks[0]) for a, b in pairs]
            words = [f"{first}:{second}" for first, second in ranks]
            times = self.machine.measure("pingpong", SIZES[0], LATENCY_TRIPS, limit, *words)
            for pair, (first, _) in zip(pairs, ranks, strict=True):
                samples[pair] = [trip / 2 for trip in times[first]]
        remote_samples = {pair: values for pair, values in samples.items() if pair[0] != pair[1]}
        clusters = clusters_of(remote_samples, len(hosts))
        certain = separation_certainty(
            [samples[number, number] for number, _ in shared_hosts], list(remote_samples.values())
        )
        one_way = {pair: median_of(values) for pair, values in samples.items()}
        return Places(tuple(hosts), clusters, one_way), certain

    def _is_really_off(self, places: Places, link: Link) -> bool:
        """Measures an outlying pair and the usual pair of its class again, right after each other, and returns True if
        the first one is still outlying. A busy machine may have slowed the pair down for a while."""
        usual = places.usual_of(link)
        limit = int(0.2 * NS)
        pair_latency, usual_latency = (
            median_of(self._pingpong(pair.ranks, SIZES[0], 4 * FIRST, limit)) for pair in (link, usual)
        )
        return is_outlying(pair_latency, usual_latency)

    def _pingpong(self, ranks: Sequence[int], size: int, count: int, limit_ns: int) -> list[float]:
        """Times of round trips between two ranks, ns: `count` of them, or fewer after limit_ns, but at least two."""
        words = ("pingpong", size, count, limit_ns, f"{ranks[0]}:{ranks[1]}")
        return self.machine.measure(*words)[ranks[0]]

    def _point(self, places: Places, link: Link, point: Point) -> None:
        if self.budget.left <= 0:
            return
        first, second = link.ranks
        names = {rank: host.name for host in places.hosts for rank in host.ranks}
        self.progress(f"{link.kind} link from {names[first]} to {names[second]}, {point.bytes} bytes")
        pair = (_host_of(places, first), _host_of(places, second))
        latency_ns = places.one_way[min(pair), max(pair)].value
        guess = 2 * latency_ns / NS

        def trips(count: int) -> list[float]:
            return [trip / 2 for trip in self._pingpong(link.ranks, point.bytes, count, int(POINT_SECONDS * NS))]

        point.one_way = settle(trips, self.budget, guess)
        if point.one_way is None:
            return
        one_way = point.one_way.value
        destinations = [second, *link.further]
        count = 1
        while count <= len(destinations):
            # Overheads come before gaps towards several destinations, because more models need them.
            point.gaps[count] = self._gap([(first, destinations[:count])], point.bytes, one_way, latency_ns)
            if count == 1:
                self._overheads(link.ranks, point, one_way)
            count *= 2

    def _gap(
        self, groups: Sequence[tuple[int, Sequence[int]]], size: int, one_way_ns: float, latency_ns: float
    ) -> Value | None:
        """Measures the time between two messages of a sender that sends to its destinations in turn, ns. groups: each
        sender with its destinations. If several send at once, the slowest one counts. None if it takes too long."""
        words = [f"{sender}:{','.join(str(rank) for rank in receivers)}" for sender, receivers in groups]
        gap_ns = max(one_way_ns - latency_ns, 0.02 * one_way_ns, 300.0)

        def gaps(messages: int, count: int) -> list[float]:
            times = self.machine.measure("gap", size, messages, count, *words)
            return (np.max(np.asarray([times[sender] for sender, _ in groups]), axis=0) / (2 * messages)).tolist()

        def messages_for(gap: float) -> int:
            least_messages = 2 * max(len(receivers) for _, receivers in groups)
            return int(
                np.clip(
                    max(_GAP_NS, _GAP_WAYS * latency_ns) / (2 * gap),
                    least_messages,
                    max(least_messages, _MOST_MESSAGES),
                )
            )

        def seconds(gap: float) -> float:
            return (4 * messages_for(gap) * gap * len(groups) + 4 * latency_ns) / NS

        if seconds(gap_ns) > min(_TOO_SLOW, self.budget.left):
            return None
        # A trial shows how many messages a good measurement needs. The trial's gap is almost 0 if other work delayed
        # its shorter run. Then the whole time of the trial per message is used, including the first, uncounted run.
        trial, begin = messages_for(gap_ns), self.budget.clock()
        found_ns = float(np.median(gaps(trial, 1)))
        spent_ns = (self.budget.clock() - begin) * NS / (8 * trial)
        gap_ns = max(100.0, found_ns if found_ns > _PLAUSIBLE * spent_ns else spent_ns)
        messages = messages_for(gap_ns)
        return settle(lambda count: gaps(messages, count), self.budget, seconds(gap_ns))

    def _overheads(self, ranks: Pair, point: Point, one_way_ns: float) -> None:
        """Measures the overheads of sender and receiver by delayed replies, a method of T. Kielmann, H. Bal, K.
        Verstoep, "Fast Measurement of LogP Parameters for Message Passing Platforms", IPDPS workshops (2000)."""
        delay_ns = int(3 * one_way_ns + 3e5)
        round_seconds = 4 * delay_ns / NS
        values: list[list[float]] = [[], []]

        def measure_pair(count: int) -> list[float]:
            times = self.machine.measure("overhead", point.bytes, count, delay_ns, f"{ranks[0]}:{ranks[1]}")[ranks[0]]
            values[0] += times[::2]
            values[1] += times[1::2]
            return times[1::2]

        settle(measure_pair, self.budget, round_seconds)
        if len(values[0]) >= 2:
            point.send_overhead, point.receive_overhead = (median_of(samples) for samples in values)

    def _combines(self, combines: dict[tuple[str, str, int], Value | None], kinds: Sequence[tuple[str, str]]) -> None:
        for size in COMBINED:
            self.progress(f"combining {size} bytes")
            for operation, type_name in kinds:

                def times(
                    count: int, words: tuple[object, ...] = (operation, type_name), size: int = size
                ) -> list[float]:
                    return [ns / size for ns in self.machine.measure("combine", size, count, *words, 0)[0]]

                combines[operation, type_name, size] = settle(times, self.budget)

    def _crowd(self, crowd: Crowd, senders: Sequence[Pair]) -> None:
        if self.budget.left <= 0:
            return
        self.progress(f"several senders at once: {crowd.kind}")
        first = senders[0]
        trips = self._pingpong(first, CROWD_BYTES, FIRST, int(0.2 * NS))
        trips_small = self._pingpong(first, SIZES[0], FIRST, int(0.2 * NS))
        one_way, latency = float(np.median(trips)) / 2, float(np.median(trips_small)) / 2
        for count in crowd.gaps:
            groups = [(a, (b,)) for a, b in senders[:count]]
            crowd.gaps[count] = self._gap(groups, CROWD_BYTES, one_way, latency)


def _host_of(places: Places, rank: int) -> int:
    return next(number for number, host in enumerate(places.hosts) if rank in host.ranks)


def _counts(limit: int) -> dict[int, Value | None]:
    """Unmeasured values for the numbers 1, 2, 4 and so on up to `limit`."""
    return {1 << i: None for i in range(limit.bit_length())}


def _crowds(places: Places) -> list[tuple[Crowd, list[Pair]]]:
    """The measurements with several senders, each with its pairs of sender and receiver. To measure an interface, ranks
    of the host with the most ranks send, each to a different host if there are enough. To measure the link between two
    clusters, one rank of each host in the first cluster sends, each to another host of the second."""
    crowds: list[tuple[Crowd, list[Pair]]] = []
    if len(places.hosts) < 2:
        return crowds
    by_size = sorted(range(len(places.hosts)), key=lambda number: -len(places.hosts[number].ranks))
    sender = by_size[0]
    receivers = [number for number in range(len(places.hosts)) if number != sender]
    receivers.sort(key=lambda number: (places.kind((sender, number)) != "lan", number))
    nearest = [number for number in receivers if places.kind((sender, number)) == places.kind((sender, receivers[0]))]
    targets = sorted(
        (place, nearest.index(n), rank) for n in nearest for place, rank in enumerate(places.hosts[n].ranks)
    )
    pairs = list(zip(places.hosts[sender].ranks, (rank for _, _, rank in targets), strict=False))
    if len(pairs) > 1:
        crowds.append((Crowd("interface", (sender,), _counts(len(pairs))), pairs))
    cluster_of_host = places.clusters.of_host
    for a in range(places.clusters.count):
        for b in range(a + 1, places.clusters.count):
            ends = [
                [host.ranks[0] for host, cluster in zip(places.hosts, cluster_of_host, strict=True) if cluster == c]
                for c in (a, b)
            ]
            pairs = list(zip(*ends, strict=False))
            if len(pairs) > 1:
                crowds.append((Crowd("clusters", (a, b), _counts(len(pairs))), pairs))
    return crowds
