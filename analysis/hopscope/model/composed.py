"""Collectives on parts of the ranks that are called one after another, as the one schedule that they are together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hopscope import _plan

_OF_STEPS = ("kind", "role", "round", "peer", "segment", "slot", "operand", "at", "operand_at", "length", "unmet")
_OF_RANKS = ("ring_units", "slots", "most_messages")


class Called(NamedTuple):
    """A collective on some ranks, in its communicator's order, and its schedules."""

    members: Sequence[int]
    schedules: _plan.Schedules


def composed(ranks: int, calls: Sequence[Called]) -> _plan.Schedules:
    """The schedules of so many ranks, each of which makes its calls in turn: it starts one when the one before is done.

    All have the same unit_bytes. What is in the buffers is not carried over: it is for predictions.
    """
    steps, firsts, ready, starts = _Steps(), [0], list[int](), [0]
    where = [np.zeros(len(call.schedules["kind"]), np.int64) for call in calls]
    of_rank: dict[str, list[int]] = {name: [0] * ranks for name in _OF_RANKS}
    places = [{rank: place for place, rank in enumerate(call.members)} for call in calls]
    for rank in range(ranks):
        done: list[int] | None = None
        for call, rows, place_of in zip(calls, where, places, strict=True):
            if rank not in place_of:
                continue
            place, laid = place_of[rank], call.schedules
            for name in _OF_RANKS:
                of_rank[name][rank] = max(of_rank[name][rank], int(laid[name][place]))
            first, end = (int(row) for row in laid["first_step"][place : place + 2])
            begins = laid["ready"][laid["first_ready"][place] : laid["first_ready"][place + 1]].tolist()
            if first == end:
                continue
            joined = None if done is None else steps.join(done)
            at = steps.count
            begins = [at + row - first for row in begins]
            rows[first:end] = np.arange(at, at + end - first)
            steps.append(laid, first, end, at, call.members)
            if joined is None:
                ready += begins
            else:
                steps.then(joined, begins)
            done = [row for row in range(at, steps.count) if not steps.edges[row]]
        firsts.append(steps.count)
        starts.append(len(ready))
    return steps.schedules(calls, where, {"first_step": firsts, "ready": ready, "first_ready": starts, **of_rank})


class _Steps:
    """The steps so far: the columns of a schedule, and by step which ones wait for it."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in _OF_STEPS}
        self.edges: list[list[int]] = []

    @property
    def count(self) -> int:
        return len(self.edges)

    def join(self, done: Sequence[int]) -> int:
        """A step that waits for these."""
        empty = {"kind": _plan.JOIN, "peer": -1, "unmet": len(done)}
        for name, values in self.columns.items():
            values.append(empty.get(name, 0))
        self.edges.append([])
        for row in done:
            self.edges[row].append(self.count - 1)
        return self.count - 1

    def append(self, laid: _plan.Schedules, first: int, end: int, at: int, members: Sequence[int]) -> None:
        """A rank's steps of a collective."""
        columns: Any = laid
        for name, values in self.columns.items():
            values.extend(columns[name][first:end].tolist())
        peers = self.columns["peer"]
        peers[at:] = [members[peer] if peer >= 0 else peer for peer in peers[at:]]
        begin = laid["first_edge"][first : end + 1].tolist()
        edge = (laid["edge"][begin[0] : begin[-1]] + (at - first)).tolist()
        self.edges += [edge[one - begin[0] : other - begin[0]] for one, other in pairwise(begin)]

    def then(self, row: int, others: Sequence[int]) -> None:
        """These wait for the step too."""
        self.edges[row] += others
        for other in others:
            self.columns["unmet"][other] += 1

    def schedules(
        self, calls: Sequence[Called], where: Sequence[Any], of_ranks: dict[str, list[int]]
    ) -> _plan.Schedules:
        """where: of each collective, which step each of its steps became."""
        ends = np.full(self.count, -1, np.int64)
        for call, rows in zip(calls, where, strict=True):
            other = call.schedules["other_end"]
            ends[rows[other >= 0]] = rows[other[other >= 0]]
        like: Any = calls[0].schedules
        found = {**self.columns, **of_ranks, "other_end": ends}
        found["first_edge"] = np.cumsum([0, *map(len, self.edges)])
        found["edge"] = [row for rows in self.edges for row in rows]
        made = {name: np.asarray(values, like[name].dtype) for name, values in found.items()}
        return like | made
