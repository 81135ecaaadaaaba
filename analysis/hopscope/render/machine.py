"""Writes an answer for programs: JSON and CSV with the documented columns, raw integers and full precision."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hopscope.render.visible import in_json_text, visible

if TYPE_CHECKING:
    import pyarrow as pa


def as_json(table: pa.Table, name: str | None = None) -> str:
    """An array of row objects; with a name, an object that has the array under this name. Values that JSON lacks (NaN,
    infinities) become null; exact decimals become numbers."""
    rows = [in_json(row) for row in table.to_pylist()]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False, default=str) for row in rows)
    array = f"[\n{lines}\n]" if lines else "[]"
    return in_json_text(f'{{"{name}": {array}}}\n' if name else f"{array}\n")


def as_csv(table: pa.Table) -> str:
    """A header and one line per row. Null is empty, booleans are true or false. Safe for spreadsheets: no text becomes
    a formula or controls a terminal. Use JSON for exact values."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in table.to_pylist():
        writer.writerow([cell(value) for value in row.values()])
    return text.getvalue()


def in_json(value: Any) -> Any:
    """A value for JSON, also inside lists and objects: exact decimals become numbers, NaN and infinities become
    null."""
    if isinstance(value, Decimal):  # the type of sums of DuckDB's integers
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [in_json(item) for item in value]
    if isinstance(value, dict):
        return {name: in_json(item) for name, item in value.items()}
    return value


FORMULA = r"^[=+\-@\t\r\n]"
"""Matches the beginning of a text that a spreadsheet would compute."""


def no_formula(text: str) -> str:
    """A text with an apostrophe in front if a spreadsheet would compute it. Numbers are not texts and stay as they
    are."""
    return f"'{text}" if re.match(FORMULA, text) else text


def cell(value: Any) -> Any:
    """A value for CSV: numbers stay, lists and objects become JSON text, null becomes None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return in_json_text(json.dumps(in_json(value), ensure_ascii=False, default=str))
    return no_formula(visible(value)) if isinstance(value, str) else in_json(value)
