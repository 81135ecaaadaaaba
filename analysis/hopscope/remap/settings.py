"""The candidates where the MPI library itself shall run better: the algorithms that it has, each as a schedule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hopscope.algorithms.open_mpi import CUT
from hopscope.algorithms.rules import size_in_rules
from hopscope.model.costs import Costs
from hopscope.remap.calls import payload_of
from hopscope.remap.candidates import Candidate, longest, segmented
from hopscope.remap.laid import fingerprint
from hopscope.remap.pool import SEGMENTS, sizes_are_known
from hopscope.remap.program import Subject
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
    """The library's algorithms for the subject's operation: those that the replay judges and the others."""

    candidates: list[Forced] = field(default_factory=list[Forced])
    others: list[NotJudged] = field(default_factory=list[NotJudged])


def judged_of(library: Library, subject: Subject, costs: Costs) -> Judged:
    """Every algorithm of the library for the subject's operation, whole and in segments, each schedule once."""
    result, seen = Judged(), set[bytes]()
    largest = longest(subject)
    for one in library.algorithms:
        if subject.op != f"MPI_{one.operation.capitalize()}":
            continue
        for candidate in _forms(one, subject):
            if isinstance(candidate, NotJudged):
                result.others.append(candidate)
                continue
            try:
                does = fingerprint(candidate.lay(subject, largest))
            except ValueError as problem:
                result.others.append(NotJudged(candidate.name, f"the plan cannot lay it out here: {problem}"))
                continue
            if does in seen:
                result.others.append(NotJudged(candidate.name, "here it sends the messages of another one"))
            elif not sizes_are_known(candidate, subject, costs):
                result.others.append(NotJudged(candidate.name, "its messages have sizes that no hop measured"))
            else:
                result.candidates.append(candidate)
            seen.add(does)
    if len(set(subject.hosts)) > 1:
        mine = [one for one in library.in_groups if subject.op == f"MPI_{one.operation.capitalize()}"]
        result.others += [NotJudged(one.name, _BELOW) for one in mine]
    return result


def _forms(one: Offered, subject: Subject) -> Iterator[Forced | NotJudged]:
    """An algorithm with each fan-out and length of segments."""
    ranks = len(subject.members)
    sizes = _payloads(subject)
    takes_chains = one.name == "chain" and one.number is not None
    for chains in [fan_out for fan_out in CHAINS if fan_out < ranks - 1] if takes_chains else [0]:
        found = planned(one, ranks, chains or CHAINS[0], min(sizes) if subject.op != "MPI_Barrier" else None)
        name = f"{one.name}, fan-out {chains}" if chains else one.name
        if isinstance(found, Unplanned):
            yield NotJudged(name, found.reason)
            continue
        whole = Forced(name, found.rule, found.trees or {}, (subject.op,), offered=one, fan_out=chains)
        yield whole
        if one.number is not None and (one.operation, one.number) in CUT:
            yield from (_in_segments(whole, length) for length in SEGMENTS if 2 * length <= max(sizes))


def setting_of(chosen: Forced, subject: Subject, library: Library, path: str) -> Setting:
    """What the library reads so that it runs this algorithm for the bytes and ranks that were judged.

    MPICH's variables know neither: they hold for every communicator and size.
    """
    if chosen.offered is None:
        raise ValueError("an algorithm of the library is needed")
    ranks, operation = len(subject.members), chosen.offered.operation
    sizes = [size_in_rules(operation, ranks, payload) for payload in _payloads(subject)]
    besides = library.besides.get(operation)
    if library.flavour == "mpich":
        return variables_file([Choice(chosen.offered, ranks)], path, [besides] if besides else [])
    # Rules of operations without bytes have only a row from 0 on.
    known = [size for size in sizes if size]
    ends = (min(known), max(known)) if len(known) == len(sizes) else (0, None)
    choice = Choice(chosen.offered, ranks, *ends, chosen.fan_out, chosen.segment_bytes)
    return rules_file([choice], path, [besides] if besides else [])


def _payloads(subject: Subject) -> list[int]:
    """Bytes of each kind of its operation's calls, as libraries count them."""
    return [payload_of(call, len(subject.members)) for call in subject.calls if call.op == subject.op]


def _in_segments(whole: Forced, segment_bytes: int) -> Forced:
    """The same in segments."""
    cut = segmented(whole, segment_bytes)
    return replace(whole, name=cut.name, rule=cut.rule)
