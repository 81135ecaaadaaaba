"""Published models of a run's links and collectives, beside the replay and the measurements."""

from collections.abc import Sequence
from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.address import Query, allowed_word, number
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data import Row, Rows, TraceData
from hopscope_dashboard.figures.models import (
    COLOURS,
    CURVE_COLOURS,
    CURVE_MEANINGS,
    MEANINGS,
    SEVERAL_DESTINATIONS,
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
_AXES: Final = {"bytes": "sizes", "ranks": "ranks"}


def figure_id(operation: str) -> str:
    """Give the id of an operation's figure."""
    return f"models-{operation.removeprefix('MPI_').lower()}"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects the figures' axis, `across`, and the `members` or `size` that is fixed."""
    if not data.has_hops:
        return html.Div([blocks.page_head("Models", None), empty.nothing_to_draw("No hops", missing.hops(data))])
    models = data.models()
    axis = allowed_word(query, "across", tuple(_AXES))
    controls = choice("Across", "/models", query, "across", options=_AXES, current=axis)
    lines = "A trace's parameters are lines; those of a probed machine are measured size by size."
    lines += _STEP if any(row["parameter"] == "alpha" and row["bytes"] for row in models.parameters) else ""
    cards = [messages(models.curves, f"{models.said} {lines}")] if models.curves else []
    if models.lack is None:
        lead = _LEAD
        cards += _operations(models.times, query, axis)
    else:
        lead = "This trace cannot say what collectives take by the formulas."
        cards.append(empty.nothing_to_draw("No formulas", empty.sentence(models.lack)))
    return html.Div([blocks.page_head("Models", lead, controls), *cards, parameters(models.parameters, "from hops")])


def _operations(rows: Rows, query: Query, axis: str) -> list[Component]:
    """A figure for each operation, and the measured points in numbers."""
    fixed_column = "ranks" if axis == "bytes" else "bytes"
    values = sorted({row[fixed_column] for row in rows if row["operation"] != "MPI_Barrier"})
    measured_values = [
        row[fixed_column] for row in rows if row["measured_ns"] is not None and row["operation"] != "MPI_Barrier"
    ]
    name = "members" if axis == "bytes" else "size"
    address_value = number(query, name)
    fixed_value = address_value if address_value in values else max(measured_values or values)
    words = {str(v): quantities.plural(v, "rank") if axis == "bytes" else quantities.size(v) for v in values}
    label = "Number of ranks" if axis == "bytes" else "Size"
    cards: list[Component] = [
        html.Div(select(label, query, name, options=words, current=str(fixed_value)), className="selects"),
        blocks.legend(COLOURS, MEANINGS),
    ]
    for operation in dict.fromkeys(row["operation"] for row in rows):
        is_barrier = operation == "MPI_Barrier"
        operation_rows = [
            row for row in rows if row["operation"] == operation and (is_barrier or row[fixed_column] == fixed_value)
        ]
        figure_axis = "ranks" if is_barrier else axis
        suffix = "" if is_barrier else f", {words[str(fixed_value)]}"
        cards.append(
            blocks.card(
                f"{operation}{suffix}",
                blocks.drawing(
                    f"{operation} over {_AXES[figure_axis]}, by algorithm",
                    operation_figure(operation_rows, figure_axis),
                    name=figure_id(operation),
                ),
                hint=None if any(row["collectives"] for row in operation_rows) else _NO_COLLECTIVE,
            )
        )
    return [*cards, _measured([row for row in rows if row["collectives"] or row["skewed"]])]


_STEP: Final = " A step is where messages are announced before they go, which takes two more latencies."
_NO_COLLECTIVE: Final = "No collective of the trace has this algorithm, size and number of ranks."


def _measured(rows: Rows) -> Component:
    if not rows:
        return empty.nothing_to_draw(
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
    """Give the figure of a message's cost over its size, by link. `sentence` names its source."""
    models = {curve["quantity"].rpartition(": ")[0] for curve in curves}
    words = [word for word in CURVE_COLOURS if word in models or ("" in models and word == SEVERAL_DESTINATIONS)]
    return blocks.card(
        "A message over its size",
        blocks.legend(CURVE_COLOURS, CURVE_MEANINGS, words),
        html.Div(
            [
                html.Div(
                    [
                        html.H3(link),
                        blocks.drawing(
                            f"What a message takes over its size: {link}", figure, name=f"{MESSAGES}-{position}"
                        ),
                    ]
                )
                for position, (link, figure) in enumerate(message_figures(curves).items())
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


def parameters(rows: Sequence[Row], count_heading: str) -> Component:
    """Give the table of the models' parameters. `count_heading` says what `count` counts."""
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
    columns = ["link", "model", "parameter", *(["size"] if sized else []), "value", "interval", count_heading]
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
