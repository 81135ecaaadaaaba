"""Open MPI's `han` among the candidates: an operation by algorithms of `tuned` inside hosts and between their leaders.

Two or three operations come one after another, each on a communicator of its own, whose algorithm a rule names by its
number of ranks. So the settings also reach other communicators of these sizes.
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
from hopscope.remap.run.calls import NO_ROOT, Call
from hopscope.remap.run.operations import OPERATION
from hopscope.remap.run.program import Subject
from hopscope.remap.settings.forced import Forced, NotJudged, as_run, spans_hosts
from hopscope.remap.settings.reach import Change, ends_in_rules, payloads_of
from hopscope.tuning.han import Simple
from hopscope.tuning.offered import Library, Offered, operation_name
from hopscope.tuning.planned import Planned, planned

_BELOW = "which algorithms it calls inside hosts and between them is chosen by other components"
NAME = "han simple"
"""The form whose calls are known, as `offered.of_han` has it."""


class Below(NamedTuple):
    """An algorithm inside hosts or between them, on so many ranks."""

    offered: Offered
    ranks: int
    rule: Planned


@dataclass(frozen=True)
class Hierarchical(Forced):
    """An operation as `han` runs it. calls: what it calls in turn."""

    simple: Simple | None = None
    calls: tuple[Below, ...] = ()

    @property
    def named(self) -> int:
        """How many algorithms the setting names."""
        return len(self.calls)

    def lay(self, subject: Subject, call: Call) -> _plan.Schedules:
        """What every rank does in such a call."""
        hosts = _by_host(subject)
        rank = 0 if call.root == NO_ROOT else call.root
        root_host, root = next((host, ranks.index(rank)) for host, ranks in enumerate(hosts) if rank in ranks)
        leaders = [ranks[root] for ranks in hosts]
        blocks = {OWN: 1, HOST: len(hosts[0]), ALL: len(subject.hosts)}
        made: list[Called] = []
        for part, below in zip(CALLS[operation_name(call.op)], self.calls, strict=True):
            op = f"MPI_{part.operation.capitalize()}"
            lengths = [length * blocks[part.blocks] for length in call.lengths]
            of, at = ([leaders], root_host) if part.level == BETWEEN else (hosts, root)
            here = at if OPERATION[op].has_root else None
            laid = lay(below.rule.rule, op, lengths, [0] * below.ranks, root=here, trees=below.rule.trees)
            made += [Called(ranks, as_run(laid, below.offered)) for ranks in of]
        return composed(len(subject.hosts), made)

    def choices(self, part: Subject) -> list[tuple[Offered, int]]:
        """What rules name so that it runs so."""
        del part
        return [(below.offered, below.ranks) for below in self.calls]

    def besides(self, library: Library) -> list[tuple[str, str]]:
        """The parameters that make `han` take the operation."""
        del library
        return [*self.simple.settings] if self.simple else []

    def changes(self, library: Library, parts: Sequence[Subject]) -> list[Change]:
        """The operation as a whole, and what its rules reach."""
        del library
        ends = ends_in_rules(parts)
        below = [Change(one.offered.operation, one.ranks, ends) for one in self.calls]
        return [Change(operation_name(self.operations[0])), *below]


class _Level(NamedTuple):
    """What runs among the ranks of each host, or among their leaders: one algorithm for each call there."""

    name: str
    calls: tuple[Below, ...]

    @property
    def rules(self) -> list[Planned]:
        return [below.rule for below in self.calls]


def hierarchical(
    library: Library, parts: Sequence[Subject], others: Sequence[Subject], taken: Sequence[Hierarchical]
) -> Iterator[tuple[Hierarchical, ...] | NotJudged]:
    """The forms of `han` for parts of one operation that a setting reaches together. others: the parts beside them.
    taken: what may run these by `han`."""
    operation = operation_name(parts[0].op)
    if not any(spans_hosts(part) for part in parts):
        return
    known = library.simple.get(operation)
    for one in library.in_groups:
        if one.operation == operation and not (known and one.name == NAME):
            yield NotJudged(one.name, _BELOW)
    if known is None:
        return
    reasons = [why for part in parts if (why := _why_not(part))]
    why = reasons[0] if reasons else _set_elsewhere(operation, parts, others, taken)
    if why:
        yield NotJudged(NAME, why)
        return
    levels = [_levels(library, part) for part in parts]
    for names in product(*(dict.fromkeys(level.name for level in found) for found in levels[0])):
        made = [_made(known, part, names, found) for part, found in zip(parts, levels, strict=True)]
        whole = tuple(one for one in made if one is not None)
        if len(whole) == len(made):
            yield whole


def _why_not(part: Subject) -> str | None:
    """Why `han` would not run a part, or not in a way that is known."""
    ranks = set(Counter(part.hosts).values())
    if not spans_hosts(part) or ranks == {1}:
        return "`han` leaves communicators on one host, or with one rank on each, to `tuned`"
    if len(ranks) > 1:
        return "its hosts have different numbers of ranks"
    return None


def _set_elsewhere(
    operation: str, parts: Sequence[Subject], others: Sequence[Subject], taken: Sequence[Hierarchical]
) -> str | None:
    """Why its settings would change other parts too."""
    if any(other.op == parts[0].op for other in others):
        return f"it would run all of {parts[0].op}, whose sizes and communicators are judged one by one"
    sizes = {size for part in parts for size in (len(_by_host(part)), len(_by_host(part)[0]))}
    reached = {(called.operation, size) for called in CALLS[operation] for size in sizes}
    meets = [other.op for other in others if (operation_name(other.op), len(other.members)) in reached]
    meets += [
        one.operations[0] for one in taken if reached & {(below.offered.operation, below.ranks) for below in one.calls}
    ]
    return f"its rules inside hosts and between them would also be for {meets[0]}" if meets else None


def _by_host(part: Subject) -> list[list[int]]:
    """The ranks of each host, which come in the order of their first ones."""
    found: dict[int, list[int]] = {}
    for rank, host in enumerate(part.hosts):
        found.setdefault(host, []).append(rank)
    return [*found.values()]


def _levels(library: Library, part: Subject) -> tuple[list[_Level], list[_Level]]:
    """What may run inside hosts and between them."""
    calls, hosts = CALLS[operation_name(part.op)], _by_host(part)
    least = min(payloads_of(part))
    inside = [_planned(library, call.operation, len(hosts[0]), least) for call in calls if call.level == INSIDE]
    (between,) = (_planned(library, call.operation, len(hosts), least) for call in calls if call.level == BETWEEN)
    both = [
        _Level(one[0].name, tuple(below for level in one for below in level.calls))
        for one in product(*inside)
        if all(level.name == one[0].name or level.rules == one[0].rules for level in one)
    ]
    return [*_each(both)], [*_each(between)]


def _planned(library: Library, operation: str, ranks: int, least: int) -> list[_Level]:
    """The library's algorithms for an operation on so many ranks, as far as their messages are known."""
    found = [(one, planned(one, ranks, least_bytes=least)) for one in library.algorithms if one.operation == operation]
    return [_Level(one.name, (Below(one, ranks, rule),)) for one, rule in found if isinstance(rule, Planned)]


def _each(levels: Sequence[_Level]) -> Iterator[_Level]:
    """Those that send different messages."""
    seen: list[list[Planned]] = []
    for level in levels:
        if level.rules not in seen:
            seen.append(level.rules)
            yield level


def _made(
    simple: Simple, part: Subject, names: tuple[str, ...], levels: tuple[Sequence[_Level], ...]
) -> Hierarchical | None:
    """None where the part has no such algorithm, or its rules would contradict each other."""
    found = [next((level for level in of if level.name == name), None) for name, of in zip(names, levels, strict=True)]
    inside, between = found
    if inside is None or between is None:
        return None
    level_of = {INSIDE: iter(inside.calls), BETWEEN: iter(between.calls)}
    calls = tuple(next(level_of[call.level]) for call in CALLS[simple.operation])
    named = {(below.offered, below.ranks) for below in calls}
    if len({(one.operation, ranks) for one, ranks in named}) < len(named):
        return None
    name = f"han: {between.name} between hosts, {inside.name} inside"
    return Hierarchical(name, {}, {}, (part.op,), simple=simple, calls=calls)
