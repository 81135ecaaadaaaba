"""Page Timeline: what every rank did over the whole run, with the critical path over it."""

from dataclasses import asdict

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.navigation import selection
from hopscope_dashboard.navigation.address import Query, view
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.timeline import run_rows
from hopscope_dashboard.timeline.canvas import TimelineCanvas

TIMELINE = "run-timeline"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. Parameters of the address: `view`, the range in view in ns; `host`, whose ranks are shown;
    `order`, by which rows are sorted; `pins`, the ranks that come first. Without `view`, or if the view has nothing of
    the run, the selected time is in view."""
    bounds, (begin, end) = data.part(selection.options(query)).bounds, _in_view(data, query) or (None, None)
    canvas = TimelineCanvas(
        TIMELINE,
        data.identity,
        begin=begin,
        end=end,
        host=query.get("host"),
        order=run_rows.order(query),
        orders=run_rows.ORDERS,
        pins=run_rows.pinned(query),
        selected=asdict(bounds),
    )
    hint = "Drag to select a time for all pages, click to follow what is there, turn the wheel to zoom. ? shows keys."
    lead = (
        f"{quantities.plural(len(data.ranks), 'rank')} over {quantities.duration(data.timeline.duration_ns)}; the "
        "orange line, the critical path, decided that time."
    )
    return html.Div([blocks.page_head("Timeline", lead), blocks.card(None, canvas, hint=hint)])


def _in_view(data: TraceData, query: Query) -> tuple[int, int] | None:
    """The range in view, cut at the run's end: a link may come from a longer trace. None if nothing is left."""
    view_ns = view(query)
    if view_ns is None:
        return None
    begin, end = max(0, view_ns[0]), min(view_ns[1], data.timeline.duration_ns)
    return (begin, end) if begin < end else None


PAGE = Page(
    path="/timeline",
    title="Timeline",
    section="Timeline",
    layout=layout,
    follows_selection=False,
    shades_the_rest=True,
    keeps=("order", "pins"),
)
