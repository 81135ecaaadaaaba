"""A first placement: METIS divides the ranks among clusters, then those of a cluster among its hosts. Each host keeps
its number of ranks."""

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
"""The weights of all edges together stay below this, because METIS counts in 32 bits."""
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
    """The extra time, ns, of each pair of ranks on a far link compared with a close one. If it is zero for all pairs,
    their numbers of messages."""
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
    """The part of each vertex, so that the parts have exactly these sizes and little weight between them.

    sizes: at least one vertex in all; a part may be empty. graph: symmetric, with integer weights of at least 1.
    """
    starts, peers, weights = (np.asarray(column, np.int64) for column in (graph.indptr, graph.indices, graph.data))
    parts = np.zeros(len(starts) - 1, np.int64)
    used_parts = [number for number, size in enumerate(sizes) if size > 0]
    if len(used_parts) > 1:
        share = [sizes[number] / sum(sizes) for number in used_parts]
        # seed: repeatable results. ufactor: the tolerated unevenness in thousandths, the smallest that METIS takes.
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
    """Moves vertices from parts that are too large to parts that are too small, always the one that loses least."""
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
