"""What a schedule does, read off its steps: which messages it sends, and how many come one after another."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopscope.dataset.path_columns import Array
from hopscope.native import _plan
from hopscope.replay.candidate import Structure


@dataclass(frozen=True)
class Messages:
    """Of one collective: ranks of its communicator, and bytes."""

    src: Array
    dst: Array
    size: Array


def messages_of(schedules: _plan.Schedules) -> Messages:
    """Every message that the schedules send."""
    sends = schedules["kind"] == _plan.SEND
    return Messages(
        _ranks(schedules)[sends], schedules["peer"][sends], schedules["length"][sends] * schedules["unit_bytes"]
    )


def longest_chain(schedules: _plan.Schedules, weight: Array) -> int:
    """The heaviest chain of messages, each sent after the one before was received. weight: of each step that sends."""
    first, edge, other = schedules["first_edge"].tolist(), schedules["edge"].tolist(), schedules["other_end"].tolist()
    is_send = (schedules["kind"] == _plan.SEND).tolist()
    unmet = (schedules["unmet"] + (schedules["kind"] == _plan.RECEIVE)).tolist()
    heavy, most = weight.tolist(), [0] * len(unmet)
    todo = [step for step, count in enumerate(unmet) if not count]
    for step in todo:
        after = edge[first[step] : first[step + 1]]
        # What waits for a send goes on when the message has left; only its receiver has it behind it.
        for follower, reached in [(one, most[step]) for one in after] + (
            [(other[step], most[step] + heavy[step])] if is_send[step] else []
        ):
            most[follower] = max(most[follower], reached)
            unmet[follower] -= 1
            if not unmet[follower]:
                todo.append(follower)
    return max(most, default=0)


def structure_of(schedules: _plan.Schedules, clusters: Sequence[int]) -> Structure:
    """What a schedule looks like. clusters: of each rank."""
    of_rank = np.asarray(clusters)
    far = (schedules["peer"] >= 0) & (of_rank[_ranks(schedules)] != of_rank[schedules["peer"]])
    return Structure(
        longest_chain(schedules, np.ones(len(far), np.int64)),
        longest_chain(schedules, far.astype(np.int64)),
        int((far & (schedules["kind"] == _plan.SEND)).sum()),
    )


def drawn_as_trees(schedules: _plan.Schedules) -> dict[str, list[int | None]] | None:
    """The parent of each rank towards a root (`up`) and from it (`down`), None at the root; None if there are no such
    trees. Two ranks that alone exchange messages are the root and its child, whichever way a message goes."""
    sends = (schedules["kind"] == _plan.SEND) & (schedules["segment"] == 0)
    src, dst, role = (
        _ranks(schedules)[sends].tolist(),
        schedules["peer"][sends].tolist(),
        schedules["role"][sends].tolist(),
    )
    edges: dict[int, set[tuple[int, int]]] = {_plan.UP: set(), _plan.DOWN: set(), _plan.EXCHANGE: set()}
    for one, other, of in zip(src, dst, role, strict=True):
        towards = of == _plan.UP or (of == _plan.EXCHANGE and one > other)
        edges[of].add((one, other) if towards else (other, one))
    ranks = len(schedules["first_step"]) - 1
    used = [edges[of] for of in (_plan.UP, _plan.DOWN) if edges[of]] or [set[tuple[int, int]]()]
    trees: list[list[int | None]] = []
    for own in (used[0], used[-1]):
        parents: list[int | None] = [None] * ranks
        for child, parent in own | edges[_plan.EXCHANGE]:
            parents[child] = parent
        if len(own | edges[_plan.EXCHANGE]) != ranks - 1 or parents.count(None) != 1:
            return None
        trees.append(parents)
    return dict(zip(("up", "down"), trees, strict=True))


def fingerprint(schedules: _plan.Schedules) -> bytes:
    """Equal for schedules that do the same."""
    parts = (
        schedules["first_step"],
        schedules["kind"],
        schedules["peer"],
        schedules["length"],
        schedules["at"],
        schedules["first_edge"],
        schedules["edge"],
    )
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).digest()


def _ranks(schedules: _plan.Schedules) -> Array:
    ranks = np.diff(schedules["first_step"])
    return np.repeat(np.arange(len(ranks)), ranks)
