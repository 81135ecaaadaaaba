"""The MPI library's own algorithm as it ran: its messages take the place of a candidate's trees in the replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from hopscope.links import LINKS
from hopscope.model.costs import Costs
from hopscope.model.hops import Hops
from hopscope.model.link_fit import interface_delays
from hopscope.paths.columns import STAYS, Array
from hopscope.remap.algorithms.schedule import Messages
from hopscope.remap.candidate import Structure
from hopscope.remap.run.events import DELIVERED, ENTER, LEAVE, NO_LIMITS, POSTED, RECEIVED, SENT, Events, events_of
from hopscope.remap.run.hops import hops_of, model_hops
from hopscope.remap.run.program import AS_OBSERVED, COLLECTIVE, RECORDED, SEND, WAIT, Source, Subject, carried_of


class Answers(NamedTuple):
    """Of messages that are announced, ns: from the announcement until the sender goes on; and from when the receive is
    posted until the message is there, and until the sender goes on."""

    sender: Array
    arrives: Array
    goes: Array

    @classmethod
    def none(cls) -> Answers:
        """Of a run without such messages."""
        return cls(*[np.zeros(0, np.int64)] * 3)


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
        transit = mine._transit_ns(costs, arrays)
        answers = mine._answers(transit, arrays) if mine.events.announced.any() else None
        return mine.with_transits(program, rows, transit, answers)

    def _within(self, rows: Array) -> Recorded:
        """The messages of these collectives, which a program of a part of the run has."""
        if id(rows) not in self.parts:
            all_of_them = np.isin(self.hops.collective, rows).all()
            of = self if all_of_them else Recorded(self.events.within(rows), self.name)
            self.parts[id(rows)] = rows, of
        return self.parts[id(rows)][1]

    def with_transits(
        self, program: dict[str, Array], rows: Array, transit: Array, answers: Answers | None = None
    ) -> dict[str, Array]:
        """The same, given what each message takes. `message` has -1 - its row for each transit of a hop. answers: of
        those that are announced."""
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

        # What is announced waits at both ends for both: for these there is a second transit after each event.
        first, answers = len(program["transit_ns"]), answers or Answers.none()
        waits, late = events.announced, events.late & ~events.announced
        twice = np.repeat(np.arange(len(kind)), 1 + waits[hop])
        is_second = np.concatenate([[False], np.diff(twice) == 0])[: len(twice)]
        place, kind, hop, own = (a[twice] for a in (place, kind, hop, own))
        refs = first + len(transit) + np.cumsum(np.concatenate([late, waits, waits, waits])) - 1
        posted, answered, arrives, goes = refs.reshape(4, -1)
        of_receiver, of_sender = np.isin(kind, (SENT, POSTED)), np.isin(kind, (POSTED, DELIVERED))
        ref = np.where(of_sender, posted[hop], first + hop)
        is_post = kind == POSTED
        of_waiting = np.select(
            [kind == SENT, is_post, kind == RECEIVED],
            [
                np.where(is_second, answered[hop], first + hop),
                np.where(is_second, goes[hop], arrives[hop]),
                np.where(is_second, arrives[hop], first + hop),
            ],
            np.where(is_second, goes[hop], answered[hop]),
        )
        added = {
            "op": np.where(of_receiver, SEND, WAIT).astype(np.int8),
            "ref": np.where(waits[hop], of_waiting, ref),
            "gap_ns": np.where(is_second, 0, own),
            "hold_ns": np.where((kind == RECEIVED) & late[hop], transit[hop], 0),
            "slot": np.zeros(len(kind), np.int64),
        }
        order = np.argsort(np.concatenate([place, np.arange(len(lane))]), kind="stable")
        changed = {
            name: np.concatenate([values, {**program, "gap_ns": gap}[name]])[order] for name, values in added.items()
        }
        members = np.repeat(mine, np.diff(program["first_member"]))
        changed |= {
            "first_op": np.searchsorted(np.concatenate([lane[place], lane])[order], np.arange(lanes + 1)),
            "transit_ns": np.concatenate(
                [program["transit_ns"], transit, transit[late], *(time[waits[: len(time)]] for time in answers)]
            ),
            "message": np.concatenate(
                [program["message"], -1 - events.hops, -1 - events.hops[late], *[-1 - events.hops[waits]] * 3]
            ),
            "schedule": np.where(mine, AS_OBSERVED, program["schedule"]),
            "leads": np.where(mine, STAYS, program["leads"]),
            "own_time_ns": np.where(members, 0, program["own_time_ns"]),
        }
        return {
            name: np.ascontiguousarray(changed.get(name, values), dtype=values.dtype)
            for name, values in program.items()
        }

    def beside(
        self, program: dict[str, Array], rows: Array, costs: Costs, host_clusters: Sequence[int]
    ) -> dict[str, Array]:
        """The same for the collectives that no part has and all of whose members are in the program."""
        return self.program(self.marked(program, rows), rows, costs, costs.arrays(host_clusters))

    def marked(self, program: dict[str, Array], rows: Array) -> dict[str, Array]:
        """The program with RECORDED for these collectives."""
        mine = np.isin(rows, self.events.source.subject.simulated) & (program["schedule"] == AS_OBSERVED)
        members = np.bincount(self.events.source.arrays["calls.collective"], minlength=int(rows.max(initial=0)) + 1)
        mine &= np.diff(program["first_member"]) == members[rows]
        schedule = np.where(mine, RECORDED, program["schedule"]).astype(np.int32)
        return {**program, "schedule": schedule}

    def _keys(self, lanes: int) -> Array:
        arrays, call = self.events.source.arrays, self.events.call
        return arrays["calls.collective"][call] * lanes + arrays["calls.lane"][call]

    def _transit_ns(self, costs: Costs, arrays: dict[str, Any]) -> Array:
        pair = self.hops.src_host * arrays["hosts"] + self.hops.dst_host
        latency = arrays["latency_ns"][pair]
        if costs.machine.emulated:
            return np.rint(latency + costs.machine.delays(self.hops)).astype(np.int64)
        announced, answer = self.events.announced, arrays["answer_ns"][pair]
        held = arrays["announcement_ns"][pair] + answer
        begin = self.events.source.arrays["hops.send_begin_ns"][self.events.hops]
        goes = np.where(announced, np.maximum(begin + held, self.hops.posted + answer), self.hops.sent)
        latency = np.where(announced, arrays["announced_ns"][pair], latency)
        # Where a host sends one message at a time, they queue as their times in the run have it.
        queued = interface_delays(
            replace(self.hops, sent=goes), costs.interface_message_ns, latency, costs.interface_per_byte_ns
        )
        per_byte = arrays["per_byte_ns"][pair] + announced * arrays["announced_per_byte_ns"][pair]
        return np.rint(latency + held * announced + per_byte * self.hops.size + queued).astype(np.int64)

    def _answers(self, transit: Array, arrays: dict[str, Any]) -> Answers:
        """How long a sender waits for the answer, and both for a receive that is posted late."""
        pair = self.hops.src_host * arrays["hosts"] + self.hops.dst_host
        answer = arrays["answer_ns"][pair]
        between = self.hops.src_host != self.hops.dst_host
        leaves = np.where(between, arrays["per_byte_ns"][pair] * self.hops.size, 0.0)
        announcement = arrays["announcement_ns"][pair]
        arrives = transit - announcement
        times = announcement + answer + leaves, arrives, answer + leaves
        return Answers(*(np.rint(time).astype(np.int64) for time in times))


def recorded_beside(source: Source, limits: Mapping[str, float] = NO_LIMITS) -> Recorded | None:
    """The messages of the collectives that no part of the subject has, if there are any. limits: as in `events_of`.

    In the run they may have been there when a rank came for them; behind a faster candidate it may have to wait.
    """
    carried, native = carried_of(source.tables, source.arrays)
    others = np.flatnonzero(carried & ~np.isin(np.arange(len(carried)), source.subject.simulated))
    if native != source.subject.native or not len(others):
        return None
    of_others = replace(source, subject=replace(source.subject, simulated=others, parts=()))
    return Recorded(events_of(of_others, limits)) if len(hops_of(of_others)) else None


def _places(known: Array, place: Array, wanted: Array) -> Array:
    """For each wanted key the place of the equal known one; -1 where there is none."""
    if not len(known):
        return np.full(len(wanted), -1)
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return np.where(known[order][at] == wanted, place[order][at], -1)
