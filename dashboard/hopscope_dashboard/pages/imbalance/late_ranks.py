"""Page Late ranks: whether each rank is late always, in turn with others, in spikes, sometimes or never, and by how
much."""

from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports, mark
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.data.trace import Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import time_bars
from hopscope_dashboard.figures.late_ranks import class_of, classes_of, shares_by_class
from hopscope_dashboard.figures.many_places import MOST_BARS, MOST_ROWS, largest_rows, left_out
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, allowed_word
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS, LATENESS_CLASS_COLOURS, LATENESS_CLASS_MEANINGS
from hopscope_dashboard.sentences.arrivals import of_late_ranks
from hopscope_dashboard.sentences.sentence import lead, path_ns

SHARES = "late-shares"
LATENESS = "late-by-how-much"
TABLE = "late-ranks-table"

_LIMITS_MS: Final = ("0.1", "1", "5", "30")
"""Limits in ms that the page offers beside the command's default."""
_DEFAULT: Final = "default"
"""The address's word for the command's default limit, a share of the iteration."""
_COLUMNS: Final = (
    "rank", "class", "share", "share_low share_high", "typical_ns", "worst_ns", "latest", "step", "collectives",
)  # fmt: skip
"""The columns of the analysis that the table shows."""
_ORDER_PHRASE: Final = "ranks that were late most often"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The parameter `least_ms` of the address selects the lateness from which on a rank counts as
    late."""
    limit = allowed_word(query, "least_ms", (_DEFAULT, *_LIMITS_MS))
    limits = {_DEFAULT: "5 %"} | {value: quantities.milliseconds(float(value)) for value in _LIMITS_MS}
    limit_text = None if limit == _DEFAULT else limit
    least_ms = None if limit_text is None else float(limit_text)
    rows = data.rows_or_none("late-ranks", least_ms=least_ms)
    head = blocks.page_head(
        "Late ranks",
        lead(of_late_ranks(rows, path_ns(data))),
        choice("By more than", "/late-ranks", query, "least_ms", options=limits, current=limit),
    )
    if not rows:
        reason = f"{data.scope} has no rank that computes between two collectives with other ranks."
        return html.Div([head, empty.nothing_to_draw("No ranks to compare", reason)])
    return html.Div(
        [
            head,
            blocks.columns(_shares(data, rows), _lateness(rows), widths="minmax(0, 3fr) minmax(0, 2fr)"),
            _table(rows, limit_text),
        ]
    )


def _shares(data: TraceData, all_rows: Rows) -> Component:
    rows = largest_rows(all_rows, lambda row: row["share"], MOST_BARS)
    rare, frequent = (data.default("late-ranks", name) for name in ("rare", "often"))
    return blocks.card(
        "How often",
        blocks.legend(LATENESS_CLASS_COLOURS, LATENESS_CLASS_MEANINGS, classes_of(rows)),
        blocks.drawing(
            "Share of late collectives by rank", shares_by_class(rows, rare=rare, frequent=frequent), name=SHARES
        ),
        hint=f"Late: {quantities.duration(all_rows[0]['limit_ns'])} more computing than the faster members."
        f"{left_out(rows, all_rows, _ORDER_PHRASE)}",
        meaning=f"The whiskers (95 %) decide: wholly above {quantities.share(frequent)} a rank is always late, wholly "
        f"below {quantities.share(rare)} it has spikes. The limit of 5 % is of the time per collective.",
    )


def _lateness(all_rows: Rows) -> Component:
    rows = largest_rows(all_rows, lambda row: row["worst_ns"], MOST_BARS)
    figure = time_bars(
        [str(row["rank"]) for row in rows],
        [
            ("typically, where late", CATEGORY_COLOURS["compute"], [row["typical_ns"] for row in rows]),
            ("at worst", CATEGORY_COLOURS["native"], [max(0, row["worst_ns"] or 0) for row in rows]),
        ],
        title="computing beyond the faster members'",
        heading="rank",
        leads=leads.of_ranks(row["rank"] for row in rows),
    )
    return blocks.card(
        "By how much",
        blocks.drawing("Lateness by rank", figure, name=LATENESS),
        hint=left_out(rows, all_rows, "ranks that were latest at worst").strip(),
    )


def _table(all_rows: Rows, limit_text: str | None) -> Component:
    rows = largest_rows(all_rows, lambda row: row["share"], MOST_ROWS)
    body = [
        [
            mark.rank(row["rank"]),
            blocks.chip(class_of(row), LATENESS_CLASS_COLOURS[class_of(row)]),
            quantities.share(row["share"]),
            quantities.interval(row["share_low"], row["share_high"]),
            quantities.duration(row["typical_ns"]),
            quantities.duration(row["worst_ns"]),
            quantities.number(row["latest"]),
            quantities.MISSING if row["step"] is None else row["step"],
            quantities.number(row["collectives"]),
        ]
        for row in rows
    ]
    columns = [
        "rank",
        "class",
        "late",
        "95 % interval",
        "typically",
        "at worst",
        "latest",
        "step",
        "collectives",
    ]
    return blocks.card(
        "In numbers",
        blocks.table(
            columns,
            body,
            name=TABLE,
            right=(0, *range(2, 9)),
            full=exports.csv_address("late-ranks", least_ms=limit_text),
            meanings=meanings("late-ranks", *_COLUMNS),
        ),
        hint=left_out(rows, all_rows, _ORDER_PHRASE).strip(),
    )


PAGE = Page(path="/late-ranks", title="Late ranks", section="Imbalance", layout=layout, lacks=missing.arrivals)
