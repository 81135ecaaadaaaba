"""The MPI library's recorded messages in the replay: the baseline, and the selections that a candidate leaves alone."""

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
    """The message graph that ran, replayed in place of a candidate's algorithm."""

    events: Events
    name: str = "baseline: the MPI library"
    hops: Hops = field(init=False)
    # Keyed by the identity of the rows. They are kept too, so that no other array gets their address.
    parts: dict[int, tuple[Array, Recorded]] = field(default_factory=dict[int, "tuple[Array, Recorded]"], repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hops", model_hops(self.events.source, self.events.hops))

    def messages(self, subject: Subject) -> list[Messages]:
        """An empty list: the messages have no schedule, and all were measured."""
        del subject
        return []

    def structure(self, subject: Subject) -> Structure:
        """The WAN messages of the last collective; a record does not show their depth."""
        wan = (self.hops.link == LINKS.index("wan")) & (self.hops.collective == subject.simulated[-1])
        return Structure(wan_messages=int(wan.sum()))

    def program(self, program: dict[str, Array], rows: Array, costs: Costs, arrays: dict[str, Any]) -> dict[str, Array]:
        """A program in which these messages replace the collectives whose schedule is RECORDED. The rest is unchanged.

        program, rows: as from `program_of`, except that schedules may be RECORDED. arrays: the costs by pair of hosts.
        """
        recording = self._select(rows)
        return recording._with_messages(program, rows, *recording._transits_ns(costs, arrays))

    def _select(self, rows: Array) -> Recorded:
        """The messages of these collectives, for a program of a part of the run."""
        if id(rows) not in self.parts:
            is_complete = np.isin(self.hops.collective, rows).all()
            selection = self if is_complete else Recorded(self.events.select(rows), self.name)
            self.parts[id(rows)] = rows, selection
        return self.parts[id(rows)][1]

    def _with_messages(
        self, program: dict[str, Array], rows: Array, transit: Array, cleared: Array, sending: Array
    ) -> dict[str, Array]:
        """The program with these messages. transit: the time of each message. cleared, sending: the times from its
        posted receive until it is received, and until its sender continues."""
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
        # A rank's computing before the collective now lies before its first event.
        gap = program["gap_ns"].copy()
        own_ns = own_ns + np.where(previous_kind == ENTER, gap[place], 0)
        gap[place[kind == LEAVE]] = own_ns[kind == LEAVE]
        inner = kind != LEAVE
        place, kind, hop, own_ns = (a[inner] for a in (place, kind, hop, own_ns))

        # A message that waited for its receive moves once the receive is posted. That takes the receiver the time
        # `cleared`, and the sender waits for the time `sending`.
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
        """Each message's time, and the times from its posted receive until it is received and its sender continues."""
        pair = self.hops.src_host * arrays["hosts"] + self.hops.dst_host
        latency = arrays["latency_ns"][pair]
        if costs.machine.emulated:
            return (np.rint(latency + costs.machine.delays(self.hops)).astype(np.int64),) * 3
        rendezvous = self.events.rendezvous
        rts, cts = (rendezvous * arrays[f"{name}_ns"][pair] for name in ("announcement", "answer"))
        latency = np.where(rendezvous, arrays["announced_ns"][pair], latency)
        # Messages of a host that sends one at a time queue in the order of the run.
        goes = replace(self.hops, sent=self.hops.sent + rts + cts)
        queued = interface_delays(goes, costs.interface_message_ns, latency, costs.interface_per_byte_ns)
        per_byte = arrays["per_byte_ns"][pair] + rendezvous * arrays["announced_per_byte_ns"][pair]
        cleared = cts + latency + per_byte * self.hops.size + queued
        leaves = rendezvous & (self.hops.src_host != self.hops.dst_host)
        sending = np.where(leaves, cts + arrays["per_byte_ns"][pair] * self.hops.size, cleared)
        whole = rts + cleared
        return np.rint(whole).astype(int), np.rint(cleared).astype(int), np.rint(sending).astype(int)


def _places(keys: Array, place: Array, wanted_keys: Array) -> Array:
    """The place of each wanted key: that of the equal key in `keys`; -1 where there is none."""
    if not len(keys):
        return np.full(len(wanted_keys), -1)
    order = np.argsort(keys)
    position = np.minimum(np.searchsorted(keys[order], wanted_keys), len(keys) - 1)
    return np.where(keys[order][position] == wanted_keys, place[order][position], -1)
