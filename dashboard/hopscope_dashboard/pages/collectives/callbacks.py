"""From a row of the list to the timeline of that collective."""

from typing import Any

from dash import Dash, Input, Output, no_update

from hopscope_dashboard.components import shell
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages.collectives import ids


def register(app: Dash, data: TraceData) -> None:
    """Register the callbacks of this page."""
    del data

    @app.callback(
        Output(shell.ADDRESS, "href", allow_duplicate=True),
        Input(ids.GRID, "cellClicked"),
        Input(ids.GRID, "virtualRowData"),
        prevent_initial_call=True,
    )
    def open_timeline(clicked: dict[str, Any] | None, shown: list[dict[str, Any]] | None) -> Any:
        # The row's place is the one that is seen, after sorting and filtering.
        if not clicked or not shown or clicked.get("rowIndex") is None or clicked.get("colId") == "collective":
            return no_update
        return shown[clicked["rowIndex"]]["href"]

    del open_timeline
