"""Divides a run into the selections for which a tree file or a library's settings can set separate algorithms.

A tree file's rule applies to an operation, members of a communicator and a range of bytes. A rule of Open MPI applies
to an operation, a number of ranks and a range of bytes. A variable of MPICH applies to an operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array, integers
from hopscope.machine.costs import SMALL
from hopscope.mpi_libraries.offered import operation_name
from hopscope.mpi_libraries.open_mpi.rules import size_in_rules
from hopscope.replay.algorithms.baseline import has_baseline
from hopscope.replay.run.calls import Kinds, kinds_of, payload_of
from hopscope.replay.run.operations import has_bytes
from hopscope.replay.run.subject import Source, Subject, carried_of, operations_of, spent_ns, subject_from

MOST_PARTS = 8
LEAST_TIME = 0.01
"""A selection with a smaller share of the time in all collectives is not evaluated: a rule for it would gain little."""
LEAST_FREQUENCY = 0.05
"""A selection that runs in a smaller share of the iterations is not evaluated: few replayed iterations contain it."""
SIZE_RATIO = 4
"""A size that is more than this many times the next smaller one begins another selection. Sizes up to SMALL are in one
selection, because the times of such messages hardly differ."""


@dataclass(frozen=True)
class Group:
    """Collectives of one operation over the same members in the same order, on one communicator or several. rows: their
    rows in `collectives`. time: the sum of their times after the last enter, ns."""

    comm: int  # the communicator with the most time
    members: tuple[int, ...]
    op: str
    rows: Array
    time: float


def with_parts(source: Source, flavour: str | None = None) -> Source:
    """The run, whose subject now has its selections as parts. The first one defines an iteration. flavour: `openmpi` or
    `mpich` for the selections that settings of this library distinguish; None for those of tree files."""
    subject, time = source.subject, spent_ns(source.tables["collectives"])
    groups = groups_of(source)
    first = next(group for group in groups if (group.members, group.op) == (subject.members, subject.op))
    selected_groups = [first]
    for group in groups:
        is_alone = flavour is not None or all(_are_distinguishable(source, group, peer) for peer in selected_groups)
        if group is not first and is_alone and len(group.rows) >= LEAST_FREQUENCY * len(first.rows):
            selected_groups.append(group)
    whole = sum(group.time for group in groups)
    parts: list[Subject] = []
    for group in selected_groups:
        selections = sorted(_ranges(source, group, flavour), key=lambda s: -time[s[0]].sum())
        for number, (rows, kinds) in enumerate(selections):
            part = subject_from(
                source.tables, source.places, (group.comm, group.op), rows, kinds, native=subject.native,
                untold=dict(subject.untold) | kinds.untold,
            )  # fmt: skip
            is_first = not parts and not number
            # If the engine ran the selections, keep those with the first one's members even if they take little time: a
            # Bcast over trees takes little after its last enter, but other collectives wait for it.
            shares_members = not subject.native and group.members == first.members
            is_worthwhile = shares_members or time[rows].sum() >= LEAST_TIME * whole
            if is_first or (is_worthwhile and (subject.native or has_baseline(replace(source, subject=part)))):
                parts.append(part)
    return replace(source, subject=_combined_subject(tuple(parts[:MOST_PARTS]), first.rows))


def knobs_of(parts: Sequence[Subject], flavour: str | None) -> list[tuple[int, ...]]:
    """The knobs, each as the numbers of its selections. A knob sets one algorithm for all its selections, because the
    library's rules cannot distinguish them. flavour: `openmpi`, `mpich`, or None for tree files."""
    if flavour is None:
        return [(place,) for place in range(len(parts))]

    def key(place: int) -> tuple[str, int]:
        return parts[place].op, len(parts[place].members) if flavour == "openmpi" else 0

    ends = [ends_in_rules([part]) if flavour == "openmpi" else (0, None) for part in parts]
    result: list[list[int]] = []
    for _, places in groupby(sorted(range(len(parts)), key=lambda index: (key(index), ends[index][0])), key=key):
        last_bytes: int | None = -1
        for place in places:
            first_bytes, last = ends[place]
            if last_bytes is not None and first_bytes > last_bytes:
                result.append([])
            result[-1].append(place)
            last_bytes = None if last_bytes is None or last is None else max(last_bytes, last)
    return sorted(tuple(sorted(places)) for places in result)


def ends_in_rules(parts: Sequence[Subject]) -> tuple[int, int | None]:
    """The least and the most bytes of the calls in these selections, as Open MPI's rules count them; 0 and None if the
    rules of their operation do not use bytes."""
    sizes = [
        size_in_rules(operation_name(part.op), len(part.members), payload)
        for part in parts
        for payload in payloads_of(part)
    ]
    known_sizes = [size for size in sizes if size is not None]
    return (min(known_sizes), max(known_sizes)) if len(known_sizes) == len(sizes) and any(known_sizes) else (0, None)


def payloads_of(subject: Subject) -> list[int]:
    """The bytes of each kind of call of the subject's operation, as `payload_of` counts them."""
    return [payload_of(call, len(subject.members)) for call in subject.calls if call.op == subject.op]


def groups_of(source: Source) -> list[Group]:
    """The groups of the collectives that can be replayed, the group with the most time first."""
    tables, collectives = source.tables, source.tables["collectives"]
    carried, _ = carried_of(tables, source.arrays)
    comm, ops, time = integers(collectives, "comm"), operations_of(collectives), spent_ns(collectives)
    comms = tables["comms"]
    members = {
        number: tuple(rank_list) if rank_list else ()
        for number, rank_list in zip(comms["comm"].to_pylist(), comms["members"].to_pylist(), strict=True)
    }
    rows_of: dict[tuple[tuple[int, ...], str], list[int]] = {}
    for row in np.flatnonzero(carried).tolist():
        rows_of.setdefault((members[int(comm[row])], str(ops[row])), []).append(row)
    result: list[Group] = []
    for (rank_list, op), numbers in rows_of.items():
        rows = np.asarray(numbers)
        by_comm = {number: float(time[rows[comm[rows] == number]].sum()) for number in np.unique(comm[rows]).tolist()}
        main_comm = max(sorted(by_comm), key=lambda number: by_comm[number])
        result.append(Group(main_comm, rank_list, op, rows, sum(by_comm.values())))
    return sorted(result, key=lambda group: (-group.time, group.comm, group.op))


def _combined_subject(parts: tuple[Subject, ...], collectives: Array) -> Subject:
    """One subject with these selections as parts. collectives: rows of the collectives that each begin an iteration."""
    simulated = np.sort(np.concatenate([part.simulated for part in parts]))
    untold = tuple(sorted({reason for part in parts for reason in part.untold}))
    return replace(parts[0], collectives=collectives, simulated=simulated, untold=untold, parts=parts)


def _knows_bytes(op: str, flavour: str | None) -> bool:
    if flavour is None:
        return has_bytes(op)
    return flavour == "openmpi" and bool(size_in_rules(operation_name(op), 1, 1))


def _are_distinguishable(source: Source, group: Group, peer: Group) -> bool:
    """True if rules of a tree file can distinguish two groups. If their communicators have the same size but other
    members, rules must list the members, which works only for ranks of the first world."""
    if group.members == peer.members or len(group.members) != len(peer.members):
        return True
    ranks = source.tables["ranks"]
    members = pa.array(sorted({*group.members, *peer.members}))
    return bool(pc.all(pc.equal(ranks.filter(pc.is_in(ranks["rank"], members))["world"], 0)).as_py())


def _ranges(source: Source, group: Group, flavour: str | None) -> Iterator[tuple[Array, Kinds]]:
    """Divides a group by bytes. Yields, for each range of bytes, the rows and the kinds of calls. Calls in a range have
    similar sizes and ran over one tree; if rules do not use bytes, one range has all calls. Collectives that cannot be
    replayed are in no range."""
    kinds = kinds_of(source.tables, source.arrays, group.rows, group.members)
    has_call = np.asarray([call is not None for call in kinds.calls], bool)
    rows, calls = group.rows[has_call], [call for call in kinds.calls if call is not None]
    if not calls:
        return
    sizes = np.asarray([call.size for call in calls], np.int64)
    first_call = source.arrays["collectives.first_call"][rows]
    trees = np.asarray(source.tables["calls"]["tree"].take(pa.array(first_call)).to_pylist(), object)
    distinct_sizes, first = np.unique(sizes, return_index=True)
    first_trees = trees[first]
    starts = [
        index == 0
        or bool(first_trees[index] != first_trees[index - 1])
        or distinct_sizes[index] > SIZE_RATIO * max(distinct_sizes[index - 1], SMALL)
        for index in range(len(distinct_sizes))
    ]
    number = np.cumsum(starts)[np.searchsorted(distinct_sizes, sizes)]
    if not _knows_bytes(group.op, flavour):
        number = np.zeros(len(rows), int)
    for range_number in np.unique(number):
        range_rows = np.flatnonzero(number == range_number)
        yield rows[range_rows], Kinds([calls[index] for index in range_rows], kinds.untold)
