"""`analyze efficiency --also`: compares the efficiency of several runs of a program."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hopscope.explain.efficiency import measured, ratio
from hopscope.query.header import Scalar


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per run that communicates. Speed-up and scaling are relative to the first of these runs."""
    del base, parameters
    numbers = sorted(rows["run"].unique().to_pylist())
    parts = {number: rows.filter(pc.equal(rows["run"], number)) for number in numbers}
    runs = {number: measured(part) for number, part in parts.items()}
    measurements = {number: run for number, run in runs.items() if run is not None}
    first = next(iter(measurements.values()), None)
    scaling_rows: list[dict[str, Any]] = []
    for number, run in measurements.items():
        assert first is not None
        efficiency = ratio(run.mean_ns, run.time_ns)
        scaling = ratio(first.mean_ns * first.ranks, run.mean_ns * run.ranks)
        scaling_rows.append(
            {
                "run": number,
                "trace": parts[number]["trace"][0].as_py(),
                "ranks": run.ranks,
                "time_ns": run.time_ns,
                "speedup": ratio(first.time_ns, run.time_ns),
                "computation_scaling": scaling,
                "global_efficiency": None if efficiency is None or scaling is None else efficiency * scaling,
                "parallel_efficiency": efficiency,
                "load_balance": ratio(run.mean_ns, run.largest_ns),
                "communication_efficiency": ratio(run.largest_ns, run.time_ns),
                "serialisation": ratio(run.largest_ns, run.ideal_ns),
                "transfer": ratio(run.ideal_ns, run.time_ns),
                "note": run.reason,
            }
        )
    return scaling_rows
