"""Replays a run with other algorithms."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hopscope.dataset.path_columns import Array
from hopscope.errors import InputError
from hopscope.machine.costs import Costs
from hopscope.machine.routes import fitted
from hopscope.native import _plan, _replay
from hopscope.replay.algorithms.algorithm import Algorithm
from hopscope.replay.algorithms.combination import Runs
from hopscope.replay.algorithms.recorded import Recorded
from hopscope.replay.run.program import AS_OBSERVED, RECORDED, program_of
from hopscope.replay.run.subject import Source, Subject

TOOK = 0.01
"""Weight in a score of the time in collectives, compared with the time of an iteration."""


class Times(NamedTuple):
    """The times of a replay. paces_ns: for each selection, the mean time from one of its collectives to the next; NaN
    if it has only one. took_ns: the sum over the collectives of an iteration of the time from the last enter to the
    last leave."""

    iteration_ns: float
    paces_ns: Array
    took_ns: float


@dataclass(frozen=True, eq=False)
class Replayer:
    """Replays one program. rows: the rows of the program's collectives in the table `collectives`.

    messages: True if ranks wait for the application's messages; False if the time of these waits counts as computing.
    """

    program: dict[str, Array]
    rows: Array
    subject: Subject
    host_clusters: tuple[int, ...]
    costs: Costs
    messages: bool = True
    # A cache, by the ids of the pieces in `runs`. It also keeps `runs`, so that no other object can get these ids.
    times_of_runs: dict[tuple[int, ...], tuple[Times, Runs]] = field(
        default_factory=dict[tuple[int, ...], "tuple[Times, Runs]"]
    )
    # A cache of schedules: only of the last algorithm of each selection, because schedules are large.
    last: dict[int, tuple[Algorithm, list[Any]]] = field(default_factory=dict[int, tuple[Algorithm, list[Any]]])

    def replay(self, runs: Runs) -> tuple[Array, Array, bool]:
        """Returns the last enter and the last leave of every collective, and True if every rank reached the end of its
        program. runs: the algorithm of each selection."""
        program, number = self.program, list[int]()
        schedules: list[_plan.Schedules] = []
        recorded: Recorded | None = None
        for place, (piece, part) in enumerate(zip(runs, self.subject.selections, strict=True)):
            if isinstance(piece, Recorded):
                recorded = piece
                number += [RECORDED] * len(part.calls)
            else:
                number += range(len(schedules), len(schedules) + len(part.calls))
                schedules += self._schedules(place, piece, part)
        if recorded is not None:
            # Recorded selections have no schedules, so the program's schedule numbers are replaced by new ones. The
            # program's AS_OBSERVED is the index -1, and so selects the last entry.
            schedule = np.asarray([*number, AS_OBSERVED], np.int32)[program["schedule"]]
            arrays = self.costs.arrays(self.host_clusters)
            program = recorded.program({**program, "schedule": schedule}, self.rows, self.costs, arrays)
        done = _replay.replay(program, schedules, self._machine)
        enter, leave = (
            np.maximum.reduceat(done[name], program["first_member"][:-1]) if len(self.rows) else done[name]
            for name in ("enter_ns", "leave_ns")
        )
        return enter, leave, done["finished"]

    def iteration_ns(self, runs: Runs) -> float:
        """Mean time from one collective of the subject to the next, by their last leaves."""
        return self._times(runs).iteration_ns

    def score(self, runs: Runs, baseline: Runs) -> float:
        """The score that orders candidates, ns; the smallest is the best. It is the baseline's time of an iteration,
        times the mean of the selections' paces relative to the baseline, plus a small share of the time in collectives.
        That share helps if selections run concurrently: a change of one of them may not improve the pace, although
        changes of all do."""
        baseline_times, candidate_times = self._times(baseline), self._times(runs)
        pace = (
            np.nanmean(candidate_times.paces_ns / baseline_times.paces_ns)
            if (baseline_times.paces_ns > 0).any()
            else 1.0
        )
        return float(pace) * baseline_times.iteration_ns + TOOK * candidate_times.took_ns

    def _times(self, runs: Runs) -> Times:
        key = tuple(map(id, runs))
        if key not in self.times_of_runs:
            enter, leave = self._finished(runs)
            parts = [np.isin(self.rows, part.simulated) for part in self.subject.selections]
            paces = [mean_iteration(leave[rows]) if rows.sum() > 1 else np.nan for rows in parts]
            took = sum(float((leave - enter)[rows].sum()) for rows in parts) / int(self._iterations.sum())
            self.times_of_runs[key] = Times(mean_iteration(leave[self._iterations]), np.asarray(paces), took), runs
        return self.times_of_runs[key][0]

    @cached_property
    def _iterations(self) -> Array:
        """Mask of the rows whose collectives each begin an iteration."""
        return np.isin(self.rows, self.subject.collectives)

    @cached_property
    def _machine(self) -> dict[str, Any]:
        return fitted(self.costs, self.host_clusters)

    def _finished(self, runs: Runs) -> tuple[Array, Array]:
        enter, leave, finished = self.replay(runs)
        if not finished:
            raise InputError(
                "the run cannot be replayed: some ranks wait for one another, which means that the trace lacks calls "
                "or messages; `analyze check-data` lists them"
            )
        return enter, leave

    def _schedules(self, place: int, algorithm: Algorithm, part: Subject) -> list[_plan.Schedules]:
        """The schedules of each of the selection's calls."""
        if place not in self.last or self.last[place][0] is not algorithm:
            self.last[place] = algorithm, [algorithm.schedules(part, call) for call in part.calls]
        return self.last[place][1]


def mean_iteration(leaves: Array) -> float:
    """Mean time from one collective's last leave to the next one's, ns. leaves: the last leave of each collective. The
    first collective, which may include set-up, only gives the start."""
    ordered = np.sort(leaves)
    return float(ordered[-1] - ordered[0]) / (len(ordered) - 1)


def replayer_of(source: Source, baseline: Runs, costs: Costs) -> Replayer:
    """A replayer of the whole run. It counts waits for the application's messages as computing if these messages cannot
    be replayed, because of wrong matches or wrong clocks."""
    clusters = source.places.cluster_of_host
    replayer = Replayer(*program_of(source), source.subject, clusters, costs)
    if replayer.replay(baseline)[2]:
        return replayer
    return Replayer(*program_of(source, messages=False), source.subject, clusters, costs, messages=False)


def window_of(source: Source, whole: Replayer, iterations: int) -> Replayer:
    """A replayer of `iterations` iterations from the middle of the run. Returns `whole` if the run is not longer."""
    collectives = source.subject.collectives
    if len(collectives) <= iterations + 2:
        return whole
    start = 1 + (len(collectives) - 2 - iterations) // 2
    window = int(collectives[start]), int(collectives[start + iterations])
    program, rows = program_of(source, window, messages=whole.messages)
    return Replayer(program, rows, whole.subject, whole.host_clusters, whole.costs, whole.messages)
