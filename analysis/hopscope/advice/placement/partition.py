"""Makes a first placement: METIS divides the ranks among clusters, then the ranks of each cluster among its hosts. Each
host keeps its number of ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymetis
from scipy.sparse import coo_array, csr_array

from hopscope.advice.placement.costs import HostCosts
from hopscope.advice.placement.traffic import Traffic
from hopscope.dataset.path_columns import Array
from hopscope.replay.run.places import Places
from hopscope.vocabulary.links import LINKS, classes_of_hosts

_MOST_WEIGHT = 1e9
"""The sum of all edge weights is scaled to this, because METIS counts in 32 bits."""
_SHM, _LAN, _WAN = (LINKS.index(word) for word in ("shm", "lan", "wan"))


def partitioned(traffic: Traffic, costs: HostCosts, places: Places) -> Array:
    """The host of each rank. Ranks that the launcher does not start stay where they are."""
    place, classes = places.baseline.copy(), classes_of_hosts(places.cluster_of_host)
    slots = np.bincount(places.baseline[places.movable], minlength=len(places.hosts))
    cluster_of_host = np.asarray(places.cluster_of_host)
    clusters = np.unique(cluster_of_host)
    sizes = [int(slots[cluster_of_host == cluster].sum()) for cluster in clusters]
    wan_graph = _graph(traffic, _extra(traffic, costs, classes, _WAN, _LAN))
    of_cluster = cut(wan_graph[places.movable][:, places.movable], sizes)
    lan_graph = _graph(traffic, _extra(traffic, costs, classes, _LAN, _SHM))
    for number, cluster in enumerate(clusters):
        members = places.movable[of_cluster == number]
        hosts = np.flatnonzero(cluster_of_host == cluster)
        place[members] = hosts[cut(lan_graph[members][:, members], slots[hosts].tolist())]
    return place


def _extra(traffic: Traffic, costs: HostCosts, classes: Array, far: int, close: int) -> Array:
    """The extra time, ns, of each pair's messages on a far link compared with a close one. If it is zero for all pairs
    of ranks, returns their numbers of messages instead."""
    latency, per_byte = (
        [float(np.mean(matrix[classes == link])) if (classes == link).any() else 0.0 for link in (far, close)]
        for matrix in (costs.latency_ns, costs.per_byte_ns)
    )
    extra = traffic.weights(max(0.0, latency[0] - latency[1]), max(0.0, per_byte[0] - per_byte[1]))
    return extra if extra.any() else traffic.messages


def _graph(traffic: Traffic, weight: Array) -> csr_array:
    """The symmetric graph of the ranks, its weights scaled to integers of at least 1."""
    whole = np.maximum(1, np.rint(weight * (_MOST_WEIGHT / max(1.0, 2 * weight.sum())))).astype(np.int64)
    ends = np.concatenate([traffic.low, traffic.high]), np.concatenate([traffic.high, traffic.low])
    return csr_array(coo_array((np.concatenate([whole, whole]), ends), shape=(traffic.ranks, traffic.ranks)))


def cut(graph: csr_array, sizes: Sequence[int]) -> Array:
    """Divides a graph. Returns the number of each vertex's part. The parts have exactly these sizes, and little edge
    weight between them.

    sizes: numbers of vertices; some may be 0, but not all. graph: symmetric, with integer weights of at least 1.
    """
    starts, peers, weights = (np.asarray(column, np.int64) for column in (graph.indptr, graph.indices, graph.data))
    parts = np.zeros(len(starts) - 1, np.int64)
    used_parts = [number for number, size in enumerate(sizes) if size > 0]
    if len(used_parts) > 1:
        share = [sizes[number] / sum(sizes) for number in used_parts]
        # seed: makes results repeatable. ufactor: the tolerated imbalance in thousandths; 1 is METIS' minimum.
        options = pymetis.Options(seed=1, ufactor=1)
        division = pymetis.part_graph(
            len(used_parts),
            pymetis.CSRAdjacency(starts, peers),
            eweights=weights,
            tpwgts=share,
            recursive=True,
            options=options,
        )
        parts = np.asarray(used_parts)[np.asarray(division.vertex_part)]
    else:
        parts[:] = used_parts[0]
    return _evened(graph, parts, sizes)


def _evened(graph: csr_array, parts: Array, sizes: Sequence[int]) -> Array:
    """Moves vertices from too large to too small parts until all have their sizes. Moves first the
    vertex whose move adds the least edge weight between parts."""
    parts = parts.copy()
    while True:
        spare = np.asarray(sizes) - np.bincount(parts, minlength=len(sizes))
        if not spare.any():
            return parts
        member = np.eye(len(sizes))[parts]
        bound = graph @ member
        gain = bound - bound[np.arange(len(parts)), parts][:, None]
        gain[spare[parts] >= 0] = -np.inf
        gain[:, spare <= 0] = -np.inf
        vertex, part = np.unravel_index(int(np.argmax(gain)), gain.shape)
        parts[vertex] = part
