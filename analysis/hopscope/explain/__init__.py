"""Answers that SQL cannot give: statistics that draw at random, spectra, walks over a few rows.

An analysis whose header says `then explain.NAME` is asked in SQL first; a module of this folder makes its rows out of
what the query gave. It exposes one function, and `function_of` below names it,

    answer(rows, base, parameters[, ask][, read]) -> list of dictionaries keyed by the documented columns

where `rows` is the query's table, `base` that of the trace to compare with (None where the analysis has none) and
`parameters` the analysis's own. Where several runs were given, both hold the rows of all; the column `run` numbers
them and `trace` names them. `ask` gives the rows of an analysis that the header names by `asks`, `read` the table of
one that it names by `reads`. Nothing here reads a dataset.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from hopscope.query.header import Analysis, Scalar

Row = dict[str, Any]
Ask = Callable[[str], list[Row]]
Read = Callable[[str], pa.Table]
Function = Callable[..., list[Row]]

_ARROW = {
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "INTEGER[]": pa.list_(pa.int32()),
    "VARCHAR[]": pa.list_(pa.string()),
    "SITE[]": pa.list_(
        pa.struct(
            [
                ("mpi", pa.string()),
                ("function", pa.string()),
                ("file", pa.string()),
                ("line", pa.int32()),
                ("place", pa.string()),
            ]
        )
    ),
}


def of_runs(tables: Sequence[pa.Table], names: Sequence[str]) -> pa.Table:
    """The rows of one run after the other, with the number of the run as the column `run` and its name as `trace`."""
    return pa.concat_tables(
        table.append_column("run", pa.repeat(pa.scalar(number, pa.int32()), table.num_rows)).append_column(
            "trace", pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int8()), table.num_rows), [name])
        )
        for number, (table, name) in enumerate(zip(tables, names, strict=True))
    )


def function_of(module: str) -> Function:  # noqa: PLR0912 - a branch for each module
    """The function behind a header's `then`. Late, because some need scipy, which is slow to import."""
    match module:
        case "explain.algorithms":
            from hopscope.explain.algorithms import answer
        case "explain.algorithm_edges":
            from hopscope.explain.algorithm_edges import answer
        case "explain.diagnosis":
            from hopscope.explain.diagnosis import answer
        case "explain.amplification":
            from hopscope.explain.amplification import answer
        case "explain.compare_activities":
            from hopscope.explain.compare_activities import answer
        case "explain.compare_paths":
            from hopscope.explain.compare_paths import answer
        case "explain.compare_structure":
            from hopscope.explain.compare_structure import answer
        case "explain.compare_times":
            from hopscope.explain.compare_times import answer
        case "explain.efficiency":
            from hopscope.explain.efficiency import answer
        case "explain.periods":
            from hopscope.explain.periods import answer
        case "explain.region_efficiency":
            from hopscope.explain.region_efficiency import answer
        case "explain.scaling":
            from hopscope.explain.scaling import answer
        case _:
            raise LookupError(f"no module {module} is named in {__name__}.function_of")
    return answer


@dataclass(frozen=True)
class Sources:
    """Inputs of a module besides its rows: rows of other analyses, and tables and views of the dataset."""

    ask: Ask
    read: Read


def answer(
    analysis: Analysis, rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar], sources: Sources
) -> pa.Table:
    """The rows of an analysis that has a `then`, in the types that its header declares."""
    if analysis.then is None:
        raise ValueError(f"the header of {analysis.command} has no `then`")
    schema = pa.schema([(column.name, _ARROW[column.type]) for column in analysis.columns])

    def ask(name: str) -> list[Row]:
        if name not in analysis.asks:
            raise LookupError(f"{analysis.then} asks {name}, which the header of {analysis.name}.sql does not name")
        return sources.ask(name)

    def read(name: str) -> pa.Table:
        if name not in analysis.reads:
            raise LookupError(f"{analysis.then} reads {name}, which the header of {analysis.name}.sql does not name")
        return sources.read(name)

    readers = *((ask,) if analysis.asks else ()), *((read,) if analysis.reads else ())
    answer_rows = function_of(analysis.then)(rows, base, parameters, *readers)
    for row in answer_rows:
        if row.keys() != set(schema.names):
            raise RuntimeError(f"{analysis.then} gave {sorted(row)} where its header declares {schema.names}")
    return pa.Table.from_pylist(answer_rows, schema=schema)
