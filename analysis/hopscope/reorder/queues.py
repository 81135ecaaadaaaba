"""Messages that share a link between clusters: each takes the longer the more bytes are under way there with it.

Whether a link is shared cannot be told from one run, whose messages always go together. It is known of networks that
Hopscope made, which say how many bytes a second pass between two clusters. What a byte takes beyond that is its
message's own, such as TCP's wait for acknowledgements, and takes as long however few go together.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from hopscope.reorder.places import Places
from hopscope.reorder.traffic import Array


def link_byte_ns(table: Callable[[str], pa.Table], places: Places) -> Array | None:
    """What a byte takes on each directed link between clusters whose bandwidth is known, by its number as
    `Places.ways` has it, ns; 0 where it is not. None if none is known."""
    network = json.loads(table("run").to_pylist()[0].get("network") or "[]")
    number = {cluster: at for at, cluster in enumerate(places.cluster_names)}
    found = np.zeros(places.clusters**2)
    for link in network:
        if link.get("bytes_per_second") and {link["from"], link["to"]} <= set(number):
            found[number[link["from"]] * places.clusters + number[link["to"]]] = 1e9 / link["bytes_per_second"]
    return found if found.any() else None


def under_way(way: Array, sent: Array, took: Array, takes: Array, size: Array) -> Array:
    """Of each message the bytes that were under way on its link while it was, its own among them. way: the number of
    its directed link; below zero, it shares none. took: for how long it looks at others; takes: for how long others see
    it."""
    result = size.astype(np.float64)
    for one in np.unique(way[way >= 0]):
        mine = way == one
        begin = sent[mine]
        end, gone = begin + took[mine], begin + takes[mine]
        by_begin, by_gone = np.argsort(begin), np.argsort(gone)
        begun, ended = (np.concatenate([[0.0], np.cumsum(size[mine][order])]) for order in (by_begin, by_gone))
        result[mine] = (
            begun[np.searchsorted(begin[by_begin], end, side="right")]
            - ended[np.searchsorted(gone[by_gone], begin, side="right")]
        )
    return np.maximum(result, size)
