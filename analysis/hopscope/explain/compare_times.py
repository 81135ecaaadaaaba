"""`analyze compare --by operation`: compares medians and tails of the times of two runs, and tests if the difference is
more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.query.bootstrap import LEAST_BLOCKS
from hopscope.query.header import Scalar
from hopscope.query.resampling import (
    LEAST_TAIL,
    Difference,
    Floats,
    blocks_of,
    difference,
    has_too_few_runs,
    quantile_estimates,
)
from hopscope.selection.alignment import Pair, Site, align, sites

STATISTICS = {"median": 0.5, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True)
class _Row:
    pair: Pair
    statistic: str
    base: Sequence[Floats]
    new: Sequence[Floats]
    test: Difference | None


_Iterations = Mapping[tuple[str, int], float]
"""The time per iteration of each operation on each communicator, in ns: the mean over the runs."""


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per pair of matched places and statistic."""
    assert base is not None
    base_times, new_times = _times(base), _times(rows)
    statistics = [name for name in STATISTICS if parameters["statistic"] in ("all", name)]
    comparisons = [
        row for pair in align(base_times, new_times) for row in _compared(pair, base_times, new_times, statistics)
    ]
    tests = sum(row.test is not None for row in comparisons)
    threshold = parameters["least"]
    assert isinstance(threshold, int | float)
    iterations = _iterations(base), _iterations(rows)
    return [_columns(row, tests, float(threshold), *iterations) for row in comparisons]


def _times(rows: pa.Table) -> dict[Site, list[Floats]]:
    """The times of each run at each place."""
    times: dict[Site, dict[int, list[float]]] = {}
    for site, run, time in zip(sites(rows), rows["run"].to_pylist(), rows["time_ns"].to_pylist(), strict=True):
        times.setdefault(site, {}).setdefault(run, []).append(time)
    return {site: [np.array(values) for values in runs.values()] for site, runs in times.items()}


def _iterations(rows: pa.Table) -> _Iterations:
    columns = (rows[name].to_pylist() for name in ("op", "comm", "run", "iteration_ns"))
    of_runs: dict[tuple[str, int], dict[int, float]] = {}
    for op, comm, run, time in zip(*columns, strict=True):
        if time is not None:
            of_runs.setdefault((op, comm), {})[run] = time
    return {call: float(np.mean(list(runs.values()))) for call, runs in of_runs.items()}


def _compared(
    pair: Pair,
    base_times: Mapping[Site, list[Floats]],
    new_times: Mapping[Site, list[Floats]],
    statistics: Sequence[str],
) -> list[_Row]:
    base = [] if pair.base is None else base_times[pair.base]
    new = [] if pair.new is None else new_times[pair.new]
    testable = [
        name
        for name in statistics
        if base and new and all(_is_testable(run, STATISTICS[name]) for run in [*base, *new])
    ]
    tests: dict[str, Difference] = {}
    if testable:
        quantiles = tuple(STATISTICS[name] for name in testable)
        base_estimates, new_estimates = (
            [quantile_estimates(run, quantiles, seed) for seed, run in enumerate(side, start=first)]
            for side, first in ((base, 1), (new, 1 + len(base)))
        )
        tests = {
            name: difference([run[n] for run in base_estimates], [run[n] for run in new_estimates], relative=True)
            for n, name in enumerate(testable)
        }
    return [_Row(pair, name, base, new, tests.get(name)) for name in statistics]


def _is_testable(values: Floats, quantile: float) -> bool:
    tail = min(quantile, 1 - quantile) * len(values)
    return len(values) > 0 and tail >= LEAST_TAIL - 1e-9 and blocks_of(values).count >= LEAST_BLOCKS


def _columns(
    row: _Row, tests: int, threshold: float, base_iterations: _Iterations, new_iterations: _Iterations
) -> dict[str, Any]:
    site = row.pair.site
    old, new = (_quantile(values, row.statistic) for values in (row.base, row.new))
    interval = None if row.test is None else row.test.interval(tests)
    verdict = _verdict(row, interval, threshold * (old or 0))
    return {
        "operation": site.op,
        "place": site.place,
        "base_place": row.pair.base_place,
        "comm": site.comm,
        "statistic": row.statistic,
        "base_ns": old,
        "new_ns": new,
        "difference_ns": None if old is None or new is None else new - old,
        "change": None if old is None or new is None else _part(new - old, old),
        "change_low": None if interval is None else _part(interval[0], old),
        "change_high": None if interval is None else _part(interval[1], old),
        "base_iteration_ns": base_iterations.get((site.op, site.comm)),
        "new_iteration_ns": new_iterations.get((site.op, site.comm)),
        "p_value": None if row.test is None else row.test.p_value(tests),
        "verdict": verdict,
        "slower": verdict not in ("new", "gone") and holds(verdict, "slower", row.base, row.new),
        "base_runs": len(row.base),
        "new_runs": len(row.new),
        "base_collectives": sum(len(run) for run in row.base),
        "new_collectives": sum(len(run) for run in row.new),
        "blocks": None if row.test is None else min(blocks_of(run).count for run in [*row.base, *row.new]),
        "aligned": row.pair.method,
    }


def _quantile(runs: Sequence[Floats], statistic: str) -> float | None:
    """The mean of the statistic over the runs; None without runs."""
    return float(np.mean([np.quantile(run, STATISTICS[statistic]) for run in runs])) if runs else None


def _part(change: float, whole: float | None) -> float | None:
    return change / whole if whole else None


def _verdict(row: _Row, interval: tuple[float, float] | None, least_ns: float) -> str:
    if not len(row.base):
        return "new"
    if not len(row.new):
        return "gone"
    return verdict(interval, least_ns, ("slower", "faster"))


def verdict(interval: tuple[float, float] | None, threshold: float, words: tuple[str, str]) -> str:
    """The first of `words` if the interval lies above `threshold`, the second if it lies below `-threshold`, `same` if
    it lies between both, else `undecided`."""
    if interval is None:
        return "undecided"
    low, high = interval
    if low > threshold:
        return words[0]
    if high < -threshold:
        return words[1]
    return "same" if -threshold <= low and high <= threshold else "undecided"


def holds(verdict: str, word: str, base: Sequence[object], new: Sequence[object]) -> bool | None:
    """Tell if the verdict is this word; None if the verdict proves nothing about the programs. It proves nothing if it
    is undecided, or if each side has only one run, because runs of one program differ, too."""
    return None if verdict == "undecided" or has_too_few_runs(base, new) else verdict == word
