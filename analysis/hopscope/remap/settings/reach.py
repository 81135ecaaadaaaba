"""Which parts of a run a setting of an MPI library tells apart, and which it reaches together.

A rule of Open MPI is for an operation, a number of ranks and a range of bytes, a variable of MPICH for an operation. So
it also reaches other communicators, and what one algorithm shall run has to be judged on all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import pyarrow.compute as pc

from hopscope.algorithms.rules import size_in_rules
from hopscope.paths.columns import Array, integers
from hopscope.remap.candidates.combination import label_of
from hopscope.remap.candidates.today import is_known
from hopscope.remap.run.calls import payload_of
from hopscope.remap.run.parts import (
    LEAST_OFTEN,
    LEAST_TIME,
    MOST_PARTS,
    Group,
    groups_of,
    main_of,
    part_of,
    ranges_of,
    together,
)
from hopscope.remap.run.program import Source, Subject, operations_of, spent_ns
from hopscope.tuning.offered import operation_name

Places = tuple[int, ...]
"""Of parts, in their order."""


def with_reached_parts(source: Source, flavour: str) -> Source:
    """The run with the parts as the subject that settings of the library can change, the one that defines an iteration
    first: of what a setting reaches, all or nothing."""
    groups, time = groups_of(source), spent_ns(source.tables["collectives"])
    main = main_of(groups, source.subject)
    whole = sum(group.time for group in groups)

    def matters(parts: Sequence[Subject]) -> bool:
        rows = [row for part in parts for row in part.simulated.tolist()]
        if time[rows].sum() < LEAST_TIME * whole or len(rows) < LEAST_OFTEN * len(main.rows):
            return False
        return source.subject.native or all(is_known(replace(source, subject=part)) for part in parts)

    spent_on: dict[Hashable, float] = {}
    for group in groups:
        spent_on[_key(group, flavour)] = spent_on.get(_key(group, flavour), 0.0) + group.time
    found: list[Subject] = []
    for group in (main, *(group for group in groups if group is not main)):
        if spent_on[_key(group, flavour)] < LEAST_TIME * whole and _key(group, flavour) != _key(main, flavour):
            continue
        by_bytes = flavour == "openmpi" and bool(size_in_rules(operation_name(group.op), 1, 1))
        ranges = sorted(ranges_of(source, group, by_bytes=by_bytes), key=lambda one: -time[one[0]].sum())
        found += [part_of(source, group, rows, kinds) for rows, kinds in ranges]
    reached = [[found[place] for place in places] for places in reached_together(found, flavour)]
    first, *others = reached
    spent = {id(parts): sum(time[part.simulated].sum() for part in parts) for parts in others}
    kept = sorted((parts for parts in others if matters(parts)), key=lambda parts: -spent[id(parts)])
    parts = tuple(part for of in (first, *kept[: MOST_PARTS - 1]) for part in of)
    if len(parts) > 1 and (source.subject.native or all(is_known(replace(source, subject=part)) for part in first)):
        return replace(source, subject=together(parts, main.rows))
    # What ran over trees went by one file, which has all operations.
    return replace(source, subject=parts[0]) if source.subject.native and len(parts) == 1 else source


def reached_together(parts: Sequence[Subject], flavour: str) -> list[Places]:
    """The places of the parts that one setting reaches, the first part's first."""
    keys = [_key(part, flavour) for part in parts]
    ends = [ends_in_rules([part]) if flavour == "openmpi" else (0, None) for part in parts]
    result: list[list[int]] = []
    for _, alike in groupby(sorted(range(len(parts)), key=lambda at: (keys[at], ends[at][0])), key=keys.__getitem__):
        most: int | None = -1
        for place in alike:
            least, last = ends[place]
            if most is not None and least > most:
                result.append([])
            result[-1].append(place)
            most = None if most is None or last is None else max(most, last)
    return sorted(tuple(sorted(places)) for places in result)


@dataclass(frozen=True)
class Change:
    """What settings change: an operation, or only its collectives of so many ranks and bytes, both ends included."""

    operation: str
    """In the library's words."""
    ranks: int | None = None
    bytes: tuple[int, int | None] = (0, None)


def changed_besides(source: Source, changes: Sequence[Change]) -> dict[str, int]:
    """By operation, how many collectives settings also change although they are in no part, where they have more than
    a little of the time: their messages are not in the trace, or they are too seldom to be judged."""
    collectives, comms = source.tables["collectives"], source.tables["comms"]
    ops, time = operations_of(collectives), spent_ns(collectives)
    comm, ranks, payload = (integers(collectives, name) for name in ("comm", "comm_size", "bytes"))
    between_groups = integers(comms.filter(pc.is_valid(comms["second_group"])), "comm")
    judged = np.concatenate([part.simulated for part in source.subject.each])
    left = (ranks > 1) & ~np.isin(comm, between_groups)
    left[judged] = False
    changed: dict[str, Array] = {}
    for change in changes:
        op = next((op for op in np.unique(ops).tolist() if operation_name(op) == change.operation), None)
        if op is None:
            continue
        least, most = change.bytes
        mine = left & (ops == op) & (payload >= least)
        mine &= payload <= (np.iinfo(np.int64).max if most is None else most)
        mine &= True if change.ranks is None else ranks == change.ranks
        changed[op] = changed.get(op, np.zeros(len(ops), bool)) | mine
    return {op: int(mine.sum()) for op, mine in changed.items() if time[mine].sum() >= LEAST_TIME * time.sum()}


def _key(one: Group | Subject, flavour: str) -> tuple[str, int]:
    """Equal for what only bytes tell apart, if anything does."""
    return one.op, len(one.members) if flavour == "openmpi" else 0


def ends_in_rules(parts: Sequence[Subject]) -> tuple[int, int | None]:
    """The least and the most bytes by which Open MPI's rules go for these parts; None: rules know no bytes."""
    sizes = [
        size_in_rules(operation_name(part.op), len(part.members), payload)
        for part in parts
        for payload in payloads_of(part)
    ]
    known = [one for one in sizes if one is not None]
    return (min(known), max(known)) if len(known) == len(sizes) and any(known) else (0, None)


def payloads_of(subject: Subject) -> list[int]:
    """Bytes of each kind of its operation's calls, as libraries count them."""
    return [payload_of(call, len(subject.members)) for call in subject.calls if call.op == subject.op]


def labels_of_reached(parts: Sequence[Subject], reached: Sequence[Places], flavour: str) -> list[str]:
    """What each of these is called: the operation, its bytes and, where rules go by them and they differ, its ranks."""
    several = flavour == "openmpi" and len({len(part.members) for part in parts}) > 1
    of = [[parts[place] for place in places] for places in reached]
    return [label_of(mine) + (f" on {len(mine[0].members)} ranks" if several else "") for mine in of]
