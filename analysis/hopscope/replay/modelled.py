"""Evaluates the published models for a run. A table with one row has all results, so that they are stored together."""

from __future__ import annotations

import pyarrow as pa

from hopscope.errors import InputError
from hopscope.machine import parameters
from hopscope.query.opened import OpenedTrace
from hopscope.replay import formula_times
from hopscope.replay.fitting.traced import Fitted, fitted_of_trace, rows_of_fit, steps_of_fit


def drawn_sizes(trace_fit: Fitted) -> list[int]:
    """The sizes, up to the largest message, at which curves are drawn. Both sides of each step are among them."""
    sizes = sorted({*formula_times.SIZES, *steps_of_fit(trace_fit)})
    return [size for size in sizes if 0 < size <= max(sizes[0], trace_fit.sizes.max())]


def modelled(trace: OpenedTrace) -> pa.Table:
    """One row: `parameters` as `analyze model` lists them, `curves` (see `parameters.Curve`) up to the largest message,
    `times` as `analyze formulas` lists them, `lack`, the reason why there are no times, and `said`, sentences on the
    fit.

    Raises InputError if no hop shows the cost of a message.
    """
    trace_fit = fitted_of_trace(trace.table)
    rows = rows_of_fit(trace_fit)
    emulated = trace_fit.source.tables["run"]["emulated"].to_pylist()[0] is not None
    times, lack = [], None
    try:
        measured = formula_times.measured(
            trace.table("collectives"), trace.run("algorithms").to_pylist(), emulated=emulated
        )
        times = formula_times.table_of(formula_times.of_trace(trace_fit, measured, rows)).to_pylist()
    except InputError as error:
        lack = str(error)
    answer = {
        "parameters": parameters.table_of(rows).to_pylist(),
        "curves": [curve._asdict() for curve in parameters.over_sizes(rows, drawn_sizes(trace_fit))],
        "times": times,
        "lack": lack,
        "said": " ".join([trace_fit.provenance, *trace_fit.untold]),
    }
    return pa.Table.from_pylist([answer])
