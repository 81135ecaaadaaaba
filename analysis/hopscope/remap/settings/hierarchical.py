"""Open MPI's `han`: an operation by algorithms of `tuned` inside hosts and between their leaders.

Two or three operations come one after another, each on a communicator of its own, whose algorithm a rule names by its
number of ranks. So the settings also change other communicators of these sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from hopscope import _plan
from hopscope.algorithms.han_calls import ALL, BETWEEN, CALLS, HOST, INSIDE, OWN
from hopscope.model.composed import Called, composed
from hopscope.model.sequences import lay
from hopscope.remap.algorithms.algorithm import Algorithm
from hopscope.remap.replay.parts import ends_in_rules, payloads_of
from hopscope.remap.run.calls import NO_ROOT, Call
from hopscope.remap.run.operations import OPERATION
from hopscope.remap.run.program import Subject
from hopscope.remap.settings.library import Form, as_run, spans_hosts
from hopscope.tuning.offered import Library, Offered, operation_name
from hopscope.tuning.planned import Planned, planned
from hopscope.tuning.written import Choice

NAME = "han simple"
"""The form whose calls are known, as `offered.of_han` has it."""
_BELOW = "which algorithms it calls inside hosts and between them is chosen by other components"


class Below(NamedTuple):
    """An algorithm inside hosts or between them, on so many ranks."""

    offered: Offered
    ranks: int
    rule: Planned


@dataclass(frozen=True)
class Hierarchical(Algorithm):
    """An operation as `han` runs it. calls: what it calls, one after another."""

    calls: tuple[Below, ...]

    def schedules(self, subject: Subject, call: Call) -> _plan.Schedules:
        """The schedule of every rank in such a call."""
        hosts = _by_host(subject)
        rank = 0 if call.root == NO_ROOT else call.root
        root_host, root = next((host, ranks.index(rank)) for host, ranks in enumerate(hosts) if rank in ranks)
        leaders = [ranks[root] for ranks in hosts]
        blocks = {OWN: 1, HOST: len(hosts[0]), ALL: len(subject.hosts)}
        called: list[Called] = []
        for step, below in zip(CALLS[operation_name(call.op)], self.calls, strict=True):
            op = f"MPI_{step.operation.capitalize()}"
            lengths = [length * blocks[step.blocks] for length in call.lengths]
            groups, place = ([leaders], root_host) if step.level == BETWEEN else (hosts, root)
            here = place if OPERATION[op].has_root else None
            schedules = lay(below.rule.rule, op, lengths, [0] * below.ranks, root=here, trees=below.rule.trees)
            called += [Called(ranks, as_run(schedules, below.offered)) for ranks in groups]
        return composed(len(subject.hosts), called)


def hierarchical(library: Library, parts: Sequence[Subject]) -> Iterator[Form]:
    """The forms of `han` for selections of one operation."""
    operation = operation_name(parts[0].op)
    if not any(spans_hosts(part) for part in parts):
        return
    known = library.simple.get(operation)
    for offered in library.in_groups:
        if offered.operation == operation and not (known and offered.name == NAME):
            yield Form(offered.name, (), ((offered.setting, str(offered.number)),), reason=_BELOW)
    if known is None:
        return
    reasons = [reason for part in parts if (reason := _reason(part))]
    if reasons:
        yield Form(NAME, (), known.settings, reason=reasons[0])
        return
    # Of several communicators, those of the first one's sizes: a rule for each size inside and between.
    sizes = {(len(_by_host(part)), len(_by_host(part)[0])) for part in parts}
    if len(sizes) > 1:
        yield Form(NAME, (), known.settings, reason="its communicators have different numbers of hosts or ranks")
        return
    for inside, between in product(*_levels(library, parts)):
        level_of = {INSIDE: iter(inside), BETWEEN: iter(between)}
        calls = tuple(next(level_of[step.level]) for step in CALLS[operation])
        named = {(below.offered, below.ranks) for below in calls}
        if len({(offered.operation, ranks) for offered, ranks in named}) == len(named):
            ends = ends_in_rules(parts)
            name = f"han: {between[0].offered.name} between hosts, {inside[0].offered.name} inside"
            choices = tuple(dict.fromkeys(Choice(below.offered, below.ranks, *ends) for below in calls))
            yield Form(name, choices, known.settings, (Hierarchical(name, {}, {}, calls),) * len(parts))


def _reason(part: Subject) -> str | None:
    """Why `han` would not run it, or not in a way that is known."""
    ranks = set(Counter(part.hosts).values())
    if not spans_hosts(part) or ranks == {1}:
        return "`han` leaves communicators on one host, or with one rank on each, to `tuned`"
    return "its hosts have different numbers of ranks" if len(ranks) > 1 else None


def _by_host(part: Subject) -> list[list[int]]:
    """The ranks of each host, which come in the order of their first ones."""
    ranks: dict[int, list[int]] = {}
    for rank, host in enumerate(part.hosts):
        ranks.setdefault(host, []).append(rank)
    return [*ranks.values()]


def _levels(library: Library, parts: Sequence[Subject]) -> tuple[list[tuple[Below, ...]], list[tuple[Below, ...]]]:
    """What may run inside hosts and between them: one algorithm for each call there."""
    calls, hosts = CALLS[operation_name(parts[0].op)], _by_host(parts[0])
    least = min(size for part in parts for size in payloads_of(part))
    inside = [_planned(library, call.operation, len(hosts[0]), least) for call in calls if call.level == INSIDE]
    (between,) = (_planned(library, call.operation, len(hosts), least) for call in calls if call.level == BETWEEN)
    both = [
        row
        for row in product(*inside)
        if all(below.offered.name == row[0].offered.name or below.rule == row[0].rule for below in row)
    ]
    return _different(both), _different([(below,) for below in between])


def _planned(library: Library, operation: str, ranks: int, least: int) -> list[Below]:
    """The library's algorithms for an operation on so many ranks, as far as their messages are known."""
    rules = [(one, planned(one, ranks, least_bytes=least)) for one in library.algorithms if one.operation == operation]
    return [Below(offered, ranks, rule) for offered, rule in rules if isinstance(rule, Planned)]


def _different(rows: Sequence[tuple[Below, ...]]) -> list[tuple[Below, ...]]:
    """Those that send different messages."""
    kept: list[tuple[Below, ...]] = []
    for row in rows:
        if not any([below.rule for below in row] == [below.rule for below in other] for other in kept):
            kept.append(row)
    return kept
