"""Page By rank: the useful time of each rank, compared with the mean."""

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.mark import rank
from hopscope_dashboard.data.trace import Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import time_bars
from hopscope_dashboard.figures.many_places import MOST_BARS, MOST_ROWS, largest_rows, left_out
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS

USEFUL = "efficiency-useful"
RANKS = "efficiency-ranks"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects nothing."""
    del query
    rows = sorted(data.rows("efficiency", by="rank"), key=lambda row: row["rank"])
    if not any(row["useful_ns"] for row in rows):
        head = blocks.page_head("By rank", "The useful time of each rank: its time outside MPI.")
        return html.Div([head, empty.nothing_to_draw("No useful time", f"{data.scope} has no time outside MPI.")])
    return html.Div([blocks.page_head("By rank", _answer(rows)), _useful(rows), _ranks(rows)])


def _answer(rows: Rows) -> str:
    first = max(rows, key=lambda row: row["useful_ns"] or 0)
    return (
        f"Rank {first['rank']} computes longest: {quantities.duration(first['useful_ns'])}, "
        f"{quantities.share(first['of_mean'] - 1)} more than the mean."
    )


def _useful(rows: Rows) -> Component:
    bar_rows = largest_rows(rows, lambda row: row["useful_ns"], MOST_BARS)
    figure = time_bars(
        [str(row["rank"]) for row in bar_rows],
        [
            ("useful", CATEGORY_COLOURS["compute"], [row["useful_ns"] for row in bar_rows]),
            ("in MPI", CATEGORY_COLOURS["native"], [row["mpi_ns"] for row in bar_rows]),
        ],
        title="time of the run without start-up and shutdown",
        heading="rank",
        stacked=True,
        leads=leads.of_ranks(row["rank"] for row in bar_rows),
    )
    return blocks.card(
        "Useful time",
        blocks.drawing("Useful time and time in MPI by rank", figure, name=USEFUL),
        hint=f"Unequal useful time lowers the load balance.{left_out(bar_rows, rows, 'ranks with most useful time')}",
    )


def _ranks(all_rows: Rows) -> Component:
    rows = largest_rows(all_rows, lambda row: row["useful_ns"], MOST_ROWS)
    left = left_out(rows, all_rows, "ranks with most useful time").strip()
    body = [
        [
            rank(row["rank"]),
            quantities.duration(row["useful_ns"]),
            quantities.share(row["useful_share"]),
            quantities.share(row["of_mean"]),
            quantities.duration(row["mpi_ns"]),
        ]
        for row in rows
    ]
    columns = ["rank", "useful", "of the time", "of the mean", "in MPI"]
    full = exports.csv_address("efficiency", by="rank")
    tooltips = meanings("efficiency", "rank", "useful_ns", "useful_share", "of_mean", "mpi_ns", by="rank")
    return blocks.card(
        "Ranks in numbers",
        blocks.table(columns, body, name=RANKS, right=range(5), full=full, meanings=tooltips),
        hint=left or None,
    )


PAGE = Page(path="/by-rank", title="By rank", section="Imbalance", layout=layout, lacks=missing.communication)
