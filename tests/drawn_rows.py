"""Makes a table of the dataset from rows that a test draws."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa


def drawn_table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """The table of these rows. A column without a value is null, or 0, false or empty if it may not be null."""
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
