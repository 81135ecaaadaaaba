"""Properties of a schedule: its messages, its longest chain of messages, its trees, and a hash that identifies it."""

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
    """Messages of one collective. src, dst: ranks of its communicator. size: bytes."""

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
    """The weight of the heaviest chain of messages. In a chain, each message is sent after the previous one was
    received. weight: the weight of each step of the schedules; only weights of sends count."""
    first, edge, receive_step = (
        schedules["first_edge"].tolist(),
        schedules["edge"].tolist(),
        schedules["other_end"].tolist(),
    )
    is_send = (schedules["kind"] == _plan.SEND).tolist()
    unmet = (schedules["unmet"] + (schedules["kind"] == _plan.RECEIVE)).tolist()
    heavy, heaviest = weight.tolist(), [0] * len(unmet)
    todo = [step for step, count in enumerate(unmet) if not count]
    for step in todo:
        followers = edge[first[step] : first[step + 1]]
        # A step on the sender that follows a send does not wait for the message's arrival, so the message's weight
        # counts only in the receiver's chain.
        for follower, chain in [(next_step, heaviest[step]) for next_step in followers] + (
            [(receive_step[step], heaviest[step] + heavy[step])] if is_send[step] else []
        ):
            heaviest[follower] = max(heaviest[follower], chain)
            unmet[follower] -= 1
            if not unmet[follower]:
                todo.append(follower)
    return max(heaviest, default=0)


def structure_of(schedules: _plan.Schedules, clusters: Sequence[int]) -> Structure:
    """Structure of a schedule. clusters: the cluster of each rank."""
    of_rank = np.asarray(clusters)
    far = (schedules["peer"] >= 0) & (of_rank[_ranks(schedules)] != of_rank[schedules["peer"]])
    return Structure(
        longest_chain(schedules, np.ones(len(far), np.int64)),
        longest_chain(schedules, far.astype(np.int64)),
        int((far & (schedules["kind"] == _plan.SEND)).sum()),
    )


def drawn_as_trees(schedules: _plan.Schedules) -> dict[str, list[int | None]] | None:
    """The trees towards a root (`up`) and from it (`down`): the parent of each rank, None at the root. Returns None if
    the messages do not follow trees. Of two ranks that exchange messages with each other, the lower one counts as the
    parent."""
    sends = (schedules["kind"] == _plan.SEND) & (schedules["segment"] == 0)
    src, dst, role = (
        _ranks(schedules)[sends].tolist(),
        schedules["peer"][sends].tolist(),
        schedules["role"][sends].tolist(),
    )
    edges: dict[int, set[tuple[int, int]]] = {_plan.UP: set(), _plan.DOWN: set(), _plan.EXCHANGE: set()}
    for sender, receiver, direction in zip(src, dst, role, strict=True):
        is_up = direction == _plan.UP or (direction == _plan.EXCHANGE and sender > receiver)
        edges[direction].add((sender, receiver) if is_up else (receiver, sender))
    ranks = len(schedules["first_step"]) - 1
    used = [edges[direction] for direction in (_plan.UP, _plan.DOWN) if edges[direction]] or [set[tuple[int, int]]()]
    trees: list[list[int | None]] = []
    for tree_edges in (used[0], used[-1]):
        parents: list[int | None] = [None] * ranks
        for child, parent in tree_edges | edges[_plan.EXCHANGE]:
            parents[child] = parent
        if len(tree_edges | edges[_plan.EXCHANGE]) != ranks - 1 or parents.count(None) != 1:
            return None
        trees.append(parents)
    return dict(zip(("up", "down"), trees, strict=True))


def fingerprint(schedules: _plan.Schedules) -> bytes:
    """A hash of the schedules' steps: equal for schedules with the same steps."""
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
