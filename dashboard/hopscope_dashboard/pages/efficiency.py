"""Parallel efficiency and its factors, and the useful time of each rank."""

from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope import quantities

from hopscope_dashboard import leads
from hopscope_dashboard.address import Query
from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.mark import mark, rank
from hopscope_dashboard.data import Rows, TraceData
from hopscope_dashboard.figures.bars import share_bars, time_bars
from hopscope_dashboard.figures.many_places import MOST_BARS, MOST_ROWS, left_out, with_most
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.palette import CATEGORY_COLOURS

FACTORS = "efficiency-factors"
NUMBERS = "efficiency-table"
USEFUL = "efficiency-useful"
RANKS = "efficiency-ranks"
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
    "parallel efficiency": "/",
    "load balance": "/late-ranks",
    "communication efficiency": "/collectives",
    "serialisation": "/last-arrivals",
    "transfer": "/tree",
}
"""The page on what lowers each factor."""
_DOES: Final = "see what it is lost to"
_MOST_REGIONS: Final = 12
"""Regions that are drawn and listed; the command has all."""
_BROKEN: Final = {"display": "inline-block", "minWidth": "10em", "whiteSpace": "normal", "overflowWrap": "anywhere"}
_INSIDE: Final = {"load_balance": "load balance", "communication_efficiency": "communication efficiency"}
"""The factors of a region that are drawn, with their colours' categories below."""
_COLOURS: Final = {"load_balance": CATEGORY_COLOURS["compute"], "communication_efficiency": CATEGORY_COLOURS["native"]}


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects nothing."""
    del query
    head = blocks.page_head("Efficiency", "How much of the ranks' time computes, and what the rest is lost to.")
    rows = data.rows("efficiency")
    if not rows:
        reason = f"{data.shown} has no communication and no time from MPI_Init to MPI_Finalize."
        return html.Div([head, empty.nothing_here("No efficiency", reason)])
    ranks = sorted(data.rows("efficiency", by="rank"), key=lambda row: row["rank"])
    regions = data.rows("efficiency", by="region")
    return html.Div([head, _factors(rows), _numbers(rows), *_regions(regions), _useful(ranks), _ranks(ranks)])


def _factors(rows: Rows) -> Component:
    known = [row for row in rows if row["efficiency"] is not None]
    figure = share_bars(
        [row["factor"] for row in known],
        [("efficiency", CATEGORY_COLOURS["compute"], known, "efficiency")],
        title="efficiency (%)",
        by="the",
        leads=leads.Leads([_PAGES[row["factor"]] for row in known], _DOES),
    )
    figure.update_yaxes(title=None)
    return blocks.card(
        "Factors",
        blocks.drawing("Parallel efficiency and its factors", figure, name=FACTORS),
        hint="Parallel efficiency is load balance x communication efficiency, and this is serialisation x transfer "
        "(POP's metrics). The smallest of load balance, serialisation and transfer is where most time goes."
        if len(known) == len(rows)
        else "Parallel efficiency is load balance x communication efficiency (POP's metrics).",
    )


def _numbers(rows: Rows) -> Component:
    body = [
        [
            mark(row["factor"], _PAGES[row["factor"]], _DOES),
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
        ),
        hint="Useful time is outside all MPI; the time runs from the first communication to the last. On an ideal "
        "network communication takes no time, but everybody still waits for what is not sent or entered.",
    )


def _regions(rows: Rows) -> list[Component]:
    """The same inside the program's regions; nothing where there are none."""
    if not rows:
        return []
    shown = rows[:_MOST_REGIONS]
    figure = share_bars(
        [row["region"] for row in shown],
        [(name, _COLOURS[column], shown, column) for column, name in _INSIDE.items()],
        title="efficiency (%)",
        by="region",
        leads=leads.Leads([leads.region(row["region"]) for row in shown], "select the region"),
    )
    notes = any(row["note"] for row in shown)
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
        for row in shown
    ]
    columns = ["region", "ranks", "time", "useful", "efficiency", "95 % interval", *([""] if notes else [])]
    left = f" The {len(shown)} of {quantities.number(len(rows))} regions with most time." if rows[len(shown) :] else ""
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
            ),
            hint="Efficiency is again load balance x communication efficiency; the time is the longest that a rank "
            f"spends inside, useful time the mean of the ranks that enter. Regions lie inside one another.{left}",
        )
    ]


def _useful(rows: Rows) -> Component:
    shown = with_most(rows, lambda row: row["useful_ns"], MOST_BARS)
    figure = time_bars(
        [str(row["rank"]) for row in shown],
        [
            ("useful", CATEGORY_COLOURS["compute"], [row["useful_ns"] for row in shown]),
            ("in MPI", CATEGORY_COLOURS["native"], [row["mpi_ns"] for row in shown]),
        ],
        title="time of the run without start-up and shutdown",
        by="rank",
        stacked=True,
        leads=leads.of_ranks(row["rank"] for row in shown),
    )
    return blocks.card(
        "Useful time",
        blocks.drawing("Useful time and time in MPI by rank", figure, name=USEFUL),
        hint=f"Unequal useful time lowers the load balance.{left_out(shown, rows, 'ranks with most useful time')}",
    )


def _ranks(every: Rows) -> Component:
    rows = with_most(every, lambda row: row["useful_ns"], MOST_ROWS)
    left = left_out(rows, every, "ranks with most useful time").strip()
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
    return blocks.card(
        "Ranks in numbers",
        blocks.table(columns, body, name=RANKS, right=range(5), full=exports.csv_address("efficiency", by="rank")),
        hint=left or None,
    )


PAGE = Page(path="/efficiency", title="Efficiency", icon="efficiency", layout=layout, lacks=missing.communication)
