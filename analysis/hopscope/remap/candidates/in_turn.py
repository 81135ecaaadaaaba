"""Schedules in which a rank waits for its messages as an MPI library does: for some before it begins others.

The engine posts all receives at once and sends what it can. A library often waits until its sends of a segment have
gone, or posts a receive only when another one is done. Of short messages that is no difference. Long ones are announced
and go when their receive is posted: a chain of four segments over 20 ms takes 60 ms for each, one after the other.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from hopscope import _plan
from hopscope.algorithms.turns import ALL_AT_ONCE, Turns
from hopscope.paths.columns import Array


def in_turn(laid: _plan.Schedules, turns: Turns) -> _plan.Schedules:
    """The same messages with these turns.

    The steps of a rank have an order in which they could run one by one, and by that they wait for earlier ones only.
    What has one phase, round and segment is begun together.
    """
    if turns == ALL_AT_ONCE:
        return laid
    waits: list[tuple[int, int]] = []
    kinds = laid["kind"].tolist()
    groups = list(zip(*(laid[name].tolist() for name in ("phase", "round", "segment")), strict=True))
    for begin, end in pairwise(laid["first_step"].tolist()):
        sends = [row for row in range(begin, end) if kinds[row] == _plan.SEND]
        receives = [row for row in range(begin, end) if kinds[row] == _plan.RECEIVE]
        together = [[row] for row in sends] if turns.sends_each else _grouped(sends, groups)
        waits += [(earlier, row) for before, after in pairwise(together) for row in after for earlier in before]
        for place, row in enumerate(receives[turns.receives :]):
            waits.append((receives[place], row))
            # It is posted before the one between is waited for, and after all that was sent before that.
            gone = bisect(sends, receives[place + 1]) - 1
            while gone >= 0 and groups[sends[gone]] == groups[row]:
                gone -= 1
            if gone >= 0:
                waits.append((sends[gone], row))
    return _with_edges(laid, *np.asarray(waits).T) if waits else laid


def _grouped(sends: Sequence[int], groups: Sequence[tuple[Any, ...]]) -> list[list[int]]:
    """The sends that are begun together."""
    return [list(rows) for _, rows in groupby(sends, key=lambda row: groups[row])]


def _with_edges(laid: _plan.Schedules, before: Array, after: Array) -> _plan.Schedules:
    """With steps that wait for others, too."""
    count = len(laid["kind"])
    source = np.concatenate([np.repeat(np.arange(count), np.diff(laid["first_edge"])), before])
    edge = np.concatenate([laid["edge"], after])
    order = np.argsort(source, kind="stable")
    waits = np.bincount(after, minlength=count)
    ready = laid["ready"]
    still = waits[ready] == 0
    kept = np.concatenate([[0], np.cumsum(still)])
    changed: dict[str, Any] = {
        "edge": edge[order],
        "first_edge": np.concatenate([[0], np.cumsum(np.bincount(source, minlength=count))]),
        "unmet": (laid["unmet"] + waits).astype(np.int32),
        "ready": ready[still],
        "first_ready": kept[laid["first_ready"]],
    }
    dtype = {name: laid[name].dtype for name in changed}  # type: ignore[literal-required]
    columns = {name: np.ascontiguousarray(values, dtype[name]) for name, values in changed.items()}
    return {**laid, **columns}  # type: ignore[typeddict-item]
