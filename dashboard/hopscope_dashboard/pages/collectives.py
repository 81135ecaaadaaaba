"""The list of collectives."""

from collections.abc import Sequence
from typing import Any, Final

import dash_ag_grid as dag
from dash import ClientsideFunction, Dash, Input, Output, html
from dash.development.base_component import Component
from hopscope import quantities

from hopscope_dashboard.address import Query, link, one_of
from hopscope_dashboard.components import blocks, empty, shell
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.data import Row, Rows, TraceData
from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS

GRID = "collectives-grid"

_ORDERS: Final = {"worst": "worst first", "median": "most usual first", "first": "as they ran"}
_LIMIT: Final = 500
_NUMBERS: Final = {
    "bytes": "bytes",
    "first_enter_ns": "at",
    "duration_ns": "ns",
    "after_last_enter_ns": "ns",
    "spread_ns": "ns",
    "last_rank": None,
}
"""Columns of numbers with their units."""


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects `order`: worst, median or first."""
    order = one_of(query, "order", tuple(_ORDERS))
    rows = data.rows("collectives", order=order, limit=_LIMIT)
    head = blocks.page_head(
        "Collectives",
        "Every execution of a collective operation. Click one to see what happened inside it.",
        choice("Order", "/collectives", query, "order", options=_ORDERS, current=order),
    )
    if not rows:
        return html.Div([head, empty.nothing_here("No collectives", empty.NO_COLLECTIVES)])
    total = data.number_of_collectives
    shown = (
        f"All {quantities.number(total)} collectives."
        if len(rows) == total
        else f"The first {quantities.number(len(rows))} of {quantities.number(total)} collectives in this order."
    )
    return html.Div(
        [
            head,
            blocks.card(
                None,
                blocks.legend(CATEGORY_COLOURS, CATEGORY_MEANINGS, _parts(rows[0])),
                _grid(rows),
                hint=f"{shown} Duration runs from the first enter to the last leave; much of it may be "
                "waiting for the last rank. "
                "What it took after the last enter is what a tree can change.",
            ),
        ]
    )


def timeline_address(collective: str) -> str:
    """Give the address of the timeline of a collective COMM:SEQ."""
    comm, _, seq = collective.partition(":")
    return link("/collective", comm=comm, seq=seq)


def grid_texts(row: Row) -> dict[str, str]:
    """How the grid writes the numbers of a row; of the parts of its critical path, their shares."""
    parts = {
        f"{name}_ns": quantities.share(row[f"{name}_ns"] / row["path_ns"]) for name in _parts(row) if row["path_ns"]
    }
    return {field: quantities.quantity(row[field], unit) for field, unit in _NUMBERS.items()} | parts


def _parts(row: Row) -> list[str]:
    """The categories of a collective's critical path: those that have a column."""
    return [category for category in CATEGORY_MEANINGS if f"{category}_ns" in row]


def _grid(rows: Rows) -> Component:
    return dag.AgGrid(
        id=GRID,
        rowData=[{**row, "href": timeline_address(row["collective"]), "texts": grid_texts(row)} for row in rows],
        columnDefs=_columns(_parts(rows[0])),
        defaultColDef={
            "sortable": True,
            "resizable": True,
            "suppressMovable": True,
            "sortingOrder": ["desc", "asc", None],
        },
        columnSize="responsiveSizeToFit",
        dashGridOptions={
            "rowHeight": 40,
            "headerHeight": 40,
            "animateRows": False,
            "domLayout": "autoHeight" if len(rows) <= 15 else "normal",
        },
        className="grid",
        style={"height": None if len(rows) <= 15 else "calc(100vh - 285px)", "minHeight": 320, "width": "100%"},
    )


def _columns(parts: Sequence[str]) -> list[dict[str, Any]]:
    def number(field: str, title: str, tip: str, **more: Any) -> dict[str, Any]:
        return {
            "field": field,
            "headerName": title,
            "headerTooltip": tip,
            "type": "rightAligned",
            "valueFormatter": {"function": "hopscopeText(params)"},
            **more,
        }

    coloured = [{"field": f"{name}_ns", "name": name, "colour": CATEGORY_COLOURS[name]} for name in parts]
    return [
        {
            "field": "collective",
            "headerName": "collective",
            "headerTooltip": "Communicator and number on it",
            "width": 105,
            "cellRenderer": "HopscopeLink",
            "cellRendererParams": {"hrefField": "href"},
        },
        {"field": "operation", "headerName": "operation", "width": 150},
        number("bytes", "size", "Largest payload of a member", width=80),
        number("first_enter_ns", "began at", "First enter, since the start of the trace", width=105),
        number("duration_ns", "duration", "From the first enter to the last leave", width=105),
        number(
            "after_last_enter_ns",
            "after last enter",
            "From the last enter to the last leave",
            width=150,
        ),
        number("spread_ns", "spread", "From the first enter to the last enter", width=95),
        number("last_rank", "last in", "Rank that entered last; – where the clocks cannot tell", width=85),
        {
            "field": "path_ns",
            "headerName": "its critical path",
            "headerTooltip": "Where the time of its own critical path went",
            "minWidth": 130,
            "flex": 1,
            "sortable": False,
            "cellRenderer": "HopscopePath",
            "cellRendererParams": {"parts": coloured},
        },
        {
            "field": "engine",
            "headerName": "run by",
            "headerTooltip": "tree: Hopscope's engine; native: the MPI library",
            "width": 90,
        },
    ]


def register(app: Dash, data: TraceData) -> None:
    """Register the callbacks of this page."""
    del data
    app.clientside_callback(
        ClientsideFunction("hopscope", "openTimeline"),
        Output(shell.ADDRESS, "href", allow_duplicate=True),
        Input(GRID, "cellClicked"),
        Input(GRID, "virtualRowData"),
        prevent_initial_call=True,
    )


PAGE = Page(path="/collectives", title="Collectives", icon="list", layout=layout, register=register)
