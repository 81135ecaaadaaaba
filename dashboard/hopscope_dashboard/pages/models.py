"""What the published models say of a run's links, and of its collectives, beside the replay and what was measured."""

from collections.abc import Sequence
from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.address import Query, number, one_of
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data import Row, Rows, TraceData
from hopscope_dashboard.figures.models import (
    COLOURS,
    CURVE_COLOURS,
    CURVE_MEANINGS,
    MEANINGS,
    SEVERAL,
    message_figures,
    operation_figure,
)
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.page import Page

MESSAGES: Final = "models-messages"
PARAMETERS: Final = "models-parameters"
MEASURED: Final = "models-measured"

_LEAD: Final = (
    "What a message costs by Hockney, LogGP and PLogP, and what barrier, broadcast, reduce and alltoall take by their "
    "published formulas, by the replay and as measured."
)
_ACROSS: Final = {"bytes": "sizes", "ranks": "ranks"}


def figure_id(operation: str) -> str:
    """Give the id of an operation's figure."""
    return f"models-{operation.removeprefix('MPI_').lower()}"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects what the figures are `across`, and the `members` or `size` that is kept."""
    if not data.has_hops:
        return html.Div([blocks.page_head("Models", None), empty.nothing_here("No hops", missing.hops(data))])
    found = data.models()
    across = one_of(query, "across", tuple(_ACROSS))
    controls = choice("Across", "/models", query, "across", options=_ACROSS, current=across)
    lines = "A trace's parameters are lines; those of a probed machine are measured size by size."
    lines += _STEP if any(row["parameter"] == "alpha" and row["bytes"] for row in found.parameters) else ""
    cards = [messages(found.curves, f"{found.said} {lines}")] if found.curves else []
    if found.lack is None:
        lead = _LEAD
        cards += _operations(found.times, query, across)
    else:
        lead = "This trace cannot say what collectives take by the formulas."
        cards.append(empty.nothing_here("No formulas", empty.sentence(found.lack)))
    return html.Div([blocks.page_head("Models", lead, controls), *cards, parameters(found.parameters, "from hops")])


def _operations(rows: Rows, query: Query, across: str) -> list[Component]:
    """A figure for each operation, and the measured points in numbers."""
    kept = "ranks" if across == "bytes" else "bytes"
    values = sorted({row[kept] for row in rows if row["operation"] != "MPI_Barrier"})
    seen = [row[kept] for row in rows if row["measured_ns"] is not None and row["operation"] != "MPI_Barrier"]
    name = "members" if across == "bytes" else "size"
    asked = number(query, name)
    chosen = asked if asked in values else max(seen or values)
    words = {str(v): quantities.plural(v, "rank") if across == "bytes" else quantities.size(v) for v in values}
    label = "Number of ranks" if across == "bytes" else "Size"
    cards: list[Component] = [
        html.Div(select(label, query, name, options=words, current=str(chosen)), className="selects"),
        blocks.legend(COLOURS, MEANINGS),
    ]
    for operation in dict.fromkeys(row["operation"] for row in rows):
        is_barrier = operation == "MPI_Barrier"
        mine = [row for row in rows if row["operation"] == operation and (is_barrier or row[kept] == chosen)]
        by = "ranks" if is_barrier else across
        over = "" if is_barrier else f", {words[str(chosen)]}"
        cards.append(
            blocks.card(
                f"{operation}{over}",
                blocks.drawing(
                    f"{operation} over {_ACROSS[by]}, by algorithm",
                    operation_figure(mine, by),
                    name=figure_id(operation),
                ),
                hint=None if any(row["collectives"] for row in mine) else _NONE,
            )
        )
    return [*cards, _measured([row for row in rows if row["collectives"] or row["skewed"]])]


_STEP: Final = " A step is where messages are announced before they go, which takes two more latencies."
_NONE: Final = "No collective of the trace has this algorithm, size and number of ranks."


def _measured(rows: Rows) -> Component:
    if not rows:
        return empty.nothing_here(
            "Nothing measured",
            "The trace has no barrier, broadcast, reduce or alltoall whose messages are those of a published "
            "algorithm, or several algorithms ran the same call.",
        )
    body = [
        [
            row["operation"],
            row["algorithm"],
            row["ranks"],
            quantities.MISSING if row["operation"] == "MPI_Barrier" else quantities.size(row["bytes"]),
            *(quantities.duration(row[f"{name}_ns"]) for name in ("hockney", "loggp", "plogp", "replay", "measured")),
            quantities.interval(row["low_ns"], row["high_ns"], "ns"),
            row["collectives"],
            row["skewed"],
        ]
        for row in rows
    ]
    columns = ["operation", "algorithm", "ranks", "size", "Hockney", "LogGP", "PLogP", "replay", "measured"]
    return blocks.card(
        "Measured, in numbers",
        blocks.table(
            [*columns, "interval", "collectives", "skewed"], body, name=MEASURED, right=range(2, 12), last=(9, 11)
        ),
        meaning="From the last enter to the last leave, the median. Skewed: entered too far apart to count. A message "
        "pattern that several algorithms share stands under each. analyze formulas lists every point.",
    )


def messages(curves: Rows, sentence: str) -> Component:
    """Give the figure of what a message takes over its size, by link. `sentence` says where it is from."""
    models = {curve["quantity"].rpartition(": ")[0] for curve in curves}
    words = [word for word in CURVE_COLOURS if word in models or ("" in models and word == SEVERAL)]
    return blocks.card(
        "A message over its size",
        blocks.legend(CURVE_COLOURS, CURVE_MEANINGS, words),
        html.Div(
            [
                html.Div(
                    [
                        html.H3(link),
                        blocks.drawing(f"What a message takes over its size: {link}", figure, name=f"{MESSAGES}-{at}"),
                    ]
                )
                for at, (link, figure) in enumerate(message_figures(curves).items())
            ],
            className="figures",
        ),
        meaning=f"{sentence} Hockney's line is a whole message's way; g is the time between two messages of a sender "
        "that never pauses; o_s (dashed) and o_r (dotted) are what sender and receiver spend in MPI.",
    )


def link_of(row: Row) -> str:
    """Give the class of a row's link and, of two hosts, their names."""
    ends = f", {row['source']} to {row['destination']}" if row["source"] else ""
    return f"{row['link'] or quantities.MISSING}{ends}{' (outlying)' if row['outlying'] else ''}"


def parameters(rows: Sequence[Row], counted: str) -> Component:
    """Give the table of the models' parameters. `counted` says what `count` counts."""
    sized = any(row["bytes"] is not None for row in rows)
    body = [
        [
            link_of(row),
            row["model"] or quantities.MISSING,
            row["parameter"],
            *([quantities.size(row["bytes"])] if sized else []),
            quantities.quantity(row["value"], row["unit"]),
            quantities.interval(row["low"], row["high"], row["unit"]),
            row["count"],
        ]
        for row in rows
    ]
    columns = ["link", "model", "parameter", *(["size"] if sized else []), "value", "interval", counted]
    return blocks.card("Parameters", blocks.table(columns, body, name=PARAMETERS, right=range(3, len(columns))))


PAGE = Page(
    path="/models",
    title="Models",
    section="Improve",
    layout=layout,
    is_drawn_ahead=False,
    follows_selection=False,
    lacks=missing.hops,
)
