"""`analyze compare --by operation`: medians and tails of two runs, and whether their difference is more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.query.bootstrap import LEAST_BLOCKS
from hopscope.query.header import Scalar
from hopscope.query.resampling import (
    LEAST_BEYOND,
    Difference,
    Floats,
    blocks_of,
    difference,
    is_one_of_each,
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
"""Mean time per iteration by operation and communicator, the mean over the runs."""


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per aligned place and statistic."""
    assert base is not None
    before, after = _times(base), _times(rows)
    asked = [name for name in STATISTICS if parameters["statistic"] in ("all", name)]
    found = [row for pair in align(before, after) for row in _compared(pair, before, after, asked)]
    tests = sum(row.test is not None for row in found)
    least = parameters["least"]
    assert isinstance(least, int | float)
    iterations = _iterations(base), _iterations(rows)
    return [_shown(row, tests, float(least), *iterations) for row in found]


def _times(rows: pa.Table) -> dict[Site, list[Floats]]:
    """Of each place the times of each run that has it."""
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
    pair: Pair, before: Mapping[Site, list[Floats]], after: Mapping[Site, list[Floats]], asked: Sequence[str]
) -> list[_Row]:
    base = [] if pair.base is None else before[pair.base]
    new = [] if pair.new is None else after[pair.new]
    judged = [
        name for name in asked if base and new and all(_can_judge(run, STATISTICS[name]) for run in [*base, *new])
    ]
    tests: dict[str, Difference] = {}
    if judged:
        quantiles = tuple(STATISTICS[name] for name in judged)
        old, now = (
            [quantile_estimates(run, quantiles, seed) for seed, run in enumerate(side, start=first)]
            for side, first in ((base, 1), (new, 1 + len(base)))
        )
        tests = {
            name: difference([run[n] for run in old], [run[n] for run in now], relative=True)
            for n, name in enumerate(judged)
        }
    return [_Row(pair, name, base, new, tests.get(name)) for name in asked]


def _can_judge(values: Floats, quantile: float) -> bool:
    beyond = min(quantile, 1 - quantile) * len(values)
    return len(values) > 0 and beyond >= LEAST_BEYOND - 1e-9 and blocks_of(values).count >= LEAST_BLOCKS


def _shown(
    row: _Row, tests: int, least: float, base_iterations: _Iterations, new_iterations: _Iterations
) -> dict[str, Any]:
    site = row.pair.shown
    old, now = (_quantile(values, row.statistic) for values in (row.base, row.new))
    interval = None if row.test is None else row.test.interval(tests)
    verdict = _verdict(row, interval, least * (old or 0))
    return {
        "operation": site.op,
        "place": site.place,
        "base_place": row.pair.base_place,
        "comm": site.comm,
        "statistic": row.statistic,
        "base_ns": old,
        "new_ns": now,
        "difference_ns": None if old is None or now is None else now - old,
        "change": None if old is None or now is None else _part(now - old, old),
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
        "aligned": row.pair.by,
    }


def _quantile(runs: Sequence[Floats], statistic: str) -> float | None:
    """The mean over the runs."""
    return float(np.mean([np.quantile(run, STATISTICS[statistic]) for run in runs])) if runs else None


def _part(change: float, of: float | None) -> float | None:
    return change / of if of else None


def _verdict(row: _Row, interval: tuple[float, float] | None, least_ns: float) -> str:
    if not len(row.base):
        return "new"
    if not len(row.new):
        return "gone"
    return verdict(interval, least_ns, ("slower", "faster"))


def verdict(interval: tuple[float, float] | None, least: float, words: tuple[str, str]) -> str:
    """more or less (`words`) if the interval lies wholly beyond `least`, `same` if wholly within, else `undecided`."""
    if interval is None:
        return "undecided"
    low, high = interval
    if low > least:
        return words[0]
    if high < -least:
        return words[1]
    return "same" if -least <= low and high <= least else "undecided"


def holds(verdict: str, word: str, base: Sequence[object], new: Sequence[object]) -> bool | None:
    """Whether the verdict is this word; None where that cannot be said of the programs, because it is undecided or
    there is but one run of each, which differs by what runs differ by, too."""
    return None if verdict == "undecided" or is_one_of_each(base, new) else verdict == word
