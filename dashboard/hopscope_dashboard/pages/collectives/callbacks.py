"""From a row of the list to the timeline of that collective."""

from dash import ClientsideFunction, Dash, Input, Output

from hopscope_dashboard.components import shell
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages.collectives import ids


def register(app: Dash, data: TraceData) -> None:
    """Register the callbacks of this page."""
    del data
    app.clientside_callback(
        ClientsideFunction("hopscope", "openTimeline"),
        Output(shell.ADDRESS, "href", allow_duplicate=True),
        Input(ids.GRID, "cellClicked"),
        Input(ids.GRID, "virtualRowData"),
        prevent_initial_call=True,
    )
