"""What the published models say of a run, all of it in one table of one row, so that it can be kept as one answer."""

from __future__ import annotations

import pyarrow as pa

from hopscope.errors import InputError
from hopscope.machine import parameters
from hopscope.query.opened import OpenedTrace
from hopscope.replay import formula_times
from hopscope.replay.fitting.traced import Fitted, fitted_of_trace, rows_of_fit, steps_of_fit


def drawn_sizes(found: Fitted) -> list[int]:
    """The sizes, up to the largest message, at which curves are drawn; either side of a step is one."""
    known = sorted({*formula_times.SIZES, *steps_of_fit(found)})
    return [size for size in known if 0 < size <= max(known[0], found.sizes.max())]


def modelled(trace: OpenedTrace) -> pa.Table:
    """One row: `parameters` as `analyze model` lists them, `curves` (see `parameters.Curve`) up to the largest message,
    `times` as `analyze formulas` lists them, or `lack`, why there are none, and `said`, what all of it is from.

    Raises InputError where no hop shows what a message costs.
    """
    found = fitted_of_trace(trace.table)
    rows = rows_of_fit(found)
    emulated = found.source.tables["run"]["emulated"].to_pylist()[0] is not None
    times, lack = [], None
    try:
        seen = formula_times.measured(
            trace.table("collectives"), trace.run("algorithms").to_pylist(), emulated=emulated
        )
        times = formula_times.table_of(formula_times.of_trace(found, seen, rows)).to_pylist()
    except InputError as error:
        lack = str(error)
    answer = {
        "parameters": parameters.table_of(rows).to_pylist(),
        "curves": [curve._asdict() for curve in parameters.over_sizes(rows, drawn_sizes(found))],
        "times": times,
        "lack": lack,
        "said": " ".join([found.said, *found.untold]),
    }
    return pa.Table.from_pylist([answer])
