"""Hosts and clusters of a job's ranks, and the pairs of ranks that are measured for each class of links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hopscope.machine.probe.levels import Clusters, Pair
from hopscope.machine.probe.sampling import Value
from hopscope.vocabulary.links import link_class

OUTLYING = 0.25
"""A pair of hosts is outlying if its latency surely differs from its class's usual latency by more than this share."""

MOST_ALONE = 200
"""Up to this number of pairs of hosts, pairs are measured one after another, so that they do not delay each other."""


@dataclass(frozen=True)
class Host:
    """A host with its ranks."""

    name: str
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Link:
    """A pair of ranks to measure, the sender first, and their link class."""

    kind: str
    """The link class."""
    ranks: Pair
    outlying: bool = False
    further: tuple[int, ...] = ()
    """More ranks that the first rank reaches over the same link class. The probe sends to them to measure gaps towards
    several destinations."""


@dataclass(frozen=True)
class Places:
    """A job's hosts, in the order of their first ranks, and their clusters."""

    hosts: tuple[Host, ...]
    clusters: Clusters
    one_way: dict[Pair, Value] = field(default_factory=dict[Pair, Value])
    """One-way latencies by pair of hosts. The pair of a host with itself has the latency between two of its ranks."""

    def kind(self, pair: Pair) -> str:
        """The link class of two hosts."""
        a, b = pair
        cluster_of_host = self.clusters.of_host
        return link_class(same_rank=False, same_host=a == b, same_cluster=cluster_of_host[a] == cluster_of_host[b])

    def links(self) -> list[Link]:
        """The links to measure: for each class the pair of hosts with the median latency (over WAN, one pair for each
        two clusters), then the outlying pairs. Slow classes come first."""
        groups: dict[tuple[str, int, int], list[Pair]] = {}
        for a, b in self.one_way:
            kind, cluster_of_host = self.kind((a, b)), self.clusters.of_host
            low, high = sorted((cluster_of_host[a], cluster_of_host[b])) if kind == "wan" else (0, 0)
            groups.setdefault((kind, low, high), []).append((a, b))
        usual: list[Link] = []
        odd: list[Link] = []
        for (kind, _, _), pairs in sorted(groups.items(), reverse=True):
            pairs.sort(key=lambda pair: self.one_way[pair].value)
            middle = pairs[(len(pairs) - 1) // 2]
            usual.append(self._link(kind, middle))
            odd += [
                self._link(kind, pair, outlying=True)
                for pair in pairs
                if is_outlying(self.one_way[pair], self.one_way[middle])
            ]
        return usual + odd

    def usual_of(self, link: Link) -> Link:
        """The usual link (median latency) to which a link is compared: of the same class and, over WAN, between the
        same clusters."""
        cluster_of_rank = {
            rank: cluster
            for host, cluster in zip(self.hosts, self.clusters.of_host, strict=True)
            for rank in host.ranks
        }
        ends = {cluster_of_rank[rank] for rank in link.ranks}
        return next(
            candidate
            for candidate in self.links()
            if candidate.kind == link.kind
            and (link.kind != "wan" or {cluster_of_rank[rank] for rank in candidate.ranks} == ends)
        )

    def _link(self, kind: str, pair: Pair, *, outlying: bool = False) -> Link:
        a, b = pair
        if a == b:
            first, second, *further = self.hosts[a].ranks
            return Link(kind, (first, second), outlying, tuple(further))
        first, second = self.hosts[a].ranks[0], self.hosts[b].ranks[0]
        peers = [host for host in range(len(self.hosts)) if host != a and self.kind((a, host)) == kind]
        # Ranks on different hosts come first, because the gap depends on the number of different hosts to send to.
        ranks = [(place, rank) for host in peers for place, rank in enumerate(self.hosts[host].ranks)]
        return Link(kind, (first, second), outlying, tuple(rank for _, rank in sorted(ranks) if rank != second))

    def cluster_names(self) -> list[str]:
        """The names of the clusters: A, B and so on; from the 27th on A2, B2 and so on."""
        return [chr(ord("A") + i % 26) + (str(i // 26 + 1) if i >= 26 else "") for i in range(self.clusters.count)]


def meetings(hosts: int) -> list[list[Pair]]:
    """Divides all pairs of hosts into rounds. The pairs of a round are measured at the same time. If there are at most
    MOST_ALONE pairs, each one has its own round. Otherwise a round contains as many pairs as possible without a host in
    two of them (the circle method for tournaments)."""
    pairs = [(a, b) for a in range(hosts) for b in range(a + 1, hosts)]
    if len(pairs) <= MOST_ALONE:
        return [[pair] for pair in pairs]
    # The first host keeps its seat, and the others move by one seat after each round. If the number of hosts is odd,
    # one seat is empty.
    seats = list(range(hosts + hosts % 2))
    rounds: list[list[Pair]] = []
    for _ in seats[1:]:
        half = len(seats) // 2
        couples = zip(seats[:half], reversed(seats[half:]), strict=True)
        rounds.append([(min(couple), max(couple)) for couple in couples if max(couple) < hosts])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds


def is_outlying(latency: Value, usual: Value) -> bool:
    """True if the intervals show that a latency differs from the usual one by more than OUTLYING."""
    return latency.low > (1 + OUTLYING) * usual.high or latency.high < (1 - OUTLYING) * usual.low


def hosts_of(names: Sequence[str]) -> tuple[Host, ...]:
    """The hosts with their ranks. names: the host name of each rank."""
    ranks: dict[str, list[int]] = {}
    for rank, name in enumerate(names):
        ranks.setdefault(name, []).append(rank)
    return tuple(Host(name, tuple(members)) for name, members in ranks.items())
