"""The candidate that the messages of a collective fit.

A candidate fits if every edge has as many messages of the same lengths, and if no rank sent a message before it had
received its prerequisites. Of the fitting candidates, only those that prescribe the most order stay, because any order
also fits a pattern without order. On two ranks order does not count, because a single late rank would decide. Of the
rest, the first in the order of `candidates` gives the name, and the others are listed.

The lengths of a vector's shares may differ by a unit, because the library chooses them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hopscope.algorithms.candidates import HIDES_BYTES, Candidate, candidates
from hopscope.algorithms.messages import Pattern
from hopscope.algorithms.observed import Edge, Observed, RecordedMessage

UNRECOGNISED = "unrecognised"

_CACHE_SIZE: Final = 128
_MOST_MESSAGES: Final = 1 << 12
"""The candidates of collectives with more messages are not kept, because they take too much memory."""
_fitting: OrderedDict[object, list[Candidate]] = OrderedDict()
"""The candidates that have the edges of recent collectives. Kept because communicators of one size often run the same
algorithm."""


@dataclass(frozen=True)
class Recognised:
    """The algorithm, and others with the same messages in the same order."""

    name: str
    equivalents: tuple[str, ...] = ()
    candidate: Candidate | None = None


def recognise(
    examples: Sequence[Observed], roles: Mapping[Edge, Sequence[str]] | None = None, tree_file_name: str | None = None
) -> Recognised:
    """Name the algorithm of these collectives, whose edges and lengths are equal.

    roles: those of the messages, if a schedule has them. tree_file_name: the name in the tree file. Both tell apart
    algorithms that times may not, such as leaders that exchange, leaders in a ring, and a tree.
    """
    first = examples[0]
    fitting = _with_its_edges(first)
    if roles is not None:
        scheduled = {edge: sorted(words) for edge, words in roles.items()}
        fitting = [
            candidate
            for candidate in fitting
            if {edge: sorted(words) for edge, words in candidate.pattern.roles.items() if edge[0] != edge[1]}
            == scheduled
        ] or fitting  # A schedule of an older release may have other roles.
    if first.ranks > 2:
        fitting = [
            candidate for candidate in fitting if all(_in_order(candidate.pattern, example) for example in examples)
        ]
    namesakes = [candidate for candidate in fitting if candidate.title == tree_file_name]
    if first.ranks > 2 and not namesakes:
        order_count = max((sum(candidate.pattern.levels) for candidate in fitting), default=0)
        fitting = [candidate for candidate in fitting if sum(candidate.pattern.levels) == order_count]
    if not fitting:
        return Recognised(UNRECOGNISED)
    choice = (namesakes or fitting)[0]
    equivalents = [
        candidate.title
        for candidate in fitting
        if _of_one_kind(candidate, choice) and (first.ranks == 2 or candidate.pattern.order == choice.pattern.order)
    ]
    return Recognised(choice.title, tuple(dict.fromkeys(equivalents)), choice)


def _with_its_edges(collective: Observed) -> list[Candidate]:
    """The candidates that have as many messages of the same lengths on every edge."""
    is_cacheable = collective.total <= _MOST_MESSAGES
    fitting = _fitting.pop(collective.key, None) if is_cacheable else None
    if fitting is None:
        fitting = [candidate for candidate in candidates(collective) if _has_edges(candidate.pattern, collective)]
    if is_cacheable:
        _fitting[collective.key] = fitting
    while len(_fitting) > _CACHE_SIZE:
        _fitting.popitem(last=False)
    return fitting


def _of_one_kind(candidate: Candidate, choice: Candidate) -> bool:
    """Tells whether to list a candidate beside the chosen one. Mixtures are listed only beside a mixture, because many
    of them have the same messages."""
    return candidate.title != choice.title and (choice.is_mixture or not candidate.is_mixture)


def _has_edges(pattern: Pattern, collective: Observed) -> bool:
    if pattern.counts != collective.counts:
        return False
    if collective.operation in HIDES_BYTES:
        return True
    uneven = collective.units % collective.ranks != 0
    for edge, numbers in pattern.edges.items():
        for number, message in zip(numbers, collective.edges[edge], strict=True):
            length = pattern.messages[number].bytes
            shares = length * collective.ranks / collective.bytes if collective.bytes else 0
            room = collective.unit * max(1, round(shares)) if uneven and length < collective.bytes else 0
            if abs(message.bytes - length) > room:
                return False
    return True


def _in_order(pattern: Pattern, collective: Observed) -> bool:
    messages = matched(pattern, collective)
    return all(
        messages[prerequisite].received_ns <= messages[number].sent_ns
        for number, message in enumerate(pattern.messages)
        for prerequisite in message.prerequisites
    )


def matched(pattern: Pattern, collective: Observed) -> dict[int, RecordedMessage]:
    """The recorded message for each message of a pattern with the same edges."""
    return {
        number: message
        for edge, numbers in pattern.edges.items()
        for number, message in zip(numbers, collective.edges[edge], strict=True)
    }
