"""A replay that is easy to read: one heap has an event for each server on each message's way."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from hopscope.native import _plan

Array = np.ndarray[Any, Any]


class SlowReplay:
    """Ranks that call the same collectives one after another. The arguments are those of `sequences.leaves`."""

    def __init__(
        self,
        schedules: Sequence[_plan.Schedules],
        hosts: Sequence[int],
        machine: dict[str, Any],
        schedule_numbers: Sequence[int],
        gaps_ns: Array,
    ) -> None:
        self.hosts, self.machine, self.schedule_numbers, self.gaps = hosts, machine, schedule_numbers, gaps_ns
        self.schedules = [schedules[number] for number in schedule_numbers]
        self.rank_of = [np.repeat(np.arange(len(hosts)), np.diff(s["first_step"])) for s in self.schedules]
        self.unmet = [s["unmet"] + (s["kind"] == _plan.RECEIVE) + (s["unmet"] == 0) for s in self.schedules]
        self.left = [np.diff(s["first_step"]) for s in self.schedules]
        self.free_at = np.zeros(len(machine["service_ns"]))
        self.busy_until = np.zeros(len(hosts))
        self.agreed: dict[tuple[int, int], float] = {}
        self.last_there: dict[tuple[int, int], float] = {}  # by sender and receiver, for rendezvous messages
        self.arrivals: set[tuple[int, int]] = set()  # messages that have arrived
        # Times of the first and last bytes of each rank's emulated messages whose receives are not posted yet.
        self.unexpected: list[dict[tuple[int, int], tuple[float, float]]] = [{} for _ in hosts]
        self.leave = np.full((len(schedule_numbers), len(hosts)), np.nan)
        self.events: list[tuple[Any, ...]] = []
        self.order = count()

    def run(self) -> Array:
        """The times at which each rank leaves each collective."""
        for rank in range(len(self.hosts)):
            self.push(float(self.gaps[rank, 0]), self.enter, rank, 0)
        while self.events:
            t, _, action, arguments = heapq.heappop(self.events)
            action(t, *arguments)
        return self.leave

    def push(self, t: float, action: Any, *arguments: Any) -> None:
        heapq.heappush(self.events, (t, next(self.order), action, arguments))

    def enter(self, t: float, rank: int, collective: int) -> None:
        self.busy_until[rank] = t + self.machine["enter_ns"]
        s = self.schedules[collective]
        self.work(rank, collective, [int(i) for i in s["ready"][s["first_ready"][rank] : s["first_ready"][rank + 1]]])

    def is_rendezvous(self, collective: int, receive: int) -> bool:
        link = self.machine["link"][self.pair(collective, receive)]
        return bool(self.size(collective, receive) > self.machine["eager_bytes"][link])

    def ends(self, collective: int, receive: int) -> tuple[int, int]:
        """The ranks that send and receive the message of a receive step."""
        rank_of = self.rank_of[collective]
        return int(rank_of[self.schedules[collective]["other_end"][receive]]), int(rank_of[receive])

    def control(self, kind: str, collective: int, receive: int) -> float:
        return float(self.machine[f"{kind}_ns"][self.machine["link"][self.pair(collective, receive)]])

    def ask(self, collective: int, receive: int, t: float) -> None:
        """Sends the RTS of a message."""
        if self.machine["emulates"]:
            self.agree(collective, receive, t)
        else:
            self.push(t, self.announce, collective, receive)

    def announce(self, t: float, collective: int, receive: int) -> None:
        """Delivers the RTS, not before the last message between its ranks."""
        arrival = t + self.control("announcement", collective, receive)
        self.agree(collective, receive, max(arrival, self.last_there.get(self.ends(collective, receive), 0.0)))

    def agree(self, collective: int, receive: int, t: float) -> None:
        """Notes that a message's RTS is there or its receive is posted. After both, the message continues."""
        first = self.agreed.setdefault((collective, receive), t)
        if (collective, -receive - 1) in self.agreed and self.machine["emulates"]:
            self.push(max(t, first), self.sent, collective, int(self.schedules[collective]["other_end"][receive]))
        elif (collective, -receive - 1) in self.agreed:
            t = max(t, first) + self.control("answer", collective, receive)
            self.push(t, self.travel, collective, receive, None, t)
        self.agreed[collective, -receive - 1] = t

    def sent(self, t: float, collective: int, send: int) -> None:
        """Completes the send of a rendezvous message."""
        rank = int(self.rank_of[collective][send])
        self.busy_until[rank] = max(self.busy_until[rank], t)
        self.left[collective][rank] -= 1
        self.work(rank, collective, self.followers(collective, send))

    def followers(self, collective: int, row: int) -> list[int]:
        s = self.schedules[collective]
        return [int(i) for i in s["edge"][s["first_edge"][row] : s["first_edge"][row + 1]]]

    def work(self, rank: int, collective: int, followers: list[int]) -> None:
        """Runs all steps that can run now. The given steps have just got one of the inputs for which they waited."""
        s, unmet = self.schedules[collective], self.unmet[collective]
        steps: list[int] = []
        receives: list[int] = []
        while True:
            for row in followers:
                unmet[row] -= 1
                if unmet[row] == 0:
                    (receives if s["kind"][row] == _plan.RECEIVE else steps).append(row)
                if s["kind"][row] == _plan.RECEIVE and unmet[row] == 1 and self.unexpected[rank]:
                    self.push(float(self.busy_until[rank]), self.take_in, rank)
                has_arrived = (collective, row) in self.arrivals
                if s["kind"][row] != _plan.RECEIVE or not self.is_rendezvous(collective, row):
                    continue
                if unmet[row] == (0 if has_arrived else 1):
                    self.agree(collective, row, float(self.busy_until[rank]))
            if not steps and not receives:
                break
            row = (steps or receives).pop(0)
            self.busy_until[rank] += self.own_time(collective, row)
            if s["kind"][row] == _plan.SEND:
                t, receive = float(self.busy_until[rank]), int(s["other_end"][row])
                is_rendezvous, emulates = self.is_rendezvous(collective, receive), self.machine["emulates"]
                if emulates or not is_rendezvous:
                    self.push(t, self.travel, collective, receive, None, t)
                if is_rendezvous:
                    self.ask(collective, receive, t)
                    followers = []
                    continue
            followers = self.followers(collective, row)
            self.left[collective][rank] -= 1
        if self.left[collective][rank] == 0:
            self.leave[collective, rank] = self.busy_until[rank] + self.machine["leave_ns"]
            if collective + 1 < len(self.schedule_numbers):
                gap = self.gaps[rank, collective + 1]
                self.push(float(self.leave[collective, rank] + gap), self.enter, rank, collective + 1)

    def size(self, collective: int, row: int) -> float:
        return float(self.schedules[collective]["length"][row] * self.schedules[collective]["unit_bytes"])

    def pair(self, collective: int, receive: int) -> int:
        s, rank_of = self.schedules[collective], self.rank_of[collective]
        src, dst = rank_of[s["other_end"][receive]], rank_of[receive]
        return int(self.hosts[src] * self.machine["hosts"] + self.hosts[dst])

    def own_time(self, collective: int, row: int) -> float:
        m, kind, size = self.machine, self.schedules[collective]["kind"][row], self.size(collective, row)
        if kind in (_plan.COMBINE, _plan.COPY):
            name = "combine" if kind == _plan.COMBINE else "copy"
            return m[f"{name}_ns"] + m[f"{name}_per_byte_ns"] * size
        if kind not in (_plan.SEND, _plan.RECEIVE):
            return 0.0
        sends = kind == _plan.SEND
        receive = int(self.schedules[collective]["other_end"][row]) if sends else row
        link, name = m["link"][self.pair(collective, receive)], "send" if sends else "receive"
        return float(m[f"{name}_ns"][link] + m[f"{name}_per_byte_ns"][link] * size)

    def crossing(self, collective: int, receive: int) -> float:
        """The time between the servers at the sender and those at the receiver."""
        m, link = self.machine, self.machine["link"][self.pair(collective, receive)]
        latency = "announced" if self.is_rendezvous(collective, receive) else "latency"
        per_byte = "announced_per_byte_ns" if latency == "announced" else "per_byte_ns"
        return float(m[f"{latency}_ns"][link] + m[per_byte][link] * self.size(collective, receive))

    def pass_all(self, places: range, first: float, last: float, size: float) -> tuple[float, float]:
        """Passes an emulated message through several servers without interruption."""
        m = self.machine
        for place in places:
            server = m["server"][place]
            per_byte, service = m["service_per_byte_ns"][server] * size, m["service_ns"][server]
            done = max(first, self.free_at[server]) + service + per_byte
            self.free_at[server] = done + m["rest_ns"][server]
            first, last = (done - per_byte, max(done, last + service)) if m["cut_through"] else (done, done)
        return first, last

    def emulated(self, t: float, collective: int, receive: int) -> None:
        """Sends a message over an emulated link."""
        m, pair, size = self.machine, self.pair(collective, receive), self.size(collective, receive)
        first, last = self.pass_all(range(m["first_server"][pair], m["far"][pair]), t, t, size)
        time = self.crossing(collective, receive)
        self.push(first + time, self.reach_host, collective, receive, last + time)

    def reach_host(self, t: float, collective: int, receive: int, last: float) -> None:
        """Delivers an emulated message to the receiver's host."""
        rank = int(self.rank_of[collective][receive])
        has_servers = (
            self.machine["far"][self.pair(collective, receive)]
            < self.machine["first_server"][self.pair(collective, receive) + 1]
        )
        self.unexpected[rank][collective, receive] = t, last
        if self.unmet[collective][receive] == 1 or not has_servers:
            self.let_in(t, rank, (collective, receive))

    def take_in(self, t: float, rank: int) -> None:
        """After a receive was posted, lets in the message that arrived first among those with posted receives."""
        ready = [message for message in self.unexpected[rank] if self.unmet[message[0]][message[1]] == 1]
        if ready:
            self.let_in(t, rank, min(ready, key=lambda one: self.unexpected[rank][one]))

    def let_in(self, t: float, rank: int, message: tuple[int, int]) -> None:
        m, pair = self.machine, self.pair(*message)
        places = range(m["far"][pair], m["first_server"][pair + 1])
        last = self.pass_all(places, *self.unexpected[rank].pop(message), self.size(*message))[1]
        self.push(max(t, last), self.arrive, *message)

    def travel(self, t: float, collective: int, receive: int, place: int | None, last: float) -> None:
        """Moves a message to a place of its route (None: its begin). last: the time of its last byte."""
        m, pair, size = self.machine, self.pair(collective, receive), self.size(collective, receive)
        if m["emulates"]:
            self.emulated(t, collective, receive)
            return
        begin, far, end = m["first_server"][pair], m["far"][pair], m["first_server"][pair + 1]
        first = t
        if place is None:
            place, crossed = int(begin), False
            if self.is_rendezvous(collective, receive):
                self.last_there[self.ends(collective, receive)] = t + self.crossing(collective, receive)
        else:
            server, crossed = m["server"][place], place >= far
            per_byte = m["service_per_byte_ns"][server] * size
            done = max(t, self.free_at[server]) + m["service_ns"][server] + per_byte
            self.free_at[server] = done + m["rest_ns"][server]
            first, last = done, max(done, last + m["service_ns"][server]) if m["cut_through"] else done
            first -= per_byte if m["cut_through"] else 0
            place += 1
        if place == far and not crossed:
            if self.is_rendezvous(collective, receive) and not m["emulates"]:
                self.push(float(last), self.sent, collective, int(self.schedules[collective]["other_end"][receive]))
            time = self.crossing(collective, receive)
            first, last = first + time, last + time
        if place == end:
            self.push(float(last), self.arrive, collective, receive)
        else:
            self.push(float(first), self.travel, collective, receive, place, last)

    def arrive(self, t: float, collective: int, receive: int) -> None:
        rank = int(self.rank_of[collective][receive])
        if self.unmet[collective][receive] == 1:
            self.busy_until[rank] = max(self.busy_until[rank], t)
            self.work(rank, collective, [receive])
        else:
            self.arrivals.add((collective, receive))
            self.unmet[collective][receive] -= 1
