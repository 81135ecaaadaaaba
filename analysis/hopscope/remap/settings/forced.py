"""The candidates where the MPI library itself shall run better: the algorithms that it has, each as a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hopscope.algorithms.open_mpi import CUT
from hopscope.model.costs import Costs
from hopscope.remap.candidates.candidate import Candidate, longest, segmented
from hopscope.remap.candidates.laid import fingerprint
from hopscope.remap.candidates.pool import SEGMENTS, sizes_are_known
from hopscope.remap.run.program import Subject
from hopscope.remap.settings.reach import ends_in_rules, payloads_of
from hopscope.tuning.offered import Library, Offered
from hopscope.tuning.planned import Unplanned, planned
from hopscope.tuning.written import Choice, Setting, rules_file, variables_file

CHAINS = (2, 4, 8)
"""Fan-outs that are tried of Open MPI's `chain`."""

_BELOW = "which algorithms it calls inside hosts and between them is chosen by other components"


@dataclass(frozen=True)
class Forced(Candidate):
    """An algorithm of the library as its settings force it."""

    offered: Offered | None = None
    fan_out: int = 0  # where the settings take one


class NotJudged(NamedTuple):
    """An algorithm that the library has and that is not predicted."""

    name: str
    reason: str


@dataclass
class Judged:
    """The library's algorithms for parts of one operation that a setting reaches together: those that the replay
    judges, laid out for each part, and the others."""

    candidates: list[tuple[Forced, ...]] = field(default_factory=list[tuple[Forced, ...]])
    others: list[NotJudged] = field(default_factory=list[NotJudged])


def judged_of(library: Library, parts: Sequence[Subject], costs: Costs) -> Judged:
    """Every algorithm of the library for the parts' operation, whole and in segments, each schedule once."""
    result, seen = Judged(), set[tuple[bytes, ...]]()
    for one in library.algorithms:
        if parts[0].op != f"MPI_{one.operation.capitalize()}":
            continue
        for form in _forms(one, parts):
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
                result.others.append(NotJudged(name, "here it sends the messages of another one"))
            elif not all(sizes_are_known(candidate, part, costs) for candidate, part in zip(form, parts, strict=True)):
                result.others.append(NotJudged(name, "its messages have sizes that no hop measured"))
            else:
                result.candidates.append(form)
            seen.add(does)
    if any(spans_hosts(part) for part in parts):
        mine = [one for one in library.in_groups if parts[0].op == f"MPI_{one.operation.capitalize()}"]
        result.others += [NotJudged(one.name, _BELOW) for one in mine]
    return result


def spans_hosts(part: Subject) -> bool:
    """Whether its ranks are on several hosts."""
    return len(set(part.hosts)) > 1


def _forms(one: Offered, parts: Sequence[Subject]) -> Iterator[tuple[Forced, ...] | NotJudged]:
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
    choices: list[Choice] = []
    for one, parts in chosen:
        if one.offered is None:
            raise ValueError("an algorithm of the library is needed")
        whole = Choice(one.offered, len(parts[0].members))
        if library.flavour == "openmpi":
            whole = Choice(*whole[:2], *ends_in_rules(parts), one.fan_out, one.segment_bytes)
        choices.append(whole)
    operations = dict.fromkeys(choice.algorithm.operation for choice in choices)
    besides = [library.besides[operation] for operation in operations if operation in library.besides]
    return (rules_file if library.flavour == "openmpi" else variables_file)(choices, path, besides)


def _in_segments(whole: Forced, segment_bytes: int) -> Forced:
    """The same in segments."""
    cut = segmented(whole, segment_bytes)
    return replace(whole, name=cut.name, rule=cut.rule)
