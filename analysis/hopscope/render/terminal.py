"""An answer as a table for people: human units, the interval of a share in one column, a bar where the header asks
for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopscope.catalog import Analysis, Column
from hopscope.render.quantities import quantity
from hopscope.render.visible import visible_line

if TYPE_CHECKING:
    import pyarrow as pa

BAR_WIDTH = 10
# A column of words is no narrower than this if figures can be left out instead.
WORDS = 20
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
        shown.append(
            _Shown(
                visible_line(heading.replace("_", " ")),
                [visible_line(text) for text in texts],
                numeric=column.type != "VARCHAR",
            )
        )
        if column.name == analysis.bar:
            shown.append(_Shown("", _bars(column, rows, "utf" in target.encoding), numeric=False, style="cyan"))
    shown, hidden = _fitting(shown, target.width - 1, hide=stream.isatty())
    widths = _widths(shown, target.width - 1)
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(shown, widths, strict=True):
        side = "right" if column.numeric else "left"
        drawn.add_column(Text(column.heading), justify=side, overflow="fold", width=width, style=column.style)
    for line in zip(*(column.texts for column in shown), strict=True):
        # As text: square brackets in names would read as markup.
        drawn.add_row(*(Text(cell) for cell in line))
    target.print(drawn)
    if hidden:
        target.print(Text(f"not shown in {target.width} columns: {', '.join(hidden)}", style="dim"))


def _least(columns: Sequence[_Shown]) -> list[int]:
    """What each column needs: figures whole, words folded where they are long."""
    return [column.width if column.numeric else min(column.width, WORDS) for column in columns]


def _table_width(widths: Sequence[int]) -> int:
    return sum(width + 2 for width in widths)


def _widths(columns: Sequence[_Shown], available: int) -> list[int] | list[None]:
    """Widths that fit and break no figure: what is left over goes to the columns from the left, until all headings and
    words are whole. Nothing is set where they cannot fit; then cells fold.
    """
    widths = _least(columns)
    spare = available - _table_width(widths)
    if spare < 0:
        return [None] * len(columns)
    for wanted in ([c.width for c in columns], [max(map(len, [c.heading, *c.texts])) for c in columns]):
        for i, most in enumerate(wanted):
            more = min(spare, max(most - widths[i], 0))
            widths[i] += more
            spare -= more
    return widths


def _fitting(columns: Sequence[_Shown], width: int, *, hide: bool) -> tuple[list[_Shown], list[str]]:
    """The columns that are printed, and the headings of those left out where the terminal is too narrow.

    First the pictures go, for their column of figures says the same; then, on a terminal, intervals, then columns from
    the right, as long as two are left. A file gets every column, folded.
    """
    kept, hidden = list(columns), list[str]()
    if _table_width([column.width for column in kept]) > width:
        kept = [column for column in kept if column.heading]
    for beginning in ("95 % of", ""):
        for column in kept[:1:-1]:
            if not hide or _table_width(_least(kept)) <= width:
                break
            if column.heading.startswith(beginning):
                kept.remove(column)
                hidden.append(column.heading)
    return kept, hidden


def print_rows(stream: TextIO, table: pa.Table) -> None:
    """Print a table of which nothing is known but its columns."""
    columns = tuple(
        Column(name, "VARCHAR" if str(table.schema.field(name).type) == "string" else "DOUBLE", "")
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
