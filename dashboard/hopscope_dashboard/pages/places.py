"""Where in the program the critical path's time goes: each place that calls MPI, and the source around one."""

from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope import quantities
from hopscope.words import UNKNOWN_PLACE

from hopscope_dashboard import leads
from hopscope_dashboard.address import Query, link
from hopscope_dashboard.components import blocks, empty, source
from hopscope_dashboard.data import Row, Rows, TraceData
from hopscope_dashboard.figures.bars import time_bars
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.palette import CATEGORY_COLOURS

TABLE = "places-table"
BARS = "places-bars"
CHOSEN = "places-chosen"

_MOST_BARS: Final = 12
"""Places that are drawn; the table lists all."""
_BROKEN: Final = {"whiteSpace": "normal", "overflowWrap": "anywhere"}
_LEAD: Final = "Which calls of the program the run had to wait for: computing counts for the MPI call that it led to."


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects the place whose source is shown: `at`."""
    head = blocks.page_head("Places", _LEAD)
    rows = data.rows("critical-path", by="place")
    known = [row for row in rows if row["place"] != UNKNOWN_PLACE]
    if not known:
        reason = missing.places(data) or "The trace does not say where the calls on this part of the critical path are."
        return html.Div([head, empty.nothing_here("No places", reason)])
    chosen = next((row for row in known if row["place"] == query.get("at")), known[0])
    return html.Div([head, _caveats(data), _bars(rows), _table(data, rows, chosen), _chosen(data, chosen)])


def _caveats(data: TraceData) -> Component:
    """What the analysis says of places that have no debug information; nothing where all have."""
    said = [row["sentence"] for row in data.rows("caveats") if row["kind"] == "places"]
    return blocks.note(" ".join(said)) if said else html.Div()


def _bars(rows: Rows) -> Component:
    shown = rows[:_MOST_BARS]
    figure = time_bars(
        [row["place"] for row in shown],
        [
            ("computing before the call", CATEGORY_COLOURS["compute"], [row["compute_ns"] for row in shown]),
            ("in the call", CATEGORY_COLOURS["native"], [row["time_ns"] - row["compute_ns"] for row in shown]),
        ],
        title="time on the critical path",
        by="place",
        stacked=True,
        leads=leads.of_program(row["place"] for row in shown),
    )
    return blocks.card("On the critical path", blocks.drawing("Critical path by place", figure, name=BARS))


def _table(data: TraceData, rows: Rows, chosen: Row) -> Component:
    sent = {row["place"]: row for row in data.rows_or_none("messages", by="place")}
    body = [
        [
            _name(row, chosen),
            quantities.duration(row["time_ns"]),
            quantities.share(row["share"]),
            quantities.interval(row["share_low"], row["share_high"]),
            quantities.duration(row["compute_ns"]),
            quantities.duration(row["hops_ns"]),
            *_messages(sent.get(row["place"])),
        ]
        for row in rows
    ]
    columns = ["place", "time", "share", "95 % interval", "computing", "hops", "messages", "waited for it"]
    return blocks.card(
        "In numbers",
        blocks.table(columns, body, name=TABLE, right=range(1, 8)),
        hint="Time, share, computing before the call and hops inside collectives are of the critical path. Messages "
        "are all that are sent there; others waited for those that were sent late.",
    )


def _messages(row: Row | None) -> list[str]:
    if row is None:
        return [quantities.MISSING] * 2
    return [quantities.number(row["messages"]), quantities.duration(row["waiting_caused_ns"])]


def _name(row: Row, chosen: Row) -> Any:
    name = html.Code(row["place"], style=_BROKEN, title=row["call_site"])
    if row["place"] == UNKNOWN_PLACE:
        return name
    return html.Strong(name) if row is chosen else dcc.Link(name, href=link("/places", at=row["place"]))


def _chosen(data: TraceData, chosen: Row) -> Component:
    place = chosen["place"]
    about = next((row for row in data.table("places") if row["place"] == place), None)
    found = data.source(about["file"], about["line"]) if about and about["line"] is not None else None
    if found is None:
        lines: Any = html.P("Its source is not at hand, or the build that ran has no debug information (-g).")
    else:
        lines = source.lines(found)
    links = [
        dcc.Link("Show only this place", href=link("/places", at=place, place=place), className="button"),
        dcc.Link("Its collectives", href=link("/collectives", place=place), className="button"),
        dcc.Link("Timeline", href=link("/timeline", place=place), className="button"),
    ]
    newer = " The file has changed since the run, so the lines may have moved." if found and found.is_newer else ""
    return html.Div(
        blocks.card(place, html.Div(links, className="sql-controls"), lines, hint=f"{chosen['call_site']}.{newer}"),
        id=CHOSEN,
    )


PAGE = Page(path="/places", title="Places", icon="place", layout=layout, lacks=missing.places)
