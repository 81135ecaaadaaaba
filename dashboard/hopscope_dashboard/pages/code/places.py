"""Page Call sites: the critical path and the sums over all ranks by call site, and the source around one call site."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import UNKNOWN_PLACE

from hopscope_dashboard.components import blocks, empty, exports, source
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.components.reveal import reveal
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import time_bars
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, link
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS

TABLE = "places-table"
SUMS = "places-sums"
BARS = "places-bars"
PLACE_CARD = "places-chosen"

_MOST_BARS: Final = 12
"""Largest number of call sites drawn; the table lists all."""
_BROKEN: Final = {"display": "inline-block", "minWidth": "13em", "whiteSpace": "normal", "overflowWrap": "anywhere"}
_COLUMNS_OF_HEADINGS: Final = {
    "place": "place",
    "time": "time_ns",
    "share": "share",
    "95 % interval": "share_low share_high",
    "computing": "compute_ns",
    "in the call": "call_ns",
    "hops": "hops_ns",
    "calls": "calls",
    "in MPI": "mpi_ns",
    "collective wait": "collective_waiting_ns",
    "messages": "messages",
    "message wait": "waiting_suffered_ns",
    "others' wait": "waiting_caused_ns",
}
"""The columns of the analysis that each heading's tooltip explains, by heading."""
_ON_PATH: Final[dict[str, Callable[[Row], str]]] = {
    "time": lambda row: quantities.duration(row["time_ns"]),
    "share": lambda row: quantities.share(row["share"]),
    "95 % interval": lambda row: quantities.interval(row["share_low"], row["share_high"]),
    "computing": lambda row: quantities.duration(row["compute_ns"]),
    "in the call": lambda row: quantities.duration(row["call_ns"]),
}
_HOPS: Final[dict[str, Callable[[Row], str]]] = {"hops": lambda row: quantities.duration(row["hops_ns"])}
_CALLS: Final[dict[str, Callable[[Row], str]]] = {
    "calls": lambda row: quantities.number(row["calls"]),
    "in MPI": lambda row: quantities.duration(row["mpi_ns"]),
}
_COLLECTIVES: Final[dict[str, Callable[[Row], str]]] = {
    "collective wait": lambda row: quantities.duration(row["collective_waiting_ns"])
}
_MESSAGES: Final[dict[str, Callable[[Row], str]]] = {
    "messages": lambda row: quantities.number(row["messages"]),
    "message wait": lambda row: quantities.duration(row["waiting_suffered_ns"]),
    "others' wait": lambda row: quantities.duration(row["waiting_caused_ns"]),
}


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The parameter `at` of the address selects the call site whose source is shown."""
    rows = data.rows("places")
    known_rows = [row for row in rows if row["place"] != UNKNOWN_PLACE]
    head = blocks.page_head("Call sites", _answer(known_rows))
    if not known_rows:
        reason = missing.places(data) or "The trace does not say where the calls in this part of the run are."
        return html.Div([head, empty.nothing_to_draw("No places", reason)])
    chosen_row = next((row for row in known_rows if row["place"] == query.get("at")), known_rows[0])
    tables = [_path(data, rows, chosen_row), _sums(data, rows, chosen_row)]
    return html.Div([head, _caveats(data), _bars(rows), *tables, _place_card(data, chosen_row, query)])


def _answer(known_rows: Rows) -> list[Component | str]:
    """Say which call takes most of the critical path; an empty list if no call is on it."""
    first = max(known_rows, key=lambda row: row["time_ns"] or 0, default=None)
    if first is None or not first["time_ns"]:
        return []
    parts = {"in the call": first["call_ns"], "in the computing before it": first["compute_ns"]}
    return [
        html.Code(first["place"]),
        f" takes {quantities.share(first['share'])} of the critical path, most of it "
        f"{max(parts, key=parts.__getitem__)}.",
    ]


def _caveats(data: TraceData) -> Component:
    """The analysis's caveats on call sites without debug information; empty if all have it."""
    caveats = [row["sentence"] for row in data.limits() if row["kind"] == "places"]
    return blocks.note(*blocks.with_code(" ".join(caveats))) if caveats else html.Div()


def _bars(rows: Rows) -> Component:
    bar_rows = [row for row in rows if row["time_ns"]][:_MOST_BARS]
    if not bar_rows:
        return html.Div()
    figure = time_bars(
        [row["place"] for row in bar_rows],
        [
            ("computing before the call", CATEGORY_COLOURS["compute"], [row["compute_ns"] for row in bar_rows]),
            ("in the call", CATEGORY_COLOURS["native"], [row["call_ns"] for row in bar_rows]),
        ],
        title="time on the critical path",
        heading="place",
        stacked=True,
        leads=leads.of_program(row["place"] for row in bar_rows),
    )
    return blocks.card("On the critical path", blocks.drawing("Critical path by place", figure, name=BARS))


def _path(data: TraceData, rows: Rows, chosen_row: Row) -> Component:
    return blocks.card(
        "The critical path in numbers",
        _table(
            [row for row in rows if row["time_ns"]], {**_ON_PATH, **(_HOPS if data.has_hops else {})}, chosen_row, TABLE
        ),
    )


def _sums(data: TraceData, rows: Rows, chosen_row: Row) -> Component:
    columns = {
        **_CALLS,
        **(_COLLECTIVES if data.number_of("collectives") else {}),
        **(_MESSAGES if data.number_of("messages") else {}),
    }
    most_waiting = sorted(
        rows, key=lambda row: (-row["collective_waiting_ns"] - row["waiting_suffered_ns"], -row["mpi_ns"])
    )
    return blocks.card(
        "Over all ranks",
        _table(most_waiting, columns, chosen_row, SUMS),
        hint="Waiting off the critical path costs nothing.",
    )


def _table(rows: Rows, columns: Mapping[str, Callable[[Row], str]], chosen_row: Row, name: str) -> Component:
    body = [[_name(row, chosen_row), *(text(row) for text in columns.values())] for row in rows]
    right = range(1, len(columns) + 1)
    headings, full = ["place", *columns], exports.csv_address("places")
    tooltips = meanings("places", *(_COLUMNS_OF_HEADINGS[heading] for heading in headings))
    return blocks.table(headings, body, name=name, right=right, full=full, meanings=tooltips)


def _name(row: Row, chosen_row: Row) -> Any:
    name = html.Code(row["place"], style=_BROKEN, title=row["call_site"])
    if row["place"] == UNKNOWN_PLACE:
        return mark(name, leads.place(row["place"]), "select the place")
    return html.Strong(name) if row is chosen_row else mark(name, link("", at=row["place"]), "show its source")


def _place_card(data: TraceData, chosen_row: Row, query: Query) -> Component:
    place = chosen_row["place"]
    place_row = next((row for row in data.table("places") if row["place"] == place), None)
    excerpt = data.source(place_row["file"], place_row["line"]) if place_row and place_row["line"] is not None else None
    if excerpt is not None:
        lines: Any = source.lines(excerpt)
    elif chosen_row["remedy"]:
        lines = html.P(f"Its source line is not known: {chosen_row['remedy']}.")
    else:
        lines = html.P("Its source file was not found.")
    sends = data.number_of("messages") > 0
    links = [
        dcc.Link("Show only this place", href=link("/places", at=place, place=place), className="button"),
        dcc.Link("Its collectives", href=link("/collectives", place=place), className="button"),
        *([dcc.Link("Its messages", href=link("/messages", place=place), className="button")] if sends else []),
        dcc.Link("Timeline", href=link("/timeline", place=place), className="button"),
    ]
    newer = " The file has changed since the run, so the lines may have moved." if excerpt and excerpt.is_newer else ""
    card = blocks.card(
        place, html.Div(links, className="sql-controls"), lines, hint=f"{chosen_row['call_site']}.{newer}"
    )
    return reveal(card, name=PLACE_CARD, subject_key=place, is_selected=query.get("at") == place)


PAGE = Page(path="/places", title="Call sites", section="Code", layout=layout, lacks=missing.places)
