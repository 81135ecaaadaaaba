"""Events of each rank in a collective of the MPI library: its messages, in the order in which it sent and needed them.

A rank's part of a collective is a list of events on its own clock. Between two events lies the rank's own time, in
which it does not wait. The replay replaces an own time by the median of all similar ones, both in the baseline and in
candidates, so that they are comparable. Time that ranks lost beyond the median is part of the replay's error.
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
from hopscope.replay.run.subject import Source
from hopscope.vocabulary.links import LINKS

ENTER, SENT, POSTED, RECEIVED, DELIVERED, LEAVE = range(6)
"""Kinds of events. A message has SENT and RECEIVED. A message that could not move before its receive was posted also
has POSTED at the receiver, and DELIVERED at the sender, which waited."""
KINDS = LEAVE + 1
NO_LIMITS: Mapping[str, float] = {}


@dataclass(frozen=True)
class Events:
    """Events of each rank in the subject's collectives, by call and in order."""

    source: Source
    hops: Array  # rows of the messages
    late_receives: Array  # True for a message that waited for its receive to be posted
    rendezvous: Array  # True for a message longer than the eager limit
    call: Array  # row of the call
    kind: Array
    hop: Array  # position in `hops`; -1 for enter and leave
    own_ns: Array  # the rank's own time since the event before; 0 for enter
    exact: Array  # True if own_ns is known
    size: Array  # bytes of the message

    def select(self, collectives: Array) -> Events:
        """The events of some collectives. Their typical times stay the medians over all collectives."""
        arrays = self.source.arrays
        hops = np.isin(arrays["hops.collective"][self.hops], collectives)
        call_events = np.isin(arrays["calls.collective"][self.call], collectives)
        # The last entry is for the hop -1 of enters and leaves.
        number = np.append(np.cumsum(hops) - 1, -1)
        columns = {name: getattr(self, name)[call_events] for name in ("call", "kind", "own_ns", "exact", "size")}
        of_hops = {name: getattr(self, name)[hops] for name in ("hops", "late_receives", "rendezvous")}
        part = replace(self, **columns, **of_hops, hop=number[self.hop[call_events]])
        part.__dict__["typical_ns"] = self.typical_ns[call_events]
        return part

    @property
    def previous_kind(self) -> Array:
        """The kind of the event before each event. Before an ENTER, it is the LEAVE of another call."""
        return np.concatenate([[LEAVE], self.kind[:-1]])

    @cached_property
    def part(self) -> Array:
        """For each event, the number of the selection to which its call belongs."""
        return parts_of(self.source)[self.source.arrays["calls.collective"][self.call]]

    @cached_property
    def typical_ns(self) -> Array:
        """For each event, the median own time of similar events, ns; 0 if unknown. Events of a selection are similar if
        they have the same kind and size, and the events before them do too. Each selection's first collective does not
        count, because it sets the communicator up."""
        sizes, size = np.unique(self.size, return_inverse=True)
        alike = self.kind * len(sizes) + size
        key = np.concatenate([[0], alike[:-1]]) * KINDS * len(sizes) + alike
        key = key * len(self.source.subject.selections) + self.part
        collectives = self.source.arrays["calls.collective"][self.call]
        usable = self.exact & ~np.isin(collectives, [part.simulated[0] for part in self.source.subject.selections])
        groups, group = np.unique(key, return_inverse=True)
        medians = np.zeros(len(groups))
        order = np.lexsort((self.own_ns[usable], group[usable]))
        grouped, values = group[usable][order], self.own_ns[usable][order]
        known_groups, start, count = np.unique(grouped, return_index=True, return_counts=True)
        medians[known_groups] = (values[start + (count - 1) // 2] + values[start + count // 2]) / 2
        return np.rint(np.where(self.kind == ENTER, 0, medians[group])).astype(np.int64)


def parts_of(source: Source) -> Array:
    """For each collective, the number of the selection to which it belongs; 0 also for collectives outside the
    subject."""
    result = np.zeros(len(source.tables["collectives"]), np.int64)
    for number, part in enumerate(source.subject.selections):
        result[part.simulated] = number
    return result


def events_of(source: Source, limits: Mapping[str, float] = NO_LIMITS) -> Events:
    """The events of the subject's collectives, which the MPI library ran. limits: the bytes of the longest eager
    message by class of links; a class without a limit has no rendezvous."""
    arrays, table = source.arrays, source.tables["hops"]
    hops = hops_of(source)
    calls = np.flatnonzero(np.isin(arrays["calls.collective"], source.subject.simulated))
    ends, find = model_hops(source, hops), Calls(source)
    src, dst = (find.rows_of(ends.collective, rank) for rank in (ends.src, ends.dst))
    late_receives, undecided = (pc.equal(table["binding"], word).to_numpy()[hops] for word in ("send", "undecided"))
    time = {
        name: arrays[f"hops.{name}_ns"][hops]
        for name in ("send_begin", "send_wait_begin", "send_end", "recv_post", "recv_wait_begin", "recv_end")
    }
    # If a rank did not wait for a message, because it had arrived before, receiving it is the rank's own time.
    waited = (ends.binding | late_receives | undecided) & (time["recv_wait_begin"] != MISSING)
    need_begin = np.where(waited, time["recv_wait_begin"], time["recv_end"])
    rendezvous = ends.size > np.asarray([limits.get(name, math.inf) for name in LINKS])[ends.link]
    # A message by rendezvous also waited for its receive if the receive was posted after the send had begun.
    late_receives |= (
        rendezvous & (time["send_end"] != MISSING) & (time["recv_post"] > time["send_begin"] + ends.clock_error)
    )
    has_wait = time["send_wait_begin"] != MISSING
    block_begin = np.where(has_wait, time["send_wait_begin"], time["send_end"])
    number = np.arange(len(hops))
    no_hop, sure, unsure = np.full(len(calls), -1), np.ones(len(calls), bool), np.ones(len(hops), bool)
    parts = [  # each: kind, call, message, begin of the wait, arrival, True if the begin is known
        (ENTER, calls, no_hop, arrays["calls.enter_ns"][calls], arrays["calls.enter_ns"][calls], sure),
        (SENT, src, number, time["send_begin"], time["send_begin"], unsure),
        (
            POSTED,
            dst[late_receives],
            number[late_receives],
            time["recv_post"][late_receives],
            time["recv_post"][late_receives],
            unsure[late_receives],
        ),
        (RECEIVED, dst, number, need_begin, time["recv_end"], ~undecided),
        (
            DELIVERED,
            src[late_receives],
            number[late_receives],
            block_begin[late_receives],
            time["send_end"][late_receives],
            has_wait[late_receives],
        ),
        (LEAVE, calls, no_hop, arrays["calls.leave_ns"][calls], arrays["calls.leave_ns"][calls], sure),
    ]
    kind = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts])
    call, hop, begin, end, exact = (np.concatenate([part[i] for part in parts]) for i in range(1, 6))
    end = np.clip(end, arrays["calls.enter_ns"][call], arrays["calls.leave_ns"][call])
    order = np.lexsort((kind, end, call))
    call, kind, hop, begin, end, exact = (a[order] for a in (call, kind, hop, begin, end, exact))
    own_ns = np.maximum(0, np.minimum(begin, end) - np.concatenate([[0], end[:-1]]))
    # If the trace does not show when a sender began to wait, assume that it waited from the event before.
    own_ns[(kind == ENTER) | ((kind == DELIVERED) & ~exact & (begin >= end))] = 0
    exact &= kind != ENTER
    order, moved = _needed_order(source, ends, call, kind, hop)
    # If a receive moved behind other events, its own time is unknown, and so is the own time of the event after it.
    own_ns[moved], exact[moved] = 0, False
    exact[1:] &= ~moved[:-1]
    size = np.where(hop >= 0, ends.size[hop], 0)
    return Events(source, hops, late_receives, rendezvous, *(a[order] for a in (call, kind, hop, own_ns, exact, size)))


def _needed_order(source: Source, ends: Hops, call: Array, kind: Array, hop: Array) -> tuple[Array, Array]:
    """An order of the events in which a rank receives a message only when it needs the message, and a mask of the
    receives that this moves back.

    If a message has arrived before its receive is posted, the rank receives it at once, although it may first send
    other messages without needing it. So a receive moves back behind as many sends as the largest number that came
    before it in any similar collective. Collectives are similar if they have the same root, bytes and number of
    messages. The number matters because the first collective on a communicator may send hundreds to set it up.
    """
    tables, collective = source.tables, source.arrays["calls.collective"][call]
    is_send = kind == SENT
    new_call = np.concatenate([[True], call[1:] != call[:-1]])
    sends = np.cumsum(is_send) - is_send
    sends -= np.repeat(sends[new_call], np.diff(np.append(np.flatnonzero(new_call), len(call))))
    received = np.flatnonzero(kind == RECEIVED)
    message, rows = hop[received], collective[received]
    alike = [integers(tables["collectives"], name, null=-1)[rows] for name in ("root", "bytes")]
    alike += [np.bincount(ends.collective, minlength=len(tables["collectives"]))[rows], parts_of(source)[rows]]
    key = numbered(*alike, ends.src[message], ends.dst[message], ends.segment[message])
    latest = np.zeros(int(key.max(initial=-1)) + 1, np.int64)
    np.maximum.at(latest, key, sends[received])
    moved = np.zeros(len(call), bool)
    # Not behind the last send of this call, if it has fewer sends than similar ones.
    in_call = np.cumsum(new_call) - 1
    sends_in_call = np.bincount(in_call, weights=is_send).astype(np.int64)[in_call[received]]
    position = np.minimum(latest[key], sends_in_call)
    moved[received] = position > sends[received]
    sends[received] = position
    turn = np.where(kind == LEAVE, 2 * len(call), 2 * sends + is_send)
    return np.lexsort((np.arange(len(call)), turn, call)), moved


def local_costs(events: Events) -> LocalCost:
    """The ranks' own time for sending, receiving and combining messages of the library's algorithm, as local costs."""
    own_ns, previous, kind = events.own_ns, events.previous_kind, events.kind
    # A sender's wait for a CTS is not its own work.
    waits = (kind == SENT) & events.rendezvous[events.hop]
    exact = events.exact & ~np.isin(events.call, events.call[waits])

    def median(selection: Array) -> float:
        return float(np.median(own_ns[selection & exact])) if (selection & exact).any() else 0.0

    combines = np.isin([part.op for part in events.source.subject.selections], REDUCING)[events.part]
    reduces = bool(combines.any())
    # If only some operations combine data, these give the costs of handling messages towards the root, and the other
    # operations the costs of handling messages from it.
    combining = exact & (combines | (not reduces))
    send = max(median((previous == SENT) & np.isin(kind, (SENT, POSTED, RECEIVED))), _sending_ns(events))
    # The event after a receive comes when the received data are combined. A rank may also wait for several receives
    # together, so this event may be another receive.
    followups = (previous == RECEIVED) & np.isin(kind, (SENT, POSTED, RECEIVED) if reduces else (SENT,)) & combining
    last = (previous == RECEIVED) & (kind == LEAVE) & combining
    down = (previous == RECEIVED) & (kind == SENT) & exact & ~combining
    if reduces and not followups.any():
        followups = last
    handle, per_byte = median(followups), 0.0
    if reduces and followups.any():
        received = np.concatenate([[0], events.size[:-1]])[followups].astype(np.float64)
        handle, per_byte = line_of(received, own_ns[followups].astype(np.float64))
    if last.any():
        leave = float(np.median((own_ns - per_byte * np.concatenate([[0], events.size[:-1]]))[last])) - handle
    else:
        leave = median((previous == SENT) & (kind == LEAVE)) - send
    return LocalCost(
        enter_ns=median((previous == ENTER) & (kind == SENT)),
        handle_up_ns=max(0.0, handle),
        combine_per_byte_ns=per_byte,
        handle_down_ns=max(0.0, median(down) if down.any() else handle),
        send_ns=send,
        leave_ns=max(0.0, leave),
    )


def _sending_ns(events: Events) -> float:
    """The median time for which sending a message occupies its rank, ns. If the previous send is still under way, the
    time counts from the end of that send."""
    arrays, hops = events.source.arrays, events.hops
    begin, end = (arrays[f"hops.send_{boundary}_ns"][hops] for boundary in ("begin", "end"))
    sent = events.kind == SENT
    call = np.empty(len(hops), np.int64)
    call[events.hop[sent]] = events.call[sent]
    order = np.lexsort((begin, call))
    previous_end = np.concatenate([[MISSING], np.where(np.diff(call[order]) == 0, end[order][:-1], MISSING)])
    busy = end[order] - np.maximum(begin[order], previous_end)
    usable = (end[order] != MISSING) & ~events.late_receives[order] & ~events.rendezvous[order]
    return max(0.0, float(np.median(busy[usable]))) if usable.any() else 0.0
