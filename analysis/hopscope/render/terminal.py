"""An answer as a table for people: human units, the interval of a share in one column, a bar where the header asks
for one."""

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import pyarrow as pa
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from hopscope.catalog import Analysis, Column
from hopscope.render.quantities import quantity

BAR_WIDTH = 16
# Wide enough that nothing is cut where the output is a file or a pipe.
FILE_WIDTH = 220

Row = Mapping[str, Any]


def console(stream: TextIO) -> Console:
    """A console that neither colours nor cuts what goes into a file."""
    return Console(file=stream, highlight=False, width=None if stream.isatty() else FILE_WIDTH)


def print_answer(stream: TextIO, table: pa.Table, analysis: Analysis) -> None:
    """Print the rows of an answer; prints only the header where there are none."""
    rows = table.to_pylist()
    target = console(stream)
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    cells: list[list[str]] = []
    for column in analysis.columns:
        if column.name in analysis.only_data or _is_interval_end(column, analysis, "_high"):
            continue
        numeric = column.type != "VARCHAR"
        heading, texts = _column_texts(column, analysis, rows)
        drawn.add_column(heading, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
        cells.append(texts)
        if column.name == analysis.bar:
            drawn.add_column("", no_wrap=True, style="cyan")
            cells.append(_bars(column, rows, "utf" in target.encoding))
    for line in zip(*cells, strict=True):
        drawn.add_row(*(_literal(cell) for cell in line))
    target.print(drawn)


def print_rows(stream: TextIO, table: pa.Table) -> None:
    """Print a table of which nothing is known but its columns."""
    columns = tuple(
        Column(name, "VARCHAR" if pa.types.is_string(table.schema.field(name).type) else "DOUBLE", "")
        for name in table.column_names
    )
    analysis = Analysis(name="rows", help="", concept="", uses=(), sql="", columns=columns)
    print_answer(stream, table, analysis)


def _column_texts(column: Column, analysis: Analysis, rows: Sequence[Row]) -> tuple[str, list[str]]:
    if _is_interval_end(column, analysis, "_low"):
        base = column.name.removesuffix("_low")
        unit = column.unit
        texts = [_interval(row[column.name], row[f"{base}_high"], unit) for row in rows]
        return f"95 % of {base}", texts
    if column.unit == "of unit":
        # Where a row has words instead of a value, a dash would look like something missing.
        return column.name, [
            "" if row[column.name] is None else quantity(row[column.name], row["unit"]) for row in rows
        ]
    heading = column.name.removesuffix("_ns") if column.unit in ("ns", "at") else column.name
    if column.name in analysis.key or column.name in ("comm", "seq", "tag"):
        return heading, ["-" if row[column.name] is None else str(row[column.name]) for row in rows]
    if column.type == "VARCHAR":
        return heading, [str(row[column.name] or "") for row in rows]
    return heading, [quantity(row[column.name], column.unit) for row in rows]


def _is_interval_end(column: Column, analysis: Analysis, end: str) -> bool:
    if not column.name.endswith(end):
        return False
    base = column.name.removesuffix(end)
    names = {c.name for c in analysis.columns}
    return {f"{base}_low", f"{base}_high"} <= names


def _interval(low: float | None, high: float | None, unit: str | None) -> str:
    if low is None or high is None:
        return "-"
    return f"{quantity(low, unit).removesuffix(' %')} to {quantity(high, unit)}"


def _bars(column: Column, rows: Sequence[Row], drawable: bool) -> list[str]:
    values = [float(row[column.name] or 0) for row in rows]
    whole = 1.0 if column.unit == "share" else max(values, default=0.0)
    mark = "█" if drawable else "#"
    return [mark * round(BAR_WIDTH * min(value / whole, 1)) if whole > 0 and value > 0 else "" for value in values]


def _literal(text: str) -> str:
    # Square brackets in names would read as markup.
    return text.replace("[", r"\[")
