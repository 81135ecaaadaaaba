"""`analyze compare --by operation`: medians and tails of two runs, and whether their difference is more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.header import Scalar
from hopscope.verdicts.alignment import Pair, Site, align, sites
from hopscope.verdicts.resampling import (
    LEAST_BEYOND,
    LEAST_BLOCKS,
    Difference,
    Floats,
    blocks_of,
    difference,
    quantile_estimates,
)

STATISTICS = {"median": 0.5, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True)
class _Row:
    pair: Pair
    statistic: str
    base: Floats
    new: Floats
    test: Difference | None


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per aligned place and statistic."""
    assert base is not None
    before, after = _times(base), _times(rows)
    found = [row for pair in align(before, after) for row in _compared(pair, before, after)]
    tests = sum(row.test is not None for row in found)
    least = parameters["least"]
    assert isinstance(least, int | float)
    return [_shown(row, tests, float(least)) for row in found]


def _times(rows: pa.Table) -> dict[Site, Floats]:
    times: dict[Site, list[float]] = {}
    for site, time in zip(sites(rows), rows["time_ns"].to_pylist(), strict=True):
        times.setdefault(site, []).append(time)
    return {site: np.array(values) for site, values in times.items()}


def _compared(pair: Pair, before: Mapping[Site, Floats], after: Mapping[Site, Floats]) -> list[_Row]:
    nothing = np.empty(0)
    base = nothing if pair.base is None else before[pair.base]
    new = nothing if pair.new is None else after[pair.new]
    judged = [name for name, q in STATISTICS.items() if _can_judge(base, q) and _can_judge(new, q)]
    tests: dict[str, Difference] = {}
    if judged:
        quantiles = tuple(STATISTICS[name] for name in judged)
        estimates = quantile_estimates(base, quantiles, seed=1), quantile_estimates(new, quantiles, seed=2)
        tests = {name: difference(old, now) for name, old, now in zip(judged, *estimates, strict=True)}
    return [_Row(pair, name, base, new, tests.get(name)) for name in STATISTICS]


def _can_judge(values: Floats, quantile: float) -> bool:
    beyond = min(quantile, 1 - quantile) * len(values)
    return len(values) > 0 and beyond >= LEAST_BEYOND - 1e-9 and blocks_of(values).count >= LEAST_BLOCKS


def _shown(row: _Row, tests: int, least: float) -> dict[str, Any]:
    operation, comm, call_site = row.pair.shown
    old, now = (_quantile(values, row.statistic) for values in (row.base, row.new))
    interval = None if row.test is None else row.test.interval(tests)
    verdict = _verdict(row, interval, least * (old or 0))
    return {
        "operation": operation,
        "call_site": call_site,
        "comm": comm,
        "statistic": row.statistic,
        "base_ns": old,
        "new_ns": now,
        "change": None if old is None or now is None else _part(now - old, old),
        "change_low": None if interval is None else _part(interval[0], old),
        "change_high": None if interval is None else _part(interval[1], old),
        "p_value": None if row.test is None else row.test.p_value(tests),
        "verdict": verdict,
        "slower": {"slower": True, "undecided": None}.get(verdict, False),
        "base_collectives": len(row.base),
        "new_collectives": len(row.new),
        "blocks": None if row.test is None else min(blocks_of(row.base).count, blocks_of(row.new).count),
        "aligned": row.pair.by,
    }


def _quantile(values: Floats, statistic: str) -> float | None:
    return float(np.quantile(values, STATISTICS[statistic])) if len(values) else None


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
