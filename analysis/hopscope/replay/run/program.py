"""The program that the replay runs with other algorithms: each rank's operations, without its waiting.

A rank's program is a list of operations in the order of its own clock, each with the rank's own time before it:
  send        a message of the application leaves (or a receive is posted for which a rendezvous send waited)
  wait        the rank needs a message, and waits if the message has not arrived
  collective  the rank enters a collective; the replay determines when it leaves
The program does not contain the times at which ranks entered collectives in the run, because these depend on the
algorithms that the run used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
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
)
from hopscope.replay.run.subject import Source, Subject, Tables
from hopscope.vocabulary.links import LINKS

SEND, WAIT, COLLECTIVE = range(3)
AS_OBSERVED, RECORDED = -1, -2
"""Values that stand for a schedule's number. AS_OBSERVED: the collective takes the time that it took in the run.
RECORDED: its recorded messages are replayed."""


def program_of(
    source: Source, window: tuple[int, int] | None = None, *, messages: bool = True
) -> tuple[dict[str, Array], Array]:
    """The program as `hopscope.native._replay.replay` takes it, and the rows of its collectives in `collectives`. A
    collective's schedule number is the index of its kind of call in the list of the calls of all selections.

    window: the rows of two collectives. A rank's program then begins when the rank leaves the first one and ends when
    it leaves the second one. If a rank is not a member of such a collective, the last leave of the members counts.
    messages: False counts waits for the application's messages as the rank's own time.
    """
    tables, arrays = source.tables, source.arrays
    lanes = len(arrays["lanes.rank"])
    in_window = arrays["calls.leave_ns"] != MISSING
    begin = np.full(lanes, _first_time(arrays), np.int64)
    end = np.full(lanes, np.iinfo(np.int64).max, np.int64)
    if window is not None:
        for bound, row in ((begin, window[0]), (end, window[1])):
            of_row = in_window & (arrays["calls.collective"] == row)
            bound[:] = arrays["calls.leave_ns"][of_row].max()  # stays for ranks that are no members of the collective
            bound[arrays["calls.lane"][of_row]] = arrays["calls.leave_ns"][of_row]
    call_lane, leave = arrays["calls.lane"], arrays["calls.leave_ns"]
    in_window &= (arrays["calls.enter_ns"] >= begin[call_lane]) & (leave <= end[call_lane])
    calls = np.flatnonzero(in_window)
    rows, collective_of_call = np.unique(arrays["calls.collective"][calls], return_inverse=True)
    program = _collectives(source, rows, calls, collective_of_call)
    slot = np.empty(len(calls), np.int64)
    slot[program.pop("order")] = np.arange(len(calls))

    # To leave out all messages, pass a window that begins after its end.
    latest, earliest = np.full(lanes, np.iinfo(np.int64).max), np.full(lanes, np.iinfo(np.int64).min)
    marks, waits, transit = _messages(tables, arrays, *((begin, end) if messages else (latest, earliest)))
    lane = np.concatenate([marks[0], waits[0], call_lane[calls]]).astype(np.int64)
    op = np.repeat(np.asarray([SEND, WAIT, COLLECTIVE], np.int8), [len(marks[0]), len(waits[0]), len(calls)])
    start = np.concatenate([marks[1], waits[1], arrays["calls.enter_ns"][calls]])
    finish = np.concatenate([marks[1], waits[2], leave[calls]])
    ref = np.concatenate([np.arange(len(marks[0])), np.arange(len(waits[0])), collective_of_call])
    hold = np.concatenate([np.zeros(len(marks[0]), np.int64), waits[3], np.zeros(len(calls), np.int64)])
    slots = np.concatenate([np.zeros(len(marks[0]) + len(waits[0]), np.int64), slot])
    order = np.lexsort((op, start, lane))
    lane, op, start, finish, ref, hold, slots = (a[order] for a in (lane, op, start, finish, ref, hold, slots))
    first_op = np.searchsorted(lane, np.arange(lanes + 1)).astype(np.int64)
    done = np.concatenate([[0], _running_end(lane, finish, lanes)[:-1]]).astype(np.int64)
    starts = first_op[:-1][np.diff(first_op) > 0]
    done[starts] = begin[lane[starts]]
    host = [source.places.host_of_rank[int(rank)] for rank in arrays["lanes.rank"]]
    program |= {
        "first_op": first_op,
        "op": op,
        "ref": ref.astype(np.int64),
        "gap_ns": np.maximum(0, start - done),
        "hold_ns": hold,
        "slot": slots,
        "host": np.asarray(host, np.int32),
        "transit_ns": transit,
    }
    return {name: np.ascontiguousarray(values) for name, values in program.items()}, rows


def _first_time(arrays: dict[str, Array]) -> int:
    first = arrays["calls.enter_ns"].min(initial=np.iinfo(np.int64).max)
    return int(min(first, arrays["messages.send_begin_ns"].min(initial=first)))


def _running_end(lane: Array, finish: Array, lanes: int) -> Array:
    """For each operation, the latest end of any operation up to it on its lane (the rank's list of operations). If
    possible, each lane is shifted to its own range of times, so that one pass over all lanes is enough."""
    span = int(finish.max(initial=0) - finish.min(initial=0)) + 1
    if lanes * span < np.iinfo(np.int64).max // 2:
        return np.maximum.accumulate(finish + lane * span) - lane * span
    result = finish.copy()
    for number in range(lanes):
        on_lane = lane == number
        result[on_lane] = np.maximum.accumulate(finish[on_lane])
    return result


def _collectives(source: Source, rows: Array, calls: Array, collective_of_call: Array) -> dict[str, Array]:
    """The columns of the program that describe collectives, such as their members in the communicator's order, and each
    member's own time after the last enter for which it had to wait. The column `order` sorts `calls` in this way."""
    arrays = source.arrays
    comm_rank = arrays["calls.comm_rank"][calls]
    order = np.lexsort((comm_rank, collective_of_call))
    first = np.searchsorted(collective_of_call[order], np.arange(len(rows) + 1)).astype(np.int64)
    sizes = np.diff(first)
    enter, leave = arrays["calls.enter_ns"][calls][order], arrays["calls.leave_ns"][calls][order]
    is_root = arrays["calls.rank"][calls][order] == np.repeat(arrays["collectives.root_rank"][rows], sizes)
    root = np.full(len(rows), -1, np.int32)
    root[collective_of_call[order][is_root]] = (np.arange(len(order)) - np.repeat(first[:-1], sizes))[is_root]
    # A collective that returns early (such as MPI_Iallreduce) is waited for in another call, so a member waits for no
    # other enter, and the whole call is its own time.
    leads = np.where(arrays["collectives.returns_early"][rows] == 1, STAYS, arrays["collectives.leads"][rows])
    leads = leads.astype(np.int8)
    own_ns = leave - np.maximum(enter, _waited_for(enter, first, leads, root))
    return {
        "order": order,
        "first_member": first,
        "member": arrays["calls.lane"][calls][order].astype(np.int32),
        "own_time_ns": np.maximum(0, own_ns),
        "schedule": _schedules(source.subject, rows, sizes),
        "leads": leads,
        "root_position": root,
    }


def _schedules(subject: Subject, rows: Array, sizes: Array) -> Array:
    """The schedule number of each collective: the index of its kind of call in the list of the calls of all selections.
    AS_OBSERVED if the collective is in no selection, or some members' calls are missing. sizes: the number of recorded
    calls of each collective."""
    result = np.full(len(rows), AS_OBSERVED, np.int32)
    first = 0
    for part in subject.selections:
        part_rows = np.flatnonzero(np.isin(rows, part.simulated) & (sizes == len(part.members)))
        result[part_rows] = first + part.call_of[np.searchsorted(part.simulated, rows[part_rows])]
        first += len(part.calls)
    return result


def _waited_for(enter: Array, first: Array, leads: Array, root: Array) -> Array:
    """The time of the enter for which each member had to wait, by the rule of its operation: for example, the last
    enter in an Allreduce, and the root's in a Bcast."""
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
    """The application's messages: marks (lane and time at which a message leaves), waits (lane, begin, end, own time)
    and transits (time from mark to end of the wait), ns.

    A rendezvous send that waited for its receive also has a mark where the receive was posted, and a wait at the
    sender.
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
    in_window = (marks[1] >= begin[marks[0]]) & (marks[1] <= end[marks[0]])
    in_window &= (waits[1] >= begin[waits[0]]) & (waits[2] <= end[waits[0]])
    sent, lane, wait_begin, wait_end, waited, kind = (
        a[in_window] for a in (marks[1], waits[0], waits[1], waits[2], waited, kind)
    )
    hold = np.where(waited, 0, wait_end - wait_begin)
    transit = np.maximum(0, wait_end - sent)
    # If one call completed several messages, assume that the rank waited for the one sent last. The other messages'
    # times are unknown, so they get the typical time of their kind (a class of links, or rendezvous). If the rank
    # waited for any of these messages, receiving them took none of its own time.
    order = np.lexsort((sent, wait_end, wait_begin, lane))
    same_call = (np.diff(lane[order]) == 0) & (np.diff(wait_begin[order]) == 0) & (np.diff(wait_end[order]) == 0)
    not_last, not_first = np.zeros(len(order), bool), np.zeros(len(order), bool)
    not_last[order[:-1][same_call]] = True
    not_first[order[1:][same_call]] = True
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(np.concatenate([[False], ~same_call])[: len(order)])
    any_waited = np.bincount(group, weights=waited, minlength=int(group.max(initial=-1)) + 1) > 0
    hold = np.where(not_first | any_waited[group], 0, hold)
    exact = waited & ~not_last
    for number in np.unique(kind):
        of_kind = kind == number
        known_ns = transit[of_kind & exact]
        typical = int(np.median(known_ns)) if len(known_ns) else int(transit[of_kind].min())
        transit[of_kind & ~exact] = np.minimum(transit[of_kind & ~exact], typical)
    return (marks[0][in_window], sent), (lane, wait_begin, wait_end, hold), transit
