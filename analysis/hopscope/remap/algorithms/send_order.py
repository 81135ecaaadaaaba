"""The send order of an MPI library: a rank waits for some messages before it begins others.

The engine posts all receives at once and sends what it can. A library often waits until its sends of a segment have
gone, or posts a receive only when another one is done. That matters for messages by rendezvous, which go when their
receive is posted: a chain of four segments over 20 ms takes 60 ms for each, one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscope import _plan
from hopscope.algorithms.turns import ALL_AT_ONCE, Turns
from hopscope.model.costs import SMALL
from hopscope.paths.columns import Array


def in_send_order(schedules: _plan.Schedules, turns: Turns) -> _plan.Schedules:
    """The same messages in this order.

    The steps of a rank have an order in which they could run one by one, and by that they wait for earlier ones only.
    What has one role, round and segment is begun together.
    """
    if turns == ALL_AT_ONCE or schedules["length"].max(initial=0) * schedules["unit_bytes"] <= SMALL:
        return schedules  # short messages go without a rendezvous
    rank = np.repeat(np.arange(len(schedules["first_step"]) - 1), np.diff(schedules["first_step"]))
    together = rank  # a number for each rank, role, round and segment
    for column in (schedules["role"], schedules["round"], schedules["segment"]):
        together = together * (int(column.max()) + 1) + column
    sends, receives = (np.flatnonzero(schedules["kind"] == kind) for kind in (_plan.SEND, _plan.RECEIVE))
    if not len(sends):
        return schedules
    # Of each send, where the run of those that are begun with it starts among all sends.
    starts = np.concatenate([[True], np.diff(together[sends]) != 0])
    first = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    gone, later = _before(np.arange(len(sends)) if turns.sends_each else first, rank[sends])
    place = receives[turns.receives :]
    done, following = receives[: len(place)], receives[1 : len(place) + 1]
    mine = rank[done] == rank[place]
    place, done, following = place[mine], done[mine], following[mine]
    # A receive is posted before the one between is waited for, and after all that was sent before that.
    last = np.searchsorted(sends, following) - 1
    last = np.where((last >= 0) & (together[sends[last]] == together[place]), first[last] - 1, last)
    sent = (last >= 0) & (rank[sends[last]] == rank[place])
    before = np.concatenate([sends[gone], done, sends[last[sent]]])
    after = np.concatenate([sends[later], place, place[sent]])
    return _with_edges(schedules, before, after) if len(before) else schedules


def _before(first: Array, rank: Array) -> tuple[Array, Array]:
    """Pairs of sends of which the first is of the run before that of the second and of its rank, as places among all
    sends. first: where the run of each starts."""
    previous = np.where(first > 0, first[first - 1], first)
    size = np.where((first > 0) & (rank[previous] == rank[first]), first - previous, 0)
    later = np.repeat(np.arange(len(first)), size)
    within = np.arange(len(later)) - np.repeat(np.cumsum(size) - size, size)
    return previous[later] + within, later


def _with_edges(schedules: _plan.Schedules, before: Array, after: Array) -> _plan.Schedules:
    """With steps that wait for others, too."""
    count = len(schedules["kind"])
    source = np.concatenate([np.repeat(np.arange(count), np.diff(schedules["first_edge"])), before])
    edge = np.concatenate([schedules["edge"], after])
    order = np.argsort(source, kind="stable")
    waits = np.bincount(after, minlength=count)
    ready = schedules["ready"]
    still = waits[ready] == 0
    kept = np.concatenate([[0], np.cumsum(still)])
    changed: dict[str, Any] = {
        "edge": edge[order],
        "first_edge": np.concatenate([[0], np.cumsum(np.bincount(source, minlength=count))]),
        "unmet": (schedules["unmet"] + waits).astype(np.int32),
        "ready": ready[still],
        "first_ready": kept[schedules["first_ready"]],
    }
    like: Any = schedules
    columns = {name: np.ascontiguousarray(values, like[name].dtype) for name, values in changed.items()}
    return like | columns
