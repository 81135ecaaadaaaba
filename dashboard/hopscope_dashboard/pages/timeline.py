"""The whole run: every rank over time, by what it did, with the critical path over it."""

from typing import Final

from dash import html
from dash.development.base_component import Component

from hopscope_dashboard.address import Query, number
from hopscope_dashboard.components import blocks
from hopscope_dashboard.components.run_canvas import RunCanvas
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS, PATH_LINE_COLOUR

TIMELINE = "run-timeline"
LEAD: Final = "What every rank did over time. The orange line is the critical path: what decided how long the run took."


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects the time, `from` and `to` in ns, and a `host` whose ranks are shown."""
    del data
    canvas = RunCanvas(
        TIMELINE,
        {**CATEGORY_COLOURS, "path": PATH_LINE_COLOUR},
        dict(CATEGORY_MEANINGS),
        begin=number(query, "from"),
        end=number(query, "to"),
        host=query.get("host"),
    )
    hint = (
        "Drag to look closer, turn the wheel to zoom, double-click for the whole run. With the keyboard: arrows move, "
        "+ and - zoom, Home shows the whole run."
    )
    return html.Div([blocks.page_head("Timeline", LEAD), blocks.card(None, canvas, hint=hint)])


PAGE = Page(path="/timeline", title="Timeline", icon="timeline", layout=layout, follows_selection=False)
