"""Page Regions: the time in each region of the program, rank by rank."""

from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, exports
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import time_bars
from hopscope_dashboard.figures.many_places import MOST_ROWS
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS

TABLE = "regions-table"
BARS = "regions-bars"

_MOST_BARS: Final = 12


def layout(data: TraceData, query: Query) -> Component:
    """Give the page."""
    del query
    rows = sorted(data.rows_or_none("regions"), key=lambda row: (-row["time_ns"], row["region"], row["rank"]))
    if not rows:
        return html.Div(blocks.page_head("Regions", missing.regions(data) or "No region ran here."))
    return html.Div([blocks.page_head("Regions", _answer(rows)), _bars(rows), _table(rows)])


def _answer(rows: Rows) -> str:
    first = rows[0]
    return (
        f"The longest is {first['region']}: {quantities.duration(first['time_ns'])} on rank {first['rank']}, "
        f"{quantities.share(first['share'])} of its threads' time."
    )


def _bars(rows: Rows) -> Component:
    longest: dict[str, Row] = {}
    for row in rows:
        longest.setdefault(row["region"], row)
    bar_rows = list(longest.values())[:_MOST_BARS]
    figure = time_bars(
        [row["region"] for row in bar_rows],
        [
            ("in MPI", CATEGORY_COLOURS["native"], [row["mpi_ns"] for row in bar_rows]),
            ("outside MPI", CATEGORY_COLOURS["compute"], [max(0, row["time_ns"] - row["mpi_ns"]) for row in bar_rows]),
        ],
        title="time on the rank that spends most there",
        heading="region",
        stacked=True,
        leads=leads.Leads([leads.region(row["region"]) for row in bar_rows], "select the region"),
    )
    return blocks.card(None, blocks.drawing("Time in regions", figure, name=BARS))


def _table(all_rows: Rows) -> Component:
    rows = [
        [
            mark(row["region"], leads.region(row["region"]), "select the region"),
            mark(str(row["rank"]), leads.rank(row["rank"]), "select the rank"),
            quantities.number(row["visits"]),
            quantities.duration(row["time_ns"]),
            quantities.duration(row["mpi_ns"]),
            quantities.share(row["share"]),
        ]
        for row in all_rows[:MOST_ROWS]
    ]
    left = f" The first {MOST_ROWS} of {quantities.number(len(all_rows))} rows." if all_rows[MOST_ROWS:] else ""
    return blocks.card(
        "Rank by rank",
        blocks.table(
            ["region", "rank", "visits", "time", "of it in MPI", "of its threads' time"],
            rows,
            name=TABLE,
            right=range(1, 6),
            full=exports.csv_address("regions"),
            meanings=meanings("regions", "region", "rank", "visits", "time_ns", "mpi_ns", "share"),
        ),
        hint=f"Calls inside are included; threads of a rank add up.{left}",
    )


PAGE = Page(path="/regions", title="Regions", section="Code", layout=layout, lacks=missing.regions)
