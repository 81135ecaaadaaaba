"""Page Efficiency: parallel efficiency and its factors."""

from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import share_bars
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS

FACTORS = "efficiency-factors"
NUMBERS = "efficiency-table"
REGIONS = "efficiency-regions"
REGION_NUMBERS = "efficiency-region-table"

_MEANINGS: Final = {
    "parallel efficiency": "mean useful time / time",
    "load balance": "mean useful time / the largest",
    "communication efficiency": "largest useful time / time",
    "serialisation": "largest useful time / time on an ideal network",
    "transfer": "time on an ideal network / time",
}
_PAGES: Final = {
    "parallel efficiency": "/critical-path",
    "load balance": "/by-rank",
    "communication efficiency": "/collectives",
    "serialisation": "/last-arrivals",
    "transfer": "/tree",
}
"""The page that shows what lowers each factor."""
_ACTION: Final = "see what it is lost to"
_CAUSES: Final = ("load balance", "serialisation", "transfer")
_WITHOUT_REPLAY: Final = ("load balance", "communication efficiency")
"""Factors of which the lead names the lowest: _CAUSES if the run could be replayed, _WITHOUT_REPLAY if it could not."""
_FORMULA: Final = "Load balance x serialisation x transfer is the parallel efficiency (POP's metrics)."
_SMALL: Final = 180
"""Height of the figure on the summary, in pixels."""
_MOST_REGIONS: Final = 12
"""Largest number of regions drawn and listed; the command has all."""
_BROKEN: Final = {"display": "inline-block", "minWidth": "10em", "whiteSpace": "normal", "overflowWrap": "anywhere"}
_REGION_COLUMNS: Final = (
    "region", "ranks", "time_ns", "useful_ns", "parallel_efficiency",
    "parallel_efficiency_low parallel_efficiency_high",
)  # fmt: skip
"""The columns of the analysis that the table of regions shows."""
_REGION_FACTORS: Final = {"load_balance": "load balance", "communication_efficiency": "communication efficiency"}
"""The factors of a region that are drawn; _COLOURS has their colours."""
_COLOURS: Final = {"load_balance": CATEGORY_COLOURS["compute"], "communication_efficiency": CATEGORY_COLOURS["native"]}


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects nothing."""
    del query
    rows = data.rows("efficiency")
    if not rows:
        head = blocks.page_head("Efficiency", "How much of the ranks' time is computing, and what the rest is lost to.")
        reason = f"{data.scope} has no communication and no time from MPI_Init to MPI_Finalize."
        return html.Div([head, empty.nothing_to_draw("No efficiency", reason)])
    regions = data.rows("efficiency", by="region")
    head = blocks.page_head("Efficiency", _answer(rows))
    return html.Div([head, _card("Factors", rows, _FORMULA), _numbers(rows), *_regions(regions)])


def factors(data: TraceData) -> Component | None:
    """Give the factors as bars; None if there is no efficiency."""
    rows = data.rows("efficiency")
    return html.Div(_card("Efficiency", rows, None, height=_SMALL), className="bare") if rows else None


def _answer(rows: Rows) -> str:
    known_rows = [row for row in rows if row["efficiency"] is not None]
    causes = _CAUSES if len(known_rows) == len(rows) else _WITHOUT_REPLAY
    lowest = min((row for row in known_rows if row["factor"] in causes), key=lambda row: row["efficiency"])
    return (
        f"{quantities.share(known_rows[0]['efficiency'])} of the ranks' time is computing; most is lost to "
        f"{lowest['factor']} ({quantities.share(lowest['efficiency'])})."
    )


def _card(title: str, rows: Rows, hint: str | None, *, height: int | None = None) -> Component:
    known_rows = [row for row in rows if row["efficiency"] is not None]
    names = [row["factor"] for row in known_rows]
    figure = share_bars(
        names,
        [("efficiency", CATEGORY_COLOURS["compute"], known_rows, "efficiency")],
        title="efficiency (%)",
        heading="the",
        leads=leads.Leads([_PAGES[row["factor"]] for row in known_rows], _ACTION),
    )
    figure.update_yaxes(title=None)
    if height is not None:
        figure.update_layout(height=height)
        # The summary has no table beside the bars, so their labels have the figures.
        texts = [f"{row['factor']} {quantities.share(row['efficiency'])}" for row in known_rows]
        figure.update_yaxes(tickvals=names, ticktext=texts)
        figure.update_xaxes(title=None)
    return blocks.card(title, blocks.drawing("Parallel efficiency and its factors", figure, name=FACTORS), hint=hint)


def _numbers(rows: Rows) -> Component:
    body = [
        [
            mark(row["factor"], _PAGES[row["factor"]], _ACTION),
            quantities.share(row["efficiency"]),
            quantities.interval(row["efficiency_low"], row["efficiency_high"]),
            f"{_MEANINGS[row['factor']]}: "
            f"{quantities.duration(row['part_ns'])} / {quantities.duration(row['whole_ns'])}",
            row["note"],
        ]
        for row in rows
    ]
    return blocks.card(
        "In numbers",
        blocks.table(
            ["", "efficiency", "95 % interval", "is", ""],
            body,
            name=NUMBERS,
            right=(1, 2),
            full=exports.csv_address("efficiency"),
            meanings=meanings(
                "efficiency", "factor", "efficiency", "efficiency_low efficiency_high", "part_ns whole_ns", "note"
            ),
        ),
        hint="Useful time is outside all MPI; the time runs from the first communication to the last. On an ideal "
        "network messages take no time, but ranks still wait for others to send or enter.",
    )


def _regions(rows: Rows) -> list[Component]:
    """Efficiency inside the program's regions; empty if there are none."""
    if not rows:
        return []
    shown_rows = rows[:_MOST_REGIONS]
    figure = share_bars(
        [row["region"] for row in shown_rows],
        [(name, _COLOURS[column], shown_rows, column) for column, name in _REGION_FACTORS.items()],
        title="efficiency (%)",
        heading="region",
        leads=leads.Leads([leads.region(row["region"]) for row in shown_rows], "select the region"),
    )
    notes = any(row["note"] for row in shown_rows)
    body = [
        [
            mark(html.Span(row["region"], style=_BROKEN), leads.region(row["region"]), "select the region"),
            quantities.number(row["ranks"]),
            quantities.duration(row["time_ns"]),
            quantities.duration(row["useful_ns"]),
            quantities.share(row["parallel_efficiency"]),
            quantities.interval(row["parallel_efficiency_low"], row["parallel_efficiency_high"]),
            *([row["note"]] if notes else []),
        ]
        for row in shown_rows
    ]
    columns = ["region", "ranks", "time", "useful", "efficiency", "95 % interval", *([""] if notes else [])]
    left = (
        f" The {len(shown_rows)} of {quantities.number(len(rows))} regions with most time."
        if rows[len(shown_rows) :]
        else ""
    )
    return [
        blocks.card(
            "Inside regions",
            blocks.drawing("Load balance and communication efficiency by region", figure, name=REGIONS),
            blocks.table(
                columns,
                body,
                name=REGION_NUMBERS,
                right=range(1, 6),
                full=exports.csv_address("efficiency", by="region"),
                meanings=meanings("efficiency", *_REGION_COLUMNS, *(["note"] if notes else []), by="region"),
            ),
            hint="Efficiency is again load balance x communication efficiency. The time is the longest that a rank "
            f"spends inside; useful time is the mean of the ranks that enter. Regions may be nested.{left}",
        )
    ]


PAGE = Page(path="/efficiency", title="Efficiency", section="Imbalance", layout=layout, lacks=missing.communication)
