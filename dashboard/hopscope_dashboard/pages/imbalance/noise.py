"""Page Noise: noise by rank, what it cost, when it came, and its periods."""

from typing import Final

from dash import ClientsideFunction, Dash, Input, Output, State, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports, mark
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import count_bars, time_bars
from hopscope_dashboard.figures.heat_map import heat_map, iterations_per_column
from hopscope_dashboard.figures.many_places import MOST_BARS, MOST_ROWS, largest_rows, left_out
from hopscope_dashboard.navigation import frame, leads
from hopscope_dashboard.navigation.address import Query, allowed_word
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.imbalance.noise_periods import periods
from hopscope_dashboard.palette import CATEGORY_COLOURS, LATENESS_COLOURS
from hopscope_dashboard.sentences.noise import of_noise, of_periods
from hopscope_dashboard.sentences.sentence import lead, path_ns

LATE_ITERATIONS = "noise-late"
COST = "noise-cost"
HEAT = "noise-heat-map"
TABLE = "noise-table"

_SHOW: Final = {"noise_ns": "noise", "computing_ns": "computing"}
_MOST_COLUMNS: Final = 300
_MOST_CELLS: Final = 20_000
"""Largest numbers of columns and of cells in the heat map. With more iterations, a column shows the worst of
several."""
_THRESHOLDS: Final = {"late_1ms": "1 ms", "late_5ms": "5 ms", "late_10ms": "10 ms", "late_30ms": "30 ms"}


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. In the address, `show` selects what the heat map shows, and `rank` the rank whose period is
    drawn."""
    rows, period_rows = data.rows("noise"), data.rows_or_none("noise", by="period")
    show = allowed_word(query, "show", tuple(_SHOW))
    head = blocks.page_head("Noise", lead(of_noise(rows, path_ns(data)), of_periods(period_rows)))
    ranks = [row for row in rows if str(row["rank"]).isdigit()]
    if all(row["noise_ns"] is None for row in ranks):
        return html.Div([head, empty.nothing_to_draw("No noise to tell", empty.TOO_SELDOM.format(data.scope))])
    return html.Div(
        [
            head,
            blocks.columns(_late_iterations(ranks), _cost(ranks)),
            _heat(data, query, show),
            _table(rows),
            *periods(data, query, period_rows),
        ]
    )


def _late_iterations(all_rows: Rows) -> Component:
    if not any(row["iterations"] for row in all_rows):
        return empty.nothing_to_draw("How often", "There are no iterations to count.")
    rows = largest_rows(all_rows, lambda row: row[next(iter(_THRESHOLDS))], MOST_BARS)
    labels = [str(row["rank"]) for row in rows]
    series = [
        (f"more than {text}", LATENESS_COLOURS[column][0], [row[column] or 0 for row in rows])
        for column, text in _THRESHOLDS.items()
    ]
    if not any(value for _, _, values in series for value in values):
        return empty.nothing_to_draw("How often", "No iteration of any rank had more than 1 ms of noise.")
    figure = count_bars(labels, series, title="late iterations", heading="rank", leads=leads.of_ranks(labels))
    light, dark = zip(*(LATENESS_COLOURS[column] for column in _THRESHOLDS), strict=True)
    figure.update_layout(meta={"schemes": {"light": light, "dark": dark}})
    return blocks.card(
        "How often",
        blocks.drawing("Late iterations by rank", figure, name=LATE_ITERATIONS),
        hint=left_out(rows, all_rows, "ranks with most late iterations").strip(),
    )


def _cost(all_rows: Rows) -> Component:
    rows = largest_rows(all_rows, _noise, MOST_BARS)
    labels = [str(row["rank"]) for row in rows]
    absorbed = [max(0, (row["noise_ns"] or 0) - (row["paid_ns"] or 0)) for row in rows]
    figure = time_bars(
        labels,
        [
            ("on the critical path", CATEGORY_COLOURS["wan"], [row["paid_ns"] for row in rows]),
            ("absorbed by waiting", CATEGORY_COLOURS["native"], absorbed),
        ],
        title="noise over the whole run",
        heading="rank",
        stacked=True,
        leads=leads.of_ranks(labels),
    )
    return blocks.card(
        "What it cost",
        blocks.drawing("Noise paid and absorbed by rank", figure, name=COST),
        hint="Noise off the critical path costs nothing: the run was waiting for another rank."
        f"{left_out(rows, all_rows, 'ranks with most noise')}",
    )


def _noise(row: Row) -> float | None:
    return row["noise_ns"]


def _heat(data: TraceData, query: Query, show: str) -> Component:
    column_limit = max(1, min(_MOST_COLUMNS, _MOST_CELLS // max(1, len(data.ranks))))
    rows = data.rows_or_none("iterations", most=column_limit, worst=_SHOW[show])
    if not rows:
        return empty.nothing_to_draw("When it came", "There are no iterations to draw.")
    if not any(row[show] is not None for row in rows):
        return empty.nothing_to_draw("When it came", empty.TOO_SELDOM.format(data.scope))
    number = iterations_per_column(sorted({row["from_iteration"] for row in rows}))
    column = "one iteration" if number == 1 else f"the worst of {quantities.number(number)} iterations"
    names, iterations_phrase = data.collective_names(), data.iterations_found
    figure = heat_map(ranks=data.ranks, rows=rows, value=show, title=_SHOW[show], names=names)
    return blocks.card(
        "When it came",
        choice("Show", "/noise", query, "show", options=_SHOW, current=show),
        blocks.drawing("Noise by rank and iteration", figure, name=HEAT),
        hint=f"A column is {column}. Drag to select iterations, double-click to clear them.",
        meaning="A row that stands out is a slow rank, a column the whole machine, a single spot a spike."
        + (f" The run has {iterations_phrase}." if iterations_phrase else ""),
    )


def _table(all_rows: Rows) -> Component:
    rows = largest_rows(all_rows, _noise, MOST_ROWS)
    left = left_out(rows, all_rows, "rows with most noise").strip()
    body = [
        [
            mark.rank(row["rank"]) if row["rank"].isdigit() else row["rank"],
            *(quantities.number(row[column]) for column in _THRESHOLDS),
            quantities.number(row["iterations"]),
            quantities.duration(row["noise_ns"]),
            quantities.duration(row["worst_ns"]),
            quantities.share(row["noise_share"]),
            quantities.duration(row["paid_ns"]),
        ]
        for row in rows
    ]
    columns = [
        "rank",
        *(html.Span(f"> {text}", className="whole") for text in _THRESHOLDS.values()),
        "iterations",
        "noise",
        "worst",
        "of its computing",
        "paid",
    ]
    tooltips = meanings("noise", "rank", *_THRESHOLDS, "iterations", "noise_ns", "worst_ns", "noise_share", "paid_ns")
    full = exports.csv_address("noise")
    return blocks.card(
        "In numbers",
        blocks.table(columns, body, name=TABLE, right=range(1, 10), full=full, meanings=tooltips),
        hint=left or None,
    )


def register(app: Dash, traces: Traces) -> None:
    """Register the callback that gives the figure the colours of the light or the dark scheme."""
    del traces
    app.clientside_callback(
        ClientsideFunction("hopscope_figures", "inScheme"),
        Output(LATE_ITERATIONS, "figure"),
        Input(frame.SCHEME, "computedColorScheme"),
        State(LATE_ITERATIONS, "figure"),
    )


PAGE = Page(
    path="/noise",
    title="Noise",
    section="Imbalance",
    layout=layout,
    register=register,
    lacks=missing.computing,
)
