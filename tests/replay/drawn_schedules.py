"""Schedules drawn by hand, step by step, for algorithms that the engine runs in another form."""

from __future__ import annotations

from typing import Any

import numpy as np
from hopscope.native import _plan


class Drawing:
    """The steps of all ranks. The k-th send from one rank to another matches the k-th receive there."""

    def __init__(self, ranks: int) -> None:
        self.steps: list[list[tuple[int, int, int, list[int]]]] = [[] for _ in range(ranks)]

    def send(self, rank: int, peer: int, size: int, predecessors: list[int]) -> int:
        """Adds a send after these steps of the same rank. Returns its number among the rank's steps."""
        return self._add(rank, _plan.SEND, peer, size, predecessors)

    def receive(self, rank: int, source: int, size: int) -> int:
        """Adds a receive that is posted on entry. Returns its number among the rank's steps."""
        return self._add(rank, _plan.RECEIVE, source, size, [])

    def _add(self, rank: int, kind: int, peer: int, size: int, predecessors: list[int]) -> int:
        self.steps[rank].append((kind, peer, size, predecessors))
        return len(self.steps[rank]) - 1

    def schedules(self) -> _plan.Schedules:
        """The schedules in the form of `hopscope.native._plan`, with the columns for a replay."""
        counts = [len(steps) for steps in self.steps]
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        kind, length, unmet, edges = [], [], [], [[] for _ in range(sum(counts))]
        ends: dict[tuple[int, int, int], list[int]] = {}
        for rank, steps in enumerate(self.steps):
            for number, (step_kind, peer, size, predecessors) in enumerate(steps):
                row = int(first[rank]) + number
                kind.append(step_kind)
                length.append(size)
                unmet.append(len(predecessors))
                for predecessor in predecessors:
                    edges[int(first[rank]) + predecessor].append(row)
                pair = (rank, peer) if step_kind == _plan.SEND else (peer, rank)
                ends.setdefault((*pair, step_kind), []).append(row)
        other_end = np.full(len(kind), -1)
        for (src, dst, step_kind), rows in ends.items():
            other_end[rows] = ends[src, dst, _plan.SEND + _plan.RECEIVE - step_kind]
        ready = [
            [int(first[r]) + i for i, step in enumerate(steps) if not step[3]] for r, steps in enumerate(self.steps)
        ]
        schedules: Any = {
            "unit_bytes": 1,
            "first_step": first,
            "kind": np.asarray(kind, np.int8),
            "length": np.asarray(length, np.int64),
            "unmet": np.asarray(unmet, np.int32),
            "first_edge": np.concatenate([[0], np.cumsum([len(e) for e in edges])]).astype(np.int64),
            "edge": np.asarray([row for e in edges for row in e], np.int64),
            "first_ready": np.concatenate([[0], np.cumsum([len(r) for r in ready])]).astype(np.int64),
            "ready": np.asarray([row for r in ready for row in r], np.int64),
            "other_end": other_end.astype(np.int64),
        }
        return schedules


def split_binary(ranks: int, segments: int, segment: int) -> _plan.Schedules:
    """The published algorithm: each half goes down its own tree in segments, then partners exchange whole halves.

    The number of ranks must be odd and fill complete trees. Ranks 1 and 2 are the roots of the halves; 1 and 2, 3 and
    4, ... are partners.
    """
    drawing, half = Drawing(ranks), segments // 2
    for _ in range(half):
        drawing.send(0, 1, segment, [])
        drawing.send(0, 2, segment, [])
    for rank in range(1, ranks):
        side, number = (rank - 1) % 2, (rank - 1) // 2
        parent = 0 if number == 0 else 2 * ((number - 1) // 2) + 1 + side
        children = [2 * child + 1 + side for child in (2 * number + 1, 2 * number + 2) if 2 * child + 1 + side < ranks]
        partner = rank + 1 if side == 0 else rank - 1
        received = [drawing.receive(rank, parent, segment) for _ in range(half)]
        for receive in received:
            for child in children:
                drawing.send(rank, child, segment, [receive])
        drawing.send(rank, partner, half * segment, received)
        drawing.receive(rank, partner, half * segment)
    return drawing.schedules()


def linear_alltoall(ranks: int, size: int) -> _plan.Schedules:
    """The published algorithm: a rank sends its blocks one after the other, beginning with the rank after it. It sends
    a block once it has received the one before."""
    drawing = Drawing(ranks)
    for rank in range(ranks):
        received = {peer: drawing.receive(rank, peer, size) for peer in range(ranks) if peer != rank}
        for distance in range(1, ranks):
            drawing.send(rank, (rank + distance) % ranks, size, [received[rank - 1]] if rank else [])
    return drawing.schedules()
