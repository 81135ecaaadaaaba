"""Where messages meet: at a host's interface, on the link between two clusters, or on one link both ways.

How long they wait for one another there, only messages show that met there. Two that share an interface may pass it one
after the other; two between the same clusters, the link; and of two that go opposite ways, one
may wait for the other's bytes, because its announcement is answered by the same connection.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hopscope.model.costs import HostPair
from hopscope.model.hops import Hops
from hopscope.paths.columns import Array, numbered

OFTEN = 0.1
"""Meetings count if more than this share of the collectives have some."""


@dataclass(frozen=True)
class Passage:
    """What messages between hosts pass: `place` is equal of those that pass the same one; two meet there if their marks
    differ. behind: it lies behind the link's latency."""

    place: Array
    mark: Array
    mine: Array  # which messages pass one at all
    behind: bool = False


Passing = Callable[[Array, Array, Array, Array, Array], list[Passage]]
"""From the sending hosts, the receiving hosts, the clusters of both, and a number for each two ranks."""


@dataclass(frozen=True)
class Meeting:
    """Messages of up to so many bytes meet at a place, whose number a Passage has. messages: two of them, by the hosts
    that send and receive them."""

    place: int
    name: str
    size: int
    messages: tuple[HostPair, HostPair]


def interfaces(src: Array, dst: Array, src_cluster: Array, dst_cluster: Array, ranks: Array) -> list[Passage]:
    """The sender's and the receiver's, by messages inside a cluster and by those that go to or come from several
    clusters: between the same two they meet on the link. `place` is the host, and above _WIDTH bits the latter."""
    apart = src != dst
    near, several = apart & (src_cluster == dst_cluster), np.int64(1 << _WIDTH)
    return [
        Passage(src, ranks, near),
        Passage(src | several, dst_cluster, apart),
        Passage(dst, ranks, near, behind=True),
        Passage(dst | several, src_cluster, apart, behind=True),
    ]


def any_at_interfaces(src: Array, dst: Array, src_cluster: Array, dst_cluster: Array, ranks: Array) -> list[Passage]:
    """The same of a run, where any two show how an interface serves them, whatever links they come from or go to."""
    del src_cluster, dst_cluster, ranks
    each, apart = np.arange(len(src)), src != dst
    return [Passage(src, each, apart), Passage(dst, each, apart, behind=True)]


def shared(src: Array, dst: Array, src_cluster: Array, dst_cluster: Array, ranks: Array) -> list[Passage]:
    """The link from one cluster to another. Segments between the same two ranks follow one another in any case."""
    far = src_cluster != dst_cluster
    return [Passage(pairs_of(far, src_cluster, dst_cluster), ranks, far)]


def both_ways(src: Array, dst: Array, src_cluster: Array, dst_cluster: Array, ranks: Array) -> list[Passage]:
    """The link between two hosts of a cluster, or between two clusters. `place` has the lower one first."""
    del ranks
    far = src_cluster != dst_cluster
    a, b = np.where(far, src_cluster, src), np.where(far, dst_cluster, dst)
    return [Passage(pairs_of(far, np.minimum(a, b), np.maximum(a, b)), a < b, a != b)]


_WIDTH = 24
"""Bits of a host's or a cluster's number."""


def host_of(number: int) -> int:
    """The host of an interface's place."""
    return number & (1 << _WIDTH) - 1


def pairs_of(far: Array, a: Array, b: Array) -> Array:
    """A number for each pair of clusters (`far`) or of hosts; `pair_of` takes it apart."""
    return (far.astype(np.int64) << 2 * _WIDTH) | (a.astype(np.int64) << _WIDTH) | b.astype(np.int64)


def pair_of(number: int) -> tuple[bool, int, int]:
    """See `pairs_of`."""
    return bool(number >> 2 * _WIDTH), number >> _WIDTH & (1 << _WIDTH) - 1, number & (1 << _WIDTH) - 1


class Sent(NamedTuple):
    """A candidate's messages. src, dst: hosts; ranks: a number for each two of them; share: the bytes, as a share of
    those that are known to meet; together: equal of those that may go at once."""

    src: Array
    dst: Array
    ranks: Array
    size: Array
    share: Array
    together: Sequence[Array]


def met(passing: Passing, sent: Sent, clusters: Array) -> dict[int, Meeting]:
    """The places, without their names, where the longest message meets others with more bytes than are known to meet.
    clusters: of every host."""
    src, dst, ranks, size, share, together = sent
    found: dict[int, Meeting] = {}
    for passage in passing(src, dst, clusters[src], clusters[dst], ranks):
        mine = np.flatnonzero(passage.mine)
        if not len(mine):
            continue
        group = numbered(*(column[mine] for column in (passage.place, *together)))
        longest = np.zeros(int(group.max()) + 1)
        np.maximum.at(longest, group, share[mine])
        others = np.bincount(group, share[mine]) - longest
        meets = (_differ(group, passage.mark[mine]) & (others > 1))[group]
        # Of each place the longest message, one between clusters if there is any, with another one that it meets.
        inside, group = mine[meets], group[meets]
        near = clusters[src[inside]] == clusters[dst[inside]]
        order = np.lexsort((-size[inside], near, passage.place[inside]))
        _, first = np.unique(passage.place[inside][order], return_index=True)
        for one in order[first].tolist():
            at = inside[one]
            beside = inside[order][group[order] == group[one]]
            other = beside[passage.mark[beside] != passage.mark[at]][0]
            two = ((int(src[at]), int(dst[at])), (int(src[other]), int(dst[other])))
            meeting = Meeting(int(passage.place[at]), "", int(size[at]), two)
            if meeting.place not in found or found[meeting.place].size < meeting.size:
                found[meeting.place] = meeting
    return found


def _differ(group: Array, mark: Array) -> Array:
    """Of each group, whether the mark has several values in it."""
    first = np.unique(numbered(group, mark), return_index=True)[1]
    return np.bincount(group[first], minlength=int(group.max()) + 1) > 1


def meeting_bytes(passing: Passing, hops: Hops, clusters: Array, transit_ns: Array) -> int:
    """The most bytes such that messages of as many met in the run, times how many others each met; 0 if none did.
    transit_ns: how long each is on its way.

    Of a library's messages the rounds are not known, so those count that pass within half of that.
    """
    sizes = [0, *np.unique(hops.size).tolist()]
    often = OFTEN * len(np.unique(hops.collective))
    hosts, ranks = (hops.src_host, hops.dst_host), numbered(hops.src, hops.dst)
    passages = passing(*hosts, clusters[hosts[0]], clusters[hosts[1]], ranks)

    def meet(least: int) -> bool:
        found = set[int]()
        for passage in passages:
            at = hops.sent + transit_ns if passage.behind else hops.sent
            mine = np.flatnonzero(passage.mine & (hops.size >= least))
            order = mine[np.lexsort((at[mine], passage.place[mine], hops.collective[mine]))]
            one, next_one = order[:-1], order[1:]
            together = (at[next_one] - at[one] < transit_ns[one] / 2) & (
                hops.collective[one] == hops.collective[next_one]
            )
            together &= passage.place[one] == passage.place[next_one]
            together &= passage.mark[one] != passage.mark[next_one]
            found |= set(hops.collective[one[together]].tolist())
        return len(found) > often

    # Where messages of so many bytes meet, those of fewer do as well.
    size = int(sizes[bisect_left(sizes, x=True, lo=1, key=lambda least: not meet(least)) - 1])
    return size * max(1, _at_once(passages, hops, transit_ns, size) - 1) if size else 0


def _at_once(passages: Sequence[Passage], hops: Hops, transit_ns: Array, least: int) -> int:
    """How many messages of at least so many bytes were under way at once, in as many collectives as count."""
    collective = numbered(hops.collective)
    most = np.zeros(int(collective.max(initial=-1)) + 1, np.int64)
    for passage in passages:
        mine = np.flatnonzero(passage.mine & (hops.size >= least))
        if not len(mine):
            continue
        at = (hops.sent + transit_ns if passage.behind else hops.sent)[mine].astype(np.float64)
        at -= at.min()
        # The times of each place in each collective lie behind those of the one before.
        apart = numbered(collective[mine], passage.place[mine]) * (at.max() + transit_ns[mine].max() + 1)
        order = np.argsort(at + apart, kind="stable")
        begin = (at + apart)[order]
        end = np.searchsorted(begin, begin + transit_ns[mine][order] / 2)
        np.maximum.at(most, collective[mine][order], end - np.arange(len(order)))
    return int(np.sort(most)[::-1][int(OFTEN * len(most))])
