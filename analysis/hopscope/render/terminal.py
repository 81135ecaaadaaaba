"""An answer as a table for people: human units, the interval of a share in one column, a bar where the header asks
for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import pyarrow as pa
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopscope.catalog import Analysis, Column
from hopscope.render.quantities import quantity

BAR_WIDTH = 10
# Where the output is a file or a pipe, lines stay readable; what does not fit goes on in the line below.
FILE_WIDTH = 120

Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Shown:
    """One column as it is printed."""

    heading: str
    texts: list[str]
    numeric: bool
    style: str = ""

    @property
    def width(self) -> int:
        """Columns of characters that it needs if its heading may wrap between words."""
        return max(len(word) for word in [*self.heading.split(), *self.texts, ""])


class _Console(Console):
    """A console that leaves it to the command what a reader that went away means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(stream: TextIO) -> Console:
    """A console that neither colours nor cuts what goes into a file."""
    return _Console(file=stream, highlight=False, width=None if stream.isatty() else FILE_WIDTH)


def print_answer(stream: TextIO, table: pa.Table, analysis: Analysis) -> None:
    """Print the rows of an answer; prints only the header where there are none."""
    rows = table.to_pylist()
    target = console(stream)
    shown: list[_Shown] = []
    for column in analysis.columns:
        if column.name in analysis.only_data or _is_interval_end(column, analysis, "_high"):
            continue
        heading, texts = _column_texts(column, analysis, rows)
        shown.append(_Shown(heading.replace("_", " "), texts, numeric=column.type != "VARCHAR"))
        if column.name == analysis.bar:
            shown.append(_Shown("", _bars(column, rows, "utf" in target.encoding), numeric=False, style="cyan"))
    # Cells fold only where the columns do not fit beside one another, so that no digit is ever cut off.
    fits = sum(column.width + 2 for column in shown) <= target.width
    numbers_fit = sum((column.width if column.numeric else 6) + 2 for column in shown) <= target.width
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column in shown:
        side = "right" if column.numeric else "left"
        keep = column.width if fits or (numbers_fit and column.numeric) else None
        drawn.add_column(column.heading, justify=side, overflow="fold", min_width=keep, style=column.style)
    for line in zip(*(column.texts for column in shown), strict=True):
        # As text: square brackets in names would read as markup.
        drawn.add_row(*(Text(cell) for cell in line))
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
    return f"{quantity(low, unit).removesuffix(' %')}–{quantity(high, unit)}"


def _bars(column: Column, rows: Sequence[Row], drawable: bool) -> list[str]:
    values = [float(row[column.name] or 0) for row in rows]
    whole = 1.0 if column.unit == "share" else max(values, default=0.0)
    mark = "█" if drawable else "#"
    return [mark * round(BAR_WIDTH * min(value / whole, 1)) if whole > 0 and value > 0 else "" for value in values]
