"""Recognises an algorithm: finds the candidate that the messages of a collective fit.

A candidate fits if it has the same number of messages with the same lengths on every edge, and if no rank sent a
message before it had received the message's prerequisites. Of the fitting candidates, only those that prescribe the
most order are kept, because messages in any order also fit a pattern without order. On two ranks, the order does not
count, because it would depend on which rank is late. The first remaining candidate, in the order of `candidates`, gives
the name, and the others are listed as equivalents.

If an algorithm divides a vector unevenly, lengths of messages may differ by a unit per share, because libraries divide
it in different ways.
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
"""Fitting candidates of collectives with more messages are not cached, because they take too much memory."""
_fitting: OrderedDict[object, list[Candidate]] = OrderedDict()
"""A cache of the candidates with fitting edges for recent collectives, by `Observed.key`. It helps because
communicators of one size often run the same algorithm."""


@dataclass(frozen=True)
class Recognised:
    """The name of the recognised algorithm, and the names of others with the same messages in the same order."""

    name: str
    equivalents: tuple[str, ...] = ()
    candidate: Candidate | None = None


def recognise(
    examples: Sequence[Observed], roles: Mapping[Edge, Sequence[str]] | None = None, tree_file_name: str | None = None
) -> Recognised:
    """Recognise the algorithm of these collectives, which have the same edges and lengths of messages.

    roles: of the messages, if a schedule of the engine gave them. tree_file_name: the algorithm's name in the tree
    file. Both help to distinguish algorithms whose messages may come in the same order, such as an exchange between
    leaders, a ring of leaders, and a tree.
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
    """The candidates with the collective's number and lengths of messages on every edge."""
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
    """Tells if a candidate may be listed as an equivalent of the chosen one. Mixtures of algorithms are listed only
    beside a mixture, because very many of them have the same messages."""
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
    """The recorded message for each message of a pattern (by index) with the same edges."""
    return {
        number: message
        for edge, numbers in pattern.edges.items()
        for number, message in zip(numbers, collective.edges[edge], strict=True)
    }
