"""What each rank did in a collective of the MPI library: its messages, in the order in which it sent and needed them.

A rank's part of a collective is a list of events on its own clock, and between two of them lies the rank's own time. As
with the candidates, that time is the median of all that are alike: the baseline and the candidates go by one
measure, and what ranks lost beyond it is in the model's error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from hopscope.dataset.path_columns import MISSING, Array, integers, numbered
from hopscope.machine.costs import LocalCost
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import line_of
from hopscope.replay.run.hops import Calls, hops_of, model_hops
from hopscope.replay.run.operations import REDUCING
from hopscope.replay.run.program import Source
from hopscope.vocabulary.links import LINKS

ENTER, SENT, POSTED, RECEIVED, DELIVERED, LEAVE = range(6)
"""Events. Posted and delivered: of a message that could not move before its receive was posted, at the receiver and at
the sender that waited."""
KINDS = LEAVE + 1
NO_LIMITS: Mapping[str, float] = {}


@dataclass(frozen=True)
class Events:
    """What each rank did in the subject's collectives, by call and in order."""

    source: Source
    hops: Array  # rows of the messages
    late: Array  # whether a message waited for its receive to be posted
    announced: Array  # whether it is as long as those that go by rendezvous
    call: Array  # row of the call
    kind: Array
    hop: Array  # position in `hops`; -1 for enter and leave
    own_ns: Array  # the rank's own time since the event before; 0 for enter
    exact: Array  # whether that is known
    size: Array  # bytes of the message

    def within(self, collectives: Array) -> Events:
        """Those of some collectives; what is typical is so of all."""
        arrays = self.source.arrays
        hops = np.isin(arrays["hops.collective"][self.hops], collectives)
        mine = np.isin(arrays["calls.collective"][self.call], collectives)
        # With a place for the hop -1 of enters and leaves.
        number = np.append(np.cumsum(hops) - 1, -1)
        columns = {name: getattr(self, name)[mine] for name in ("call", "kind", "own_ns", "exact", "size")}
        of_hops = {name: getattr(self, name)[hops] for name in ("hops", "late", "announced")}
        part = replace(self, **columns, **of_hops, hop=number[self.hop[mine]])
        part.__dict__["typical_ns"] = self.typical_ns[mine]
        return part

    @property
    def before(self) -> Array:
        """The kind of the event before; the leave of another call before an enter."""
        return np.concatenate([[LEAVE], self.kind[:-1]])

    @cached_property
    def part(self) -> Array:
        """The number of the subject's part that the call is of."""
        return parts_of(self.source)[self.source.arrays["calls.collective"][self.call]]

    @cached_property
    def typical_ns(self) -> Array:
        """The median own time of events of one kind and size after one of such a kind and size; 0 where none is known.
        The first collective is left out, for it sets the communicator up."""
        sizes, size = np.unique(self.size, return_inverse=True)
        alike = self.kind * len(sizes) + size
        key = np.concatenate([[0], alike[:-1]]) * KINDS * len(sizes) + alike
        key = key * len(self.source.subject.each) + self.part
        collectives = self.source.arrays["calls.collective"][self.call]
        known = self.exact & ~np.isin(collectives, [part.simulated[0] for part in self.source.subject.each])
        groups, group = np.unique(key, return_inverse=True)
        medians = np.zeros(len(groups))
        order = np.lexsort((self.own_ns[known], group[known]))
        grouped, values = group[known][order], self.own_ns[known][order]
        found, start, count = np.unique(grouped, return_index=True, return_counts=True)
        medians[found] = (values[start + (count - 1) // 2] + values[start + count // 2]) / 2
        return np.rint(np.where(self.kind == ENTER, 0, medians[group])).astype(np.int64)


def parts_of(source: Source) -> Array:
    """Of each collective the number of the subject's part that it is of; 0 of the others."""
    result = np.zeros(len(source.tables["collectives"]), np.int64)
    for number, part in enumerate(source.subject.each):
        result[part.simulated] = number
    return result


def events_of(source: Source, limits: Mapping[str, float] = NO_LIMITS) -> Events:
    """The events of the subject's collectives, which the MPI library ran. limits: by class of links, of how many bytes
    the longest message is that goes without a rendezvous; none waits if its class is not there."""
    arrays, table = source.arrays, source.tables["hops"]
    hops = hops_of(source)
    calls = np.flatnonzero(np.isin(arrays["calls.collective"], source.subject.simulated))
    ends, find = model_hops(source, hops), Calls(source)
    src, dst = (find.of(ends.collective, rank) for rank in (ends.src, ends.dst))
    late, undecided = (pc.equal(table["binding"], word).to_numpy()[hops] for word in ("send", "undecided"))
    time = {
        name: arrays[f"hops.{name}_ns"][hops]
        for name in ("send_begin", "send_wait_begin", "send_end", "recv_post", "recv_wait_begin", "recv_end")
    }
    # A message that was there when the rank came to it took the rank's own time until it had it.
    waited = (ends.binding | late | undecided) & (time["recv_wait_begin"] != MISSING)
    needed = np.where(waited, time["recv_wait_begin"], time["recv_end"])
    announced = ends.size > np.asarray([limits.get(name, math.inf) for name in LINKS])[ends.link]
    # By rendezvous, the CTS of one that was posted after it was sent may have come later for that.
    late |= announced & (time["send_end"] != MISSING) & (time["recv_post"] > time["send_begin"] + ends.clock_error)
    is_held = time["send_wait_begin"] != MISSING
    held = np.where(is_held, time["send_wait_begin"], time["send_end"])
    number = np.arange(len(hops))
    none, sure, unsure = np.full(len(calls), -1), np.ones(len(calls), bool), np.ones(len(hops), bool)
    parts = [  # kind, call, message, from when it was waited for, when it was there, whether the former is known
        (ENTER, calls, none, arrays["calls.enter_ns"][calls], arrays["calls.enter_ns"][calls], sure),
        (SENT, src, number, time["send_begin"], time["send_begin"], unsure),
        (POSTED, dst[late], number[late], time["recv_post"][late], time["recv_post"][late], unsure[late]),
        (RECEIVED, dst, number, needed, time["recv_end"], ~undecided),
        (DELIVERED, src[late], number[late], held[late], time["send_end"][late], is_held[late]),
        (LEAVE, calls, none, arrays["calls.leave_ns"][calls], arrays["calls.leave_ns"][calls], sure),
    ]
    kind = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts])
    call, hop, begin, end, exact = (np.concatenate([part[i] for part in parts]) for i in range(1, 6))
    end = np.clip(end, arrays["calls.enter_ns"][call], arrays["calls.leave_ns"][call])
    order = np.lexsort((kind, end, call))
    call, kind, hop, begin, end, exact = (a[order] for a in (call, kind, hop, begin, end, exact))
    own = np.maximum(0, np.minimum(begin, end) - np.concatenate([[0], end[:-1]]))
    # Where the trace does not show when a sender began to wait, it did so as soon as it could.
    own[(kind == ENTER) | ((kind == DELIVERED) & ~exact & (begin >= end))] = 0
    exact &= kind != ENTER
    order, moved = _needed_order(source, ends, call, kind, hop)
    # Of a message that was there before it was needed, the time to take it fell before another event.
    own[moved], exact[moved] = 0, False
    exact[1:] &= ~moved[:-1]
    size = np.where(hop >= 0, ends.size[hop], 0)
    return Events(source, hops, late, announced, *(a[order] for a in (call, kind, hop, own, exact, size)))


def _needed_order(source: Source, ends: Hops, call: Array, kind: Array, hop: Array) -> tuple[Array, Array]:
    """The events' order with each message received where its rank needed it, and which events that moves back.

    A message that is there when its receive is posted is received at once, although the rank may have sent others
    before it needed that one. So it comes after all sends that any like collective began before it was received: one
    with the same root, bytes and number of messages. The first one on a communicator may send hundreds to set it up.
    """
    tables, collective = source.tables, source.arrays["calls.collective"][call]
    is_send = kind == SENT
    new_call = np.concatenate([[True], call[1:] != call[:-1]])
    sends = np.cumsum(is_send) - is_send
    sends -= np.repeat(sends[new_call], np.diff(np.append(np.flatnonzero(new_call), len(call))))
    received = np.flatnonzero(kind == RECEIVED)
    message, at = hop[received], collective[received]
    alike = [integers(tables["collectives"], name, null=-1)[at] for name in ("root", "bytes")]
    alike += [np.bincount(ends.collective, minlength=len(tables["collectives"]))[at], parts_of(source)[at]]
    key = numbered(*alike, ends.src[message], ends.dst[message], ends.segment[message])
    latest = np.zeros(int(key.max(initial=-1)) + 1, np.int64)
    np.maximum.at(latest, key, sends[received])
    moved = np.zeros(len(call), bool)
    # No later than this rank's own last send, should the collective have fewer than others.
    in_call = np.cumsum(new_call) - 1
    most = np.bincount(in_call, weights=is_send).astype(np.int64)[in_call[received]]
    needed = np.minimum(latest[key], most)
    moved[received] = needed > sends[received]
    sends[received] = needed
    turn = np.where(kind == LEAVE, 2 * len(call), 2 * sends + is_send)
    return np.lexsort((np.arange(len(call)), turn, call)), moved


def local_costs(events: Events) -> LocalCost:
    """What ranks spend themselves on messages of the library's algorithm, as costs of a tree."""
    own, before, kind = events.own_ns, events.before, events.kind
    # What a sender waits for an answer is no work of its own.
    waits = (kind == SENT) & events.announced[events.hop]
    exact = events.exact & ~np.isin(events.call, events.call[waits])

    def median(chosen: Array) -> float:
        return float(np.median(own[chosen & exact])) if (chosen & exact).any() else 0.0

    combines = np.isin([part.op for part in events.source.subject.each], REDUCING)[events.part]
    reduces = bool(combines.any())
    # Of a mix, what combines shows the way up and the rest the way down.
    mine = exact & (combines | (not reduces))
    send = max(median((before == SENT) & np.isin(kind, (SENT, POSTED, RECEIVED))), _sending_ns(events))
    # What follows a receive waits until it is combined; other receives may be waited for together.
    after = (before == RECEIVED) & np.isin(kind, (SENT, POSTED, RECEIVED) if reduces else (SENT,)) & mine
    last = (before == RECEIVED) & (kind == LEAVE) & mine
    down = (before == RECEIVED) & (kind == SENT) & exact & ~mine
    if reduces and not after.any():
        after = last
    handle, per_byte = median(after), 0.0
    if reduces and after.any():
        received = np.concatenate([[0], events.size[:-1]])[after].astype(np.float64)
        handle, per_byte = line_of(received, own[after].astype(np.float64))
    if last.any():
        leave = float(np.median((own - per_byte * np.concatenate([[0], events.size[:-1]]))[last])) - handle
    else:
        leave = median((before == SENT) & (kind == LEAVE)) - send
    return LocalCost(
        enter_ns=median((before == ENTER) & (kind == SENT)),
        handle_up_ns=max(0.0, handle),
        combine_per_byte_ns=per_byte,
        handle_down_ns=max(0.0, median(down) if down.any() else handle),
        send_ns=send,
        leave_ns=max(0.0, leave),
    )


def _sending_ns(events: Events) -> float:
    """How long a message occupies its sender; those that follow one another at once wait for the one before."""
    arrays, hops = events.source.arrays, events.hops
    begin, end = (arrays[f"hops.send_{at}_ns"][hops] for at in ("begin", "end"))
    sent = events.kind == SENT
    call = np.empty(len(hops), np.int64)
    call[events.hop[sent]] = events.call[sent]
    order = np.lexsort((begin, call))
    earlier = np.concatenate([[MISSING], np.where(np.diff(call[order]) == 0, end[order][:-1], MISSING)])
    busy = end[order] - np.maximum(begin[order], earlier)
    known = (end[order] != MISSING) & ~events.late[order] & ~events.announced[order]
    return max(0.0, float(np.median(busy[known]))) if known.any() else 0.0
