"""How each rank is late: always, by turns, in spikes, sometimes or never, and by how much."""

from typing import Final

from dash import html
from dash.development.base_component import Component

from hopscope_dashboard import findings_of_delay as findings
from hopscope_dashboard import units
from hopscope_dashboard.address import Query, one_of
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.data import Rows, TraceData
from hopscope_dashboard.figures.bars import time_bars
from hopscope_dashboard.figures.late_ranks import class_of, classes_of, shares_by_class
from hopscope_dashboard.pages.late_ranks import ids
from hopscope_dashboard.palette import CATEGORY_COLOURS, LATENESS_CLASS_COLOURS, LATENESS_CLASS_MEANINGS

_LEAST: Final = {"1": "1 ms", "0.1": "0.1 ms", "5": "5 ms", "30": "30 ms"}
"""From how many ms on a rank is late; the first is the command's own."""
_NOTHING: Final = "No rank takes part in two collectives with others, so there is no computing between them to compare."


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects from how much on a rank is late: `least_ms`."""
    least = one_of(query, "least_ms", tuple(_LEAST))
    head = blocks.page_head(
        "Late ranks",
        "A rank is late if it computed longer before a collective than the median member, by more than a limit.",
        choice("By more than", "/late-ranks", query, "least_ms", options=_in_order(), current=least),
    )
    rows = data.rows_or_none("late-ranks", least_ms=float(least))
    if not rows:
        return html.Div([head, empty.nothing_here("No ranks to compare", _NOTHING)])
    found = findings.of_late_ranks(rows, _LEAST[least])
    return html.Div(
        [
            head,
            blocks.note(html.Strong(found.text), " ", found.why),
            blocks.columns(_shares(rows), _lateness(rows), widths="minmax(0, 3fr) minmax(0, 2fr)"),
            _table(rows),
        ]
    )


def _in_order() -> dict[str, str]:
    return {value: _LEAST[value] for value in sorted(_LEAST, key=float)}


def _shares(rows: Rows) -> Component:
    return blocks.card(
        "How often",
        blocks.legend(LATENESS_CLASS_COLOURS, LATENESS_CLASS_MEANINGS, classes_of(rows)),
        blocks.drawing("Share of late collectives by rank", shares_by_class(rows), name=ids.SHARES),
        hint="Whiskers are 95 % intervals, and they decide: wholly above the line at 50 % a rank is always late, "
        "wholly below the line at 10 % it has spikes.",
    )


def _lateness(rows: Rows) -> Component:
    figure = time_bars(
        [str(row["rank"]) for row in rows],
        [
            ("typically, where late", CATEGORY_COLOURS["compute"], [row["typical_ns"] for row in rows]),
            ("at worst", CATEGORY_COLOURS["native"], [max(0, row["worst_ns"] or 0) for row in rows]),
        ],
        title="computing beyond the median member's",
        by="rank",
    )
    return blocks.card(
        "By how much",
        blocks.drawing("Lateness by rank", figure, name=ids.LATENESS),
        hint="Typically: the median over the collectives in which it was late. What it cost the others is under Last "
        "arrivals.",
    )


def _table(rows: Rows) -> Component:
    body = [
        [
            row["rank"],
            blocks.chip(class_of(row), LATENESS_CLASS_COLOURS[class_of(row)]),
            units.share(row["share"]),
            units.interval(row["share_low"], row["share_high"]),
            units.duration(row["typical_ns"]),
            units.duration(row["worst_ns"]),
            units.count(row["latest"]),
            units.MISSING if row["step"] is None else row["step"],
            units.count(row["collectives"]),
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
        blocks.table(columns, body, name=ids.TABLE, right=(0, *range(2, 9))),
        hint="Latest: collectives in which nobody was later. Step: where ranks take turns, by how many the latest one "
        "moves on.",
    )
