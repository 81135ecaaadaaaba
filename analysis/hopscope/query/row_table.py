"""Turns rows into a table with the columns that a header declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from hopscope.query.header import Column

_SITE = pa.struct(
    {name: pa.string() for name in ("mpi", "function", "file")} | {"line": pa.int32(), "place": pa.string()}
)
_TYPES = {
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "INTEGER[]": pa.list_(pa.int32()),
    "VARCHAR[]": pa.list_(pa.string()),
    "SITE[]": pa.list_(_SITE),
}


def table_of(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """The rows as a table with the columns' types."""
    schema = pa.schema([(column.name, _TYPES[column.type]) for column in columns])
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
