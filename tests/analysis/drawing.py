"""Datasets drawn by hand: a table is a few lines of text. Columns that the text lacks take defaults, and the table is
written as the schemas say."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from computing_in_drawings import with_computing, with_last_enters
from hopscope.dataset import manifest
from hopscope.dataset.store import table_schemas
from kinds_in_drawings import with_kinds

# Values of columns that a drawing does not mention. Nullable columns are null.
DEFAULTS: dict[str, object] = {
    "hosts": 1,
    "clusters": 1,
    "mode": "tree",
    "clock_used": "error",
    "record": "all",
    "creator": "drawn by hand",
    "hopscope_version": "0",
    "schema_version": 1,
    "cluster": "site",
    "host": "here",
    "clock_host": "machine",
    "complete": True,
    "engine": "tree",
    "source": "tree",
    "role": "up",
    "link": "shm",
    "binding": "recv",
    "kind": "wait",
    "category": "compute",
    "op": "MPI_Allreduce",
}


# Columns that number the rows from 0 if a drawing does not mention them.
NUMBERED = ("call_id", "hop_id", "interval_id", "message_id", "step_id", "collective_id")


def draw(directory: Path, **tables: str) -> Path:
    """Write a dataset. A table's text is a line of column names, then a line of values for each row: `-` for null,
    `0,1` for a list."""
    contents = {name: rows_of(tables[name], schema) for name, schema in table_schemas().items() if name in tables}
    if "calls" in contents and "computed_ns" not in tables["calls"]:
        contents["calls"] = with_computing(contents["calls"], contents.get("intervals"))
    if "calls" in contents and "collectives" in contents:
        has_enters = "last_enter_ns" in tables["collectives"]
        contents["collectives"] = with_last_enters(contents["collectives"], contents["calls"], enters_drawn=has_enters)
    contents = with_kinds(contents)
    for name, rows in contents.items():
        part = directory / name / "part-00000.parquet"
        part.parent.mkdir(parents=True)
        pq.write_table(rows, part)
    directory.mkdir(exist_ok=True, parents=True)
    describe(directory)
    return directory


def describe(directory: Path) -> None:
    """Write a manifest of the dataset's files."""
    files: dict[str, list[manifest.Described]] = {}
    for part in sorted(directory.glob("*/*.parquet")):
        files.setdefault(part.parent.name, []).append(manifest.described(part, pq.read_metadata(part).num_rows))
    manifest.write(directory, files)


def rows_of(text: str, schema: pa.Schema) -> pa.Table:
    """The rows that a text draws. A column that the schema lacks is a mistake in the drawing."""
    lines = [line.split() for line in text.strip().splitlines() if line.strip() and not line.strip().startswith("#")]
    names = lines[0]
    assert set(names) <= set(schema.names), f"no such column: {set(names) - set(schema.names)}"
    columns: dict[str, list[object]] = {field.name: [] for field in schema}
    for number, line in enumerate(lines[1:]):
        assert len(line) == len(names), f"{line} does not fit {names}"
        values = dict(zip(names, line, strict=True))
        for field in schema:
            columns[field.name].append(_value(field, values.get(field.name), number))
    return pa.table(columns, schema=schema)


def _value(field: pa.Field, text: str | None, number: int) -> object:
    if text == "-" or (text is None and field.nullable and field.name != "role"):
        return None
    if text is None:
        if field.name in NUMBERED:
            return number
        empty = {"string": "", "bool": False}.get(str(field.type), 0)
        return DEFAULTS.get(field.name, empty)
    read = {"bool": lambda t: {"true": True, "false": False}[t], "double": float, "string": str}
    if pa.types.is_list(field.type):
        return [int(part) for part in text.split(",")]
    return read.get(str(field.type), int)(text)


def expected(text: str) -> list[dict[str, str]]:
    """The rows of a CSV text with an expected result, as dicts of strings."""
    lines = [[cell.strip() for cell in line.split(",")] for line in text.strip().splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def cells(table: pa.Table, *columns: str) -> list[dict[str, str]]:
    """Some columns of a result in the form of `expected`: null is empty, numbers are rounded."""
    return [{name: _cell(row[name]) for name in columns} for row in table.to_pylist()]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
