"""Finds causes in computing: ranks that always compute longer than others, take turns at it, work alone, or are held up
at times.

The kinds exclude one another by the rules in `_at_site` and `_of_some_ranks`. Ranks are compared occurrence by
occurrence at each site.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hopscope.dataset.path_columns import Array
from hopscope.explain.diagnosis.entry import NAMED_SHARE, Kind, Site
from hopscope.explain.diagnosis.rerun import Changes, Rerun
from hopscope.explain.diagnosis.sites import Gaps, SiteGaps, on_time

_LATENESS: Final = 0.025
"""A rank is late if it computes longer than the ranks on time by this share of the site's period."""
_LEAST_EXCESS: Final = 0.003
"""An excess of computing below this share of the run's time is ignored."""
_ALONE: Final = 0.25
"""In a serial section each other rank computes at most this share of the time of the rank that works."""
_RARE: Final = 0.1
"""A rank that is late in less than this share of a site's occurrences has noise, and not more work."""
_TURNS_SHARE: Final = 0.5
"""Ranks can only take turns if more than this share of a site's occurrences has a late rank."""
_EQUAL: Final = (0.4, 2.0)
"""The least and the largest part of the excess, as multiples of an even share, that a rank has if ranks take turns."""
_LARGEST_PART: Final = 0.7
"""Ranks do not take turns if one has more than this part of the excess. With more than two ranks, _EQUAL is
stricter."""
_CLEAR: Final = 4.0
"""A gap has noise if it exceeds the rank's usual time by this multiple of the rank's median deviation."""


@dataclass(frozen=True)
class SiteCause:
    """A cause at one site. rows: the gaps that it made longer. less_ns: the excess of each of these gaps, in ns.
    even_share: the share of the excess that spreading the work evenly would save.

    own_ns, others_ns: the typical computing at the site, in ns: of a rank that causes it, and of the other ranks.
    """

    kind: Kind
    ranks: tuple[int, ...]
    rows: Array
    less_ns: Array
    own_ns: float
    others_ns: float
    even_share: float = 0.0

    @property
    def excess_ns(self) -> float:
        """The sum of the excess, in ns."""
        return float(self.less_ns.sum())


@dataclass
class Cause:
    """One cause in computing, with all sites at which it shows."""

    kind: Kind
    ranks: tuple[int, ...]
    site_causes: list[SiteCause] = field(default_factory=list["SiteCause"])

    @property
    def gaps(self) -> Array:
        """The numbers of the gaps that the cause made longer."""
        return np.concatenate([site.rows for site in self.site_causes])

    @property
    def less_ns(self) -> Array:
        """The excess of each of these gaps, in ns."""
        return np.concatenate([site.less_ns for site in self.site_causes])

    @property
    def _first(self) -> SiteCause:
        return max(self.site_causes, key=lambda site: site.excess_ns)

    @property
    def own_ns(self) -> float:
        """The typical computing of a rank that causes it, at the site with most excess, in ns."""
        return self._first.own_ns

    @property
    def others_ns(self) -> float:
        """The typical computing of the other ranks at the site with most excess, in ns."""
        return self._first.others_ns

    @property
    def even_share(self) -> float:
        """The share of the cause's cost that spreading the same work evenly would save."""
        return self._first.even_share

    def changes(self, gaps: Gaps, rerun: Rerun) -> Changes:
        """The changes that remove this cause from the run."""
        return rerun.computing(gaps.rank[self.gaps], gaps.end[self.gaps], self.less_ns)

    def ranks_by_cost(self, gaps: Gaps) -> tuple[int, ...]:
        """The ranks of the cause, the one with most excess first."""
        of_rank = self.excess_of_ranks(gaps)
        return tuple(sorted(of_rank, key=lambda rank: (-of_rank[rank], rank)))

    def excess_of_ranks(self, gaps: Gaps) -> dict[int, float]:
        """The excess of each rank of the cause, in ns."""
        rank, excess = gaps.rank[self.gaps], self.less_ns
        return {cause_rank: float(excess[rank == cause_rank].sum()) for cause_rank in self.ranks}

    def sites(self, gaps: Gaps, rerun: Rerun) -> tuple[Site, ...]:
        """The calls to which the cause's ranks come late, those with most excess first."""
        rows = self.gaps
        return rerun.sites(rerun.first_lanes(gaps.rank[rows]), gaps.end[rows], self.less_ns)


def causes_of(gaps: Gaps, run_ns: int) -> list[Cause]:
    """The causes in computing that may cost something. A cause of the same kind and ranks at several sites counts once.
    Noise and rotating delays each count once for all ranks."""
    causes: dict[tuple[Kind, tuple[int, ...]], Cause] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # an occurrence without ranks has no median
        site_causes = [cause for site in gaps.sites() for cause in _at_site(site, gaps, run_ns)]
    for site_cause in site_causes:
        kind, ranks = site_cause.kind, site_cause.ranks
        is_merged = kind in ("noise", "rotating-delay")
        cause = causes.setdefault((kind, () if is_merged else ranks), Cause(kind, ranks))
        cause.ranks = tuple(sorted({*cause.ranks, *ranks}))
        cause.site_causes.append(site_cause)
    for cause in causes.values():
        if cause.kind == "noise":
            of_rank = cause.excess_of_ranks(gaps)
            largest = max(of_rank.values(), default=0.0)
            cause.ranks = tuple(rank for rank, excess in of_rank.items() if excess >= NAMED_SHARE * largest)
    return list(causes.values())


def _at_site(site: SiteGaps, gaps: Gaps, run_ns: int) -> Iterator[SiteCause]:
    """The causes at one site."""
    excess = np.minimum(site.computing - on_time(site.computing), site.whole)
    if np.nansum(np.nanmax(excess, axis=0)) < _LEAST_EXCESS * run_ns:
        return
    late_mask = excess > _LATENESS * site.period_ns
    if _takes_turns(excess, late_mask):
        yield _longer_than_others(site, "rotating-delay", np.arange(len(site.ranks)))
        return
    surplus = _above_usual(site)
    positions = _always_longer(site, excess, late_mask, surplus)
    if len(positions) and np.nansum(excess[positions]) >= _LEAST_EXCESS * run_ns:
        yield _of_some_ranks(site, gaps, positions)
        surplus[positions] = np.minimum(surplus[positions], 0)
    if len(site.ranks) > 1 and np.nansum(surplus) >= _LEAST_EXCESS * run_ns:
        yield _noise(site, surplus)


def _always_longer(site: SiteGaps, excess: Array, late_mask: Array, surplus: Array) -> Array:
    """The rows of the ranks that compute longer than the others, either always or too often for noise."""
    typical = np.nanmedian(excess, axis=1)
    late_share = np.nanmean(late_mask, axis=1)
    is_rare = (late_share < _RARE) | (np.nanmean(surplus > 0, axis=1) < _RARE)
    steady_ns = np.where(typical >= _LATENESS / 2 * site.period_ns, typical, 0.0)
    occasional_ns = np.where(is_rare, 0.0, np.nanmean(np.where(late_mask, excess, 0), axis=1))
    weight = np.maximum(steady_ns, occasional_ns)
    positions = np.flatnonzero((weight > 0) & (weight >= NAMED_SHARE * weight.max(initial=0.0)))
    return positions if len(positions) < len(site.ranks) or len(site.ranks) == 1 else positions[:0]


def _noise(site: SiteGaps, surplus: Array) -> SiteCause:
    noisy = np.flatnonzero(np.nansum(surplus, axis=1) > 0)
    number, excess = site.row[noisy].ravel(), np.nan_to_num(surplus[noisy]).ravel()
    longer = excess > 0
    usual = float(np.nanmedian(site.computing))
    noisy_ns = usual + float(np.median(excess[longer]))
    return SiteCause("noise", tuple(site.ranks[noisy].tolist()), number[longer], excess[longer], noisy_ns, usual)


def _lower_median(values: Array) -> Array:
    """The median over ranks at each occurrence. With an even number of ranks, it is the lower of the two middle values:
    of two ranks, neither is a majority."""
    ordered = np.sort(values, axis=0)  # NaN is sorted last
    count = np.count_nonzero(~np.isnan(values), axis=0)
    return np.take_along_axis(ordered, np.maximum(0, (count - 1) // 2)[None], axis=0)[0]


def _weighted_median(values: Array, weights: Array) -> float:
    """The value up to which half of the weight lies. A plain median could mislead: if a line of the program calls MPI
    several times, the computing after one call may be much longer than after another."""
    weighs = weights > 0
    if not weighs.any():
        return float(np.nanmedian(values))
    values, weights = values[weighs], weights[weighs]
    order = np.argsort(values)
    cumulative_weight = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(cumulative_weight, cumulative_weight[-1] / 2)])


def _takes_turns(excess: Array, late_mask: Array) -> bool:
    """True if most occurrences have a late rank, and each rank is the latest about equally often and by as much."""
    ranks, occurrences = late_mask.shape
    if ranks < 2 or occurrences < 2 * ranks:
        return False
    late_occurrences = late_mask.any(axis=0)
    if late_occurrences.mean() <= _TURNS_SHARE:
        return False
    late_excess = np.where(late_mask, excess, 0.0)[:, late_occurrences]
    latest = np.argmax(late_excess, axis=0)
    times = np.bincount(latest, minlength=ranks)
    sums = np.bincount(latest, late_excess.max(axis=0), minlength=ranks)
    parts = np.stack([times / times.sum(), sums / sums.sum()]) * ranks
    low, high = _EQUAL
    return bool((parts >= low).all() and (parts <= high).all() and parts.max() <= _LARGEST_PART * ranks)


def _above_usual(site: SiteGaps) -> Array:
    """The time by which each gap exceeds its rank's median, in ns. If most ranks exceed their medians at the same
    occurrence, their excess is subtracted. 0 if the rest is within the rank's usual variation, or small against the
    site's period."""
    usual = np.nanmedian(site.computing, axis=1, keepdims=True)
    surplus = site.computing - usual
    if len(site.ranks) > 1:
        surplus = surplus - np.maximum(_lower_median(surplus), 0)
    deviation = np.nanmedian(np.abs(site.computing - usual), axis=1, keepdims=True)
    clear = np.maximum(_CLEAR * deviation, _LATENESS * site.period_ns)
    return np.where(surplus > clear, np.minimum(surplus, site.whole), 0.0)


def _of_some_ranks(site: SiteGaps, gaps: Gaps, positions: Array) -> SiteCause:
    """A serial section if one rank computes while all others hardly do; else an imbalance."""
    if len(positions) > 1:
        return _longer_than_others(site, "imbalance", positions)
    typical = np.nanmedian(site.computing, axis=1)
    serial_limit = _ALONE * float(typical[positions[0]])
    if np.delete(typical, positions[0]).max(initial=0.0) > serial_limit:
        return _longer_than_others(site, "imbalance", positions)
    other_computing = _computing_meanwhile(site, gaps, int(positions[0]), anywhere=True)
    if len(other_computing) and np.nanmedian(np.nanmax(other_computing, axis=0)) > serial_limit:
        compared = _computing_meanwhile(site, gaps, int(positions[0]), anywhere=False)
        return _longer_than_others(site, "imbalance", positions, compared)
    return _longer_than_others(site, "serial-section", positions)


def _computing_meanwhile(site: SiteGaps, gaps: Gaps, position: int, *, anywhere: bool) -> Array:
    """The computing of the other ranks during each occurrence of one rank; in ns, a row for each other rank.

    The other ranks may compute at other sites: one rank sends, another receives, and then both compute. anywhere: also
    count sites at which the one rank computes at other times.
    """
    numbers = site.row[position]
    computing = np.full((len(gaps.ranks) - 1, site.occurrences), np.nan)
    computing[:, numbers >= 0] = gaps.concurrent_computing(numbers[numbers >= 0], anywhere=anywhere)
    return computing


def _longer_than_others(
    site: SiteGaps, kind: Kind, positions: Array, other_computing: Array | None = None
) -> SiteCause:
    """The cause at a site in which the ranks at these positions compute longer than the median of the other ranks. If
    all ranks are chosen, the median is over all.

    other_computing: the time that each other rank computes meanwhile. If given, its maximum replaces the median.
    """
    takes_turns = kind == "rotating-delay"
    reference = site.computing if takes_turns else np.delete(site.computing, positions, axis=0)
    usual = _lower_median(reference) if len(reference) else np.zeros(site.occurrences)
    if other_computing is not None:
        usual = np.nanmax(other_computing, axis=0)
    excess = np.nan_to_num(np.minimum(site.computing[positions] - usual, site.whole[positions]))
    longer = (site.row[positions] >= 0) & (excess > 0)
    longest = np.nanmax(site.computing, axis=0)
    of_ranks = site.computing if other_computing is None else np.vstack([site.computing[positions], other_computing])
    even_share = float(np.nansum(longest - np.nanmean(of_ranks, axis=0)) / max(1.0, float(np.nansum(longest - usual))))
    weight = np.where(longer, excess, 0.0)
    own_computing = np.broadcast_to(longest, excess.shape) if takes_turns else site.computing[positions]
    return SiteCause(
        kind,
        tuple(site.ranks[positions].tolist()),
        site.row[positions][longer],
        excess[longer],
        _weighted_median(own_computing, weight),
        _weighted_median(np.broadcast_to(usual, excess.shape), weight),
        min(1.0, even_share),
    )
