"""Where messages meet: at a host's interface, on the link between two clusters, or on one link both ways.

How long they wait for one another there, only messages show that met there. Two that share an interface may pass it one
after the other; two between the same clusters, from other hosts to other hosts, the link; and of two that go opposite
ways, one may wait for the other's bytes, because its announcement is answered by the same connection.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hopscope.model.hops import Hops
from hopscope.paths.columns import Array

OFTEN = 0.1
"""Meetings count if more than this share of the collectives have some."""


@dataclass(frozen=True)
class Passage:
    """What messages between hosts pass: `place` is equal of those that pass the same one; two meet there if all of
    their `marks` differ. behind: it lies behind the link's latency."""

    place: Array
    marks: tuple[Array, ...]
    mine: Array  # which messages pass one at all
    behind: bool = False


Passing = Callable[[Array, Array, Array, Array], list[Passage]]
"""From the sending hosts, the receiving hosts, the clusters of both."""


def interfaces(src: Array, dst: Array, src_cluster: Array, dst_cluster: Array) -> list[Passage]:
    """The sender's and the receiver's. `place` is the host."""
    del src_cluster, dst_cluster
    each, apart = np.arange(len(src)), src != dst
    return [Passage(src, (each,), apart), Passage(dst, (each,), apart, behind=True)]


def shared(src: Array, dst: Array, src_cluster: Array, dst_cluster: Array) -> list[Passage]:
    """The link from one cluster to another. Messages of one host meet at its interface already."""
    far = src_cluster != dst_cluster
    return [Passage(pairs_of(far, src_cluster, dst_cluster), (src, dst), far)]


def both_ways(src: Array, dst: Array, src_cluster: Array, dst_cluster: Array) -> list[Passage]:
    """The link between two hosts of a cluster, or between two clusters. `place` has the lower one first."""
    far = src_cluster != dst_cluster
    a, b = np.where(far, src_cluster, src), np.where(far, dst_cluster, dst)
    return [Passage(pairs_of(far, np.minimum(a, b), np.maximum(a, b)), (a < b,), a != b)]


_WIDTH = 24
"""Bits of a host's or a cluster's number."""


def pairs_of(far: Array, a: Array, b: Array) -> Array:
    """A number for each pair of clusters (`far`) or of hosts; `pair_of` takes it apart."""
    return (far.astype(np.int64) << 2 * _WIDTH) | (a.astype(np.int64) << _WIDTH) | b.astype(np.int64)


def pair_of(number: int) -> tuple[bool, int, int]:
    """See `pairs_of`."""
    return bool(number >> 2 * _WIDTH), number >> _WIDTH & (1 << _WIDTH) - 1, number & (1 << _WIDTH) - 1


def met(passing: Passing, src: Array, dst: Array, clusters: Array, together: Sequence[Array]) -> set[int]:
    """The places where messages meet. src, dst: hosts; clusters: of every host; together: equal of those that may go at
    once."""
    found: set[int] = set()
    for passage in passing(src, dst, clusters[src], clusters[dst]):
        groups = np.stack([passage.place, *together])[:, passage.mine]
        in_each = [_several(groups, mark[passage.mine]) for mark in passage.marks]
        found |= {place for place, *_ in set.intersection(*in_each)}
    return found


def _several(groups: Array, mark: Array) -> set[tuple[int, ...]]:
    """The groups, columns of the array, in which the mark has several values."""
    each = np.unique(np.concatenate([groups, mark[None, :]]), axis=1)[:-1]
    found, counts = np.unique(each, axis=1, return_counts=True)
    return set(map(tuple, found[:, counts > 1].T.tolist()))


def meeting_bytes(passing: Passing, hops: Hops, clusters: Array, transit_ns: Array) -> int:
    """The most bytes such that messages of as many met in the run; 0 if none did. transit_ns: how long each is on its
    way.

    Of a library's messages the rounds are not known, so those count that pass within half of that.
    """
    sizes = [0, *np.unique(hops.size).tolist()]
    often = OFTEN * len(np.unique(hops.collective))
    passages = passing(hops.src_host, hops.dst_host, clusters[hops.src_host], clusters[hops.dst_host])

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
            for column, differs in ((passage.place, False), *((mark, True) for mark in passage.marks)):
                together &= (column[one] != column[next_one]) == differs
            found |= set(hops.collective[one[together]].tolist())
        return len(found) > often

    # Where messages of so many bytes meet, those of fewer do as well.
    meeting = bisect_left(sizes, x=True, lo=1, key=lambda least: not meet(least))
    return int(sizes[meeting - 1])
