"""`analyze compare --by path`: what entered and what left the critical path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.header import Scalar
from hopscope.verdicts.compare_times import holds, verdict
from hopscope.verdicts.resampling import (
    LEAST_BLOCKS,
    Difference,
    Estimate,
    Floats,
    difference,
    share_draws,
)

PARTS = ("category", "operation", "call-site", "edge", "host", "rank")

Key = tuple[str, str]


@dataclass(frozen=True)
class _Path:
    """Time of one path: by block what each part of it takes (blocks x parts) and what all take."""

    keys: dict[Key, int]
    part: Floats
    whole: Floats
    once_part: Floats
    once_whole: float

    def time(self, key: Key) -> float:
        place = self.keys.get(key)
        return 0.0 if place is None else float(self.part[:, place].sum() + self.once_part[place])

    @property
    def length(self) -> float:
        return float(self.whole.sum()) + self.once_whole

    def draws(self, key: Key, seed: int) -> Floats:
        place = self.keys.get(key)
        nothing = np.zeros(len(self.whole))
        part = nothing if place is None else self.part[:, place]
        once = 0.0 if place is None else float(self.once_part[place])
        return share_draws(part, self.whole, once, self.once_whole, seed)


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per part of either path, the largest changes first within each kind of part."""
    assert base is not None
    least = parameters["least"]
    assert isinstance(least, int | float)
    before, after = _paths(base), _paths(rows)
    if not any(path.length for path in [*before, *after]):
        return []
    keys = list(dict.fromkeys(key for path in [*after, *before] for key in path.keys))
    made = [_row(key, before, after, len(keys), float(least)) for key in keys]
    return sorted(made, key=lambda row: (PARTS.index(row["part"]), -abs(row["change"] or 0), row["name"]))


def _paths(rows: pa.Table) -> list[_Path]:
    """The path of each run."""
    runs: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        runs.setdefault(row["run"], []).append(row)
    return [_path(table) for table in runs.values()]


def _path(table: Sequence[Mapping[str, Any]]) -> _Path:
    blocks = sorted({row["block"] for row in table if row["block"] is not None})
    keys = {
        key: n for n, key in enumerate(dict.fromkeys((r["part"], r["name"]) for r in table if r["name"] is not None))
    }
    part, once_part = np.zeros((len(blocks), len(keys))), np.zeros(len(keys))
    whole, once_whole = np.zeros(len(blocks)), 0.0
    places = {block: n for n, block in enumerate(blocks)}
    for row in table:
        time, block = row["time_ns"], row["block"]
        if row["name"] is not None:
            place = keys[row["part"], row["name"]]
            if block is None:
                once_part[place] += time
            else:
                part[places[block], place] += time
        if row["part"] == "category":  # every stretch has one
            if block is None:
                once_whole += time
            else:
                whole[places[block]] += time
    return _Path(keys, part, whole, once_part, once_whole)


def _row(key: Key, before: Sequence[_Path], after: Sequence[_Path], rows: int, least: float) -> dict[str, Any]:
    old, now = _mean([path.time(key) for path in before]), _mean([path.time(key) for path in after])
    old_shares, new_shares = _shares(key, before), _shares(key, after)
    old_share, new_share = (_mean(shares) if shares else None for shares in (old_shares, new_shares))
    test = old_ends = new_ends = None
    can_judge = all(len(path.whole) >= LEAST_BLOCKS for path in [*before, *after])
    if can_judge and old_shares and new_shares:
        old_draws = [path.draws(key, seed) for seed, path in enumerate(before, start=1)]
        new_draws = [path.draws(key, seed) for seed, path in enumerate(after, start=1 + len(before))]
        test = difference(_estimates(old_shares, old_draws, before), _estimates(new_shares, new_draws, after))
        old_ends, new_ends = (
            np.quantile(np.mean(draws, axis=0), (0.025, 0.975)).tolist() for draws in (old_draws, new_draws)
        )
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
    return [path.time(key) / path.length for path in paths] if all(path.length for path in paths) else []


def _estimates(shares: Sequence[float], draws: Sequence[Floats], paths: Sequence[_Path]) -> list[Estimate]:
    return [
        Estimate(share, float(np.var(drawn)), len(path.whole))
        for share, drawn, path in zip(shares, draws, paths, strict=True)
    ]


def _interval(test: Difference, rows: int) -> tuple[float, float]:
    low, high = test.interval(rows)
    return max(low, -1.0), min(high, 1.0)
