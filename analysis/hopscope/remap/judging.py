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
from hopscope.remap.candidates import Candidate
from hopscope.remap.program import Call, Source, Subject, program_of
from hopscope.remap.recorded import Recorded


@dataclass(frozen=True)
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
        leave, finished = self.replay(candidate, costs)
        if not finished:
            raise InputError(
                "the run cannot be replayed: some ranks wait for one another, which means that the trace lacks calls "
                "or messages; `analyze check-data` lists them"
            )
        time = mean_iteration(leave[np.isin(self.rows, self.subject.collectives)])
        self.known[key] = time, candidate, costs
        return time

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


def window_of(source: Source, whole: Judge, iterations: int) -> Judge:
    """A judge of the first so many iterations, the very first left out; the whole run where it is not longer."""
    collectives = source.subject.collectives
    if len(collectives) <= iterations + 2:
        return whole
    window = (int(collectives[1]), int(collectives[1 + iterations]))
    program, rows = program_of(source, window, messages=whole.messages)
    return Judge(program, rows, source.subject, source.places.cluster_of_host, whole.messages, whole.today)
