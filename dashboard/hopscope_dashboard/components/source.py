"""Call site of a collective, and the lines of source there."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks
from hopscope_dashboard.data.trace import Excerpt, Row, Rows

SOURCE: Final = "source-lines"


def place(call: Row) -> Any:
    """Give the call site of one call. Its tooltip is the call site's full text in the trace."""
    if call["place"] is None:
        return quantities.MISSING
    # A module's directory tells little and takes much room in a table.
    has_place = call["place"] != call["call_site"]
    return html.Span(call["place"] if has_place else call["place"].rpartition("/")[2], title=call["call_site"])


def card(calls: Rows, read: Callable[[str, int], Excerpt | None]) -> list[Component]:
    """Give the source lines around the most frequent call site of these calls; an empty list if its file is not
    available."""
    places = Counter((call["place"], call["file"], call["line"]) for call in calls if call["line"] is not None)
    for (name, file, line), count in places.most_common(1):
        source = read(file, line)
        if source is not None:
            callers = "all ranks" if count == len(calls) else f"{quantities.number(count)} of {len(calls)} ranks"
            hint = f"{name}, by {callers}."
            if source.is_newer:
                hint += " The file has changed since the run, so the lines may have moved."
            return [blocks.card("Called from", lines(source), hint=hint)]
    return []


def lines(source: Excerpt) -> Component:
    """Give lines of source, with the line of the call marked."""
    width = len(str(max(source.lines)))
    rows: list[Any] = []
    for number, text in source.lines.items():
        # The marked line is a block, which ends its line by itself.
        written = f"{number:>{width}}  {text}"
        rows.append(html.Mark(written) if number == source.line else f"{written}\n")
    return html.Pre(html.Code(rows), id=SOURCE, title=source.file, className="source")
