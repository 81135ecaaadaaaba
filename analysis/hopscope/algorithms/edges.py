"""`analyze algorithms --collective`: the edges of a collective, their rounds, and whether they are a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

import pyarrow as pa

from hopscope.algorithms import observed, recognised
from hopscope.algorithms.observed import Edge, Observed
from hopscope.header import Scalar
from hopscope.rounds import spans

Row = dict[str, Any]


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[Row]:
    """One row per edge; `rows` are examples of one kind, the first with the weights of the edges."""
    examples = rows.to_pylist()
    if not examples or not examples[0]["edges"]:
        return []
    first = examples[0]
    seen = [observed(row) for row in examples]
    candidate = recognised(examples, seen).candidate
    pattern = candidate and candidate.pattern
    rounds = rounds_in_times(seen[0]) if pattern is None else pattern.order
    phases = phases_of({edge: min(each) for edge, each in rounds.items()}, first["ranks"], first["root"])
    made: list[Row] = []
    for weights, *pair in zip(first["edges"], first["edge_src"], first["edge_dst"], strict=True):
        edge = (pair[0], pair[1])
        phase = phases.get(edge, "exchange")
        made.append(
            weights
            | {
                "edge": f"{phase} {weights['src']}->{weights['dst']}",
                "collectives": first["collectives"],
                "rounds": spans(rounds[edge]),
                "messages": len(rounds[edge]),
                "phase": phase,
            }
        )
    return sorted(made, key=lambda row: (-row["time_ns"], row["phase"] != "up", row["src"], row["dst"]))


def rounds_in_times(seen: Observed) -> dict[Edge, tuple[int, ...]]:
    """The rounds of each edge's messages if a sender passes on all that it has received."""
    arrived: dict[int, list[tuple[int, int]]] = defaultdict(list)
    heard: dict[int, int] = defaultdict(int)
    rounds: dict[Edge, list[int]] = defaultdict(list)
    # Whatever a sender has received was sent before, so its round is known.
    for message in sorted(seen.messages, key=lambda each: (each.sent_ns, each.received_ns)):
        if message.src == message.dst:
            continue
        waiting = arrived[message.src]
        while waiting and waiting[0][0] <= message.sent_ns:
            heard[message.src] = max(heard[message.src], heappop(waiting)[1])
        number = heard[message.src] + 1
        heappush(arrived[message.dst], (message.received_ns, number))
        rounds[message.src, message.dst].append(number)
    return {edge: tuple(each) for edge, each in rounds.items()}


def phases_of(first_rounds: Mapping[Edge, int], ranks: int, root: int | None) -> dict[Edge, str]:
    """`up` or `down` for each edge of a tree over all ranks, or of one up and one down that follow one another; nothing
    for any other graph. `first_rounds` is the first round of each edge."""
    for last in (0, *sorted(set(first_rounds.values()))[:-1]):
        early = [edge for edge, number in first_rounds.items() if number <= last]
        late = [edge for edge, number in first_rounds.items() if number > last]
        # A path is a tree either way where there is no root: of two the first leads up, and a single one down.
        found = {_direction(late, ranks, root, ("down", "up")): late}
        if early:
            found[_direction(early, ranks, root, ("up", "down"))] = early
        if None not in found and len(found) == (2 if early else 1):
            return {edge: str(direction) for direction, part in found.items() for edge in part}
    return {}


def _direction(edges: Sequence[Edge], ranks: int, root: int | None, preferred: Sequence[str]) -> str | None:
    for direction in preferred:
        pairs = edges if direction == "up" else [(dst, src) for src, dst in edges]
        if _is_tree(pairs, ranks, root):
            return direction
    return None


def _is_tree(edges: Sequence[Edge], ranks: int, root: int | None) -> bool:
    """Whether these pairs of child and parent lead from every rank to one root."""
    parents = dict(edges)
    if len(edges) != ranks - 1 or len(parents) != len(edges) or (root is not None and root in parents):
        return False
    for rank in parents:
        steps, at = 0, rank
        while at in parents:
            at, steps = parents[at], steps + 1
            if steps > len(parents):
                return False
    return True
