"""The parts of a run that a tree file can tell apart, to be judged together: operation, members and bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.model.costs import SMALL
from hopscope.paths.columns import Array, integers
from hopscope.remap.run.calls import Kinds, kinds_of
from hopscope.remap.run.operations import has_bytes
from hopscope.remap.run.program import Source, Subject, carried_of, operations_of, spent_ns, subject_from

MOST_PARTS = 8
LEAST_TIME = 0.01
"""A part with less of the time in all collectives stays as it ran: it cannot gain what is worth a rule."""
LEAST_OFTEN = 0.05
"""So does one that runs less often than this share of the iterations, for few of those that are replayed have it."""
APART = 4
"""Sizes of which one is more than this many times the next smaller one are judged apart. Up to SMALL, what a message
takes hardly depends on its size."""


@dataclass(frozen=True)
class Group:
    """Collectives (rows) of one operation over the same members in the same order, on one communicator or several."""

    comm: int  # the one with the most time
    members: tuple[int, ...]
    op: str
    rows: Array
    time: float


def with_parts(source: Source) -> Source:
    """The run with its parts as the subject, the one that defines an iteration first; as it is where it has but one."""
    tables, subject = source.tables, source.subject
    groups = groups_of(source)
    first = main_of(groups, subject)
    kept = [first]
    for group in groups:
        is_alone = all(_told_apart(source, group, other) for other in kept)
        if group is not first and is_alone and len(group.rows) >= LEAST_OFTEN * len(first.rows):
            kept.append(group)
    time = spent_ns(tables["collectives"])
    whole = sum(group.time for group in groups)
    parts: list[Subject] = []
    for group in kept:
        ranges = ranges_of(source, group, by_bytes=has_bytes(group.op))
        found = [one for one in ranges if time[one[0]].sum() >= LEAST_TIME * whole]
        for rows, kinds in sorted(found, key=lambda one: -time[one[0]].sum()):
            parts.append(part_of(source, group, rows, kinds))
    return source if len(parts) < 2 else replace(source, subject=together(tuple(parts[:MOST_PARTS]), first.rows))


def together(parts: tuple[Subject, ...], collectives: Array) -> Subject:
    """Parts as one subject. collectives: rows of those that iterations are counted by."""
    simulated = np.sort(np.concatenate([part.simulated for part in parts]))
    operations = tuple(sorted({part.op for part in parts}))
    untold = tuple(sorted({one for part in parts for one in part.untold}))
    return replace(
        parts[0], collectives=collectives, simulated=simulated, operations=operations, untold=untold, parts=parts
    )


def groups_of(source: Source) -> list[Group]:
    """The groups of the run, those with the most time first."""
    tables, collectives = source.tables, source.tables["collectives"]
    carried, _ = carried_of(tables, source.arrays)
    comm, ops, time = integers(collectives, "comm"), operations_of(collectives), spent_ns(collectives)
    comms = tables["comms"]
    members = {
        number: tuple(listed) if listed else ()
        for number, listed in zip(comms["comm"].to_pylist(), comms["members"].to_pylist(), strict=True)
    }
    rows_of: dict[tuple[tuple[int, ...], str], list[int]] = {}
    for row in np.flatnonzero(carried).tolist():
        rows_of.setdefault((members[int(comm[row])], str(ops[row])), []).append(row)
    found: list[Group] = []
    for (listed, op), of in rows_of.items():
        rows = np.asarray(of)
        by_comm = {int(one): float(time[rows[comm[rows] == one]].sum()) for one in np.unique(comm[rows])}
        most = max(sorted(by_comm), key=lambda one: by_comm[one])
        found.append(Group(most, listed, op, rows, sum(by_comm.values())))
    return sorted(found, key=lambda group: (-group.time, group.comm, group.op))


def main_of(groups: Sequence[Group], subject: Subject) -> Group:
    """That of the subject, by whose collectives iterations are counted."""
    return next(group for group in groups if (group.members, group.op) == (subject.members, subject.op))


def part_of(source: Source, group: Group, rows: Array, kinds: Kinds) -> Subject:
    """Some of a group's collectives as a subject. kinds: what their calls are."""
    subject, pair = source.subject, (group.comm, group.op)
    untold = dict(subject.untold) | kinds.untold
    return subject_from(source.tables, source.places, pair, rows, kinds, native=subject.native, untold=untold)


def _told_apart(source: Source, one: Group, other: Group) -> bool:
    """Whether rules can tell two groups apart: of communicators with as many members, only those of the first world."""
    if one.members == other.members or len(one.members) != len(other.members):
        return True
    ranks = source.tables["ranks"]
    either = pa.array(sorted({*one.members, *other.members}))
    return bool(pc.all(pc.equal(ranks.filter(pc.is_in(ranks["rank"], either))["world"], 0)).as_py())


def ranges_of(source: Source, group: Group, *, by_bytes: bool) -> Iterator[tuple[Array, Kinds]]:
    """The group's rows by ranges of bytes, sizes that are alike and ran over one tree, or all in one, with what their
    calls are. Calls that the trace does not tell are in none."""
    kinds = kinds_of(source.tables, source.arrays, group.rows, group.members)
    told = np.asarray([call is not None for call in kinds.calls], bool)
    rows, calls = group.rows[told], [call for call in kinds.calls if call is not None]
    if not calls:
        return
    sizes = np.asarray([call.size for call in calls], np.int64)
    first_call = source.arrays["collectives.first_call"][rows]
    trees = np.asarray(source.tables["calls"]["tree"].take(pa.array(first_call)).to_pylist(), object)
    known, first = np.unique(sizes, return_index=True)
    ran = trees[first]
    from_here = [
        at == 0 or bool(ran[at] != ran[at - 1]) or known[at] > APART * max(known[at - 1], SMALL)
        for at in range(len(known))
    ]
    number = np.cumsum(from_here)[np.searchsorted(known, sizes)] if by_bytes else np.zeros(len(rows), int)
    for one in np.unique(number):
        mine = np.flatnonzero(number == one)
        yield rows[mine], Kinds([calls[at] for at in mine], kinds.untold)
