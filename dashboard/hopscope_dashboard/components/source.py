"""Where a collective was called from, and the lines of source there."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks
from hopscope_dashboard.data import Excerpt, Row, Rows

SOURCE: Final = "source-lines"


def place(call: Row) -> Any:
    """Give the place of one call. The trace's own words for it are there for who points at it."""
    if call["place"] is None:
        return quantities.MISSING
    # A module's directory says little and fills the table.
    known = call["place"] != call["call_site"]
    return html.Span(call["place"] if known else call["place"].rpartition("/")[2], title=call["call_site"])


def card(calls: Rows, read: Callable[[str, int], Excerpt | None]) -> list[Component]:
    """Give the lines around the place that most of these calls come from; nothing if its file is not at hand."""
    named = Counter((call["place"], call["file"], call["line"]) for call in calls if call["line"] is not None)
    for (name, file, line), count in named.most_common(1):
        found = read(file, line)
        if found is not None:
            by = "all ranks" if count == len(calls) else f"{quantities.number(count)} of {len(calls)} ranks"
            hint = f"{name}, by {by}."
            if found.is_newer:
                hint += " The file has changed since the run, so the lines may have moved."
            return [blocks.card("Called from", lines(found), hint=hint)]
    return []


def lines(found: Excerpt) -> Component:
    """Give lines of source, the one in question marked."""
    width = len(str(max(found.lines)))
    rows: list[Any] = []
    for number, text in found.lines.items():
        # The marked line is a block, which ends its line by itself.
        written = f"{number:>{width}}  {text}"
        rows.append(html.Mark(written) if number == found.line else f"{written}\n")
    return html.Pre(html.Code(rows), id=SOURCE, title=found.file, className="source")
