"""An answer for programs: JSON and CSV with the documented columns, raw integers and full precision."""

import csv
import io
import json
import math
from typing import Any

import pyarrow as pa


def as_json(table: pa.Table) -> str:
    """An array of row objects. What JSON cannot hold (NaN, infinities) is null."""
    rows = [{name: _finite(value) for name, value in row.items()} for row in table.to_pylist()]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False, default=str) for row in rows)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def as_csv(table: pa.Table) -> str:
    """A header and one line per row; null is empty, truth is true or false."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in table.to_pylist():
        writer.writerow([_cell(value) for value in row.values()])
    return out.getvalue()


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return json.dumps(value)
    return _finite(value)
