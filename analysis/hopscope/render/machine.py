"""An answer for programs: JSON and CSV with the documented columns, raw integers and full precision."""

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
    """An array of row objects; with a name, an object that has the array by this name. What JSON cannot hold (NaN,
    infinities) is null; exact decimals are numbers."""
    rows = [in_json(row) for row in table.to_pylist()]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False, default=str) for row in rows)
    array = f"[\n{lines}\n]" if lines else "[]"
    return in_json_text(f'{{"{name}": {array}}}\n' if name else f"{array}\n")


def as_csv(table: pa.Table) -> str:
    """A header and one line per row; null is empty, truth is true or false. For spreadsheets: no text is a formula
    there, nor acts on a terminal. Exact values need JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in table.to_pylist():
        writer.writerow([cell(value) for value in row.values()])
    return text.getvalue()


def in_json(value: Any) -> Any:
    """A value as JSON has it: exact decimals are numbers, what is not finite is null, also inside lists and objects."""
    if isinstance(value, Decimal):  # sums of DuckDB's integers are such
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [in_json(item) for item in value]
    if isinstance(value, dict):
        return {name: in_json(item) for name, item in value.items()}
    return value


FORMULA = r"^[=+\-@\t\r\n]"
"""How a text begins that a spreadsheet would compute."""


def no_formula(text: str) -> str:
    """A text behind an apostrophe where a spreadsheet would compute it. Numbers are no texts and stay as they are."""
    return f"'{text}" if re.match(FORMULA, text) else text


def cell(value: Any) -> Any:
    """A value as CSV has it: a number stays one, what has parts is JSON; None for null."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return in_json_text(json.dumps(in_json(value), ensure_ascii=False, default=str))
    return no_formula(visible(value)) if isinstance(value, str) else in_json(value)
