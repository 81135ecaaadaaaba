"""`analyze compare --by path`: tells what entered and what left the critical path between two runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.explain.compare_times import holds, verdict
from hopscope.explain.runs import rows_by_run
from hopscope.query.bootstrap import ENDS
from hopscope.query.header import Scalar
from hopscope.query.resampling import Difference, Estimate, Floats, difference
from hopscope.selection.alignment import Site, align

PARTS = ("category", "operation", "place", "edge", "host", "rank")

Key = tuple[str, str]


@dataclass(frozen=True)
class _Path:
    """One run's critical path. length: in ns. blocks: the number of its resampling blocks. times: the time of each
    part. draws, drawn_times: the share and the time of each part in resampled runs; empty if there are too few
    blocks."""

    length: float
    blocks: int
    times: dict[Key, float]
    draws: dict[Key, Floats]
    drawn_times: dict[Key, Floats]


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per part of either path, by kind of part, and within each kind the largest change first."""
    assert base is not None
    threshold = parameters["least"]
    assert isinstance(threshold, int | float)
    base_paths, new_paths = _paths(base), _paths(rows)
    if not any(path.length for path in [*base_paths, *new_paths]):
        return []
    moved = _moved(base, rows)
    base_paths = [_renamed(path, moved) for path in base_paths]
    keys = list(dict.fromkeys(key for path in [*new_paths, *base_paths] for key in path.times))
    answer_rows = [_row(key, base_paths, new_paths, len(keys), float(threshold)) for key in keys]
    of_base = {new: old for old, new in moved.items()}
    for row in answer_rows:
        key = row["part"], row["name"]
        row["base_name"] = None if row["status"] == "entered" else of_base.get(key, key)[1]
        row["aligned"] = "function" if key in of_base else "name"
    return sorted(answer_rows, key=lambda row: (PARTS.index(row["part"]), -abs(row["change"] or 0), row["name"]))


def _moved(base: pa.Table, new: pa.Table) -> dict[Key, Key]:
    """The places that have another text in the new run than in the base: the new run's key of each, by the base's
    key."""
    pairs = align(_places(base), _places(new), in_order=False)
    return {
        ("place", pair.base.place): ("place", pair.new.place)
        for pair in pairs
        if pair.method == "function" and pair.base and pair.new
    }


def _places(rows: pa.Table) -> list[Site]:
    return [
        Site(row["op"] or "", 0, row["name"], row["function"])
        for row in rows.select(["part", "name", "op", "function"]).to_pylist()
        if row["part"] == "place"
    ]


def _renamed(path: _Path, names: Mapping[Key, Key]) -> _Path:
    """The base's path, with its places named as in the new run."""

    return _Path(
        path.length,
        path.blocks,
        {names.get(key, key): time for key, time in path.times.items()},
        {names.get(key, key): samples for key, samples in path.draws.items()},
        {names.get(key, key): samples for key, samples in path.drawn_times.items()},
    )


def _paths(rows: pa.Table) -> list[_Path]:
    """The path of each run."""
    return [_path(table) for table in rows_by_run(rows)]


def _path(table: Sequence[Mapping[str, Any]]) -> _Path:
    keyed = {(row["part"], row["name"]): row for row in table}
    return _Path(
        table[0]["path_ns"],
        table[0]["blocks"],
        {key: row["time_ns"] for key, row in keyed.items()},
        {key: np.nan_to_num(np.array(row["draws"], dtype=float)) for key, row in keyed.items() if row["draws"]},
        {key: np.array(row["times"], dtype=float) for key, row in keyed.items() if row["times"]},
    )


def _row(
    key: Key, base_paths: Sequence[_Path], new_paths: Sequence[_Path], rows: int, threshold: float
) -> dict[str, Any]:
    old, new = (_mean([path.times.get(key, 0) for path in side]) for side in (base_paths, new_paths))
    old_shares, new_shares = _shares(key, base_paths), _shares(key, new_paths)
    old_share, new_share = (_mean(shares) if shares else None for shares in (old_shares, new_shares))
    test = old_ends = new_ends = old_times = new_times = None
    if all(path.draws for path in [*base_paths, *new_paths]) and old_shares and new_shares:
        old_draws, new_draws = _draws(key, base_paths), _draws(key, new_paths)
        test = difference(_estimates(old_shares, old_draws, base_paths), _estimates(new_shares, new_draws, new_paths))
        old_ends, new_ends = (np.quantile(np.mean(draws, axis=0), ENDS).tolist() for draws in (old_draws, new_draws))
        old_times, new_times = (
            np.quantile(np.mean(_draws(key, side, times=True), axis=0), ENDS).tolist()
            for side in (base_paths, new_paths)
        )
    interval = None if test is None else _interval(test, rows)
    outcome = verdict(interval, threshold, ("grew", "shrank"))
    return {
        "part": key[0],
        "name": key[1],
        "base_ns": round(old),
        "new_ns": round(new),
        "base_low_ns": old_times and round(old_times[0]),
        "base_high_ns": old_times and round(old_times[1]),
        "new_low_ns": new_times and round(new_times[0]),
        "new_high_ns": new_times and round(new_times[1]),
        "base_share": old_share,
        "base_share_low": old_ends and old_ends[0],
        "base_share_high": old_ends and old_ends[1],
        "new_share": new_share,
        "new_share_low": new_ends and new_ends[0],
        "new_share_high": new_ends and new_ends[1],
        "difference_ns": round(new) - round(old),
        "change": None if old_share is None or new_share is None else new_share - old_share,
        "change_low": interval and interval[0],
        "change_high": interval and interval[1],
        "status": "both" if old and new else "entered" if new else "left",
        "verdict": outcome,
        "grew": holds(outcome, "grew", base_paths, new_paths),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _shares(key: Key, paths: Sequence[_Path]) -> list[float]:
    """The part's share of each path; empty if any path has no length."""
    return [path.times.get(key, 0) / path.length for path in paths] if all(path.length for path in paths) else []


def _draws(key: Key, paths: Sequence[_Path], *, times: bool = False) -> list[Floats]:
    """The part's shares (or times) in resampled runs, for each path. All paths were resampled with the same random
    draws, but their samples must be as independent as the runs. So each path's samples are rolled by its run's
    number."""
    sides = [path.drawn_times if times else path.draws for path in paths]
    samples = (side.get(key, np.zeros(len(next(iter(side.values()))))) for side in sides)
    return [np.roll(shares, run) for run, shares in enumerate(samples)]


def _estimates(shares: Sequence[float], draws: Sequence[Floats], paths: Sequence[_Path]) -> list[Estimate]:
    return [
        Estimate(share, float(np.var(samples)), path.blocks)
        for share, samples, path in zip(shares, draws, paths, strict=True)
    ]


def _interval(test: Difference, rows: int) -> tuple[float, float]:
    low, high = test.interval(rows)
    return max(low, -1.0), min(high, 1.0)
