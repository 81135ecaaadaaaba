"""The link class between two ranks. The rule is in schemas/links.h; this module calls its compiled form."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscope.native import _paths

Array = np.ndarray[Any, Any]

LINKS: tuple[str, ...] = tuple(word for word, _ in _paths.LINK_CLASSES)
"""The words of link classes, from near to far, in the order of their codes."""


def link_class(*, same_rank: bool, same_host: bool, same_cluster: bool) -> str:
    """The link class of two ranks, by what they share."""
    return LINKS[_paths.link_class(0, 0, 0, not same_rank, not same_host, not same_cluster)]


def link_classes(ends: tuple[Array, Array], other_ends: tuple[Array, Array]) -> Array:
    """The link classes of pairs of different ranks, as indices of LINKS. ends, other_ends: the hosts and the clusters
    of the ranks at each end, as arrays that are broadcast."""
    (host, cluster), (other_host, other_cluster) = ends, other_ends
    same_cluster_class, far, same_host_class = (
        LINKS.index(link_class(same_rank=False, same_host=same_host, same_cluster=same_cluster))
        for same_host, same_cluster in ((False, True), (False, False), (True, True))
    )
    return np.where(host == other_host, same_host_class, np.where(cluster == other_cluster, same_cluster_class, far))


def classes_of_hosts(host_clusters: Sequence[int]) -> Array:
    """The link class of each pair of hosts, as an index of LINKS. The diagonal has the class of two ranks on one
    host."""
    clusters = np.asarray(host_clusters)
    hosts = np.arange(len(clusters))
    return link_classes((hosts[:, None], clusters[:, None]), (hosts, clusters))
