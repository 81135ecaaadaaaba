"""`analyze compare --by path`: what entered and what left the critical path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.bootstrap import ENDS
from hopscope.header import Scalar
from hopscope.verdicts.compare_times import holds, verdict
from hopscope.verdicts.resampling import Difference, Estimate, Floats, difference

PARTS = ("category", "operation", "call-site", "edge", "host", "rank")

Key = tuple[str, str]


@dataclass(frozen=True)
class _Path:
    """One run's path: its length, the blocks that it was resampled by, and of each part the time and the shares drawn
    (none where there are too few blocks)."""

    length: float
    blocks: int
    times: dict[Key, float]
    draws: dict[Key, Floats]


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per part of either path, the largest changes first within each kind of part."""
    assert base is not None
    least = parameters["least"]
    assert isinstance(least, int | float)
    before, after = _paths(base), _paths(rows)
    if not any(path.length for path in [*before, *after]):
        return []
    keys = list(dict.fromkeys(key for path in [*after, *before] for key in path.times))
    made = [_row(key, before, after, len(keys), float(least)) for key in keys]
    return sorted(made, key=lambda row: (PARTS.index(row["part"]), -abs(row["change"] or 0), row["name"]))


def _paths(rows: pa.Table) -> list[_Path]:
    """The path of each run."""
    runs: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        runs.setdefault(row["run"], []).append(row)
    return [_path(table) for table in runs.values()]


def _path(table: Sequence[Mapping[str, Any]]) -> _Path:
    keyed = {(row["part"], row["name"]): row for row in table}
    return _Path(
        table[0]["path_ns"],
        table[0]["blocks"],
        {key: row["time_ns"] for key, row in keyed.items()},
        {key: np.nan_to_num(np.array(row["draws"], dtype=float)) for key, row in keyed.items() if row["draws"]},
    )


def _row(key: Key, before: Sequence[_Path], after: Sequence[_Path], rows: int, least: float) -> dict[str, Any]:
    old, now = (_mean([path.times.get(key, 0) for path in side]) for side in (before, after))
    old_shares, new_shares = _shares(key, before), _shares(key, after)
    old_share, new_share = (_mean(shares) if shares else None for shares in (old_shares, new_shares))
    test = old_ends = new_ends = None
    if all(path.draws for path in [*before, *after]) and old_shares and new_shares:
        old_draws, new_draws = _draws(key, before), _draws(key, after)
        test = difference(_estimates(old_shares, old_draws, before), _estimates(new_shares, new_draws, after))
        old_ends, new_ends = (np.quantile(np.mean(draws, axis=0), ENDS).tolist() for draws in (old_draws, new_draws))
    interval = None if test is None else _interval(test, rows)
    said = verdict(interval, least, ("grew", "shrank"))
    return {
        "part": key[0],
        "name": key[1],
        "base_ns": round(old),
        "new_ns": round(now),
        "base_share": old_share,
        "base_share_low": old_ends and old_ends[0],
        "base_share_high": old_ends and old_ends[1],
        "new_share": new_share,
        "new_share_low": new_ends and new_ends[0],
        "new_share_high": new_ends and new_ends[1],
        "change": None if old_share is None or new_share is None else new_share - old_share,
        "change_low": interval and interval[0],
        "change_high": interval and interval[1],
        "status": "both" if old and now else "entered" if now else "left",
        "verdict": said,
        "grew": holds(said, "grew", before, after),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _shares(key: Key, paths: Sequence[_Path]) -> list[float]:
    """The part's share of each path; none where one has no length."""
    return [path.times.get(key, 0) / path.length for path in paths] if all(path.length for path in paths) else []


def _draws(key: Key, paths: Sequence[_Path]) -> list[Floats]:
    """The part's shares drawn of each path. All runs are drawn from alike; set off against one another, the draws of
    several runs are as independent as the runs."""
    drawn = (path.draws.get(key, np.zeros(len(next(iter(path.draws.values()))))) for path in paths)
    return [np.roll(shares, run) for run, shares in enumerate(drawn)]


def _estimates(shares: Sequence[float], draws: Sequence[Floats], paths: Sequence[_Path]) -> list[Estimate]:
    return [
        Estimate(share, float(np.var(drawn)), path.blocks)
        for share, drawn, path in zip(shares, draws, paths, strict=True)
    ]


def _interval(test: Difference, rows: int) -> tuple[float, float]:
    low, high = test.interval(rows)
    return max(low, -1.0), min(high, 1.0)
