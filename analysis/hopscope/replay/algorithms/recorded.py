"""The MPI library's own algorithm as it ran: its messages take the place of a candidate's trees in the replay."""

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
from hopscope.replay.run.program import AS_OBSERVED, COLLECTIVE, RECORDED, SEND, WAIT, Subject
from hopscope.vocabulary.links import LINKS


@dataclass(frozen=True)
class Recorded:
    """The message graph that ran, in the place of a candidate."""

    events: Events
    name: str = "baseline: the MPI library"
    hops: Hops = field(init=False)
    # By identity; the rows are kept, so that no others get their place.
    parts: dict[int, tuple[Array, Recorded]] = field(default_factory=dict[int, "tuple[Array, Recorded]"], repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hops", model_hops(self.events.source, self.events.hops))

    def messages(self, subject: Subject) -> list[Messages]:
        """None that a schedule sends: all of them were measured."""
        del subject
        return []

    def structure(self, subject: Subject) -> Structure:
        """The WAN messages of the last collective; how many come one after another, a record does not tell."""
        wan = (self.hops.link == LINKS.index("wan")) & (self.hops.collective == subject.simulated[-1])
        return Structure(wan_messages=int(wan.sum()))

    def program(self, program: dict[str, Array], rows: Array, costs: Costs, arrays: dict[str, Any]) -> dict[str, Array]:
        """A program in which the collectives whose schedule is RECORDED are these messages: what it does else stays as
        it is.

        program, rows: as `program_of` gives them, but for the schedules. arrays: the costs by pair of hosts.
        """
        mine = self._within(rows)
        return mine._with_messages(program, rows, *mine._transits_ns(costs, arrays))

    def _within(self, rows: Array) -> Recorded:
        """The messages of these collectives, which a program of a part of the run has."""
        if id(rows) not in self.parts:
            all_of_them = np.isin(self.hops.collective, rows).all()
            of = self if all_of_them else Recorded(self.events.within(rows), self.name)
            self.parts[id(rows)] = rows, of
        return self.parts[id(rows)][1]

    def _with_messages(
        self, program: dict[str, Array], rows: Array, transit: Array, cleared: Array, sending: Array
    ) -> dict[str, Array]:
        """The same, given what each message takes, and from when its receive is posted to both of its ends."""
        events = self.events
        mine = program["schedule"] == RECORDED
        lanes = len(program["first_op"]) - 1
        lane = np.repeat(np.arange(lanes), np.diff(program["first_op"]))
        collective = np.flatnonzero(program["op"] == COLLECTIVE)
        collective = collective[mine[program["ref"][collective]]]
        place = _places(rows[program["ref"][collective]] * lanes + lane[collective], collective, self._keys(lanes))
        kept = (place >= 0) & (events.kind != ENTER)
        place, kind, hop, own = (a[kept] for a in (place, events.kind, events.hop, events.typical_ns))
        before = events.before[kept]
        # What a rank computed before the collective now lies before its first event.
        gap = program["gap_ns"].copy()
        own = own + np.where(before == ENTER, gap[place], 0)
        gap[place[kind == LEAVE]] = own[kind == LEAVE]
        inner = kind != LEAVE
        place, kind, hop, own = (a[inner] for a in (place, kind, hop, own))

        # What waited for its receive moves from when that is posted, and so long holds both ranks.
        first, late = len(program["transit_ns"]), events.late
        posted = first + len(transit) + np.cumsum(late) - 1
        added = {
            "op": np.where(np.isin(kind, (SENT, POSTED)), SEND, WAIT).astype(np.int8),
            "ref": np.where(np.isin(kind, (POSTED, DELIVERED)), posted[hop], first + hop),
            "gap_ns": own,
            "hold_ns": np.where((kind == RECEIVED) & late[hop], cleared[hop], 0),
            "slot": np.zeros(len(kind), np.int64),
        }
        order = np.argsort(np.concatenate([place, np.arange(len(lane))]), kind="stable")
        changed = {
            name: np.concatenate([values, {**program, "gap_ns": gap}[name]])[order] for name, values in added.items()
        }
        members = np.repeat(mine, np.diff(program["first_member"]))
        changed |= {
            "first_op": np.searchsorted(np.concatenate([lane[place], lane])[order], np.arange(lanes + 1)),
            "transit_ns": np.concatenate([program["transit_ns"], transit, sending[late]]),
            "schedule": np.where(mine, AS_OBSERVED, program["schedule"]),
            "leads": np.where(mine, STAYS, program["leads"]),
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
        """What each message takes, and from when its receive is posted, until it is received and its sender goes on."""
        pair = self.hops.src_host * arrays["hosts"] + self.hops.dst_host
        latency = arrays["latency_ns"][pair]
        if costs.machine.emulated:
            return (np.rint(latency + costs.machine.delays(self.hops)).astype(np.int64),) * 3
        announced = self.events.announced
        announcement, answer = (announced * arrays[f"{name}_ns"][pair] for name in ("announcement", "answer"))
        latency = np.where(announced, arrays["announced_ns"][pair], latency)
        # Where a host sends one message at a time, they queue as their times in the run have it.
        goes = replace(self.hops, sent=self.hops.sent + announcement + answer)
        queued = interface_delays(goes, costs.interface_message_ns, latency, costs.interface_per_byte_ns)
        per_byte = arrays["per_byte_ns"][pair] + announced * arrays["announced_per_byte_ns"][pair]
        cleared = answer + latency + per_byte * self.hops.size + queued
        leaves = announced & (self.hops.src_host != self.hops.dst_host)
        sending = np.where(leaves, answer + arrays["per_byte_ns"][pair] * self.hops.size, cleared)
        whole = announcement + cleared
        return np.rint(whole).astype(int), np.rint(cleared).astype(int), np.rint(sending).astype(int)


def _places(known: Array, place: Array, wanted: Array) -> Array:
    """For each wanted key the place of the equal known one; -1 where there is none."""
    if not len(known):
        return np.full(len(wanted), -1)
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return np.where(known[order][at] == wanted, place[order][at], -1)
