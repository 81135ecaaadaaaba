"""`analyze compare --by path`: what entered and what left the critical path."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.header import Scalar
from hopscope.verdicts.compare_times import verdict
from hopscope.verdicts.resampling import LEAST_BLOCKS, Difference, Estimate, Floats, difference, share_draws

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
    before, after = _path(base), _path(rows)
    if not before.length and not after.length:
        return []
    keys = list(dict.fromkeys([*after.keys, *before.keys]))
    made = [_row(key, before, after, len(keys), float(least)) for key in keys]
    return sorted(made, key=lambda row: (PARTS.index(row["part"]), -abs(row["change"] or 0), row["name"]))


def _path(rows: pa.Table) -> _Path:
    table = rows.to_pylist()
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


def _row(key: Key, before: _Path, after: _Path, rows: int, least: float) -> dict[str, Any]:
    old, now = before.time(key), after.time(key)
    old_share, new_share = _share(old, before), _share(now, after)
    test = old_ends = new_ends = None
    if min(len(before.whole), len(after.whole)) >= LEAST_BLOCKS and old_share is not None and new_share is not None:
        draws = before.draws(key, 1), after.draws(key, 2)
        test = difference(
            Estimate(old_share, float(np.var(draws[0])), len(before.whole)),
            Estimate(new_share, float(np.var(draws[1])), len(after.whole)),
        )
        old_ends, new_ends = (np.quantile(drawn, (0.025, 0.975)).tolist() for drawn in draws)
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
        "grew": {"grew": True, "undecided": None}.get(said, False),
    }


def _share(time: float, path: _Path) -> float | None:
    return time / path.length if path.length else None


def _interval(test: Difference, rows: int) -> tuple[float, float]:
    low, high = test.interval(rows)
    return max(low, -1.0), min(high, 1.0)
