"""The periods of the ranks' noise on the page Noise, and one rank's noise folded at its period."""

from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, exports, mark
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import Rows, TraceData, meanings
from hopscope_dashboard.figures.many_places import MOST_ROWS, largest_rows, left_out
from hopscope_dashboard.figures.noise_periods import folded_noise, periods_by_rank
from hopscope_dashboard.navigation.address import Query, number

PERIODS = "noise-periods"
FOLDED = "noise-folded"
TABLE = "noise-periods-table"

_MOST_DOTS: Final = 4_000
"""Largest number of dots; with more iterations, each dot is the noisiest of several."""


def periods(data: TraceData, query: Query, rows: Rows) -> list[Component]:
    """Give the periods of `analyze noise --by period`; an empty list if no rank has one. The address selects the `rank`
    whose noise is folded at its period."""
    periodic = [row for row in rows if row["periodic"]]
    if not periodic:
        return []
    pictures = (_periods(data, rows), _folded(data, query, periodic))
    return [blocks.columns(*pictures, widths="minmax(0, 1fr) minmax(0, 1fr)"), _table(rows)]


def _periods(data: TraceData, rows: Rows) -> Component:
    return blocks.card(
        "Which period, on which rank",
        blocks.drawing("Period of the noise by rank", periods_by_rank(ranks=data.ranks, rows=rows), name=PERIODS),
        hint="Equal periods on one host, not a whole number of iterations, point to something that runs there.",
        meaning="Per cent: how much of the variance of the rank's noise the period explains. The whisker is how "
        "exactly the run's length can tell the period. An empty lane has no period.",
    )


def _folded(data: TraceData, query: Query, periodic: Rows) -> Component:
    by_rank = {row["rank"]: row for row in periodic}
    strongest = max(periodic, key=lambda row: (row["explained"], -row["rank"]))
    asked_rank = number(query, "rank")
    chosen_row = strongest if asked_rank is None else by_rank.get(asked_rank, strongest)
    iterations = data.rows_or_none("iterations", rank=chosen_row["rank"], most=_MOST_DOTS)
    options = {
        str(rank): f"rank {rank}, every {quantities.duration(row['period_ns'])}" for rank, row in by_rank.items()
    }
    return blocks.card(
        f"The noise of rank {chosen_row['rank']}, folded at its period",
        html.Div(select("Rank", query, "rank", options=options, current=str(chosen_row["rank"])), className="selects"),
        blocks.drawing(
            f"Noise of rank {chosen_row['rank']} within its period",
            folded_noise(iterations, chosen_row["period_ns"], data.collective_names()),
            name=FOLDED,
        ),
        hint="One dot per iteration: noise with this period lines up at one place.",
    )


def _table(all_rows: Rows) -> Component:
    rows = largest_rows(all_rows, lambda row: (row["periodic"] or False) + (row["explained"] or 0), MOST_ROWS)
    body = [
        [
            mark.rank(row["rank"]),
            quantities.MISSING if row["periodic"] is None else "yes" if row["periodic"] else "no",
            quantities.duration(row["period_ns"]),
            quantities.duration(row["resolution_ns"]),
            quantities.duration(row["amplitude_ns"]),
            quantities.share(row["explained"]),
            quantities.share(row["false_alarm"]),
            quantities.number(row["noisy"]),
            quantities.number(row["iterations"]),
            quantities.MISSING if row["whole_iterations"] is None else quantities.number(row["whole_iterations"]),
        ]
        for row in rows
    ]
    columns = ["rank", "period?", "period", "to", "swing", "strength", "false alarm", "noisy", "iterations", "its own?"]
    tooltips = meanings(
        "noise", "rank", "periodic", "period_ns", "resolution_ns", "amplitude_ns", "explained", "false_alarm", "noisy",
        "iterations", "whole_iterations", by="period",
    )  # fmt: skip
    full = exports.csv_address("noise", by="period")
    return blocks.card(
        "Periods in numbers",
        blocks.table(columns, body, name=TABLE, right=(0, *range(2, 10)), full=full, meanings=tooltips),
        hint=left_out(rows, all_rows, "ranks with the strongest peaks").strip(),
    )
