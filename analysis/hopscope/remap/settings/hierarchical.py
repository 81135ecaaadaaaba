"""Open MPI's `han` among the candidates: an operation by algorithms of `tuned` inside hosts and between their leaders.

Two or three operations come one after another, each on a communicator of its own, whose algorithm a rule names by its
number of ranks. So the settings also reach other communicators of these sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from hopscope import _plan
from hopscope.model.trees import ROOT, Shape, Tree, explicit
from hopscope.remap.run.program import Subject
from hopscope.remap.settings.forced import Forced, NotJudged, spans_hosts
from hopscope.remap.settings.reach import Change, ends_in_rules, payloads_of
from hopscope.tuning.han import BETWEEN, CALLS, INSIDE, Simple
from hopscope.tuning.offered import Library, Offered, operation_name
from hopscope.tuning.planned import Planned, planned

_BELOW = "which algorithms it calls inside hosts and between them is chosen by other components"
NAME = "han simple"
"""The form whose calls are known, as `offered.of_han` has it."""


@dataclass(frozen=True)
class Hierarchical(Forced):
    """An operation as `han` runs it."""

    simple: Simple | None = None
    calls: tuple[tuple[Offered, int], ...] = ()
    """Algorithms inside hosts and between them, each with its number of ranks."""

    @property
    def named(self) -> int:
        """How many algorithms it names."""
        return len(self.calls)

    def choices(self, part: Subject) -> list[tuple[Offered, int]]:
        """What rules name so that it runs so."""
        del part
        return [*self.calls]

    def besides(self, library: Library) -> list[tuple[str, str]]:
        """The parameters that make `han` take the operation."""
        del library
        return [*self.simple.settings] if self.simple else []

    def changes(self, library: Library, parts: Sequence[Subject]) -> list[Change]:
        """The operation as a whole, and what its rules reach."""
        del library
        ends = ends_in_rules(parts)
        below = [Change(one.operation, ranks, ends) for one, ranks in self.calls]
        return [Change(operation_name(self.operations[0])), *below]


class _Level(NamedTuple):
    """What runs among the ranks of a host, or among their leaders. rules: of each of its calls; inside hosts, where
    there are two, the first goes to the leader and the second from it."""

    name: str
    rules: tuple[Planned, ...]
    calls: tuple[tuple[Offered, int], ...]

    def tree(self, ranks: int, *, down: bool) -> Tree | None:
        """Along which messages go to the first rank, or from it; None where they do not go along a tree."""
        trees = self.rules[-1 if down else 0].trees
        if trees is None:
            return None
        return Shape(trees["own"]).tree(0, broadcast=down, hosts=[0] * ranks, clusters=[0] * ranks)


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
    levels = [_levels(library, operation, part) for part in parts]
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
    if part.op != "MPI_Allreduce" and {*part.roots} != {0}:
        return "its messages are known only from and to rank 0"
    return None


def _set_elsewhere(
    operation: str, parts: Sequence[Subject], others: Sequence[Subject], taken: Sequence[Hierarchical]
) -> str | None:
    """Why its settings would change other parts too."""
    if any(other.op == parts[0].op for other in others):
        return f"it would run all of {parts[0].op}, whose sizes and communicators are judged one by one"
    reached = {(called, size) for called, _ in CALLS[operation] for part in parts for size in _sizes(part)}
    meets = [other.op for other in others if (operation_name(other.op), len(other.members)) in reached]
    meets += [one.operations[0] for one in taken if reached & {(named.operation, ranks) for named, ranks in one.calls}]
    return f"its rules inside hosts and between them would also be for {meets[0]}" if meets else None


def _sizes(part: Subject) -> tuple[int, int]:
    """How many ranks a host has, and how many hosts there are."""
    hosts = len(set(part.hosts))
    return len(part.members) // hosts, hosts


def _levels(library: Library, operation: str, part: Subject) -> tuple[list[_Level], list[_Level]]:
    """What may run inside hosts and between them."""
    ranks, hosts = _sizes(part)
    inside = [called for called, level in CALLS[operation] if level == INSIDE]
    (between,) = (called for called, level in CALLS[operation] if level == BETWEEN)
    least = min(payloads_of(part))
    found = [_planned(library, called, ranks, least) for called in inside]
    both = [
        _Level(one[0].name, tuple(level.rules[0] for level in one), tuple(level.calls[0] for level in one))
        for one in product(*found)
        if all(level.name == one[0].name or level.rules == one[0].rules for level in one)
    ]
    return [*_each(both)], [*_each(_planned(library, between, hosts, least))]


def _planned(library: Library, operation: str, ranks: int, least: int) -> list[_Level]:
    """The library's algorithms for an operation on so many ranks, as far as their messages are known."""
    found = [(one, planned(one, ranks, least_bytes=least)) for one in library.algorithms if one.operation == operation]
    return [_Level(one.name, (rule,), ((one, ranks),)) for one, rule in found if isinstance(rule, Planned)]


def _each(levels: Sequence[_Level]) -> Iterator[_Level]:
    """Those that send different messages."""
    seen: list[tuple[Planned, ...]] = []
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
    calls = (*inside.calls, *between.calls)
    if len({(one.operation, ranks) for one, ranks in calls}) < len(set(calls)):
        return None
    laid = _exchanged(inside, between) or _along_a_tree(part, inside, between)
    if laid is None:
        return None
    name = f"han: {between.name} between hosts, {inside.name} inside"
    return Hierarchical(name, *laid, (part.op,), simple=simple, calls=calls)


_Laid = tuple[dict[str, Any], dict[str, Any]]
"""A rule and the trees that it names."""


def _exchanged(inside: _Level, between: _Level) -> _Laid | None:
    """A tree in each host, and an exchange between the leaders. The plan has one tree for both directions."""
    exchange = between.rules[0].rule.get("algorithm")
    trees = [rule.trees for rule in inside.rules]
    if exchange not in _plan.BETWEEN or trees[0] is None or any(other != trees[0] for other in trees):
        return None
    return {"algorithm": "leaders", "level": "host", "inside": "own", "between": exchange}, trees[0]


def _along_a_tree(part: Subject, inside: _Level, between: _Level) -> _Laid | None:
    """A tree of all ranks in each direction."""
    up, down = (_whole_tree(part, inside, between, down=down) for down in (False, True))
    if up is None or down is None:
        return None
    trees = {"up": explicit(up).spec, "down": explicit(down).spec}
    return {"reduce_tree": "up", "broadcast_tree": "down"}, trees


def _whole_tree(part: Subject, inside: _Level, between: _Level, *, down: bool) -> Tree | None:
    """From the root, messages go to other hosts first; towards it, they come from there last."""
    groups: dict[int, list[int]] = {}
    for rank, host in enumerate(part.hosts):
        groups.setdefault(host, []).append(rank)
    leaders = [ranks[0] for ranks in groups.values()]
    among, within = between.tree(len(leaders), down=down), inside.tree(_sizes(part)[0], down=down)
    if among is None or within is None:
        return None
    parents = [ROOT] * len(part.hosts)
    far, near = dict[int, list[int]](), dict[int, list[int]]()
    for ranks, tree, children in ((leaders, among, far), *((ranks, within, near) for ranks in groups.values())):
        for place, rank in enumerate(ranks):
            children[rank] = [ranks[child] for child in tree.children[place]]
            if tree.parents[place] != ROOT:
                parents[rank] = ranks[tree.parents[place]]
    first, then = (far, near) if down else (near, far)
    return Tree(tuple(parents), tuple((*first.get(rank, ()), *then.get(rank, ())) for rank in range(len(parents))))
