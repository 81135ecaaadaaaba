"""Finds a placement with little time on links: starts from METIS' parts and from the baseline, and swaps pairs of ranks
while this shortens the time.

The time on links is the sum of latency + bytes * time per byte over all messages and hops, by the hosts of their ranks.
It ignores that messages may overlap, queue for a network interface, or wait for a rank that computes.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_array

from hopscope.advice.placement.costs import HostCosts
from hopscope.advice.placement.partition import partitioned
from hopscope.advice.placement.traffic import Traffic
from hopscope.dataset.path_columns import Array
from hopscope.replay.run.places import Places
from hopscope.vocabulary.links import classes_of_hosts

_PASSES = 50
_TRIED_PER_RANK = 8
"""The most swaps that a pass tries, per rank; the best come first."""
_MOST_STARTED_OVER = 512
"""The most ranks for which swaps also start from the baseline. With more ranks, that takes a minute and gains
nothing."""
_NEARER = 1e-6
"""Each latency is increased by this share of the greatest latency, times the number of the link class. So of links with
equal costs, the nearer one is better."""


class Objective:
    """The time that placements spend on links. The matrices are hosts x hosts and symmetric, in ns and ns per byte."""

    def __init__(self, traffic: Traffic, latency_ns: Array, per_byte_ns: Array) -> None:
        self.traffic, self.latency_ns, self.per_byte_ns = traffic, latency_ns, per_byte_ns
        self._messages, self._bytes = (_both_ways(traffic, values) for values in (traffic.messages, traffic.bytes))

    def cost(self, place: Array) -> float:
        """The time of a placement on links, ns. place: the host of each rank."""
        ends = place[self.traffic.low], place[self.traffic.high]
        return float(self.traffic.messages @ self.latency_ns[ends] + self.traffic.bytes @ self.per_byte_ns[ends])

    def swap_cost(self, place: Array, a: int, b: int) -> float:
        """The time on links, ns, that swapping the ranks a and b adds. Messages between a and b keep their cost."""
        grows = 0.0
        for rank, partner in ((a, b), (b, a)):
            for graph, matrix in ((self._messages, self.latency_ns), (self._bytes, self.per_byte_ns)):
                row = slice(graph.indptr[rank], graph.indptr[rank + 1])
                peers = graph.indices[row]
                amount = np.where(peers == partner, 0.0, graph.data[row])
                hosts = place[peers]
                grows += float(amount @ (matrix[place[partner], hosts] - matrix[place[rank], hosts]))
        return grows

    def bettered(self, place: Array, movable: Array) -> Array:
        """Swaps movable ranks until no swap improves the placement, in at most _PASSES passes. Returns the result."""
        place = place.copy()
        threshold = -1e-9 * max(1.0, self.cost(place))
        for _ in range(_PASSES):
            if not self._pass(place, movable, threshold):
                break
        return place

    def _pass(self, place: Array, movable: Array, threshold: float) -> bool:
        """Makes the swaps that still save time, the best first. Returns True if there was one."""
        grows = self.all_swaps(place, movable)
        grows[np.tril_indices(len(movable))] = 0.0
        flat = grows.ravel()
        count = min(len(flat), _TRIED_PER_RANK * len(movable))
        best = np.argpartition(flat, count - 1)[:count] if count else np.zeros(0, np.int64)
        best = best[flat[best] < threshold]
        swapped = False
        for pair in best[np.argsort(flat[best], kind="stable")]:
            a, b = (int(movable[end]) for end in divmod(int(pair), len(movable)))
            if place[a] != place[b] and self.swap_cost(place, a, b) < threshold:
                place[a], place[b] = place[b], place[a]
                swapped = True
        return swapped

    def all_swaps(self, place: Array, movable: Array) -> Array:
        """The time on links, ns, that each swap of two movable ranks adds: movable x movable."""
        hosts = len(self.latency_ns)
        member = np.eye(hosts)[place]
        host_cost = (self._messages @ member) @ self.latency_ns + (self._bytes @ member) @ self.per_byte_ns
        moved = (host_cost - host_cost[np.arange(len(place)), place][:, None])[movable]
        baseline = place[movable]
        grows = moved[:, baseline] + moved[:, baseline].T
        # `grows` assumes that only one rank moves at a time. Correct it for messages between the two swapped ranks.
        for graph, matrix in ((self._messages, self.latency_ns), (self._bytes, self.per_byte_ns)):
            inner = np.diag(matrix)[baseline]
            weights = graph[movable][:, movable].toarray()
            grows += weights * (2 * matrix[baseline][:, baseline] - inner[:, None] - inner[None, :])
        return grows


def best_order(traffic: Traffic, costs: HostCosts, places: Places) -> Array:
    """The host of each rank: the best placement after swaps, or the baseline if none is better."""
    preference = _NEARER * max(1.0, float(costs.latency_ns.max()))
    objective = Objective(
        traffic, costs.latency_ns + preference * classes_of_hosts(places.cluster_of_host), costs.per_byte_ns
    )
    starts = [partitioned(traffic, costs, places)]
    if len(places.movable) <= _MOST_STARTED_OVER:
        starts.append(places.baseline)
    placements = [places.baseline, *(objective.bettered(start, places.movable) for start in starts)]
    return min(placements, key=objective.cost)


def _both_ways(traffic: Traffic, values: Array) -> csr_array:
    ends = np.concatenate([traffic.low, traffic.high]), np.concatenate([traffic.high, traffic.low])
    return csr_array(coo_array((np.concatenate([values, values]), ends), shape=(traffic.ranks, traffic.ranks)))
