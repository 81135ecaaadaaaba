"""Replays the MPI library's recorded messages: in the baseline, and in selections that a candidate does not change."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hopscope.dataset.path_columns import STAYS, Array
from hopscope.machine.costs import Costs
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import interface_delays
from hopscope.replay.algorithms.schedule import Messages
from hopscope.replay.candidate import Structure
from hopscope.replay.run.events import DELIVERED, ENTER, LEAVE, POSTED, RECEIVED, SENT, Events
from hopscope.replay.run.hops import model_hops
from hopscope.replay.run.program import AS_OBSERVED, COLLECTIVE, RECORDED, SEND, WAIT
from hopscope.replay.run.subject import Subject
from hopscope.vocabulary.links import LINKS


@dataclass(frozen=True)
class Recorded:
    """The recorded messages of the subject's collectives, which the replay uses instead of an algorithm's schedules."""

    events: Events
    name: str = "baseline: the MPI library"
    hops: Hops = field(init=False)
    # A cache, by the id of an array of rows. It also keeps the array, so that no other array can get this id.
    parts: dict[int, tuple[Array, Recorded]] = field(default_factory=dict[int, "tuple[Array, Recorded]"], repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hops", model_hops(self.events.source, self.events.hops))

    def messages(self, subject: Subject) -> list[Messages]:
        """Returns an empty list, because the run measured all these messages, so none is extrapolated."""
        del subject
        return []

    def structure(self, subject: Subject) -> Structure:
        """The structure, with only the number of WAN messages (of the last collective), because recorded messages do
        not show chains."""
        wan = (self.hops.link == LINKS.index("wan")) & (self.hops.collective == subject.simulated[-1])
        return Structure(wan_messages=int(wan.sum()))

    def program(self, program: dict[str, Array], rows: Array, costs: Costs, arrays: dict[str, Any]) -> dict[str, Array]:
        """The program, in which these messages now replace the collectives whose schedule number is RECORDED.

        program, rows: as `program_of` returns them, except that schedule numbers may be RECORDED. arrays: the costs by
        pair of hosts.
        """
        recording = self._select(rows)
        return recording._with_messages(program, rows, *recording._transits_ns(costs, arrays))

    def _select(self, rows: Array) -> Recorded:
        """The recorded messages of only these collectives, for a program that covers a part of the run."""
        if id(rows) not in self.parts:
            is_complete = np.isin(self.hops.collective, rows).all()
            selection = self if is_complete else Recorded(self.events.select(rows), self.name)
            self.parts[id(rows)] = rows, selection
        return self.parts[id(rows)][1]

    def _with_messages(
        self, program: dict[str, Array], rows: Array, transit: Array, cleared: Array, sending: Array
    ) -> dict[str, Array]:
        """The program with these messages. transit: the time of each message, ns. cleared, sending: the times, ns, from
        the posting of its receive until it is received (cleared), and until its sender continues (sending)."""
        events = self.events
        is_recorded = program["schedule"] == RECORDED
        lanes = len(program["first_op"]) - 1
        lane = np.repeat(np.arange(lanes), np.diff(program["first_op"]))
        collective = np.flatnonzero(program["op"] == COLLECTIVE)
        collective = collective[is_recorded[program["ref"][collective]]]
        place = _places(rows[program["ref"][collective]] * lanes + lane[collective], collective, self._keys(lanes))
        inserted = (place >= 0) & (events.kind != ENTER)
        place, kind, hop, own_ns = (a[inserted] for a in (place, events.kind, events.hop, events.typical_ns))
        previous_kind = events.previous_kind[inserted]
        # A rank's computing before the collective now belongs before its first message there.
        gap = program["gap_ns"].copy()
        own_ns = own_ns + np.where(previous_kind == ENTER, gap[place], 0)
        gap[place[kind == LEAVE]] = own_ns[kind == LEAVE]
        inner = kind != LEAVE
        place, kind, hop, own_ns = (a[inner] for a in (place, kind, hop, own_ns))

        # A message that waited for its receive moves once the receive is posted. From then on, the receiver needs the
        # time `cleared`, and the sender waits for the time `sending`.
        first, late_receives = len(program["transit_ns"]), events.late_receives
        posted = first + len(transit) + np.cumsum(late_receives) - 1
        added = {
            "op": np.where(np.isin(kind, (SENT, POSTED)), SEND, WAIT).astype(np.int8),
            "ref": np.where(np.isin(kind, (POSTED, DELIVERED)), posted[hop], first + hop),
            "gap_ns": own_ns,
            "hold_ns": np.where((kind == RECEIVED) & late_receives[hop], cleared[hop], 0),
            "slot": np.zeros(len(kind), np.int64),
        }
        order = np.argsort(np.concatenate([place, np.arange(len(lane))]), kind="stable")
        changed = {
            name: np.concatenate([values, {**program, "gap_ns": gap}[name]])[order] for name, values in added.items()
        }
        members = np.repeat(is_recorded, np.diff(program["first_member"]))
        changed |= {
            "first_op": np.searchsorted(np.concatenate([lane[place], lane])[order], np.arange(lanes + 1)),
            "transit_ns": np.concatenate([program["transit_ns"], transit, sending[late_receives]]),
            "schedule": np.where(is_recorded, AS_OBSERVED, program["schedule"]),
            "leads": np.where(is_recorded, STAYS, program["leads"]),
            "own_time_ns": np.where(members, 0, program["own_time_ns"]),
        }
        return {
            name: np.ascontiguousarray(changed.get(name, values), dtype=values.dtype)
            for name, values in program.items()
        }

    def _keys(self, lanes: int) -> Array:
        arrays, call = self.events.source.arrays, self.events.call
        return arrays["calls.collective"][call] * lanes + arrays["calls.lane"][call]

    def _transits_ns(self, costs: Costs, arrays: dict[str, Any]) -> tuple[Array, Array, Array]:
        """Three times of each message, ns: from its sending until it is received; from the posting of its receive until
        it is received; and from that posting until its sender continues."""
        pair = self.hops.src_host * arrays["hosts"] + self.hops.dst_host
        latency = arrays["latency_ns"][pair]
        if costs.machine.emulated:
            return (np.rint(latency + costs.machine.delays(self.hops)).astype(np.int64),) * 3
        rendezvous = self.events.rendezvous
        rts, cts = (rendezvous * arrays[f"{name}_ns"][pair] for name in ("announcement", "answer"))
        latency = np.where(rendezvous, arrays["announced_ns"][pair], latency)
        # A host sends one message at a time. Its messages queue in the order in which the run sent them.
        goes = replace(self.hops, sent=self.hops.sent + rts + cts)
        queued = interface_delays(goes, costs.interface_message_ns, latency, costs.interface_per_byte_ns)
        per_byte = arrays["per_byte_ns"][pair] + rendezvous * arrays["announced_per_byte_ns"][pair]
        cleared = cts + latency + per_byte * self.hops.size + queued
        leaves = rendezvous & (self.hops.src_host != self.hops.dst_host)
        sending = np.where(leaves, cts + arrays["per_byte_ns"][pair] * self.hops.size, cleared)
        whole = rts + cleared
        return np.rint(whole).astype(int), np.rint(cleared).astype(int), np.rint(sending).astype(int)


def _places(keys: Array, place: Array, wanted_keys: Array) -> Array:
    """Looks up each wanted key in `keys`, and returns the element of `place` at its index; -1 for a missing key."""
    if not len(keys):
        return np.full(len(wanted_keys), -1)
    order = np.argsort(keys)
    position = np.minimum(np.searchsorted(keys[order], wanted_keys), len(keys) - 1)
    return np.where(keys[order][position] == wanted_keys, place[order][position], -1)
