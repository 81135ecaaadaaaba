"""Which candidate the messages of a collective fit.

A candidate fits if every edge has as many messages of the same lengths, and if no rank sent a message before it had
received those that the candidate lets it wait for. Of those that fit, the ones that ask for the most order count: any
order also fits a pattern that asks for none. On two ranks order does not count, because a single rank that happened to
be late would decide. Then the first in the order of `candidates` gives the name, and the others are listed.

What the lengths of a vector's shares are, to a unit, is the library's affair.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hopscope.algorithms.candidates import HIDES_BYTES, Candidate, candidates
from hopscope.algorithms.messages import Pattern
from hopscope.algorithms.observed import Edge, Observed, Seen

UNRECOGNISED = "unrecognised"

_KEPT: Final = 128
_MOST_MESSAGES: Final = 1 << 12
"""The candidates of collectives with more of them take too much memory to be kept."""
_fitting: OrderedDict[object, list[Candidate]] = OrderedDict()
"""The candidates with the edges of collectives seen lately: communicators of equal size often run the same."""


@dataclass(frozen=True)
class Recognised:
    """The algorithm, and what else has the same messages in the same order."""

    name: str
    same: tuple[str, ...] = ()
    candidate: Candidate | None = None


def recognise(
    examples: Sequence[Observed], roles: Mapping[Edge, Sequence[str]] | None = None, ran: str | None = None
) -> Recognised:
    """Name the algorithm that all of these collectives, whose edges and lengths are the same, were run by.

    roles: of the messages, where a schedule says them; ran: the name in the tree file. Both tell apart what times may
    not, as leaders that exchange, leaders in a ring, and a tree.
    """
    first = examples[0]
    fitting = _with_its_edges(first)
    if roles is not None:
        scheduled = {edge: sorted(words) for edge, words in roles.items()}
        fitting = [
            one
            for one in fitting
            if {edge: sorted(words) for edge, words in one.pattern.roles.items() if edge[0] != edge[1]} == scheduled
        ] or fitting  # A schedule of an older release may have other roles.
    if first.ranks > 2:
        fitting = [one for one in fitting if all(_in_order(one.pattern, seen) for seen in examples)]
    named = [one for one in fitting if one.title == ran]
    if first.ranks > 2 and not named:
        most = max((sum(one.pattern.levels) for one in fitting), default=0)
        fitting = [one for one in fitting if sum(one.pattern.levels) == most]
    if not fitting:
        return Recognised(UNRECOGNISED)
    chosen = (named or fitting)[0]
    same = [
        one.title
        for one in fitting
        if _of_one_kind(one, chosen) and (first.ranks == 2 or one.pattern.order == chosen.pattern.order)
    ]
    return Recognised(chosen.title, tuple(dict.fromkeys(same)), chosen)


def _with_its_edges(seen: Observed) -> list[Candidate]:
    """The candidates that have as many messages of the same lengths on every edge."""
    is_kept = seen.total <= _MOST_MESSAGES
    fitting = _fitting.pop(seen.key, None) if is_kept else None
    if fitting is None:
        fitting = [candidate for candidate in candidates(seen) if _has_edges(candidate.pattern, seen)]
    if is_kept:
        _fitting[seen.key] = fitting
    while len(_fitting) > _KEPT:
        _fitting.popitem(last=False)
    return fitting


def _of_one_kind(one: Candidate, chosen: Candidate) -> bool:
    """Whether it is worth naming beside the chosen one: not every mixture that comes to the same."""
    return one.title != chosen.title and (chosen.is_mixture or not one.is_mixture)


def _has_edges(pattern: Pattern, seen: Observed) -> bool:
    if pattern.counts != seen.counts:
        return False
    if seen.operation in HIDES_BYTES:
        return True
    uneven = seen.units % seen.ranks != 0
    for edge, numbers in pattern.edges.items():
        for number, message in zip(numbers, seen.edges[edge], strict=True):
            told = pattern.messages[number].bytes
            shares = told * seen.ranks / seen.bytes if seen.bytes else 0
            room = seen.unit * max(1, round(shares)) if uneven and told < seen.bytes else 0
            if abs(message.bytes - told) > room:
                return False
    return True


def _in_order(pattern: Pattern, seen: Observed) -> bool:
    ran = matched(pattern, seen)
    return all(
        ran[before].received_ns <= ran[number].sent_ns
        for number, message in enumerate(pattern.messages)
        for before in message.after
    )


def matched(pattern: Pattern, seen: Observed) -> dict[int, Seen]:
    """The message that was seen for each one of a pattern with the same edges."""
    return {
        number: message
        for edge, numbers in pattern.edges.items()
        for number, message in zip(numbers, seen.edges[edge], strict=True)
    }
