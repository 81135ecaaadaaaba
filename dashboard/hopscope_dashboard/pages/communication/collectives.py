"""Page Collectives: lists all collectives, a block of rows at a time. The analysis orders and searches them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import dash_ag_grid as dag
import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import aria, blocks, empty, exports
from hopscope_dashboard.data.trace import Row, TraceData
from hopscope_dashboard.navigation import frame, leads, selection
from hopscope_dashboard.navigation.address import Query, allowed_word, parse
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS

GRID = "collectives-grid"
COUNT = "collectives-count"
ORDER = "collectives-order"
SEARCH = "collectives-search"
SHORTEST = "collectives-least"
HIDDEN = "collectives-hidden"
SAVE = "collectives-csv"

_ORDERS: Final = {
    "worst": "worst first",
    "duration": "longest first",
    "median": "most usual first",
    "first": "as they ran",
}
_SORTED: Final = {
    "after_last_enter_ns": ("worst", "desc"),
    "first_enter_ns": ("first", "asc"),
    "duration_ns": ("duration", "desc"),
    "spread_ns": ("spread", "desc"),
    "bytes": ("bytes", "desc"),
    "last_rank": ("last-rank", "desc"),
    "operation": ("operation", "asc"),
    "engine": ("engine", "asc"),
}
"""Sortable columns, each with the analysis's order and the direction of that order when it is not reversed."""
_LEASTS: Final = ("0", "0.01", "0.1", "1", "10", "100", "1000")
_BLOCK: Final = 100
"""Rows that the grid asks for at once."""
_LETTER: Final = 8
_RIM: Final = 34
"""Pixels of a letter, and of the margins around a cell's text."""
_SHORT_LIST: Final = 15
"""Largest number of rows for which the grid is as high as its rows."""
_NUMBERS: Final = {
    "bytes": "bytes",
    "first_enter_ns": "at",
    "duration_ns": "ns",
    "after_last_enter_ns": "ns",
    "spread_ns": "ns",
    "last_rank": None,
}
"""Columns of numbers with their units."""
_GRID_FIELDS: Final = ("collective", "operation", "path_ns", "engine", *_NUMBERS)


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address says how the list is ordered (`order` and `reverse`, as in the analysis) and restricts
    it: `search` to matching rows, `least` to a shortest duration in ms."""
    total = data.number_of_collectives
    if not total:
        reason = empty.NO_COLLECTIVES.format(data.scope)
        return html.Div([blocks.page_head("Collectives", None), empty.nothing_to_draw("No collectives", reason)])
    worst = data.only_row("collectives", order="worst", limit=1)
    parts = _parts(worst)
    head = blocks.page_head("Collectives", _answer(worst))
    return html.Div(
        [
            head,
            _controls(query),
            blocks.card(
                None,
                blocks.legend(CATEGORY_COLOURS, CATEGORY_MEANINGS, parts),
                html.P(id=HIDDEN, className="hint hidden-columns", role="status"),
                _grid(total, _columns(data, parts, *_chosen_order(query))),
                html.Div(exports.csv_link(_csv(query), id=SAVE), className="exports"),
                hint=[
                    html.Span(f"{quantities.plural(total, 'collective')}.", id=COUNT, role="status"),
                    " Click one to see inside it.",
                ],
            ),
        ]
    )


def _answer(worst: Row) -> list[Component | str]:
    name = worst["collective"]
    return [
        f"The worst is {worst['operation']} ",
        dcc.Link(name, href=leads.collective(name)),
        f": {quantities.duration(worst['after_last_enter_ns'])} after its last enter, "
        f"{quantities.duration(worst['duration_ns'])} in all.",
    ]


def grid_texts(row: Row) -> dict[str, str]:
    """Give the texts of a row's numbers in the grid, and the shares of its critical path by category."""
    parts = {
        f"{name}_ns": quantities.share(row[f"{name}_ns"] / row["path_ns"]) for name in _parts(row) if row["path_ns"]
    }
    return {field: quantities.quantity(row[field], unit) for field, unit in _NUMBERS.items()} | parts


def _chosen_order(query: Query) -> tuple[str, bool]:
    """The order, and True if it is reversed."""
    order = allowed_word(query, "order", (*_ORDERS, *(order for order, _ in _SORTED.values())))
    return order, query.get("reverse") == "1"


def _csv(query: Query) -> str:
    """Address of all rows of the list. The list's script updates it when the user changes order, search or duration."""
    order, reverse = _chosen_order(query)
    shortest = allowed_word(query, "least", _LEASTS)
    return exports.csv_address(
        "collectives",
        order=order,
        reverse="true" if reverse else None,
        search=query.get("search"),
        least_ms=None if shortest == "0" else shortest,
    )


def _controls(query: Query) -> Component:
    order, reverse = _chosen_order(query)
    shortest = allowed_word(query, "least", _LEASTS)
    return html.Div(
        [
            html.Label(
                [
                    "Search",
                    dcc.Input(
                        id=SEARCH,
                        type="search",
                        value=query.get("search", ""),
                        debounce=0.3,
                        placeholder="operation, place or 0:17",
                        className="search",
                    ),
                ],
                className="control",
            ),
            dmc.Select(
                id=SHORTEST,
                label="Duration at least",
                value=shortest,
                data=[
                    {"value": limit_ms, "label": quantities.milliseconds(float(limit_ms)) if limit_ms != "0" else "any"}
                    for limit_ms in _LEASTS
                ],
                allowDeselect=False,
                size="sm",
                w=140,
            ),
            dmc.SegmentedControl(
                id=ORDER,
                value=order if order in _ORDERS and not reverse else "",
                data=[{"value": value, "label": text} for value, text in _ORDERS.items()],
                size="sm",
                **aria.label("Order"),
            ),
        ],
        className="controls",
    )


def _parts(row: Row) -> list[str]:
    """The categories of a collective's critical path that have a column in the row."""
    return [category for category in CATEGORY_MEANINGS if f"{category}_ns" in row]


def _grid(total: int, columns: list[dict[str, Any]]) -> Component:
    return dag.AgGrid(
        id=GRID,
        rowModelType="infinite",
        getRowId="params.data.collective",
        columnDefs=columns,
        defaultColDef={"sortable": False, "resizable": True, "suppressMovable": True},
        dashGridOptions={
            "rowHeight": 40,
            "headerHeight": 40,
            "animateRows": False,
            "cacheBlockSize": _BLOCK,
            # The grid has one property for requests, so a second request would replace the first.
            "maxConcurrentDatasourceRequests": 1,
            "maxBlocksInCache": 20,
            "blockLoadDebounceMillis": 80,
            "suppressMultiSort": True,
            "domLayout": "autoHeight" if total <= _SHORT_LIST else "normal",
        },
        className="grid",
        style={"height": None if total <= _SHORT_LIST else "calc(100vh - 330px)", "minHeight": 320, "width": "100%"},
    )


def _columns(data: TraceData, parts: Sequence[str], order: str, reverse: bool) -> list[dict[str, Any]]:
    """The columns. Where the window is narrow, those with the highest `last` are hidden first."""

    def column(field: str, width: int, last: int, title: str | None = None, tip: str | None = None) -> dict[str, Any]:
        sorts = _SORTED.get(field)
        is_sort_column = sorts is not None and sorts[0] == order and (reverse or order not in _ORDERS)
        usual = [] if sorts is None else [sorts[1], "asc" if sorts[1] == "desc" else "desc"]
        return {
            "field": field,
            "headerName": title or field,
            "headerTooltip": tip,
            "minWidth": width,
            "width": width,
            "sortable": sorts is not None,
            "sortingOrder": [*usual, None],
            **({"initialSort": usual[1 if reverse else 0]} if is_sort_column else {}),
            # `assets/lists.js` uses these. When the user sorts, `order` and `usual` decide what goes into the address.
            # Where the window is narrow, columns with the highest `last` are hidden first.
            "context": {"last": last, "order": sorts and sorts[0], "usual": sorts and sorts[1]},
        }

    def number(field: str, width: int, last: int, title: str, tip: str) -> dict[str, Any]:
        return {
            **column(field, width, last, title, tip),
            "type": "rightAligned",
            "valueFormatter": {"function": "hopscopeText(params)"},
        }

    name, operation = (_LETTER * letters + _RIM for letters in data.longest_names)
    coloured = [{"field": f"{name}_ns", "name": name, "colour": CATEGORY_COLOURS[name]} for name in parts]
    return [
        {
            **column("collective", max(name, 116), 0, tip="Communicator and number on it"),
            "cellRenderer": "HopscopeLink",
            "cellRendererParams": {"hrefField": "href"},
        },
        {**column("operation", max(operation, 140), 1), "tooltipField": "operation"},
        number("bytes", 92, 6, "size", "Largest payload of a member"),
        number("first_enter_ns", 128, 4, "began at", "First enter, since the start of the trace"),
        number("duration_ns", 104, 2, "duration", "From the first enter to the last leave"),
        number("after_last_enter_ns", 140, 3, "after last enter", "From the last enter to the last leave"),
        number("spread_ns", 104, 7, "spread", "From the first enter to the last enter"),
        number("last_rank", 92, 5, "last in", "Rank that entered last; – where the clocks cannot tell"),
        {
            **column("path_ns", 140, 8, "its critical path", "Where the time of its own critical path went"),
            "flex": 1,
            "cellRenderer": "HopscopePath",
            "cellRendererParams": {"parts": coloured},
        },
        {
            **column("engine", 100, 9, "run by", "tree: Hopscope's engine; native: the MPI library"),
            "tooltipField": "engine",
        },
    ]


def grid_options(
    request: Mapping[str, Any], order: str | None, search: str | None, shortest: str | None
) -> dict[str, Any]:
    """Give the analysis's options for a block of rows that the grid asks for; invalid values become defaults."""
    begin, end = (request.get(name) for name in ("startRow", "endRow"))
    skip = begin if type(begin) is int and 0 <= begin < 2**62 else 0
    rows = end - skip if type(end) is int else _BLOCK
    sorts = request.get("sortModel")
    first = sorts[0] if isinstance(sorts, list) and sorts and isinstance(sorts[0], dict) else {}
    column = first.get("colId")
    word, usual = _SORTED.get(column if isinstance(column, str) else "", ("", ""))
    return {
        "order": word or (order if order in _ORDERS else "worst"),
        "reverse": bool(word) and first.get("sort") != usual,
        "search": search or None,
        "least_ms": float(shortest if shortest in _LEASTS else "0"),
        "skip": skip,
        "limit": min(max(rows, 0), 5 * _BLOCK),
    }


def _row(row: Row) -> dict[str, Any]:
    """The fields that the grid needs of a row."""
    cells = {field: row[field] for field in (*_GRID_FIELDS, *(f"{name}_ns" for name in _parts(row)))}
    return {**cells, "href": leads.collective(row["collective"]), "texts": grid_texts(row)}


def register(app: Dash, traces: Traces) -> None:
    """Register the callbacks of this page."""

    @app.callback(
        Output(GRID, "getRowsResponse"),
        Output(COUNT, "children"),
        Input(GRID, "getRowsRequest"),
        State(ORDER, "value"),
        State(SEARCH, "value"),
        State(SHORTEST, "value"),
        State(frame.ADDRESS, "search"),
        prevent_initial_call=True,
    )
    def block(
        request: dict[str, Any] | None, order: str | None, search: str | None, shortest: str | None, address: str | None
    ) -> tuple[dict[str, Any], str]:
        query = parse(address)
        part = traces.named_trace(query).part(selection.options(query))
        options = grid_options(request or {}, order, search, shortest)
        rows = part.rows_now("collectives", **options)
        total = part.number_of_collectives
        match_count = rows[0]["matches"] if rows else options["skip"]
        sentence = (
            f"{quantities.plural(total, 'collective')}."
            if match_count == total
            else f"{quantities.number(match_count)} of {quantities.plural(total, 'collective')} match."
        )
        return {"rowData": [_row(row) for row in rows], "rowCount": match_count}, sentence

    del block
    app.clientside_callback(
        ClientsideFunction("hopscope", "openTimeline"),
        Output(frame.ADDRESS, "href", allow_duplicate=True),
        Input(GRID, "cellClicked"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("hopscope_lists", "ask"),
        Output(HIDDEN, "title"),
        Input(ORDER, "value"),
        Input(SEARCH, "value"),
        Input(SHORTEST, "value"),
    )
    app.clientside_callback(
        ClientsideFunction("hopscope_lists", "sorted"),
        Output(ORDER, "value"),
        Input(GRID, "getRowsRequest"),
        State(ORDER, "value"),
        prevent_initial_call=True,
    )


PAGE = Page(
    path="/collectives",
    title="Collectives",
    section="Communication",
    layout=layout,
    register=register,
    lacks=missing.collectives,
)
