"""Writes a table in any of the export formats. WRITERS has the function for each format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import IO, TYPE_CHECKING

from hopscope.errors import InputError
from hopscope.render.machine import FORMULA, cell

if TYPE_CHECKING:
    import pyarrow as pa

    Write = Callable[[IO[bytes], pa.Schema, Iterable[pa.RecordBatch]], int]


def write_arrow(file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write an Arrow file with the columns of schemas/tables; returns the number of rows."""
    import pyarrow as pa

    rows = 0
    with pa.ipc.new_file(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(schema))
            rows += batch.num_rows
    return rows


def write_csv(file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write CSV; returns the number of rows. Null is empty, and a list is text, as in `analyze sql`."""
    import pyarrow as pa
    import pyarrow.csv

    nested = [field.name for field in schema if pa.types.is_nested(field.type) or pa.types.is_interval(field.type)]
    flat = pa.schema([pa.field(field.name, pa.string()) if field.name in nested else field for field in schema])
    rows = 0
    with pyarrow.csv.CSVWriter(file, flat) as writer:
        for batch in batches:
            columns = [
                pa.array([None if value is None else str(cell(value)) for value in column.to_pylist()], pa.string())
                if name in nested
                else _no_formulas(column)
                for name, column in zip(schema.names, batch.columns, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema=flat))
            rows += batch.num_rows
    return rows


def write_parquet(file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write Parquet; returns the number of rows. Raises InputError for a column of a type that Parquet lacks."""
    import pyarrow as pa
    import pyarrow.parquet

    rows = 0
    try:
        with pyarrow.parquet.ParquetWriter(file, schema) as writer:
            for batch in batches:
                writer.write_batch(batch.cast(schema))
                rows += batch.num_rows
    except pa.ArrowNotImplementedError as error:
        raise InputError(f"Parquet cannot hold a column of the result ({error}); cast it to VARCHAR") from None
    return rows


def _no_formulas(column: pa.Array) -> pa.Array:
    """The column with an apostrophe before each text that a spreadsheet would read as a formula, as in `analyze
    --format csv`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(column.type):
        return column
    return pc.if_else(pc.match_substring_regex(column, FORMULA), pc.binary_join_element_wise("'", column, ""), column)


WRITERS: Mapping[str, Write] = {
    "arrow": write_arrow,
    "csv": write_csv,
    "parquet": write_parquet,
}
