"""Finds the algorithm of the collectives of one kind, and the role and round of each of their messages.

Collectives are of one kind if they differ only in their times. The conversion of a trace recognises each kind once, and
stores the results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from hopscope.algorithms.captured import decide
from hopscope.algorithms.engine import in_order
from hopscope.algorithms.messages import DOWN, EXCHANGE, UP, Pattern
from hopscope.algorithms.observed import Edge, Observed
from hopscope.algorithms.recognition import UNRECOGNISED, Recognised, matched, recognise

Roles = Mapping[Edge, Sequence[str]]
"""The role of each message of an edge, in the order of sending."""


@dataclass(frozen=True)
class Kind:
    """Facts that hold for all collectives of a kind."""

    algorithm: str | None
    """The name of the algorithm; None if unrecognised."""
    equivalents: str | None
    """Other algorithms that send the same messages."""
    differs: str | None
    """If the library's captured function and the messages disagree: the name of the messages that this function should
    have sent; otherwise None."""
    segment_bytes: int | None
    depth: int | None
    """The number of messages in the longest chain of messages that wait for one another; None if unknown."""
    crossings: int | None
    """The largest number of messages between clusters in such a chain; None if unknown."""
    roles: Roles
    """The roles of the messages; empty if unknown."""
    rounds: Mapping[Edge, Sequence[int]]
    """The round of each message of an edge, in the order of sending: its place in a chain of messages that wait for one
    another, from 1. It follows from the algorithm or, if that is unknown, from the first example's times."""

    @property
    def last_round(self) -> int | None:
        """The number of rounds of the algorithm; None if unknown."""
        return None if self.depth is None else max((max(rounds) for rounds in self.rounds.values()), default=0)


def kind_of(
    examples: Sequence[Observed],
    *,
    captured: str | None,
    by_schedule: Roles | None,
    is_between_groups: bool,
    tree_file_name: str | None = None,
) -> Kind:
    """Recognise the algorithm of collectives of one kind. It stays unrecognised between the two groups of an
    intercommunicator.

    captured: the library's own name of the algorithm. by_schedule: the roles of the first example's messages if a
    schedule of Hopscope's engine gave them. tree_file_name: the algorithm's name in the tree file.
    """
    first = examples[0]
    recognition = Recognised(UNRECOGNISED) if is_between_groups else recognise(examples, by_schedule, tree_file_name)
    pattern = recognition.candidate.pattern if recognition.candidate else None
    if pattern is None and by_schedule is not None:
        pattern = _along_roles(first, by_schedule)
    decision, differs = decide(recognition, first.operation, None if is_between_groups else captured, first.ranks)
    crossings = None
    if pattern:
        messages = matched(pattern, first)
        crossings = max(pattern.chains([messages[number].is_wan for number in range(len(pattern.messages))]), default=0)
    return Kind(
        None if decision.name == UNRECOGNISED else decision.name,
        ", ".join(decision.equivalents) or None,
        differs,
        recognition.candidate.segment_bytes if recognition.candidate else None,
        max(pattern.levels, default=0) if pattern else None,
        crossings,
        by_schedule or (pattern.roles if pattern else {}),
        pattern.order if pattern else rounds_in_times(first),
    )


def rounds_in_times(collective: Observed) -> dict[Edge, tuple[int, ...]]:
    """The rounds of each edge's messages by their times: a message's round is one more than the latest round among the
    messages that its sender had received before."""
    arrived: dict[int, list[tuple[int, int]]] = defaultdict(list)
    last_rounds: dict[int, int] = defaultdict(int)
    rounds: dict[Edge, list[int]] = defaultdict(list)
    # In the order of sending, the rounds of all messages that a sender has received are known.
    for message in sorted(collective.messages, key=lambda message: (message.sent_ns, message.received_ns)):
        if message.src == message.dst:
            continue
        waiting = arrived[message.src]
        while waiting and waiting[0][0] <= message.sent_ns:
            last_rounds[message.src] = max(last_rounds[message.src], heappop(waiting)[1])
        number = last_rounds[message.src] + 1
        heappush(arrived[message.dst], (message.received_ns, number))
        rounds[message.src, message.dst].append(number)
    return {edge: tuple(numbers) for edge, numbers in rounds.items()}


def _along_roles(collective: Observed, roles: Roles) -> Pattern | None:
    """The pattern of messages along trees that have no name, such as those of a tree file. A rank passes the n-th
    message on once it has the n-th message from each of its children, or from its parent. None if messages go between
    peers, or in a circle."""
    numbers: dict[tuple[Edge, str], list[int]] = defaultdict(list)
    sends: dict[int, tuple[int, int, int, str]] = {}
    incoming: dict[tuple[int, str], set[Edge]] = defaultdict(set)
    for edge, messages in collective.edges.items():
        for message, role in zip(messages, roles[edge], strict=True):
            if role == EXCHANGE:
                return None
            numbers[edge, role].append(len(sends))
            incoming[edge[1], role].add(edge)
            sends[len(sends)] = (*edge, message.bytes, role)
    prerequisites: dict[int, list[int]] = {}
    for (edge, role), row_numbers in numbers.items():
        from_parent = incoming.get((edge[0], DOWN), ()) if role == DOWN else ()
        source_edges, its_role = (from_parent, DOWN) if from_parent else (incoming.get((edge[0], UP), ()), UP)
        for place, number in enumerate(row_numbers):
            arrivals = [numbers[edge, its_role] for edge in source_edges]
            in_step = all(len(group) == len(row_numbers) for group in arrivals)
            prerequisites[number] = [
                arrival for group in arrivals for arrival in ([group[place]] if in_step else group)
            ]
    pattern = in_order(sends, prerequisites)
    return pattern if len(pattern.messages) == len(sends) else None


def parents_of(roles: Roles, role: str, ranks: int) -> dict[int, int] | None:
    """The tree along which the messages with this role (`up` or `down`) go: the parent of each rank except the root.
    None if they do not form a tree, or if ranks also exchange messages and the tree does not contain all ranks."""
    edges = [edge for edge, ways in roles.items() if role in ways]
    parents = dict(edges) if role == UP else {child: parent for parent, child in edges}
    members = {rank for edge in edges for rank in edge}
    if not edges or len(parents) != len(edges) or len(members) != len(edges) + 1:
        return None
    if len(members) < ranks and any(EXCHANGE in ways for ways in roles.values()):
        return None
    # The root has no parent. Ranks that do not descend from it are in a circle.
    connected, unconnected = set(members - parents.keys()), dict(parents)
    while fresh := {child for child, parent in unconnected.items() if parent in connected}:
        connected |= fresh
        unconnected = {child: parent for child, parent in unconnected.items() if child not in fresh}
    return None if unconnected else parents
