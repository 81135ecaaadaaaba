"""The dataset's tables as Arrow or CSV files, for programs that read no Parquet."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from hopscope.errors import InputError
from hopscope.export.whole_file import whole_file
from hopscope.render.machine import FORMULA
from hopscope.store import table_schemas

if TYPE_CHECKING:
    import pyarrow as pa

    from hopscope.trace import Progress, Trace

    _Write = Callable[[IO[bytes], pa.Schema, Iterable[pa.RecordBatch]], int]

TableFormat = Literal["arrow", "csv"]


def write_tables(
    trace: Trace,
    output: Path,
    form: TableFormat,
    *,
    tables: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, int]:
    """Write tables of the dataset: one to the file `output`; several, or all if none is named, as `<table>.<form>` into
    a new directory `output`.

    An Arrow file has the columns of schemas/tables; in CSV null is empty and a list is written as [0, 1]. Returns the
    rows of each table. Raises InputError for an unknown table, a directory that is there, or a place that cannot be
    written.
    """
    names = list(tables) or list(table_schemas())
    for name in names:
        if name not in table_schemas():
            raise InputError(f"a dataset has no table {name!r}; it has {', '.join(table_schemas())}")
    if len(names) == 1:
        return {names[0]: _write_table(trace, output, names[0], form)}
    if output.exists():
        raise InputError(f"{output} is there already; name a new directory for the {len(names)} tables")
    making = output.with_name(f"{output.name}.tmp-{os.getpid()}")
    try:
        making.mkdir()
        rows: dict[str, int] = {}
        for done, name in enumerate(names):
            if progress:
                progress("writing tables", done, len(names))
            rows[name] = _write_table(trace, making / f"{name}.{form}", name, form)
        making.rename(output)
        if progress:
            progress("writing tables", len(names), len(names))
        return rows
    except OSError as problem:
        raise InputError(f"{output} cannot be made: {problem.strerror or problem}. Name another place") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _write_table(trace: Trace, output: Path, name: str, form: TableFormat) -> int:
    with whole_file(output) as file:
        return _WRITERS[form](file, table_schemas()[name], trace.batches(_QUERY, {"name": name}))


_QUERY = "from query_table($name)"


def _write_arrow(file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    import pyarrow as pa

    rows = 0
    with pa.ipc.new_file(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(schema))
            rows += batch.num_rows
    return rows


def _write_csv(file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """CSV knows no lists: they are text, as `analyze sql` shows them."""
    import pyarrow as pa
    import pyarrow.csv

    lists = [field.name for field in schema if pa.types.is_list(field.type)]
    flat = pa.schema([pa.field(field.name, pa.string()) if field.name in lists else field for field in schema])
    rows = 0
    with pyarrow.csv.CSVWriter(file, flat) as writer:
        for batch in batches:
            columns = [
                pa.array([None if value is None else str(value) for value in column.to_pylist()], pa.string())
                if name in lists
                else _no_formulas(column)
                for name, column in zip(schema.names, batch.columns, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema=flat))
            rows += batch.num_rows
    return rows


def _no_formulas(column: pa.Array) -> pa.Array:
    """Texts as `analyze --format csv` writes them: behind an apostrophe where a spreadsheet would compute them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(column.type):
        return column
    return pc.if_else(pc.match_substring_regex(column, FORMULA), pc.binary_join_element_wise("'", column, ""), column)


_WRITERS: dict[TableFormat, _Write] = {"arrow": _write_arrow, "csv": _write_csv}
TABLE_FORMATS: tuple[TableFormat, ...] = ("arrow", "csv")
