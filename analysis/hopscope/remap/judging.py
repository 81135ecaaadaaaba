"""Judges candidates by replaying the run over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopscope import _plan, _replay
from hopscope.errors import InputError
from hopscope.model.costs import Costs
from hopscope.model.routes import fitted
from hopscope.paths.columns import Array
from hopscope.remap.calls import Call
from hopscope.remap.candidates import Candidate
from hopscope.remap.program import Source, Subject, program_of
from hopscope.remap.recorded import Recorded

STRATA, STRATUM = 4, 50
"""Longer runs are judged by so many parts of so many iterations, until few candidates are left."""
MOST_MESSAGES = 20_000_000
"""A candidate that sends more in the whole run is judged by those parts to the end."""


@dataclass(frozen=True, eq=False)
class Judge:
    """Replays one program over candidates; rows: of the collectives in it.

    messages: whether the application's messages are dependencies in it, or its waiting for them computing. The message
    graph that the MPI library ran is replayed too, in the place of a candidate. today: what runs the operations that a
    candidate does not.
    """

    program: dict[str, Array]
    rows: Array
    subject: Subject
    host_clusters: tuple[int, ...]
    messages: bool = True
    today: Candidate | None = None
    # By identity; the objects are kept, so that no other one gets their place.
    known: dict[tuple[int, int], tuple[float, Candidate | Recorded, Costs]] = field(
        default_factory=dict[tuple[int, int], tuple[float, Candidate | Recorded, Costs]]
    )
    machines: dict[int, tuple[Costs, dict[str, Any]]] = field(default_factory=dict[int, tuple[Costs, dict[str, Any]]])
    # Of the last candidate only: schedules are larger than all else.
    laid: list[tuple[Candidate, Sequence[Any]]] = field(default_factory=list[tuple[Candidate, Sequence[Any]]])

    def replay(self, candidate: Candidate | Recorded, costs: Costs) -> tuple[Array, bool]:
        """The last leave of every collective, and whether every rank came to its end."""
        program, schedules = self.program, self._schedules(candidate)
        if isinstance(candidate, Recorded):
            program = candidate.program(program, self.rows, costs, costs.arrays(self.host_clusters))
        done = _replay.replay(program, schedules, self._machine(costs))
        leave = done["leave_ns"]
        return np.maximum.reduceat(leave, program["first_member"][:-1]) if len(leave) else leave, done["finished"]

    def iteration_ns(self, candidate: Candidate | Recorded, costs: Costs) -> float:
        """Mean time from one collective of the subject to the next, by their last leaves."""
        key = id(candidate), id(costs)
        if key in self.known:
            return self.known[key][0]
        time = mean_iteration(self.leaves(candidate, costs))
        self.known[key] = time, candidate, costs
        return time

    def leaves(self, candidate: Candidate | Recorded, costs: Costs) -> Array:
        """The last leave of each of the subject's collectives. Raises InputError where the run cannot be replayed."""
        leave, finished = self.replay(candidate, costs)
        if not finished:
            raise InputError(
                "the run cannot be replayed: some ranks wait for one another, which means that the trace lacks calls "
                "or messages; `analyze check-data` lists them"
            )
        return leave[np.isin(self.rows, self.subject.collectives)]

    def _machine(self, costs: Costs) -> dict[str, Any]:
        if id(costs) not in self.machines:
            self.machines[id(costs)] = costs, fitted(costs, self.host_clusters)
        return self.machines[id(costs)][1]

    def _schedules(self, candidate: Candidate | Recorded) -> list[_plan.Schedules]:
        """One for each of the subject's calls."""
        if isinstance(candidate, Recorded):
            return []
        if not self.laid or self.laid[0][0] is not candidate:
            by_call = ((self._runs(call, candidate), call) for call in self.subject.calls)
            self.laid[:] = [(candidate, [runs.lay(self.subject, call) for runs, call in by_call])]
        return list(self.laid[0][1])

    def _runs(self, call: Call, candidate: Candidate) -> Candidate:
        return candidate if call.op in candidate.operations or self.today is None else self.today


def mean_iteration(leaves: Array) -> float:
    """Mean distance of successive last leaves; the first collective, which may set things up, is only the start."""
    ordered = np.sort(leaves)
    return float(ordered[-1] - ordered[0]) / (len(ordered) - 1)


def judge_of(source: Source, today: Candidate | Recorded, costs: Costs) -> Judge:
    """A judge of the whole run; without its messages where these cannot be replayed (matched wrongly, wrong clocks)."""
    ran = None if isinstance(today, Recorded) else today
    for messages in (True, False):
        program, rows = program_of(source, messages=messages)
        judge = Judge(program, rows, source.subject, source.places.cluster_of_host, messages, ran)
        if messages and judge.replay(today, costs)[1]:
            break
    return judge


def window_of(source: Source, whole: Judge, iterations: int, start: int = 1) -> Judge:
    """A judge of so many iterations from one on, of the first ones but for the very first; the whole run where it is
    not longer."""
    collectives = source.subject.collectives
    if len(collectives) <= iterations + 2:
        return whole
    window = (int(collectives[start]), int(collectives[start + iterations]))
    program, rows = program_of(source, window, messages=whole.messages)
    return Judge(program, rows, source.subject, source.places.cluster_of_host, whole.messages, whole.today)


@dataclass(frozen=True)
class Screen:
    """Judges many candidates of a long run by parts of it: what they gain there over what ran, they gain in all of it.

    parts: of all times of the run; the whole run alone where it is short.
    """

    whole: Judge
    parts: tuple[Judge, ...]
    today: Candidate | Recorded
    costs: Costs  # of what ran

    def iteration_ns(self, candidate: Candidate | Recorded, costs: Costs) -> float:
        """Mean time per iteration, by the parts."""
        if self.parts[0] is self.whole:
            return self.whole.iteration_ns(candidate, costs)
        ran = self.whole.iteration_ns(self.today, self.costs)
        gains = [part.iteration_ns(self.today, self.costs) - part.iteration_ns(candidate, costs) for part in self.parts]
        return max(0.0, ran - float(np.mean(gains)))

    def last_ns(self, candidate: Candidate | Recorded, costs: Costs, *, is_finalist: bool) -> float:
        """The same for one of the few that are left: by the whole run, unless that has too many messages."""
        subject = self.whole.subject
        is_many = max((len(sent.src) for sent in candidate.messages(subject)), default=0) * len(subject.simulated)
        if candidate is self.today or (is_finalist and is_many <= MOST_MESSAGES):
            return self.whole.iteration_ns(candidate, costs)
        return self.iteration_ns(candidate, costs)


def screen_of(source: Source, whole: Judge, today: Candidate | Recorded, costs: Costs) -> Screen:
    """costs: of what ran."""
    collectives = source.subject.collectives
    if len(collectives) <= STRATA * STRATUM + 2:
        return Screen(whole, (whole,), today, costs)
    starts = np.linspace(1, len(collectives) - 1 - STRATUM, STRATA).astype(int).tolist()
    return Screen(whole, tuple(window_of(source, whole, STRATUM, start) for start in starts), today, costs)
