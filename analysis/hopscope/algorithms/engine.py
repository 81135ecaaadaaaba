"""The messages of the engine's own algorithms, taken from the schedules that it would run (`hopscope.native._plan`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from hopscope.algorithms.messages import DOWN, EXCHANGE, UP, Message, Pattern
from hopscope.native import _plan
from hopscope.native.sequences import lay

_ROLES = {_plan.UP: UP, _plan.DOWN: DOWN, _plan.EXCHANGE: EXCHANGE}


def algorithms(operation: str) -> list[str]:
    """The names of the engine's algorithms for an operation, except trees and algorithms between groups of ranks."""
    rows = [row for row in _plan.algorithms() if operation in row.operations]
    return [row.name for row in rows if not row.by_tree and not row.in_groups]


class Groups(NamedTuple):
    """An algorithm in which the leaders of groups of ranks exchange messages: its settings, and each rank's host and
    group. exchange: the leaders' algorithm."""

    algorithm: str
    exchange: str
    shape: str
    """The shape of the trees inside a group, both over its hosts and over the ranks of each host."""
    hosts: tuple[int, ...]
    groups: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name that the engine gives to the algorithm in traces."""
        return f"{self.algorithm}:{self.exchange}"


def grouped(operation: str, hosts: tuple[int, ...], groups: tuple[int, ...]) -> Iterator[Groups]:
    """All algorithms of the engine between these groups for an operation, with every shape of trees that needs no
    fan-out."""
    names = [row.name for row in _plan.algorithms() if operation in row.operations and row.in_groups]
    shapes = [row.name for row in _plan.shapes() if row.is_simple and not row.counts and not row.same_as]
    for name, exchange, shape in product(names, _plan.BETWEEN, shapes):
        yield Groups(name, exchange, shape, hosts, groups)


@lru_cache(maxsize=256)
def pattern(
    algorithm: str | Groups,
    operation: str,
    ranks: int,
    root: int | None,
    *,
    lengths: tuple[int, ...],
    unit: int,
    segment: int,
    edges: bytes | None = None,
) -> Pattern | None:
    """The messages of one of the engine's algorithms; None if the engine has no such schedule. lengths: of the blocks,
    in units of `unit` bytes. segment: bytes of a segment; 0 for whole messages. edges: if given, messages with
    other edges (`Observed.edge_numbers`) are not returned.
    """
    name = algorithm.algorithm if isinstance(algorithm, Groups) else algorithm
    rule: dict[str, Any] = {"algorithm": name}
    trees = None
    hosts = groups = (0,) * ranks
    if isinstance(algorithm, Groups):
        levels = {level: {"shape": algorithm.shape} for level in ("hosts", "ranks")}
        trees = {"inside": {"shape": "hierarchical", **levels}}
        rule |= {"between": algorithm.exchange, "inside": "inside"}
        hosts, groups = algorithm.hosts, algorithm.groups
    if segment:
        if not any(row.cuts for row in _plan.algorithms() if row.name == name and operation in row.operations):
            return None
        rule["segment_bytes"] = segment
    try:
        schedules = lay(rule, operation, lengths, hosts, groups, root=root, unit_bytes=unit, trees=trees)
    except ValueError:
        return None
    if edges is not None and _edge_numbers(schedules) != edges:
        return None
    return of_schedules(schedules, unit)


def _edge_numbers(schedules: _plan.Schedules) -> bytes:
    """Numbers of the edges of schedules' messages, equal to `Observed.edge_numbers`. Faster than with a pattern."""
    steps = np.diff(schedules["first_step"])
    sends = np.asarray(schedules["kind"]) == _plan.SEND
    src = np.repeat(np.arange(len(steps), dtype=np.int64), steps)[sends]
    return np.sort(src * len(steps) + np.asarray(schedules["peer"])[sends]).tobytes()


def of_schedules(schedules: _plan.Schedules, unit: int = 1) -> Pattern:
    """The messages of all ranks' schedules. The prerequisites of a send are the receives whose data it passes on,
    directly or after combining and copying, but not receives that it follows only because of a buffer."""
    kind, peer, length, role = (schedules[name] for name in ("kind", "peer", "length", "role"))
    rank_of = np.repeat(np.arange(len(schedules["first_step"]) - 1), np.diff(schedules["first_step"]))
    prerequisites: list[list[int]] = [[] for _ in kind]
    for row in range(len(kind)):
        for successor in schedules["edge"][schedules["first_edge"][row] : schedules["first_edge"][row + 1]]:
            prerequisites[int(successor)].append(row)

    needs: dict[int, frozenset[int]] = {}

    def receives(row: int) -> frozenset[int]:
        """The receives whose data the step may use: those that it follows directly, or through combining and copying.
        Receives before an earlier send are left out, because a step that follows a send only waits for its buffer."""
        if row not in needs:
            receive_rows: set[int] = set()
            for predecessor in prerequisites[row]:
                if kind[predecessor] == _plan.RECEIVE:
                    receive_rows.add(predecessor)
                elif kind[predecessor] != _plan.SEND:
                    receive_rows |= receives(predecessor)
            needs[row] = frozenset(receive_rows)
        return needs[row]

    sends = [int(row) for row in np.flatnonzero(kind == _plan.SEND)]
    for row in range(len(kind)):  # in this order, no recursion is deep
        receives(row)
    return in_order(
        {row: (int(rank_of[row]), int(peer[row]), int(length[row]) * unit, _ROLES[int(role[row])]) for row in sends},
        {row: [int(schedules["other_end"][receive]) for receive in needs[row]] for row in sends},
    )


def in_order(sends: dict[int, tuple[int, int, int, str]], prerequisites: dict[int, list[int]]) -> Pattern:
    """Make a pattern of sends (src, dst, bytes, role), in an order in which each one comes after its prerequisites.
    prerequisites: for each send, the sends whose messages its rank must have received before."""
    left = {row: len(set(predecessors)) for row, predecessors in prerequisites.items()}
    followers: dict[int, list[int]] = {row: [] for row in sends}
    for row, predecessors in prerequisites.items():
        for predecessor in set(predecessors):
            followers[predecessor].append(row)
    ready = [row for row in sends if not left[row]]
    number: dict[int, int] = {}
    for row in ready:
        number[row] = len(number)
        for follower in followers[row]:
            left[follower] -= 1
            if not left[follower]:
                ready.append(follower)
    # Sends on the same edge stay in the order of their rows.
    by_level = sorted(number, key=number.__getitem__)
    place = {row: position for position, row in enumerate(by_level)}
    return Pattern(
        [
            Message(*sends[row], tuple(sorted(place[predecessor] for predecessor in set(prerequisites[row]))))
            for row in by_level
        ]
    )
