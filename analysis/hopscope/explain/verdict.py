"""Makes the rows of an analysis: those of its query or, if its header has a `then`, those that a module makes from
them."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from hopscope.explain import Row, function_of
from hopscope.query import catalog
from hopscope.query.answer import Answer
from hopscope.query.header import Analysis, Scalar
from hopscope.query.row_table import table_of
from hopscope.query.runner import Runner
from hopscope.selection.comparability import names


class Run(NamedTuple):
    """A run that an analysis is asked about: the path of its trace, and the runner of its queries."""

    path: Path
    runner: Runner


def rows(
    analysis: Analysis, parameters: Mapping[str, Scalar], runs: Sequence[Run], base: Sequence[Run], inputs: list[Answer]
) -> pa.Table:
    """The rows of an analysis of some runs, compared with a base's if there is one. Appends to `inputs` the answers of
    other analyses that it used."""
    runner = runs[0].runner
    if analysis.then is None:
        return runner.ask(analysis, _of_query(analysis, parameters))
    verdict = partial(_verdict, analysis, parameters, runs, base, inputs)
    # `inputs` needs the answers that this one was made from, so an analysis with `asks` is never taken from the cache.
    if base or len(runs) > 1 or (analysis.asks and not analysis.reads):
        return verdict()
    return runner.recall(analysis, parameters, analysis.then, verdict)


def _of_query(analysis: Analysis, parameters: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The parameters that the query itself uses."""
    return {name: value for name, value in parameters.items() if name in analysis.query_parameters}


def _verdict(
    analysis: Analysis, parameters: Mapping[str, Scalar], runs: Sequence[Run], base: Sequence[Run], inputs: list[Answer]
) -> pa.Table:
    """The rows that the module makes, in the types that the header declares."""

    def ask(name: str) -> list[Row]:
        if name not in analysis.asks:
            raise LookupError(f"{analysis.then} asks {name}, which the header of {analysis.name}.sql does not name")
        command = catalog.load().command(name)
        shared = {p.name: parameters[p.name] for p in command.default.parameters if p.name in parameters}
        nested, values = command.choose(shared)
        inputs.append(Answer(rows(nested, values, runs[:1], [], inputs), command, nested, values, ()))
        return inputs[-1].rows

    @cache
    def read(name: str) -> pa.Table:
        if name not in analysis.reads:
            raise LookupError(f"{analysis.then} reads {name}, which the header of {analysis.name}.sql does not name")
        return runs[0].runner.rows_of(name)

    tables = [
        _of_runs(analysis, _of_query(analysis, parameters), several) if several else None for several in (runs, base)
    ]
    readers = *((ask,) if analysis.asks else ()), *((read,) if analysis.reads else ())
    module_rows = function_of(str(analysis.then))(*tables, parameters, *readers)
    columns = [column.name for column in analysis.columns]
    for row in module_rows:
        if row.keys() != set(columns):
            raise RuntimeError(f"{analysis.then} gave {sorted(row)} where its header declares {columns}")
    return table_of(analysis.columns, module_rows)


def _of_runs(analysis: Analysis, values: Mapping[str, Scalar], runs: Sequence[Run]) -> pa.Table:
    """The rows of one run after the other, with the number of the run as the column `run` and its name as `trace`."""
    tables = [run.runner.ask(analysis, values) for run in runs]
    return pa.concat_tables(
        table.append_column("run", pa.repeat(pa.scalar(number, pa.int32()), table.num_rows)).append_column(
            "trace", pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int8()), table.num_rows), [name])
        )
        for number, (table, name) in enumerate(zip(tables, names([run.path for run in runs]), strict=True))
    )
