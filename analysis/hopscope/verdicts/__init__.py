"""What SQL cannot say: statistics that draw at random, spectra, walks over a few rows.

An analysis whose header says `then verdicts.NAME` is asked in SQL first; a module of this folder makes its rows out of
what the query gave. It exposes one function,

    answer(rows, base, parameters) -> list of dictionaries keyed by the documented columns

where `rows` is the query's table, `base` that of the trace to compare with (None where the analysis has none) and
`parameters` the analysis's own. Where several runs were given, both hold the rows of all; the column `run` numbers
them. Nothing here reads a dataset.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import pyarrow as pa

from hopscope.header import Analysis, Scalar

Row = dict[str, Any]
Function = Callable[[pa.Table, pa.Table | None, Mapping[str, Scalar]], list[Row]]

_ARROW = {
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
}


def of_runs(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of one run after the other, with the number of the run as the column `run`."""
    return pa.concat_tables(
        table.append_column("run", pa.repeat(pa.scalar(number, pa.int32()), table.num_rows))
        for number, table in enumerate(tables)
    )


def answer(analysis: Analysis, rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> pa.Table:
    """The rows of an analysis that has a `then`, in the types that its header declares."""
    # By name, because the header names it; late, because some of them need scipy, which is slow to import.
    function = cast("Function", import_module(f"hopscope.{analysis.then}").answer)
    schema = pa.schema([(column.name, _ARROW[column.type]) for column in analysis.columns])
    made = function(rows, base, parameters)
    for row in made:
        if row.keys() != set(schema.names):
            raise RuntimeError(f"{analysis.then} gave {sorted(row)} where its header declares {schema.names}")
    return pa.Table.from_pylist(made, schema=schema)
