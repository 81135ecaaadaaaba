"""`analyze efficiency --by region`: computes the POP project's efficiency factors for each region instead of the
run."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.explain.efficiency import FEW_COLLECTIVES, ratio
from hopscope.format.quantities import plural
from hopscope.query.bootstrap import LEAST_BLOCKS
from hopscope.query.header import Scalar
from hopscope.query.resampling import Floats, block_draws, interval_of


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per region, the one with most time first."""
    del base, parameters
    if rows.num_rows == 0:
        return []
    blocks = int(rows["blocks"][0].as_py())
    # The rows of a region lie one after the other.
    counts = rows.group_by("region", use_threads=False).aggregate([([], "count_all")])
    ends = np.cumsum(counts["count_all"].to_numpy()).tolist()
    region_rows = [
        _row(name, rows.slice(begin, end - begin), blocks)
        for name, begin, end in zip(counts["region"].to_pylist(), [0, *ends], ends, strict=False)
    ]
    return sorted(region_rows, key=lambda row: (-row["time_ns"], row["region"]))


def _row(name: str, rows: pa.Table, blocks: int) -> dict[str, Any]:
    time, useful = _by_rank(rows, blocks)
    longest, mean, largest = (float(value) for value in (time.sum(1).max(), useful.sum(1).mean(), useful.sum(1).max()))
    factors = {
        "parallel_efficiency": ratio(mean, longest),
        "load_balance": ratio(mean, largest),
        "communication_efficiency": ratio(largest, longest),
    }
    covered_blocks = int(np.count_nonzero(time.sum(0)))
    note = None if largest else "no rank computes in it"
    if blocks < LEAST_BLOCKS:
        note = f"{note}; {FEW_COLLECTIVES}" if note else FEW_COLLECTIVES
    elif covered_blocks < LEAST_BLOCKS:
        coverage = f"no intervals: it lies in {covered_blocks} of {plural(blocks, 'block')} of collectives only"
        note = f"{note}; {coverage}" if note else coverage
    draws = block_draws(time, useful) if covered_blocks >= LEAST_BLOCKS else None
    return {
        "region": name,
        "ranks": len(time),
        "time_ns": int(longest),
        "useful_ns": mean,
        **_with_intervals(factors, draws),
        "note": note,
    }


def _by_rank(rows: pa.Table, blocks: int) -> tuple[Floats, Floats]:
    """Time inside and useful time of each rank in each block."""
    ranks, lane = np.unique(rows["rank"].to_numpy(), return_inverse=True)
    block = rows["block"].to_numpy()
    time, useful = np.zeros((len(ranks), blocks)), np.zeros((len(ranks), blocks))
    time[lane, block] = rows["time_ns"].to_numpy()
    useful[lane, block] = rows["useful_ns"].to_numpy()
    return time, useful


def _with_intervals(factors: Mapping[str, float | None], draws: list[Floats] | None) -> dict[str, float | None]:
    samples: dict[str, Floats] = {}
    if draws is not None:
        time, useful = draws
        longest, mean, largest = time.max(0), useful.mean(0), useful.max(0)
        pairs = ((mean, longest), (mean, largest), (largest, longest))
        samples = {name: _quotients(*pair) for name, pair in zip(factors, pairs, strict=True)}
    columns: dict[str, float | None] = {}
    for name, value in factors.items():
        low, high = (None, None) if value is None or name not in samples else interval_of(samples[name], value)
        columns |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return columns


def _quotients(part: Floats, whole: Floats) -> Floats:
    return part[whole > 0] / whole[whole > 0]
