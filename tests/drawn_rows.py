"""Rows that a test draws, as a table of the dataset."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa


def drawn_table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """The table. A column that the drawing never mentions is null, or 0, false or empty where it may not be null."""
    mentioned = {name for row in rows for name in row}
    plain = {
        field.name: _empty_value(field.type) for field in schema if not field.nullable and field.name not in mentioned
    }
    return pa.Table.from_pylist([plain | row for row in rows], schema=schema)


def _empty_value(kind: pa.DataType) -> object:
    if pa.types.is_boolean(kind):
        return False
    if pa.types.is_list(kind):
        return []
    return "" if pa.types.is_string(kind) else 0
