"""The candidates where the MPI library itself shall run better: the algorithms that it has, each as a schedule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hopscope import _plan
from hopscope.algorithms.open_mpi import CUT
from hopscope.algorithms.turns import turns_of
from hopscope.model.costs import Costs
from hopscope.remap.candidates.candidate import Candidate, longest, segmented
from hopscope.remap.candidates.in_turn import in_turn
from hopscope.remap.candidates.laid import fingerprint
from hopscope.remap.candidates.pool import SEGMENTS, sizes_are_known
from hopscope.remap.run.calls import Call
from hopscope.remap.run.program import Subject
from hopscope.remap.settings.reach import Change, ends_in_rules, payloads_of
from hopscope.tuning.offered import Library, Offered, operation_name
from hopscope.tuning.planned import Unplanned, planned
from hopscope.tuning.written import Choice, Setting, rules_file, variables_file

CHAINS = (2, 4, 8)
"""Fan-outs that are tried of Open MPI's `chain`."""


@dataclass(frozen=True)
class Forced(Candidate):
    """An algorithm of the library as its settings force it."""

    offered: Offered | None = None
    fan_out: int = 0  # where the settings take one

    def lay(self, subject: Subject, call: Call) -> _plan.Schedules:
        """As the plan has it, in the library's turns where these are known."""
        laid = super().lay(subject, call)
        return laid if self.offered is None else as_run(laid, self.offered)

    def choices(self, part: Subject) -> list[tuple[Offered, int]]:
        """What the settings name so that it runs the part: algorithms, each with a number of ranks."""
        if self.offered is None:
            raise ValueError("an algorithm of the library is needed")
        return [(self.offered, len(part.members))]

    def besides(self, library: Library) -> list[tuple[str, str]]:
        """The parameters or variables that have to be set besides."""
        operation = operation_name(self.operations[0])
        return [library.besides[operation]] if operation in library.besides else []

    def changes(self, library: Library, parts: Sequence[Subject]) -> list[Change]:
        """What the settings change so that it runs the parts."""
        operation = operation_name(self.operations[0])
        if library.flavour != "openmpi" or operation in library.besides:
            return [Change(operation)]
        return [Change(operation, len(parts[0].members), ends_in_rules(parts))]


def as_run(laid: _plan.Schedules, one: Offered) -> _plan.Schedules:
    """A plan's schedules in the turns in which the library waits for the messages, where these are known."""
    return laid if one.number is None else in_turn(laid, turns_of(one.operation, one.number))


class NotJudged(NamedTuple):
    """An algorithm that the library has and that is not predicted."""

    name: str
    reason: str


Form = tuple[Forced, ...] | NotJudged
"""An algorithm of the library as settings force it for each part."""


@dataclass
class Judged:
    """The library's algorithms for parts of one operation that a setting reaches together: those that the replay
    judges, laid out for each part, and the others."""

    candidates: list[tuple[Forced, ...]] = field(default_factory=list[tuple[Forced, ...]])
    others: list[NotJudged] = field(default_factory=list[NotJudged])


def judged_of(forms: Iterable[Form], parts: Sequence[Subject], costs: Costs) -> Judged:
    """What forms of the library's algorithms do, each schedule once."""
    result, seen = Judged(), set[tuple[bytes, ...]]()
    for form in forms:
        if isinstance(form, NotJudged):
            result.others.append(form)
            continue
        name = form[0].name
        try:
            does = tuple(
                fingerprint(candidate.lay(part, longest(part))) for candidate, part in zip(form, parts, strict=True)
            )
        except ValueError as problem:
            result.others.append(NotJudged(name, f"the plan cannot lay it out here: {problem}"))
            continue
        if does in seen:
            if form[0].named == 1:  # of combinations, one of those that do the same is enough
                result.others.append(NotJudged(name, "here it sends the messages of another one"))
        elif not all(sizes_are_known(candidate, part, costs) for candidate, part in zip(form, parts, strict=True)):
            result.others.append(NotJudged(name, "its messages have sizes that no hop measured"))
        else:
            result.candidates.append(form)
        seen.add(does)
    return result


def spans_hosts(part: Subject) -> bool:
    """Whether its ranks are on several hosts."""
    return len(set(part.hosts)) > 1


def forms(library: Library, parts: Sequence[Subject]) -> Iterator[Form]:
    """Every algorithm that the library has for the parts' operation, whole and in segments."""
    for one in library.algorithms:
        if one.operation == operation_name(parts[0].op):
            yield from _of_algorithm(one, parts)


def _of_algorithm(one: Offered, parts: Sequence[Subject]) -> Iterator[Form]:
    """An algorithm with each fan-out and length of segments, for each part."""
    ranks = min(len(part.members) for part in parts)
    most = max(size for part in parts for size in payloads_of(part))
    takes_chains = one.name == "chain" and one.number is not None
    for chains in [fan_out for fan_out in CHAINS if fan_out < ranks - 1] if takes_chains else [0]:
        name = f"{one.name}, fan-out {chains}" if chains else one.name
        whole: list[Forced] = []
        for part in parts:
            least = min(payloads_of(part)) if part.op != "MPI_Barrier" else None
            found = planned(one, len(part.members), chains or CHAINS[0], least)
            if isinstance(found, Unplanned):
                yield NotJudged(name, found.reason)
                break
            whole.append(Forced(name, found.rule, found.trees or {}, (part.op,), offered=one, fan_out=chains))
        else:
            yield tuple(whole)
            if one.number is not None and (one.operation, one.number) in CUT:
                lengths = [length for length in SEGMENTS if 2 * length <= most]
                yield from (tuple(_in_segments(of, length) for of in whole) for length in lengths)


def setting_of(chosen: Sequence[tuple[Forced, Sequence[Subject]]], library: Library, path: str) -> Setting:
    """What the library reads so that it runs these algorithms, each for the bytes and ranks of the parts beside it.

    MPICH's variables know neither: they hold for every communicator and size.
    """
    is_by_rules = library.flavour == "openmpi"
    choices: dict[Choice, None] = {}
    besides: dict[tuple[str, str], None] = {}
    for one, parts in chosen:
        besides |= dict.fromkeys(one.besides(library))
        named = [Choice(*of) for part in parts for of in one.choices(part)]
        if is_by_rules:
            least, most = ends_in_rules(parts)
            how = {"from_bytes": least, "to_bytes": most, "fan_out": one.fan_out, "segment_bytes": one.segment_bytes}
            named = [choice._replace(**how) for choice in named]
        choices |= dict.fromkeys(named)
    return (rules_file if is_by_rules else variables_file)([*choices], path, [*besides])


def _in_segments(whole: Forced, segment_bytes: int) -> Forced:
    """The same in segments."""
    cut = segmented(whole, segment_bytes)
    return replace(whole, name=cut.name, rule=cut.rule)
