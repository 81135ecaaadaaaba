"""Page SQL: a user's own query on the tables and views, with their columns beside it."""

from collections.abc import Mapping
from html import escape
from typing import Any, Final
from uuid import uuid4

import dash_ag_grid as dag
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import aria, blocks, empty, exports
from hopscope_dashboard.components.drawing import Drawing
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.data.trace import InputError, Relation, Result, Stop, TraceData
from hopscope_dashboard.navigation import frame, selection
from hopscope_dashboard.navigation.address import Query, link, parse
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.navigation.traces import Traces

BOX = "sql-box"
RUN = "sql-run"
STOP = "sql-stop"
RESULT = "sql-result"
GRID = "sql-grid"
SCHEMA = "sql-schema"
ASK = "sql-ask"
REPEAT = "sql-again"

_ROW_LIMIT: Final = 1000
"""Largest number of rows shown; a download has all."""

_LIMIT_S: Final = 60
"""Longest duration of a query, in seconds."""
_RUNNING: Final = 64
"""Largest number of queries remembered because they may still have to stop."""

_LARGEST: Final = 2**53
"""Largest whole number that a browser does not round."""

_START: Final = "select op, count(*) as collectives, sum(bytes) as bytes\nfrom collectives\ngroup by op\norder by op"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The parameter `sql` of the address is the query."""
    sql = query.get("sql", "").strip()
    tables = [relation for relation in data.relations if relation.is_table]
    rows = sum(data.number_of(relation.name) or 0 for relation in tables)
    lead = f"{quantities.plural(len(tables), 'table')} with {quantities.plural(rows, 'row')} answer what no page does."
    head = blocks.page_head("SQL", lead)
    answer = blocks.waiting(html.Div(id=RESULT, style={"minHeight": 120}), "Asking the trace …") if sql else None
    return html.Div(
        [
            head,
            blocks.columns(
                html.Div([_box(sql or _START, has_query=bool(sql)), answer]),
                _schema(data),
                widths="minmax(0, 1fr) 330px",
            ),
        ]
    )


def _box(text: str, *, has_query: bool) -> Component:
    hint = f"Ctrl-Enter runs it, {quantities.duration(1e9 * _LIMIT_S)} at most."
    return blocks.card(
        "Query",
        html.Label("A SELECT in DuckDB's SQL", htmlFor=BOX, className="choice-label"),
        dcc.Textarea(
            id=BOX, value=text, spellCheck=False, className="sql-box", rows=min(24, max(5, 1 + text.count("\n")))
        ),
        html.Div(
            [
                html.Button("Run", id=RUN, className="button primary", type="button"),
                html.Button("Stop", id=STOP, className="button", type="button", disabled=True),
                html.Span(hint, className="hint"),
            ],
            className="sql-controls",
        ),
        # The address has the query. These stores name the request: ASK the page's first one, REPEAT each later one.
        dcc.Store(id=ASK, data=uuid4().hex if has_query else None),
        dcc.Store(id=REPEAT),
    )


def _schema(data: TraceData) -> Component:
    tables = [_relation(relation, data.number_of(relation.name)) for relation in data.relations if relation.is_table]
    views = [_relation(relation, None) for relation in data.relations if not relation.is_table]
    return html.Div(
        [
            blocks.card("Tables", *tables, hint="Row counts are of the whole run."),
            blocks.card(None, html.Details([html.Summary(html.H2("Views of the analyses")), *views])),
        ],
        id=SCHEMA,
    )


def _relation(relation: Relation, rows: int | None) -> Component:
    example = f"select *\nfrom {relation.name}\nlimit 100"
    # This is markup, because a browser took a second to make components of a thousand columns.
    columns = "".join(
        f"<tr><td><code>{escape(column.name)}</code><small>{escape(column.type.lower() + _unit(column.unit))}</small>"
        f"</td><td>{escape(column.meaning)}</td></tr>"
        for column in relation.columns
    )
    return html.Div(
        [
            html.Details(
                [
                    html.Summary(
                        [html.Code(relation.name), "" if rows is None else html.Small(quantities.number(rows))]
                    ),
                    html.P(relation.meaning, className="hint"),
                    Drawing(
                        f'<div class="table-frame"><table><tbody>{columns}</tbody></table></div>',
                        f"{SCHEMA}-{relation.name}",
                    ),
                ]
            ),
            dcc.Link("query", href=link("/data", sql=example), title=f"Show the first rows of {relation.name}"),
        ],
        className="relation",
    )


def _unit(unit: str | None) -> str:
    return f", {'ns since the start' if unit == 'at' else unit}" if unit else ""


def answered(query_result: Result, query: Mapping[str, str], trace: str) -> Component:
    """Give the card of a result, with links to all rows. `trace` is the identity of the trace."""
    rows = quantities.number(len(query_result.rows))
    if query_result.whole is None:
        count_phrase = f"The first {rows} rows; counting all of them took longer than a query may."
    elif query_result.whole > len(query_result.rows):
        count_phrase = f"The first {rows} of {quantities.number(query_result.whole)} rows."
    else:
        count_phrase = quantities.plural(query_result.whole, "row")
    sql = query["sql"]
    links = [
        html.A(
            [icon("download", 15), form], href=link(f"{exports.RESULT_PATH}{form.lower()}", sql=sql), className="button"
        )
        for form in ("CSV", "Parquet")
    ]
    head = html.Div([html.Span(count_phrase, className="sql-said"), "All rows as", *links], className="sql-controls")
    return selection.keep(blocks.card("Result", head, _grid(query_result)), query, trace)


def _grid(query_result: Result) -> Component:
    fields = [f"c{index}" for index in range(len(query_result.columns))]
    columns: list[dict[str, Any]] = [
        {"field": field, "headerName": name, "headerTooltip": name, **({"type": "rightAligned"} if is_number else {})}
        for field, name, is_number in zip(fields, query_result.columns, query_result.numbers, strict=True)
    ]
    is_short = len(query_result.rows) <= 15
    return dag.AgGrid(
        id=GRID,
        rowData=[dict(zip(fields, map(_cell, row), strict=True)) for row in query_result.rows],
        columnDefs=columns,
        defaultColDef={"sortable": True, "resizable": True, "suppressMovable": True, "minWidth": 80},
        columnSize="autoSize",
        dashGridOptions={
            "rowHeight": 32,
            "headerHeight": 36,
            "animateRows": False,
            "enableCellTextSelection": True,
            "domLayout": "autoHeight" if is_short else "normal",
        },
        className="grid result",
        style={
            "height": None if is_short else "calc(100vh - 200px)",
            "minHeight": 140 if is_short else 420,
            "width": "100%",
        },
    )


def _cell(value: str | float | bool | None) -> str | float | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) and abs(value) > _LARGEST else value


def _failed(reason: str) -> Component:
    return html.Section(
        [
            html.H2("No result"),
            html.Pre(html.Code(reason)),
            html.P("Change the query and run it again; it can read the tables and views beside it."),
        ],
        className="card problem",
        **aria.ALERT,
    )


def register(app: Dash, traces: Traces) -> None:
    """Register the callbacks of this page. They set the address to the user's query, answer the query in the address,
    and stop it."""
    running: dict[str, Stop] = {}

    @app.callback(
        Output(RESULT, "children"),
        Input(ASK, "data"),
        Input(REPEAT, "data"),
        State(frame.ADDRESS, "search"),
        running=[(Output(STOP, "disabled"), False, True)],
    )
    def answer(first: str | None, repeat: str | None, search: str | None) -> Any:
        query, ticket = parse(search), repeat or first
        if ticket is None or "sql" not in query:
            return no_update
        data, stop = traces.named_trace(query), running.setdefault(ticket, Stop(_LIMIT_S))
        try:
            part = data.part(selection.options(query))
            return answered(part.first_rows(query["sql"], _ROW_LIMIT, stop), query, data.identity)
        except InputError as error:
            return _failed(str(error))
        except Exception as error:
            return empty.went_wrong(error)
        finally:
            running.pop(ticket, None)

    @app.callback(
        Output(STOP, "title"),
        Input(STOP, "n_clicks"),
        State(ASK, "data"),
        State(REPEAT, "data"),
        prevent_initial_call=True,
    )
    def end(clicks: int | None, first: str | None, repeat: str | None) -> Any:
        ticket = repeat or first
        if clicks and ticket is not None:
            # The click may arrive before the query that it stops.
            running.setdefault(ticket, Stop(_LIMIT_S)).request()
            for old in list(running)[:-_RUNNING]:
                running.pop(old, None)
        return no_update

    del answer, end
    app.clientside_callback(
        ClientsideFunction("hopscope", "runQuery"),
        Output(frame.ADDRESS, "search", allow_duplicate=True),
        Output(REPEAT, "data"),
        Input(RUN, "n_clicks"),
        State(BOX, "value"),
        State(frame.ADDRESS, "search"),
        prevent_initial_call=True,
    )


PAGE = Page(path="/data", title="SQL", section="SQL", layout=layout, register=register)
