"""List in the header that says which of several traces the pages show, and lets the user choose another."""

from dash import Dash, Input, Output
from dash.development.base_component import Component

from hopscope_dashboard.components.select import addresses
from hopscope_dashboard.navigation import address, frame
from hopscope_dashboard.navigation.selection import TRACE
from hopscope_dashboard.navigation.traces import Traces

_OF_ONE_TRACE = ("host", "tree", "root", "collective")
"""Parameters that name something in the trace shown, which another trace may lack."""


def register(app: Dash, traces: Traces) -> None:
    """Register the callback that draws the list for the page that is shown."""

    @app.callback(Output(frame.TRACE, "children"), Input(frame.ADDRESS, "search"))
    def draw(search: str | None) -> Component:
        query = address.parse(search)
        trace = traces.named_trace(query)
        options = {data.identity: data.name for data in traces.members}
        parameters = {name: value for name, value in query.items() if _holds_elsewhere(name, query)}
        return addresses("Trace", parameters, TRACE, options=options, current=trace.identity)

    del draw


def _holds_elsewhere(name: str, query: address.Query) -> bool:
    """True if a parameter has the same meaning in another trace: an iteration's number does, a time does not."""
    if name in ("from", "to"):
        return query[name].startswith("i:")
    if name == "comm":
        return "seq" in query
    return name not in _OF_ONE_TRACE
