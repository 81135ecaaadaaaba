"""`analyze compare`: compares the time per iteration of two runs and of each activity in it, and tests if the
difference is more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.explain.compare_sentence import Change, of_activity, of_run
from hopscope.explain.compare_times import verdict
from hopscope.explain.runs import rows_by_run
from hopscope.query.bootstrap import LEAST_BLOCKS
from hopscope.query.header import Scalar
from hopscope.query.resampling import (
    Difference,
    Estimate,
    Floats,
    blocks_of,
    difference,
    has_too_few_runs,
    mean_estimate,
    mean_of_runs,
)

WHOLE = "whole"


@dataclass(frozen=True)
class _Run:
    """One run. times: the time of each activity in each iteration, in ns. totals: in the whole run, in ns. marker: the
    MPI function whose calls begin the iterations, and the function of the program that calls it."""

    times: Mapping[str, Floats]
    totals: Mapping[str, float]
    marker: tuple[str | None, str | None]

    @property
    def iterations(self) -> int:
        """The number of iterations."""
        return len(self.times[WHOLE])

    def values(self, activity: str, *, per_iteration: bool) -> Floats:
        """The activity's time in each iteration, or in the whole run, in ns."""
        if per_iteration:
            return self.times.get(activity, np.zeros(self.iterations))
        return np.array([self.totals.get(activity, 0.0)])


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per activity of either side: `whole` first, then the others, the largest difference first."""
    assert base is not None
    base_runs, new_runs = _runs(base), _runs(rows)
    if not base_runs or not new_runs:
        return []
    threshold = parameters["least"]
    assert isinstance(threshold, int | float)
    per_iteration = _have_iterations([*base_runs, *new_runs])
    activities = dict.fromkeys(activity for run in [*new_runs, *base_runs] for activity in run.totals)
    compared = [_compared(activity, base_runs, new_runs, per_iteration=per_iteration) for activity in activities]
    least_ns = float(threshold) * next(row.base_ns for row in compared if row.activity == WHOLE)
    tests = sum(row.test is not None for row in compared)
    facts = {
        "per": "iteration" if per_iteration else "run",
        "base_runs": len(base_runs),
        "new_runs": len(new_runs),
        "base_iterations": sum(run.iterations for run in base_runs),
        "new_iterations": sum(run.iterations for run in new_runs),
    }
    compared.sort(key=lambda row: (row.activity != WHOLE, -abs(row.new_ns - row.base_ns), row.activity))
    changes = [row.change(tests, least_ns) for row in compared]
    texts = [of_run(changes[0], changes[1:], per_iteration=per_iteration), *map(of_activity, changes[1:])]
    is_sole = has_too_few_runs(base_runs, new_runs)
    return [
        row.columns(change, tests, is_sole=is_sole) | {"sentence": text} | facts
        for row, change, text in zip(compared, changes, texts, strict=True)
    ]


def time_of_runs(tables: Sequence[pa.Table]) -> dict[str, Any]:
    """The mean time of an iteration over several runs of one program, or of the whole run if there are no iterations,
    with its 95 % interval. tables: the query's table for each run."""
    runs = [_run(table.to_pylist()) for table in tables if table.num_rows]
    per_iteration = bool(runs) and _have_iterations(runs)
    values = [run.values(WHOLE, per_iteration=per_iteration) for run in runs]
    mean: Difference | None = None
    if values and all(blocks_of(times).count >= LEAST_BLOCKS for times in values):
        mean = mean_of_runs([mean_estimate(times) for times in values])
    elif len(values) > 1:
        mean = mean_of_runs([Estimate(float(times.mean()), 0.0, 1) for times in values])
    low, high = (None, None) if mean is None else mean.interval(1)
    return {
        "per": "iteration" if per_iteration else "run",
        "time_ns": float(np.mean([times.mean() for times in values])) if values else None,
        "low_ns": low if low is None else max(0.0, low),
        "high_ns": high,
        "iterations": sum(run.iterations for run in runs),
        "runs": len(tables),
    }


@dataclass(frozen=True)
class _Row:
    activity: str
    base_ns: float
    new_ns: float
    test: Difference | None

    def change(self, tests: int, least_ns: float) -> Change:
        """The change of this activity."""
        interval = None if self.test is None else self.test.interval(tests)
        decided = verdict(interval, least_ns, ("slower", "faster"))
        is_small = abs(self.new_ns - self.base_ns) < least_ns
        return Change(self.activity, self.base_ns, self.new_ns, decided, interval is not None, is_small)

    def columns(self, change: Change, tests: int, *, is_sole: bool) -> dict[str, Any]:
        """The row's columns, except the sentence and the facts that all rows share."""
        interval = None if self.test is None else self.test.interval(tests)
        low, high = (None, None) if interval is None else (self._part(end) for end in interval)
        return {
            "activity": self.activity,
            "base_ns": self.base_ns,
            "new_ns": self.new_ns,
            "difference_ns": change.difference_ns,
            "change": change.part,
            "change_low": low,
            "change_high": high,
            "verdict": change.verdict,
            "slower": None if is_sole or change.verdict == "undecided" else change.verdict == "slower",
        }

    def _part(self, change: float) -> float | None:
        return change / self.base_ns if self.base_ns else None


def _compared(activity: str, base_runs: Sequence[_Run], new_runs: Sequence[_Run], *, per_iteration: bool) -> _Row:
    base, new = ([run.values(activity, per_iteration=per_iteration) for run in side] for side in (base_runs, new_runs))
    test: Difference | None = None
    if all(blocks_of(values).count >= LEAST_BLOCKS for values in (*base, *new)):
        test = difference(*([mean_estimate(run) for run in side] for side in (base, new)), relative=True)
    elif not has_too_few_runs(base, new):
        # The variability within a run is unknown, so take the variability between the runs of a side. It is larger.
        sides = ([Estimate(float(run.mean()), 0.0, 1) for run in side] for side in (base, new))
        test = difference(*sides, relative=True)
    base_ns, new_ns = (float(np.mean([run.mean() for run in side])) for side in (base, new))
    return _Row(activity, base_ns, new_ns, test)


def _have_iterations(runs: Sequence[_Run]) -> bool:
    """Tell if all runs have iterations, and if these begin at the same call as far as known."""
    functions = {run.marker[1] for run in runs} - {None}
    return all(run.iterations for run in runs) and len({run.marker[0] for run in runs}) == 1 and len(functions) <= 1


def _runs(rows: pa.Table) -> list[_Run]:
    """The runs in a table, except those without a critical path."""
    return [_run(activities) for activities in rows_by_run(rows)]


def _run(rows: Sequence[Mapping[str, Any]]) -> _Run:
    times = {row["activity"]: np.array(row["times"] or [], np.float64) for row in rows}
    totals = {row["activity"]: float(row["run_ns"]) for row in rows}
    whole = {WHOLE: np.sum(list(times.values()), axis=0)}
    return _Run(whole | times, {WHOLE: sum(totals.values())} | totals, (rows[0]["op"], rows[0]["function"]))
