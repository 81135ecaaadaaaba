"""A trace and an answer as HTML for notebooks."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hopscope.format.quantities import duration, plural, quantity
from hopscope.query.header import Column

_ROWS = 20
"""The largest number of rows shown."""

Row = Mapping[str, Any]


def trace_html(name: str, run: Row, verdict: Row) -> str:
    """Say which command ran, and what is wrong with the run. run: the row of the table `run`, empty if there is none.
    verdict: the first row of `diagnose`."""
    command = str(run.get("command") or name)
    if run:
        command += f" on {plural(run['ranks'], 'rank')}, {duration(run['duration_ns'])}"
    return f"<p><code>{escape(command)}</code></p><p><b>{verdict['severity']}</b> {escape(verdict['sentence'])}</p>"


def answer_html(rows: Sequence[Row], columns: Sequence[Column], notes: Sequence[str]) -> str:
    """Give the first rows of an answer as a table, in human units, with its notes below."""
    head = "".join(f'<th title="{escape(column.meaning)}">{escape(column.name)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(row, column))}</td>" for column in columns) + "</tr>"
        for row in rows[:_ROWS]
    )
    remainder = len(rows) - _ROWS
    notes = [*notes, *([f"and {plural(remainder, 'row')} more: `.table` has all"] if remainder > 0 else [])]
    paragraphs = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{paragraphs}"


def _cell(row: Row, column: Column) -> str:
    return quantity(row[column.name], row.get("unit") if column.unit == "of unit" else column.unit)
