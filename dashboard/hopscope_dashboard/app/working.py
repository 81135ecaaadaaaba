"""Page shown while a slow page is being computed: the progress, and a timeline of the whole run.

The slow page replaces it when ready. The answers about a long run are kept beside its dataset, so the wait happens
once.
"""

from collections.abc import Callable
from typing import Any, Final

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.navigation import address, frame
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.timeline.canvas import TimelineCanvas

PATIENCE_S: Final = 0.3
"""Seconds to wait for a page before this one is shown instead."""

PLACE: Final = "working"
TICK: Final = "working-tick"
ADDRESS_STORE: Final = "working-asked"
READY: Final = "working-ready"
PROGRESS: Final = "working-progress"
TIMELINE: Final = "working-timeline"

_LOOK_AGAIN_MS: Final = 250


def page(title: str, data: TraceData, href: str) -> Component:
    """Give the stand-in for the page called `title`; `href` is its address."""
    return html.Div(
        [
            dcc.Interval(id=TICK, interval=_LOOK_AGAIN_MS),
            dcc.Store(id=ADDRESS_STORE, data=href),
            dcc.Store(id=READY),
            html.Section(
                [
                    html.H2(f"{title} is being computed"),
                    html.Div(
                        [dmc.Loader(size="sm", color="blue"), html.Span(progress(data), id=PROGRESS)],
                        className="waiting",
                        role="status",
                    ),
                    html.P(
                        "Answers about a long run are kept beside its dataset, so the next visit need not wait. "
                        "You can leave this page meanwhile.",
                        className="hint",
                    ),
                ],
                className="card",
            ),
            blocks.card(
                "Meanwhile, the whole run",
                TimelineCanvas(TIMELINE, data.identity, small=True, selected={}),
                dcc.Link("Look closer", href="/timeline"),
            ),
        ],
        id=PLACE,
    )


def progress(data: TraceData) -> str:
    """Say what is being computed now, and for how long."""
    computing = data.computing
    if not computing:
        return "Drawing the page"
    return "; ".join(f"{name}, since {quantities.duration(1e9 * seconds)}" for name, seconds in computing)


def register(app: Dash, traces: Traces, find: Callable[[str], Component | None]) -> None:
    """Register the callbacks that look for the slow page and show it. `find` gives the page for an address, or None
    while it is not ready.

    The browser shows the page only if it is still at the page's address: the user may have gone on to another page.
    """

    @app.callback(
        Output(READY, "data"),
        Output(PROGRESS, "children"),
        Input(TICK, "n_intervals"),
        State(ADDRESS_STORE, "data"),
        State(frame.TITLE, "data"),
        prevent_initial_call=True,
        # No ticks during a request: Dash drops an answer that arrives after the next tick, and the page would be lost.
        running=[(Output(TICK, "disabled"), True, False)],
    )
    def look(ticks: int, href: str | None, title: str | None) -> tuple[Any, Any]:
        del ticks
        href = href or "/"
        component = find(href)
        data = traces.named_trace(address.parse(href.partition("?")[2]))
        if component is None:
            return no_update, progress(data)
        title = frame.title((title or "Hopscope").partition("\n")[0])
        return {"href": href, "page": component, "title": title}, no_update

    del look
    app.clientside_callback(
        ClientsideFunction("hopscope", "showReady"),
        Output(frame.CONTENT, "children", allow_duplicate=True),
        Output(frame.TITLE, "data", allow_duplicate=True),
        Input(READY, "data"),
        State(frame.ADDRESS, "pathname"),
        State(frame.ADDRESS, "search"),
        prevent_initial_call=True,
    )
