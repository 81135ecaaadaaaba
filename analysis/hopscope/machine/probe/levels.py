"""Groups hosts into clusters by the latencies between them.

A message takes some microseconds between machines in one room, and milliseconds between two sites. So the sorted
latencies of all pairs of hosts have a gap. Pairs with latencies below it are in the same cluster.
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
"""Clusters are separate only if latencies between them are at least this multiple of the latencies inside them."""
WITHIN_NS = 500_000.0
"""Hosts whose latencies show no gap are one cluster up to this median one-way latency, the time of light in 100 km of
fibre. Above it, each host is its own cluster."""
USUAL = 0.1
"""The quantile of repeated latencies that is used as a pair's latency. It is low because a busy machine makes many
messages slower, and nothing makes a message faster."""
RESAMPLES = 200


@dataclass(frozen=True)
class Clusters:
    """Groups of hosts. of_host: the number of each host's cluster. inside_ns, between_ns: the one-way latency of the
    slowest pair of hosts inside a cluster, and of the fastest pair in different clusters; None if there is no such
    pair. certainty: the share of resamples of the latencies that lead to the same clusters."""

    of_host: tuple[int, ...]
    inside_ns: float | None
    between_ns: float | None
    certainty: float

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(set(self.of_host))


def clusters_of(one_way_ns: Mapping[Pair, Sequence[float]], hosts: int) -> Clusters:
    """The clusters of hosts, from repeated one-way latencies of every pair, in ns. hosts: the number of hosts. Clusters
    are numbered in the order of their first hosts. Raises ValueError if a pair is missing."""
    pairs = [(a, b) for a in range(hosts) for b in range(a + 1, hosts)]
    missing = [pair for pair in pairs if not len(one_way_ns.get(pair, ()))]
    if missing:
        raise ValueError(f"the latency between hosts {missing[0]} is missing")
    samples = [np.asarray(one_way_ns[pair], np.float64) for pair in pairs]
    usual = np.asarray([np.quantile(values, USUAL) for values in samples])
    clusters = _partition(usual, hosts)
    agreements = sum(_partition(sample, hosts) == clusters for sample in _resamples(samples))
    of_pair = np.asarray([clusters[a] == clusters[b] for a, b in pairs], bool)
    return Clusters(
        clusters,
        float(usual[of_pair].max()) if of_pair.any() else None,
        float(usual[~of_pair].min()) if (~of_pair).any() else None,
        agreements / RESAMPLES,
    )


def _partition(one_way_ns: Array, hosts: int) -> tuple[int, ...]:
    """The cluster of each host. one_way_ns: latencies of all pairs, in the order of squareform.

    Groups of hosts are joined by their fastest pairs (single linkage). If the latency of a join is at least GAP times
    the latency of the join before, the groups before this join are possible clusters. Of these, the clusters are the
    groups with the largest ratio of the shortest latency between groups to the longest latency inside a group.
    """
    if hosts == 1:
        return (0,)
    tree = linkage(np.maximum(one_way_ns, 1.0), "single")
    heights = tree[:, 2]
    best, best_groups = GAP, None
    for lower, upper in pairwise(heights):
        if upper < GAP * lower:
            continue
        groups = fcluster(tree, np.sqrt(lower * upper), "distance")
        same_group = squareform(groups[:, None] == groups[None, :], checks=False).astype(bool)
        ratio = one_way_ns[~same_group].min() / max(1.0, one_way_ns[same_group].max())
        if ratio >= best:
            best, best_groups = ratio, groups
    if best_groups is None:
        is_single = float(np.median(one_way_ns)) <= WITHIN_NS
        best_groups = np.zeros(hosts, int) if is_single else np.arange(hosts)
    _, first, labels = np.unique(best_groups, return_index=True, return_inverse=True)
    return tuple(int(np.argsort(np.argsort(first))[group]) for group in labels)


def separation_certainty(inside_ns: Sequence[Sequence[float]], between_ns: Sequence[Sequence[float]]) -> float | None:
    """Certainty that messages inside a group are faster than messages between groups: the share of resamples in which
    the slowest pair inside is faster than the fastest pair between groups. None if a kind of pair is missing.
    inside_ns, between_ns: the repeated latencies of each pair."""
    if not inside_ns or not between_ns:
        return None
    inner_samples, outer_samples = _resamples(inside_ns), _resamples(between_ns)
    return float(np.mean(inner_samples.max(axis=1) < outer_samples.min(axis=1)))


def _resamples(pairs: Sequence[Sequence[float] | Array]) -> Array:
    """Resamples each pair's latencies RESAMPLES times, and returns their USUAL quantiles: RESAMPLES x pairs."""
    chance = np.random.default_rng(1)
    samples = [chance.choice(np.asarray(values, np.float64), (RESAMPLES, len(values))) for values in pairs]
    usual = [np.quantile(values, USUAL, axis=1) for values in samples]
    return np.stack(usual, axis=1) if usual else np.zeros((RESAMPLES, 0))
