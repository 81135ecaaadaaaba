"""Judges candidates by replaying the run over them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hopscope import _plan, _replay
from hopscope.errors import InputError
from hopscope.model.costs import Costs
from hopscope.model.routes import fitted
from hopscope.paths.columns import Array
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.combination import Runs, each_piece, identity, pieces_of
from hopscope.remap.candidates.recorded import Recorded, recorded_beside
from hopscope.remap.run.calls import Call
from hopscope.remap.run.events import NO_LIMITS
from hopscope.remap.run.program import AS_OBSERVED, RECORDED, Source, Subject, program_of

STRATA, STRATUM = 4, 50
"""Longer runs are judged by so many parts of so many iterations, until few candidates are left."""
LEAST_OFTEN = 10
"""A part that ran less often shows no iterations of its own: a Reduce that ran twice was suggested for them."""
MOST_MESSAGES = 20_000_000
"""A candidate that sends more in the whole run is judged by those parts to the end."""


class Replayed(NamedTuple):
    """Of each part, took_ns: what its collectives take from their last enters to their last leaves, per iteration;
    paces_ns: the mean time from one of them to the next, NaN where there is but one."""

    iteration_ns: float
    took_ns: Array
    paces_ns: Array

    def own_gain(self, over: Replayed, part: int) -> float:
        """By which share of the other's time a part's own iterations are shorter here."""
        before = float(over.paces_ns[part])
        return 1 - float(self.paces_ns[part]) / before if before > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Judge:
    """Replays one program over candidates; rows: of the collectives in it.

    messages: whether the application's messages are dependencies in it, or its waiting for them computing. The message
    graph that the MPI library ran is replayed too, in the place of a candidate. today: what runs the operations that a
    candidate does not. beside: the messages of the collectives that no part has.
    """

    program: dict[str, Array]
    rows: Array
    subject: Subject
    host_clusters: tuple[int, ...]
    messages: bool = True
    today: Candidate | None = None
    beside: Recorded | None = None
    # By identity; the objects are kept, so that no other one gets their place.
    known: dict[tuple[Hashable, int], tuple[Replayed, Runs, Costs]] = field(
        default_factory=dict[tuple[Hashable, int], tuple[Replayed, Runs, Costs]]
    )
    machines: dict[int, tuple[Costs, dict[str, Any]]] = field(default_factory=dict[int, tuple[Costs, dict[str, Any]]])
    # Of the last candidate for each part only: schedules are larger than all else.
    laid: dict[int, tuple[Candidate, list[Any]]] = field(default_factory=dict[int, tuple[Candidate, list[Any]]])
    with_beside: dict[int, tuple[Costs, dict[str, Array]]] = field(
        default_factory=dict[int, tuple[Costs, dict[str, Array]]]
    )

    def replay(self, runs: Runs, costs: Costs) -> tuple[Array, Array, bool]:
        """The last enter and the last leave of every collective, and whether every rank came to its end."""
        program, number = self._program(costs), list[int]()
        schedules: list[_plan.Schedules] = []
        recorded: Recorded | None = None
        for place, (one, part) in enumerate(pieces_of(runs, self.subject)):
            if isinstance(one, Recorded):
                recorded = one
                number += [RECORDED] * len(part.calls)
            else:
                number += range(len(schedules), len(schedules) + len(part.calls))
                schedules += self._schedules(place, one, part)
        schedule = program["schedule"]
        if recorded is not None:
            # The calls that a candidate runs, numbered without the others; AS_OBSERVED is the last of these numbers.
            schedule = np.asarray([*number, AS_OBSERVED], np.int32)[schedule]
            program = recorded.program(
                {**program, "schedule": schedule}, self.rows, costs, costs.arrays(self.host_clusters)
            )
        done = _replay.replay(program, schedules, self._machine(costs))
        enter, leave = (
            np.maximum.reduceat(done[name], program["first_member"][:-1]) if len(self.rows) else done[name]
            for name in ("enter_ns", "leave_ns")
        )
        return enter, leave, done["finished"]

    def iteration_ns(self, runs: Runs, costs: Costs) -> float:
        """Mean time from one collective of the subject to the next, by their last leaves."""
        return self.replayed(runs, costs).iteration_ns

    def replayed(self, runs: Runs, costs: Costs) -> Replayed:
        """The same, and what each part took of it."""
        key = identity(runs), id(costs)
        if key not in self.known:
            enter, leave = self._times(runs, costs)
            took = np.asarray([(leave - enter)[rows].sum() for rows in self._parts]) / self._iterations.sum()
            paces = np.asarray([mean_iteration(leave[rows]) if rows.sum() > 1 else np.nan for rows in self._parts])
            self.known[key] = Replayed(mean_iteration(leave[self._iterations]), took, paces), runs, costs
        return self.known[key][0]

    def leaves(self, runs: Runs, costs: Costs) -> Array:
        """The last leave of each of the subject's collectives. Raises InputError where the run cannot be replayed."""
        return self._times(runs, costs)[1][self._iterations]

    @cached_property
    def _iterations(self) -> Array:
        """Which rows iterations are counted by."""
        return np.isin(self.rows, self.subject.collectives)

    @cached_property
    def _parts(self) -> list[Array]:
        """Which rows each part has."""
        return [np.isin(self.rows, part.simulated) for part in self.subject.each]

    def _times(self, runs: Runs, costs: Costs) -> tuple[Array, Array]:
        enter, leave, finished = self.replay(runs, costs)
        if not finished:
            raise InputError(
                "the run cannot be replayed: some ranks wait for one another, which means that the trace lacks calls "
                "or messages; `analyze check-data` lists them"
            )
        return enter, leave

    def _machine(self, costs: Costs) -> dict[str, Any]:
        if id(costs) not in self.machines:
            self.machines[id(costs)] = costs, fitted(costs, self.host_clusters)
        return self.machines[id(costs)][1]

    def _program(self, costs: Costs) -> dict[str, Array]:
        if self.beside is None:
            return self.program
        if id(costs) not in self.with_beside:
            program = self.beside.beside(self.program, self.rows, costs, self.host_clusters)
            self.with_beside[id(costs)] = costs, program
        return self.with_beside[id(costs)][1]

    def _schedules(self, place: int, candidate: Candidate, part: Subject) -> list[_plan.Schedules]:
        """One for each of the part's calls."""
        if place not in self.laid or self.laid[place][0] is not candidate:
            by_call = ((self._runs(call, candidate), call) for call in part.calls)
            self.laid[place] = candidate, [runs.lay(part, call) for runs, call in by_call]
        return self.laid[place][1]

    def _runs(self, call: Call, candidate: Candidate) -> Candidate:
        return candidate if call.op in candidate.operations or self.today is None else self.today


def mean_iteration(leaves: Array) -> float:
    """Mean distance of successive last leaves; the first collective, which may set things up, is only the start."""
    ordered = np.sort(leaves)
    return float(ordered[-1] - ordered[0]) / (len(ordered) - 1)


def judge_of(source: Source, today: Runs, costs: Costs) -> Judge:
    """A judge of the whole run; without its messages where these cannot be replayed (matched wrongly, wrong clocks)."""
    ran = today if isinstance(today, Candidate) else None
    recorded = each_piece(today)[0]
    beside = recorded_beside(source, recorded.events.limits if isinstance(recorded, Recorded) else NO_LIMITS)
    for messages in (True, False):
        program, rows = program_of(source, messages=messages)
        judge = Judge(program, rows, source.subject, source.places.cluster_of_host, messages, ran, beside)
        if messages and judge.replay(today, costs)[2]:
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
    clusters = source.places.cluster_of_host
    return Judge(program, rows, source.subject, clusters, whole.messages, whole.today, whole.beside)


@dataclass(frozen=True)
class Screen:
    """Judges many candidates of a long run by parts of it: what they gain there over what ran, they gain in all of it.

    stretches: from all times of the run; the whole run alone where it is short.
    """

    source: Source
    whole: Judge
    stretches: tuple[Judge, ...]
    today: Runs
    costs: Costs  # of what ran

    def iteration_ns(self, runs: Runs, costs: Costs) -> float:
        """Mean time per iteration, by the stretches."""
        return self.replayed(runs, costs).iteration_ns

    def replayed(self, runs: Runs, costs: Costs) -> Replayed:
        """The same, and what each part took of it."""
        ran = self.whole.replayed(self.today, self.costs)
        if self.stretches[0] is self.whole:
            return self.whole.replayed(runs, costs)
        before, after = (
            [part.replayed(one, at) for part in self.stretches] for one, at in ((self.today, self.costs), (runs, costs))
        )
        gain = np.mean([a.iteration_ns - b.iteration_ns for a, b in zip(before, after, strict=True)])
        spared = np.mean([a.took_ns - b.took_ns for a, b in zip(before, after, strict=True)], axis=0)
        sooner = np.mean([a.paces_ns - b.paces_ns for a, b in zip(before, after, strict=True)], axis=0)
        return Replayed(
            max(0.0, ran.iteration_ns - float(gain)),
            np.maximum(0.0, ran.took_ns - spared),
            np.maximum(0.0, ran.paces_ns - sooner),
        )

    def last(self, runs: Runs, costs: Costs, *, is_finalist: bool) -> Replayed:
        """The same for one of the few that are left: by the whole run, unless that has too many messages."""
        messages = sum(
            max((len(sent.src) for sent in one.messages(part)), default=0) * len(part.simulated)
            for one, part in pieces_of(runs, self.whole.subject)
        )
        if runs is self.today or (is_finalist and messages <= MOST_MESSAGES):
            return self.whole.replayed(runs, costs)
        return self.replayed(runs, costs)

    def window(self, iterations: int, part: Subject | None = None) -> Judge:
        """A judge of so many of the first iterations. part: from where that has run for the second time."""
        collectives = self.source.subject.collectives
        second = 0 if part is None else int(np.searchsorted(collectives, part.simulated[:2][-1])) - 1
        return window_of(self.source, self.whole, iterations, max(1, min(second, len(collectives) - 1 - iterations)))


def screen_of(source: Source, whole: Judge, today: Runs, costs: Costs) -> Screen:
    """costs: of what ran."""
    collectives = source.subject.collectives
    if len(collectives) <= STRATA * STRATUM + 2:
        return Screen(source, whole, (whole,), today, costs)
    starts = np.linspace(1, len(collectives) - 1 - STRATUM, STRATA).astype(int).tolist()
    stretches = tuple(window_of(source, whole, STRATUM, start) for start in starts)
    return Screen(source, whole, stretches, today, costs)
