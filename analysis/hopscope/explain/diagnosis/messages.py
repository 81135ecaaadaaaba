"""Finds causes in messages: ranks that send or receive late, and the time that messages and their bytes take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy as np

from hopscope.dataset.path_columns import MISSING, Array, integers, pair_places
from hopscope.explain.diagnosis.entry import NAMED_SHARE, Kind, Site
from hopscope.explain.diagnosis.rerun import Changes, Rerun, length_ns
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import BINDINGS, CATEGORIES, INTERVAL_KINDS

_SMALL: Final = 4096
"""Up to this size in bytes, all of a message's time counts as time per message. The larger a message is beyond it, the
more of its time counts as time per byte."""
_OTHER_WAIT_SHARE: Final = 0.5
"""A receive is in the wrong order if its rank waited for another message for this share of the time that the sender
waited."""

_BINDING: Final = {word: number for number, word in enumerate(BINDINGS)}
_WAN: Final = list(LINKS).index("wan")


@dataclass(frozen=True)
class MessageCause:
    """A cause in messages. changes: those that remove it from the run. find_sites: gives its call sites, which takes a
    while for a long run. The other fields are those of `Entry`."""

    kind: Kind
    changes: Changes
    ranks: tuple[int, ...] = ()
    find_sites: Callable[[], tuple[Site, ...]] = tuple
    count: int = 0
    hosts: tuple[str, ...] = ()
    times: float | None = None


def causes_in_messages(rerun: Rerun) -> list[MessageCause]:
    """All causes in messages that the run has, whatever they cost."""
    late_senders = _late_senders(rerun)
    return [
        *_late_receivers(rerun),
        *([late_senders] if late_senders else []),
        *_bound_by_messages(rerun),
        *_in_other_mpi(rerun),
    ]


def crossings_cause(rerun: Rerun, crossings: dict[int, int]) -> MessageCause | None:
    """The cause that collectives cross between clusters several times in sequence; None if none does. crossings: the
    number of crossings in sequence, by kind of collective."""
    if not crossings:
        return None
    arrays = rerun.arrays
    of_kind = integers(rerun.tables["collectives"], "kind", null=-1)[arrays["hops.collective"]]
    times = np.asarray([crossings.get(int(kind), 1) for kind in of_kind], np.int64)
    row = np.flatnonzero((arrays["hops.link"] == _WAN) & (times > 1))
    if not len(row):
        return None
    took = arrays["hops.recv_end_ns"][row] - arrays["hops.send_begin_ns"][row]
    savings = (took * (1 - 1 / times[row])).astype(np.int64)
    changes = {"hops.row": row, "hops.less_ns": savings}
    return MessageCause(
        "crossings",
        changes,
        (),
        partial(rerun.sites_of_collectives, arrays["hops.collective"][row]),
        int(times[row].max()),
    )


def _late_receivers(rerun: Rerun) -> list[MessageCause]:
    """Receives that hold up a sender, because they are posted after it began to wait.

    If the receiver waited for another message meanwhile, the order is wrong; else the receiver is late.
    """
    arrays = rerun.arrays
    is_blocked = arrays["messages.binding"] == _BINDING["send"]
    wait_begin, posted = arrays["messages.send_wait_begin_ns"], arrays["messages.recv_post_ns"]
    row = np.flatnonzero(is_blocked & (wait_begin != MISSING) & (wait_begin < posted))
    if not len(row):
        return []
    waited = posted[row] - wait_begin[row]
    busy = _waiting_elsewhere(rerun, arrays["messages.dst_lane"][row], wait_begin[row], posted[row])
    is_in_order = busy < _OTHER_WAIT_SHARE * waited
    causes: list[MessageCause] = []
    kinds: tuple[tuple[Kind, Array], ...] = (("late-receiver", is_in_order), ("wrong-order", ~is_in_order))
    for kind, mask in kinds:
        if mask.any():
            rows, weight = row[mask], waited[mask]
            lane = arrays["messages.dst_lane"][rows]
            find_sites = partial(rerun.sites, lane, posted[rows], weight)
            changes = {"messages.prompt_row": rows}
            causes.append(MessageCause(kind, changes, _ranks(rerun, lane, weight), find_sites, len(rows)))
    return causes


def _waiting_elsewhere(rerun: Rerun, lane: Array, begin_ns: Array, end_ns: Array) -> Array:
    """The time in which each lane (a thread) waited for a message between begin_ns and end_ns, in ns. Only the last
    message that it received by end_ns counts."""
    arrays = rerun.arrays
    waits = np.flatnonzero(arrays["messages.binding"] == _BINDING["recv"])
    if not len(waits):
        return np.zeros(len(lane))
    waits = waits[np.lexsort((arrays["messages.recv_end_ns"][waits], arrays["messages.dst_lane"][waits]))]
    wait_lane, wait_end = arrays["messages.dst_lane"][waits], arrays["messages.recv_end_ns"][waits]
    position = pair_places(wait_lane, wait_end, (lane, end_ns), "right") - 1
    last = np.maximum(position, 0)
    wait_begin = arrays["messages.recv_wait_begin_ns"][waits][last]
    overlap = np.minimum(wait_end[last], end_ns) - np.maximum(wait_begin, begin_ns)
    return np.where((position >= 0) & (wait_lane[last] == lane), np.maximum(overlap, 0), 0)


def _late_senders(rerun: Rerun) -> MessageCause | None:
    """The cause that sends begin after their receiver began to wait; None if no send does."""
    arrays = rerun.arrays
    waits = arrays["messages.binding"] == _BINDING["recv"]
    wait_begin, sent = arrays["messages.recv_wait_begin_ns"], arrays["messages.send_begin_ns"]
    row = np.flatnonzero(waits & (wait_begin < sent))
    if not len(row):
        return None
    lane, waited = arrays["messages.src_lane"][row], sent[row] - wait_begin[row]
    return MessageCause(
        "late-sender",
        {"messages.early_row": row},
        _ranks(rerun, lane, waited),
        partial(rerun.sites, lane, sent[row], waited),
        len(row),
    )


def _ranks(rerun: Rerun, lane: Array, weight: Array) -> tuple[int, ...]:
    """The ranks with the largest sums of weight, the largest first."""
    of_rank = np.bincount(rerun.lanes.rank[lane], weight)
    order = np.argsort(-of_rank, kind="stable")
    return tuple(int(rank) for rank in order if of_rank[rank] > 0 and of_rank[rank] >= NAMED_SHARE * of_rank[order[0]])


def _bound_by_messages(rerun: Rerun) -> list[MessageCause]:
    """Two causes: the time that messages take regardless of their bytes, and the time that their bytes take."""
    arrays = rerun.arrays
    per_message: dict[str, Array] = {}
    per_byte: dict[str, Array] = {}

    def shorten(table: str, row: Array, took: Array, size: Array) -> None:
        share = _message_share(size)
        per_message.update({f"{table}.row": row, f"{table}.less_ns": (took * share).astype(np.int64)})
        per_byte.update({f"{table}.row": row, f"{table}.less_ns": (took * (1 - share)).astype(np.int64)})

    for table in ("hops", "messages"):
        took = length_ns(arrays[f"{table}.send_begin_ns"], arrays[f"{table}.recv_end_ns"])
        shorten(table, np.arange(len(took)), took, arrays[f"{table}.bytes"])
    # In collectives without hops, shorten the time of each call after the last rank that it waited for.
    row = np.flatnonzero((arrays["collectives.has_hops"][arrays["calls.collective"]] == 0) & _sends_messages(rerun))
    end = np.where(arrays["calls.complete_ns"] != MISSING, arrays["calls.complete_ns"], arrays["calls.leave_ns"])
    size = integers(rerun.tables["collectives"], "bytes")[arrays["calls.collective"][row]]
    shorten("calls", row, length_ns(arrays["calls.enter_ns"], end)[row], size)
    sizes = np.concatenate([arrays["hops.bytes"], arrays["messages.bytes"]])
    of_bytes = float((sizes * (1 - _message_share(sizes))).sum() / max(1, sizes.sum()))
    busiest = cache(partial(_busiest, rerun))
    return [
        MessageCause("latency-bound", {**per_message, "mpi_share": of_bytes}, find_sites=busiest),
        MessageCause("bandwidth-bound", {**per_byte, "mpi_share": 1 - of_bytes}, find_sites=busiest),
    ]


def _message_share(size: Array) -> Array:
    """The share of a message's time that does not depend on its bytes. size: in bytes."""
    return _SMALL / np.maximum(_SMALL, size)


def _is_of_kind(rerun: Rerun, *kinds: str) -> Array:
    """True for the intervals of these kinds."""
    return np.isin(rerun.arrays["intervals.kind"], [list(INTERVAL_KINDS).index(kind) for kind in kinds])


def _busiest(rerun: Rerun) -> tuple[Site, ...]:
    """The calls of MPI that communicate and take most of the ranks' time in the run."""
    arrays = rerun.arrays
    talks = _is_of_kind(rerun, "p2p", "wait", "mixed")
    calls = _sends_messages(rerun)
    lane = np.concatenate([arrays["calls.lane"][calls], arrays["intervals.lane"][talks]])
    begin = np.concatenate([arrays["calls.enter_ns"][calls], arrays["intervals.begin_ns"][talks]])
    end = np.concatenate([arrays["calls.leave_ns"][calls], arrays["intervals.end_ns"][talks]])
    took = np.where(begin >= rerun.begin_ns, length_ns(begin, end), 0)
    return rerun.sites(lane, begin, took)


def _sends_messages(rerun: Rerun) -> Array:
    """True for the calls of collectives that move messages. Calls on windows and files, and calls that make
    communicators, do not count."""
    return _is_in_library(rerun, "native")


def _is_in_library(rerun: Rerun, *categories: str) -> Array:
    """True for the calls of collectives whose time in the library has one of these categories."""
    numbers = [list(CATEGORIES).index(category) for category in categories]
    return np.isin(rerun.arrays["collectives.library"], numbers)[rerun.arrays["calls.collective"]]


def _in_other_mpi(rerun: Rerun) -> list[MessageCause]:
    """The causes in files, and in other MPI calls, such as those that make communicators. If all members make a call,
    its time counts from the last enter on."""
    arrays = rerun.arrays
    begin, end = arrays["intervals.begin_ns"], arrays["intervals.end_ns"]
    took = length_ns(begin, end)
    own_time = _time_after_last_enter(rerun)
    causes: list[MessageCause] = []
    kinds: tuple[tuple[Kind, tuple[str, ...], tuple[str, ...]], ...] = (
        ("io", ("io",), ("io",)),
        ("other-mpi", ("comm", "mpi", "rma"), ("mpi", "rma")),
    )
    for kind, words, categories in kinds:
        row = np.flatnonzero(_is_of_kind(rerun, *words) & (end != MISSING))
        call = np.flatnonzero(_is_in_library(rerun, *categories))
        if not len(row) + len(call):
            continue
        changes = {
            "intervals.row": row,
            "intervals.less_ns": took[row],
            "calls.row": call,
            "calls.less_ns": own_time[call],
        }
        lane = np.concatenate([arrays["intervals.lane"][row], arrays["calls.lane"][call]])
        entered = np.concatenate([begin[row], arrays["calls.enter_ns"][call]])
        find_sites = partial(rerun.sites, lane, entered, np.concatenate([took[row], own_time[call]]))
        causes.append(MessageCause(kind, changes, (), find_sites, len(lane)))
    return causes


def _time_after_last_enter(rerun: Rerun) -> Array:
    """The time of each call of a collective after its last rank has entered, in ns."""
    collective, enter, leave = (rerun.arrays[f"calls.{name}"] for name in ("collective", "enter_ns", "leave_ns"))
    last_enter = np.full(len(rerun.arrays["collectives.library"]), MISSING)
    np.maximum.at(last_enter, collective, enter)
    return length_ns(np.maximum(enter, last_enter[collective]), leave)
