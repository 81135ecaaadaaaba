"""What each rank did, without its waiting: the program that the replay runs over another tree.

A rank's program is a list of operations in the order of its own clock, each with the rank's own time before it:
  send        a message of the application leaves (or a receive is posted for which a rendezvous send waited)
  wait        the rank needs a message; in the run it waited for it only if the message binds
  collective  the rank enters a collective; when it leaves is the replay's to say
Times at which collectives were entered in the run do not appear: they carry the release times of the tree that ran.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import (
    EXSCAN,
    MISSING,
    ROOT_TO_LAST_ENTER,
    SCAN,
    STAYS,
    TO_LAST_ENTER,
    TO_ROOT,
    Array,
    arrays_of,
    integers,
)
from hopscope.errors import InputError
from hopscope.replay.run.calls import Call, Kinds, kinds_of
from hopscope.replay.run.operations import OPERATIONS
from hopscope.vocabulary.links import LINKS

TABLES = ("collectives", "calls", "hops", "messages", "intervals", "comms", "ranks", "steps", "kinds", "run")
SEND, WAIT, COLLECTIVE = range(3)
AS_OBSERVED, RECORDED = -1, -2
"""In the place of a schedule's number: it takes what it took in the run; its messages are replayed as they were."""


class NothingToFitError(InputError):
    """No collective has hops to replay. found: what the trace lacks, without what to do about it."""

    def __init__(self, untold: Mapping[str, str]) -> None:
        self.found = (
            f"the trace has no complete {', '.join(OPERATIONS[:-1])} or {OPERATIONS[-1]} with all its hops, so there "
            "is nothing to fit a model to"
        )
        why = "".join(f". {op} is left out: {reason}" for op, reason in sorted(untold.items()))
        super().__init__(
            f"{self.found}; run the program again with `hopscope run --tree binomial -- ...` and remap that trace{why}"
        )


@dataclass(frozen=True)
class Subject:
    """What is to be made faster: of the pairs of communicator and operation that ran at least twice, the one with the
    most time in it, over trees or, where nothing ran over one, by the MPI library's own algorithm."""

    comm: int
    op: str
    members: tuple[int, ...]  # trace-wide ranks in the communicator's order
    collectives: Array  # rows of the pair's complete collectives
    simulated: Array  # rows of every collective that a candidate's tree would carry
    operations: tuple[str, ...]
    roots: tuple[int, ...]  # of the simulated ones; NO_ROOT for operations that have none
    hosts: tuple[int, ...]  # of each member
    clusters: tuple[int, ...]
    native: bool  # whether the MPI library's own algorithm ran it
    calls: tuple[Call, ...]  # that the simulated ones are
    call_of: Array  # which of them each simulated one is
    untold: tuple[tuple[str, str], ...] = ()  # operations some of whose calls are left out, and why
    parts: tuple[Subject, ...] = ()  # what is judged together; the rest is then of the first of them, or of all

    @property
    def each(self) -> tuple[Subject, ...]:
        """Its parts, or itself alone."""
        return self.parts or (self,)


@dataclass(frozen=True)
class Places:
    """Hosts and clusters numbered (their names in the order of their numbers), and where each rank is."""

    host_of_rank: dict[int, int]
    cluster_of_host: tuple[int, ...]
    hosts: tuple[str, ...]
    clusters: tuple[str, ...]


Tables = dict[str, pa.Table]


@dataclass(frozen=True)
class Source:
    """A run as remapping sees it: its tables, the same as arrays (columns.h), where its ranks are, and the subject."""

    tables: Tables
    arrays: dict[str, Array]
    places: Places
    subject: Subject


def source_of(table: Callable[[str], pa.Table], pair: tuple[int, str] | None = None) -> Source:
    """Reads a trace by its `table` function. pair: the communicator and operation to look at; unset, the pair with the
    most time in it that ran at least twice. Raises InputError if no collective has hops to replay."""
    tables = tables_of(table)
    arrays = arrays_of(tables)
    places = places_of(tables["ranks"])
    return Source(tables, arrays, places, subject_of(tables, arrays, places, pair))


def tables_of(table: Callable[[str], pa.Table]) -> Tables:
    """Every table that remapping reads, each chunk in one piece."""
    return {name: table(name).combine_chunks() for name in TABLES}


def places_of(ranks: pa.Table) -> Places:
    """Numbers hosts and clusters in order of first appearance."""
    hosts: dict[str, int] = {}
    clusters: dict[str, int] = {}
    cluster_of_host: list[int] = []
    of_rank: dict[int, int] = {}
    for row in ranks.to_pylist():
        if row["host"] not in hosts:
            hosts[row["host"]] = len(hosts)
            cluster_of_host.append(clusters.setdefault(row["cluster"], len(clusters)))
        of_rank[row["rank"]] = hosts[row["host"]]
    return Places(of_rank, tuple(cluster_of_host), tuple(hosts), tuple(clusters))


def subject_of(
    tables: Tables, arrays: dict[str, Array], places: Places, pair: tuple[int, str] | None = None
) -> Subject:
    """Operations that ran at least twice come first, for an iteration reaches from one call to the next.

    Raises InputError if no collective has hops to replay."""
    collectives = tables["collectives"]
    carried, native = carried_of(tables, arrays, pair)
    comm, ops, time = integers(collectives, "comm"), operations_of(collectives), spent_ns(collectives)
    spent: dict[tuple[int, str], int] = {}
    for row in np.flatnonzero(carried):
        key = (int(comm[row]), str(ops[row]))
        spent[key] = spent.get(key, 0) + int(time[row])
    untold: dict[str, str] = {}
    ran_once: Subject | None = None
    for chosen, op in sorted(sorted(spent), key=lambda key: spent[key], reverse=True):
        # The tree file of a run over trees serves all operations alike; the library's algorithms are judged one by one.
        simulated = np.flatnonzero(carried & (comm == chosen) & ((ops == op) | (not native)))
        kinds = kinds_of(tables, arrays, simulated, members_of(tables, chosen))
        untold |= kinds.untold
        times = sum(call is not None and call.op == op for call in kinds.calls)
        if times > 1 or (times and ran_once is None):
            found = subject_from(tables, places, (chosen, op), simulated, kinds, native=native, untold=untold)
            if times > 1:
                return found
            ran_once = found
    if ran_once is None:
        raise NothingToFitError(untold)
    return ran_once


def carried_of(tables: Tables, arrays: dict[str, Array], pair: tuple[int, str] | None = None) -> tuple[Array, bool]:
    """Which collectives, all or those of a communicator and operation, can be replayed over other schedules, and
    whether they ran by the MPI library's own algorithms, as none ran over a tree."""
    collectives = tables["collectives"]
    count = len(collectives)
    calls_by_tree = np.bincount(arrays["calls.collective"], weights=arrays["calls.by_tree"], minlength=count)
    comm, size, ops = integers(collectives, "comm"), integers(collectives, "comm_size"), operations_of(collectives)
    whole = np.asarray(collectives["complete"].to_pylist(), bool) if count else np.zeros(0, bool)
    whole &= np.isin(ops, OPERATIONS) if pair is None else (comm == pair[0]) & (ops == pair[1])
    hops_of_engine, hops_of_library = (
        np.bincount(arrays["hops.collective"][arrays["hops.from_engine"] == engine], minlength=count) > 0
        for engine in (1, 0)
    )
    carried = whole & hops_of_engine & (calls_by_tree == size)
    if carried.any():
        return carried, False
    # To replay messages, both ends of all of them are needed, but not who waited for whom.
    all_seen = pc.is_in(collectives["native_reason"], pa.array([None, "undecided"])).to_numpy()
    comms = tables["comms"]
    between_groups = np.isin(comm, integers(comms.filter(pc.is_valid(comms["second_group"])), "comm"))
    return whole & hops_of_library & (calls_by_tree == 0) & all_seen & ~between_groups, True


def spent_ns(collectives: pa.Table) -> Array:
    """What each collective took from its last enter to its last leave, ns."""
    return np.maximum(0, integers(collectives, "last_leave_ns") - integers(collectives, "last_enter_ns"))


def operations_of(collectives: pa.Table) -> Array:
    """The operation of each."""
    return np.asarray(collectives["op"].to_pylist(), object)


def algorithms_of(tables: Tables, subject: Subject) -> list[str | None]:
    """The recognised algorithm of each simulated collective; None where it is not known."""
    kinds = tables["kinds"]
    names = dict(zip(kinds["kind"].to_pylist(), kinds["algorithm"].to_pylist(), strict=True))
    return [names.get(kind) for kind in tables["collectives"]["kind"].take(pa.array(subject.simulated)).to_pylist()]


def members_of(tables: Tables, comm: int) -> tuple[int, ...]:
    """A communicator's ranks, trace-wide numbers in its order."""
    return tuple(tables["comms"]["members"][tables["comms"]["comm"].to_pylist().index(comm)].as_py())


def subject_from(
    tables: Tables,
    places: Places,
    pair: tuple[int, str],
    rows: Array,
    kinds: Kinds,
    *,
    native: bool,
    untold: Mapping[str, str],
) -> Subject:
    """The subject of these collectives, which have the members of the pair's communicator. kinds: what each of them
    is; those that are not told stay as they were observed."""
    members = members_of(tables, pair[0])
    told = [(row, call) for row, call in zip(rows.tolist(), kinds.calls, strict=True) if call]
    calls = tuple(sorted({call for _, call in told}))
    number = {call: place for place, call in enumerate(calls)}
    hosts = tuple(places.host_of_rank[rank] for rank in members)
    return Subject(
        *pair,
        members,
        np.asarray([row for row, call in told if call.op == pair[1]], np.int64),
        np.asarray([row for row, _ in told], np.int64),
        tuple(sorted({call.op for call in calls})),
        tuple(sorted({call.root for call in calls})),
        hosts,
        tuple(places.cluster_of_host[host] for host in hosts),
        native,
        calls,
        np.asarray([number[call] for _, call in told], np.int32),
        tuple(sorted(untold.items())),
    )


def program_of(
    source: Source, window: tuple[int, int] | None = None, *, messages: bool = True
) -> tuple[dict[str, Array], Array]:
    """The program as `hopscope.native._replay.replay` takes it, and the rows of the collectives in it. Schedules
    are numbered like the subject's calls, or those of its parts one after another.

    window: only what lies between the leaves of the first of two collectives (rows) and those of the second, which is
    in it; of ranks that are in neither, what lies between their last leaves. messages: False counts what ranks waited
    for the application's messages as their own time.
    """
    tables, arrays = source.tables, source.arrays
    lanes = len(arrays["lanes.rank"])
    kept = arrays["calls.leave_ns"] != MISSING
    begin = np.full(lanes, _first_time(arrays), np.int64)
    end = np.full(lanes, np.iinfo(np.int64).max, np.int64)
    if window is not None:
        for bound, row in ((begin, window[0]), (end, window[1])):
            of_row = kept & (arrays["calls.collective"] == row)
            bound[:] = arrays["calls.leave_ns"][of_row].max()  # of ranks that are not in it
            bound[arrays["calls.lane"][of_row]] = arrays["calls.leave_ns"][of_row]
    call_lane, leave = arrays["calls.lane"], arrays["calls.leave_ns"]
    kept &= (arrays["calls.enter_ns"] >= begin[call_lane]) & (leave <= end[call_lane])
    calls = np.flatnonzero(kept)
    rows, which = np.unique(arrays["calls.collective"][calls], return_inverse=True)
    program = _collectives(source, rows, calls, which)
    slot = np.empty(len(calls), np.int64)
    slot[program.pop("order")] = np.arange(len(calls))

    # Nothing lies between the greatest time and the smallest.
    most, least = np.full(lanes, np.iinfo(np.int64).max), np.full(lanes, np.iinfo(np.int64).min)
    marks, waits, transit = _messages(tables, arrays, *((begin, end) if messages else (most, least)))
    lane = np.concatenate([marks[0], waits[0], call_lane[calls]]).astype(np.int64)
    op = np.repeat(np.asarray([SEND, WAIT, COLLECTIVE], np.int8), [len(marks[0]), len(waits[0]), len(calls)])
    at = np.concatenate([marks[1], waits[1], arrays["calls.enter_ns"][calls]])
    until = np.concatenate([marks[1], waits[2], leave[calls]])
    ref = np.concatenate([np.arange(len(marks[0])), np.arange(len(waits[0])), which])
    hold = np.concatenate([np.zeros(len(marks[0]), np.int64), waits[3], np.zeros(len(calls), np.int64)])
    slots = np.concatenate([np.zeros(len(marks[0]) + len(waits[0]), np.int64), slot])
    order = np.lexsort((op, at, lane))
    lane, op, at, until, ref, hold, slots = (a[order] for a in (lane, op, at, until, ref, hold, slots))
    first_op = np.searchsorted(lane, np.arange(lanes + 1)).astype(np.int64)
    done = np.concatenate([[0], _running_end(lane, until, lanes)[:-1]]).astype(np.int64)
    starts = first_op[:-1][np.diff(first_op) > 0]
    done[starts] = begin[lane[starts]]
    host = [source.places.host_of_rank[int(rank)] for rank in arrays["lanes.rank"]]
    program |= {
        "first_op": first_op,
        "op": op,
        "ref": ref.astype(np.int64),
        "gap_ns": np.maximum(0, at - done),
        "hold_ns": hold,
        "slot": slots,
        "host": np.asarray(host, np.int32),
        "transit_ns": transit,
    }
    return {name: np.ascontiguousarray(values) for name, values in program.items()}, rows


def _first_time(arrays: dict[str, Array]) -> int:
    first = arrays["calls.enter_ns"].min(initial=np.iinfo(np.int64).max)
    return int(min(first, arrays["messages.send_begin_ns"].min(initial=first)))


def _running_end(lane: Array, until: Array, lanes: int) -> Array:
    """The latest end of any operation so far on its lane, by lifting each lane above the one before."""
    span = int(until.max(initial=0) - until.min(initial=0)) + 1
    if lanes * span < np.iinfo(np.int64).max // 2:
        return np.maximum.accumulate(until + lane * span) - lane * span
    result = until.copy()
    for number in range(lanes):
        mine = lane == number
        result[mine] = np.maximum.accumulate(until[mine])
    return result


def _collectives(source: Source, rows: Array, calls: Array, which: Array) -> dict[str, Array]:
    """Members of each collective in the communicator's order, and what each took after the enter it waited for."""
    arrays = source.arrays
    comm_rank = arrays["calls.comm_rank"][calls]
    order = np.lexsort((comm_rank, which))
    first = np.searchsorted(which[order], np.arange(len(rows) + 1)).astype(np.int64)
    sizes = np.diff(first)
    enter, leave = arrays["calls.enter_ns"][calls][order], arrays["calls.leave_ns"][calls][order]
    is_root = arrays["calls.rank"][calls][order] == np.repeat(arrays["collectives.root_rank"][rows], sizes)
    root = np.full(len(rows), -1, np.int32)
    root[which[order][is_root]] = (np.arange(len(order)) - np.repeat(first[:-1], sizes))[is_root]
    # The wait of one that returns early is in another call: what the call itself takes is the rank's own.
    leads = np.where(arrays["collectives.returns_early"][rows] == 1, STAYS, arrays["collectives.leads"][rows])
    leads = leads.astype(np.int8)
    own = leave - np.maximum(enter, _waited_for(enter, first, leads, root))
    return {
        "order": order,
        "first_member": first,
        "member": arrays["calls.lane"][calls][order].astype(np.int32),
        "own_time_ns": np.maximum(0, own),
        "schedule": _schedules(source.subject, rows, sizes),
        "leads": leads,
        "root_position": root,
    }


def _schedules(subject: Subject, rows: Array, sizes: Array) -> Array:
    """The number of each collective's call among those of the subject, or of its parts in their order; AS_OBSERVED of
    those that none of them has or that lack members. sizes: how many members each has."""
    result = np.full(len(rows), AS_OBSERVED, np.int32)
    first = 0
    for part in subject.each:
        mine = np.flatnonzero(np.isin(rows, part.simulated) & (sizes == len(part.members)))
        result[mine] = first + part.call_of[np.searchsorted(part.simulated, rows[mine])]
        first += len(part.calls)
    return result


def _waited_for(enter: Array, first: Array, leads: Array, root: Array) -> Array:
    """The enter that each member had to wait for by its operation's rule."""
    sizes = np.diff(first)
    if not len(enter):
        return enter
    last = np.repeat(np.maximum.reduceat(enter, first[:-1]), sizes)
    position = np.arange(len(enter)) - np.repeat(first[:-1], sizes)
    lead = np.repeat(leads, sizes)
    at_root = position == np.repeat(root, sizes)
    of_root = enter[np.repeat(first[:-1] + np.maximum(root, 0), sizes)]
    result = np.where(lead == TO_LAST_ENTER, last, enter)
    result = np.where((lead == TO_ROOT) & (np.repeat(root, sizes) >= 0), of_root, result)
    result = np.where((lead == ROOT_TO_LAST_ENTER) & at_root, last, result)
    for scan in np.flatnonzero((leads == SCAN) | (leads == EXSCAN)):
        result[first[scan] : first[scan + 1]] = np.maximum.accumulate(enter[first[scan] : first[scan + 1]])
    return result


def _messages(
    tables: Tables, arrays: dict[str, Array], begin: Array, end: Array
) -> tuple[tuple[Array, Array], tuple[Array, Array, Array, Array], Array]:
    """Marks (lane, time), waits (lane, begin, end, own time) and transits of the application's messages.

    A rendezvous send that waited for its receiver is the same thing the other way round: a mark where the receive was
    posted, and a wait at the sender.
    """
    messages: dict[str, Any] = {
        name.removeprefix("messages."): values for name, values in arrays.items() if name.startswith("messages.")
    }
    recv, send = (pc.equal(tables["messages"]["binding"], word).to_numpy() for word in ("recv", "send"))
    waited_from = np.maximum(messages["recv_wait_begin_ns"], messages["recv_post_ns"])
    src, dst = messages["src_lane"], messages["dst_lane"]
    marks = (
        np.concatenate([src, dst[send]]),
        np.concatenate([messages["send_begin_ns"], messages["recv_post_ns"][send]]),
    )
    waits = (
        np.concatenate([dst, src[send]]),
        np.concatenate([waited_from, messages["send_wait_begin_ns"][send]]),
        np.concatenate([messages["recv_end_ns"], messages["send_end_ns"][send]]),
    )
    waited = np.concatenate([recv, np.ones(int(send.sum()), bool)])
    kind = np.concatenate([messages["link"].astype(np.int64), np.full(int(send.sum()), len(LINKS))])
    inside = (marks[1] >= begin[marks[0]]) & (marks[1] <= end[marks[0]])
    inside &= (waits[1] >= begin[waits[0]]) & (waits[2] <= end[waits[0]])
    sent, lane, begun, ended, waited, kind = (a[inside] for a in (marks[1], waits[0], waits[1], waits[2], waited, kind))
    hold = np.where(waited, 0, ended - begun)
    transit = np.maximum(0, ended - sent)
    # Of the messages that one call completed together, the one sent last was waited for; how long the others took is
    # not known, and they count as their kind's typical one. If any was waited for, none of them held the rank itself.
    order = np.lexsort((sent, ended, begun, lane))
    together = (np.diff(lane[order]) == 0) & (np.diff(begun[order]) == 0) & (np.diff(ended[order]) == 0)
    not_last, not_first = np.zeros(len(order), bool), np.zeros(len(order), bool)
    not_last[order[:-1][together]] = True
    not_first[order[1:][together]] = True
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(np.concatenate([[False], ~together])[: len(order)])
    any_waited = np.bincount(group, weights=waited, minlength=int(group.max(initial=-1)) + 1) > 0
    hold = np.where(not_first | any_waited[group], 0, hold)
    exact = waited & ~not_last
    for number in np.unique(kind):
        mine = kind == number
        known = transit[mine & exact]
        typical = int(np.median(known)) if len(known) else int(transit[mine].min())
        transit[mine & ~exact] = np.minimum(transit[mine & ~exact], typical)
    return (marks[0][inside], sent), (lane, begun, ended, hold), transit
