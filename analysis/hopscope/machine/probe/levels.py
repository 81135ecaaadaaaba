"""Hosts and clusters told apart by how long messages between them take.

Between machines of one room a message takes some microseconds, between two sites milliseconds. So the latencies of all
pairs of hosts have a gap, and the pairs below it form the clusters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

Pair = tuple[int, int]
"""Two hosts by their numbers, the lower first."""
Array = NDArray[np.float64]

GAP = 3.0
"""Latencies this far apart, as a ratio, may be a gap between inside and between clusters."""
WITHIN_NS = 500_000.0
"""Where all hosts are equally far apart: one cluster up to here, one way. Light needs as long for 100 km of fibre."""
USUAL = 0.1
"""The quantile of a pair's latencies that counts: nothing makes a message faster, but a busy machine many slower."""
RESAMPLES = 200


@dataclass(frozen=True)
class Clusters:
    """Which hosts belong together. inside_ns, between_ns: the slowest pair inside one and the fastest between two, one
    way, where there are any. certainty: the share of resamples in which the clusters are the same."""

    of_host: tuple[int, ...]
    inside_ns: float | None
    between_ns: float | None
    certainty: float

    @property
    def count(self) -> int:
        """How many there are."""
        return len(set(self.of_host))


def clusters_of(one_way_ns: Mapping[Pair, Sequence[float]], hosts: int) -> Clusters:
    """The clusters of so many hosts, from repeated one-way latencies of every pair, in ns. They are numbered by their
    first host. Raises ValueError if a pair is missing."""
    pairs = [(a, b) for a in range(hosts) for b in range(a + 1, hosts)]
    missing = [pair for pair in pairs if not len(one_way_ns.get(pair, ()))]
    if missing:
        raise ValueError(f"the latency between hosts {missing[0]} is missing")
    samples = [np.asarray(one_way_ns[pair], np.float64) for pair in pairs]
    usual = np.asarray([np.quantile(values, USUAL) for values in samples])
    found = _partition(usual, hosts)
    same = sum(_partition(drawn, hosts) == found for drawn in _resamples(samples))
    of_pair = np.asarray([found[a] == found[b] for a, b in pairs], bool)
    return Clusters(
        found,
        float(usual[of_pair].max()) if of_pair.any() else None,
        float(usual[~of_pair].min()) if (~of_pair).any() else None,
        same / RESAMPLES,
    )


def _partition(one_way_ns: Array, hosts: int) -> tuple[int, ...]:
    """The cluster of each host; latencies of all pairs in the order of squareform.

    Hosts join along their fastest pairs. Between two successive joins may be a gap; the widest one that parts all pairs
    inside a cluster from all others counts.
    """
    if hosts == 1:
        return (0,)
    tree = linkage(np.maximum(one_way_ns, 1.0), "single")
    heights = tree[:, 2]
    best, chosen = GAP, None
    for lower, upper in pairwise(heights):
        if upper < GAP * lower:
            continue
        groups = fcluster(tree, np.sqrt(lower * upper), "distance")
        together = squareform(groups[:, None] == groups[None, :], checks=False).astype(bool)
        ratio = one_way_ns[~together].min() / max(1.0, one_way_ns[together].max())
        if ratio >= best:
            best, chosen = ratio, groups
    if chosen is None:
        one = float(np.median(one_way_ns)) <= WITHIN_NS
        chosen = np.zeros(hosts, int) if one else np.arange(hosts)
    _, first, which = np.unique(chosen, return_index=True, return_inverse=True)
    return tuple(int(np.argsort(np.argsort(first))[group]) for group in which)


def apart(inside_ns: Sequence[Sequence[float]], between_ns: Sequence[Sequence[float]]) -> float | None:
    """How certain it is that messages inside a group are faster than those between groups: the share of resamples in
    which the slowest pair inside is faster than the fastest one between. None where there is nothing to compare."""
    if not inside_ns or not between_ns:
        return None
    inside, between = _resamples(inside_ns), _resamples(between_ns)
    return float(np.mean(inside.max(axis=1) < between.min(axis=1)))


def _resamples(pairs: Sequence[Sequence[float] | Array]) -> Array:
    """What counts of each pair's latencies, drawn again with replacement: shape (RESAMPLES, pairs)."""
    chance = np.random.default_rng(1)
    drawn = [chance.choice(np.asarray(values, np.float64), (RESAMPLES, len(values))) for values in pairs]
    usual = [np.quantile(values, USUAL, axis=1) for values in drawn]
    return np.stack(usual, axis=1) if usual else np.zeros((RESAMPLES, 0))
