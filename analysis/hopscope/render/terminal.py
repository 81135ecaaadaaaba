"""Prints an answer as a table for people: with readable units, each interval in one column, and a bar if the analysis's
header asks for one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopscope.format.quantities import MISSING, interval, quantity
from hopscope.query.catalog import Analysis, Column
from hopscope.render.visible import visible_line
from hopscope.vocabulary.words import for_trace

if TYPE_CHECKING:
    import pyarrow as pa

BAR_WIDTH = 10
# A text column is narrowed to this width, and its texts wrapped, before another column is dropped.
WORDS = 20
# The width of output to a file or a pipe, if COLUMNS does not give one.
FILE_WIDTH = 120

Row = Mapping[str, Any]


@dataclass(frozen=True)
class _PrintedColumn:
    """One column as it is printed."""

    heading: str
    texts: list[str]
    numeric: bool
    style: str = ""
    name: str = ""

    @property
    def width(self) -> int:
        """The width in characters that the column needs if its heading may wrap between words."""
        return max(self.heading_width, max(map(len, self.texts), default=0))

    @property
    def heading_width(self) -> int:
        """The width of the longest word in its heading; words are never broken."""
        return max(map(len, self.heading.split()), default=0)

    @property
    def least_width(self) -> int:
        """The least width in characters: figures stay whole, long texts wrap."""
        return self.width if self.numeric else max(self.heading_width, min(self.width, WORDS))


class _Console(Console):
    """A console that raises BrokenPipeError, so that the command decides what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(stream: TextIO) -> Console:
    """A console that neither colours nor cuts output to a file. COLUMNS sets its width, also in a pipe."""
    columns = os.environ.get("COLUMNS", "")
    columns_width = int(columns) if columns.isdecimal() and int(columns) > 0 else None
    return _Console(file=stream, highlight=False, width=columns_width or (None if stream.isatty() else FILE_WIDTH))


def print_answer(stream: TextIO, table: pa.Table, analysis: Analysis, trace: str = "TRACE") -> None:
    """Print the rows of an answer. If its header says so, they are paragraphs; else a table below its headline. Without
    rows only the table's head is printed. trace: the path of the trace, for commands in paragraphs."""
    rows = table.to_pylist()
    target = console(stream)
    if analysis.paragraphs:
        _print_paragraphs(target, _above_first(rows, analysis), analysis.paragraphs, trace)
        return
    if analysis.headline and rows:
        target.print(Text(visible_line(str(rows[0][analysis.headline])), style="bold"))
    columns: list[_PrintedColumn] = []
    for column in analysis.columns:
        if column.name in analysis.only_data or _interval_of(column, analysis, "_high"):
            continue
        heading, texts = _column_texts(column, analysis, rows)
        columns.append(
            _PrintedColumn(
                visible_line(heading.replace("_", " ")),
                [visible_line(text) for text in texts],
                numeric=column.type != "VARCHAR",
                name=column.name,
            )
        )
        if column.name == analysis.bar:
            columns.append(
                _PrintedColumn("", _bars(column, rows, "utf" in target.encoding), numeric=False, style="cyan")
            )
    # A table has a blank column at its end.
    whole = _table_width([column.least_width for column in columns if column.heading]) + 1
    columns, hidden = _fitting(columns, analysis, target.width - 1)
    widths = _widths(columns, target.width - 1)
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        side = "right" if column.numeric else "left"
        grid.add_column(Text(column.heading), justify=side, overflow="fold", width=width, style=column.style)
    for line in zip(*(column.texts for column in columns), strict=True):
        # Text objects, because square brackets in strings would be read as markup.
        grid.add_row(*(Text(cell) for cell in line))
    # The table is wider than the terminal only if the key columns are: headings are never broken.
    target.print(grid, width=max(target.width, _table_width(widths) + 1), crop=False)
    if hidden:
        target.print(
            Text(
                f"Not shown at a width of {target.width}: {', '.join(hidden)}. "
                f"Set COLUMNS={whole} to see every column, or use --format csv.",
                style="dim",
            )
        )


def _above_first(rows: Sequence[Row], analysis: Analysis) -> list[Row]:
    """The rows in the order in which their paragraphs are printed: first those that the header lists under `above`."""
    if analysis.above is None:
        return list(rows)
    column, words = analysis.above
    place = {word: position for position, word in enumerate(words)}
    return sorted(rows, key=lambda row: place.get(row[column], len(words)))


def _print_paragraphs(target: Console, rows: Sequence[Row], columns: Sequence[tuple[str, str]], trace: str) -> None:
    """Print each row as a paragraph: a word, a sentence beside it, and each further text below."""
    (_, word), (_, sentence), *details = columns
    indent = max((len(str(row[word])) for row in rows), default=0) + 2
    for row in rows:
        details_texts = [f"{prefix} {row[name]}".strip() for prefix, name in details if row[name]]
        label = str(row[word])
        for text, style in ((row[sentence], "bold"), *((text, "") for text in details_texts)):
            for line in Text(visible_line(for_trace(str(text), trace)), style=style).wrap(
                target, target.width - indent
            ):
                line.rstrip()
                target.print(Text(label.ljust(indent)) + line, overflow="ignore", crop=False)
                label = ""


def _table_width(widths: Sequence[int]) -> int:
    return sum(width + 2 for width in widths)


def _widths(columns: Sequence[_PrintedColumn], available: int) -> list[int]:
    """Widths at which no figure and no word of a heading is broken. Spare width goes to the columns from the left,
    until all headings and texts fit."""
    widths = [column.least_width for column in columns]
    spare = max(available - _table_width(widths), 0)
    for widths_wanted in ([c.width for c in columns], [max(map(len, [c.heading, *c.texts])) for c in columns]):
        for i, limit in enumerate(widths_wanted):
            extra = min(spare, max(limit - widths[i], 0))
            widths[i] += extra
            spare -= extra
    return widths


def _fitting(
    columns: Sequence[_PrintedColumn], analysis: Analysis, width: int
) -> tuple[list[_PrintedColumn], list[str]]:
    """The columns to print, and the headings of those for which there is no room.

    The bar is dropped first, because the figures beside it say the same. Then come the columns of the header's
    `narrow`, in that order, then intervals, then the others from the right. The key and the first other column stay
    unless `narrow` names them.
    """
    candidates, hidden = list(columns), list[str]()
    if _table_width([column.width for column in candidates]) > width:
        candidates = [column for column in candidates if column.heading]
    dispensable = [column for column in candidates if column.name not in analysis.key][1:]
    declared = [column for name in analysis.narrow for column in candidates if column.name == name]
    intervals = [column for column in dispensable[::-1] if column.heading.startswith("95 % of")]
    for column in dict.fromkeys(
        [*map(candidates.index, declared), *map(candidates.index, [*intervals, *dispensable[::-1]])]
    ):
        if (
            _table_width([candidate.least_width for candidate in candidates if candidate.heading not in hidden])
            <= width
        ):
            break
        hidden.append(candidates[column].heading)
    return [column for column in candidates if column.heading not in hidden], hidden


def print_rows(stream: TextIO, table: pa.Table) -> None:
    """Print a table that no header describes."""
    columns = tuple(
        Column(name, "VARCHAR" if str(table.schema.field(name).type) == "string" else "DOUBLE", "")
        for name in table.column_names
    )
    analysis = Analysis(name="rows", help="", concept="", uses=(), sql="", columns=columns)
    print_answer(stream, table, analysis)


def _column_texts(column: Column, analysis: Analysis, rows: Sequence[Row]) -> tuple[str, list[str]]:
    base = _interval_of(column, analysis, "_low")
    if base is not None:
        high = column.name.replace(f"{base}_low", f"{base}_high")
        texts = [interval(row[column.name], row[high], column.unit) for row in rows]
        # Ends of times are named with a unit (`_low_ns`). The header explains such an interval, so the heading does not
        # promise 95 %.
        return f"95 % of {base}" if column.name.endswith("_low") else f"{base} interval", texts
    if column.unit == "of unit":
        # If a row has words instead of a value, the cell is empty: a dash would look like a missing value.
        return column.name, [
            "" if row[column.name] is None else quantity(row[column.name], row["unit"]) for row in rows
        ]
    heading = column.name.removesuffix("_ns") if column.unit in ("ns", "at") else column.name
    if column.name in analysis.key or column.name in ("comm", "seq", "tag"):
        return heading, [MISSING if row[column.name] is None else str(row[column.name]) for row in rows]
    if column.type == "VARCHAR":
        return heading, [str(row[column.name] or "") for row in rows]
    return heading, [quantity(row[column.name], column.unit) for row in rows]


def _interval_of(column: Column, analysis: Analysis, end: str) -> str | None:
    """The column whose interval this column ends, shown with the other end: `share` for `share_low`, `predicted` for
    `predicted_low_ns`. None for other columns. end: `_low` or `_high`."""
    names = {c.name for c in analysis.columns}
    for unit in ("", "_ns"):
        base = column.name.removesuffix(end + unit)
        if base != column.name and {f"{base}_low{unit}", f"{base}_high{unit}"} <= names:
            return base or None
    return None


def _bars(column: Column, rows: Sequence[Row], drawable: bool) -> list[str]:
    values = [float(row[column.name] or 0) for row in rows]
    whole = 1.0 if column.unit == "share" else max(values, default=0.0)
    mark = "█" if drawable else "#"
    return [mark * round(BAR_WIDTH * min(value / whole, 1)) if whole > 0 and value > 0 else "" for value in values]
