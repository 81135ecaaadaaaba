"""Measures the computing of each rank after each call of MPI, as matrices in which ranks can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from hopscope.dataset.path_columns import Array, distinct, integers, pair_places, stable_order
from hopscope.explain.diagnosis.rerun import Rerun

_QUARTILE_RANKS: Final = 5
"""With fewer ranks, the quickest rank represents the ranks on time; otherwise the lower quartile does."""
_FREQUENT: Final = 5
"""The least number of times that one call must follow another to make a site of its own."""
_COUPLED: Final = 0.5
"""The least number of collectives per occurrence of a site with which ranks are also compared between collectives."""


@dataclass(frozen=True)
class SiteGaps:
    """The gaps after one call site. computing: in ns, by rank and occurrence; NaN where a rank has none.

    ranks: the rank of each row. row: the number of each gap, -1 where there is none. period_ns: the mean time from one
    occurrence to the next. whole: the time by which a rank computed longer than the others between two collectives, at
    all sites together; infinite if collectives are too rare to compare ranks between them.
    """

    ranks: Array
    computing: Array
    whole: Array
    row: Array
    period_ns: float

    @property
    def occurrences(self) -> int:
        """The largest number of computing gaps that any rank has at this site."""
        return self.computing.shape[1]


class Gaps:
    """All computing gaps of a run, in order of site, rank and time. A gap is the time that a rank's first thread
    computes between two calls of MPI. Its site is the place of the call before it, because ranks that do the same work
    may continue with different calls, as at the rim of a grid. If all ranks continue with the same calls equally often,
    each of these next calls makes a site of its own. This separates an inner loop from the end of the outer loop."""

    def __init__(self, rerun: Rerun) -> None:
        """Takes as long as sorting all calls of the run."""
        things, lanes = rerun.things, rerun.arrays["lanes.main_lane"]
        first = np.flatnonzero(lanes[things.lane] == things.lane)
        lane, begin = things.lane[first], things.begin_ns[first]
        end, site = things.end_ns[first], rerun.place_of_site[things.site[first]]
        # A call that begins inside another is not outermost. A rank is free once all calls before have ended.
        span = 1 + int(end.max(initial=0))
        free = np.maximum.accumulate(lane * span + end) - lane * span
        outermost = np.ones(len(lane), bool)
        outermost[1:] = (lane[1:] != lane[:-1]) | (begin[1:] >= free[:-1])
        rows = np.flatnonzero(outermost)
        successors = np.flatnonzero(lane[rows[1:]] == lane[rows[:-1]])
        ends, predecessors = rows[successors + 1], rows[successors]
        rank = rerun.lanes.rank[lane[ends]].astype(np.int64)
        gap_site = _divided(site[predecessors], site[ends], rank)
        order = stable_order(gap_site)
        ends, self.site, self.rank = ends[order], gap_site[order], rank[order]
        self.end = begin[ends]
        self.computing = (begin[ends] - free[ends - 1]).astype(np.float64)
        begins = np.flatnonzero((np.diff(self.rank, prepend=-1) != 0) | (np.diff(self.site, prepend=-1) != 0))
        self._occurrence = np.arange(len(ends)) - np.repeat(begins, np.diff(begins, append=len(ends)))
        self._whole, self._collectives = self._between_collectives(rerun)

    def _between_collectives(self, rerun: Rerun) -> tuple[Array, int]:
        """For each gap, the time by which its rank computed longer than the ranks on time, summed over all gaps since
        the previous collective; infinite if no collective follows. Also returns the number of collectives of several
        ranks."""
        arrays = rerun.arrays
        shared = integers(rerun.tables["collectives"], "comm_size")[arrays["calls.collective"]] > 1
        rank, enter = arrays["calls.rank"][shared].astype(np.int64), arrays["calls.enter_ns"][shared]
        collective = arrays["calls.collective"][shared]
        whole = np.full(len(self.rank), np.inf)
        if not len(rank):
            return whole, 0
        order = np.lexsort((enter, rank))
        rank, enter, collective = rank[order], enter[order], collective[order]
        position = pair_places(rank, enter, (self.rank, self.end), "left")
        leads = position < len(rank)
        leads[leads] = rank[position[leads]] == self.rank[leads]
        total = np.bincount(position[leads], self.computing[leads], minlength=len(rank))
        excess = total - _on_time(collective, total)
        whole[leads] = excess[position[leads]]
        return whole, len(distinct(collective)[0])

    def computing_within(self, begin_ns: int, end_ns: int) -> float:
        """The computing of all ranks between these two times, as a multiple of the time between."""
        overlap = np.minimum(self.end, end_ns) - np.maximum(self.end - self.computing, begin_ns)
        return float(np.maximum(overlap, 0).sum()) / max(1, end_ns - begin_ns)

    @cached_property
    def ranks(self) -> Array:
        """The ranks that compute at all."""
        return np.unique(self.rank)

    def concurrent_computing(self, numbers: Array, *, anywhere: bool) -> Array:
        """The computing of each other rank during each of these gaps of one rank; in ns, a row for each other rank.

        anywhere: count computing at any site. If false, other sites at which the one rank also computes are left out,
        because it does that work at another time.
        """
        begin, end = self.end[numbers] - self.computing[numbers], self.end[numbers]
        ranks = np.setdiff1d(self.ranks, self.rank[numbers])
        computing = np.zeros((len(ranks), len(numbers)))
        own_sites = np.setdiff1d(self.site[np.isin(self.rank, self.rank[numbers])], self.site[numbers])
        counts = np.full(len(self.rank), True) if anywhere else ~np.isin(self.site, own_sites)
        for row, rank in enumerate(ranks.tolist()):
            gaps = np.flatnonzero((self.rank == rank) & counts)
            if not len(gaps):
                continue
            gaps = gaps[np.argsort(self.end[gaps], kind="stable")]
            ends = np.column_stack([self.end[gaps] - self.computing[gaps], self.end[gaps]]).ravel()
            until_end = np.repeat(np.cumsum(self.computing[gaps]), 2)
            until_end[::2] -= self.computing[gaps]
            computing[row] = np.interp(end, ends, until_end) - np.interp(begin, ends, until_end)
        return computing

    def sites(self) -> Iterator[SiteGaps]:
        """The sites at which ranks can be compared, or at which one rank computes alone."""
        bounds = np.flatnonzero(np.diff(self.site, prepend=-1, append=-1))
        for first, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            yield self._site_of(np.arange(first, end))

    def _site_of(self, rows: Array) -> SiteGaps:
        ranks, row = np.unique(self.rank[rows], return_inverse=True)
        shape = len(ranks), int(self._occurrence[rows].max()) + 1
        computing, whole = np.full(shape, np.nan), np.full(shape, np.nan)
        number = np.full(shape, -1)
        cells = row, self._occurrence[rows]
        computing[cells], number[cells] = self.computing[rows], rows
        is_coupled = self._collectives >= _COUPLED * shape[1]
        whole[cells] = self._whole[rows] if is_coupled else np.inf
        ends = self.end[rows]
        period = (ends.max() - ends.min()) / max(1, shape[1] - 1)
        return SiteGaps(ranks, computing, whole, number, float(period))


def _divided(before: Array, after: Array, rank: Array) -> Array:
    """The number of each gap's site: the place of the call before the gap, which may be divided by the place of the
    call after it. A place is divided if all ranks continue from it to the same next places equally often, each at least
    _FREQUENT times or just once. A next place that follows just once, as at the end of a loop, makes no site."""
    width, ranks, places = (1 + int(numbers.max(initial=0)) for numbers in (after, rank, before))
    ways, way = distinct(before * width + after)
    counts = np.bincount(way * ranks + rank, minlength=len(ways) * ranks).reshape(len(ways), ranks)
    first = ways // width
    has_place = np.zeros((places, ranks), bool)
    np.logical_or.at(has_place, first, counts > 0)
    often = counts.max(axis=1, initial=0)
    is_equal = ((counts == often[:, None]) | ~has_place[first]).all(axis=1)
    divides = np.ones(places, bool)
    np.logical_and.at(divides, first, is_equal & ((often >= _FREQUENT) | (often == 1)))
    return np.where(divides[before] & (often[way] > 1), places + way, before)


def on_time(computing: Array) -> Array:
    """The computing of the ranks on time at each occurrence; 0 where only one rank computes."""
    if len(computing) == 1:
        return np.zeros(computing.shape[1])
    return np.sort(computing, axis=0)[_quartile(np.asarray(len(computing)))]  # NaN is sorted last


def _on_time(group: Array, value: Array) -> Array:
    """For each value, the value that stands for the ranks on time in its group."""
    order = np.lexsort((value, group))
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    count = np.diff(first, append=len(order))
    result = np.empty(len(value))
    result[order] = np.repeat(value[order][first + _quartile(count)], count)
    return result


def _quartile(count: Array) -> Array:
    """The position, among `count` sorted values, of the value that stands for the ranks on time."""
    return np.where(count < _QUARTILE_RANKS, 0, (count - 1) // 4)
