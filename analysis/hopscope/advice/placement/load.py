"""Messages, bytes and time of a placement on each class of links, as the rows of `analyze reorder`."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscope.advice.placement.costs import HostCosts
from hopscope.advice.placement.traffic import Traffic
from hopscope.dataset.path_columns import Array
from hopscope.replay.run.places import Places
from hopscope.vocabulary.links import LINKS, classes_of_hosts

_REMOTE = ("wan", "lan", "shm")


def load_of(traffic: Traffic, costs: HostCosts, places: Places, place: Array) -> Array:
    """Messages, bytes and ns of a placement on each class of link: an array of 3 x len(LINKS). place: the host of each
    rank."""
    ends = place[traffic.low], place[traffic.high]
    link = classes_of_hosts(places.cluster_of_host)[ends]
    times = traffic.messages * costs.latency_ns[ends] + traffic.bytes * costs.per_byte_ns[ends]
    return np.stack([np.bincount(link, amount, len(LINKS)) for amount in (traffic.messages, traffic.bytes, times)])


def rows_of(old_load: Array, new_load: Array, costs: HostCosts) -> list[dict[str, Any]]:
    """A row for each class of links, the slowest first, then a row for all classes, to which the caller adds the gain
    of the whole run."""
    columns = {name: [LINKS.index(name)] for name in _REMOTE}
    columns["all"] = [column for (column,) in columns.values()]
    return [_row(link, old_load[:, of], new_load[:, of], costs, of) for link, of in columns.items()]


def _row(link: str, old_load: Array, new_load: Array, costs: HostCosts, columns: list[int]) -> dict[str, Any]:
    (messages, size, ns), (new_messages, new_size, new_ns) = (
        load.sum(axis=1).tolist() for load in (old_load, new_load)
    )
    saved = 1 - new_ns / ns if ns > 0 else None
    return {
        "link": link,
        "messages": int(messages),
        "new_messages": int(new_messages),
        "bytes": int(size),
        "new_bytes": int(new_size),
        "predicted_ns": ns if costs.fitted else None,
        "new_predicted_ns": new_ns if costs.fitted else None,
        "gain": (saved or 0.0) if link == "all" else saved if costs.fitted else None,
        "fitted_from": int(costs.rows[columns].sum()),
    }
