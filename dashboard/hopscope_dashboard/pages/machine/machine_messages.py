"""Cards of a machine file's page: the cost of a message over its size by the published models, and their parameters."""

from collections.abc import Sequence
from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks
from hopscope_dashboard.data.answers import Row, Rows
from hopscope_dashboard.figures.messages import CURVE_COLOURS, CURVE_MEANINGS, SEVERAL_DESTINATIONS, message_figures

MESSAGES: Final = "machine-messages"
PARAMETERS: Final = "machine-parameters"


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
        meaning=f"{sentence} Hockney's line is a message from end to end; g is the time between two messages of a "
        "sender that never pauses; o_s (dashed) and o_r (dotted) are what sender and receiver spend in MPI.",
    )


def link_of(row: Row) -> str:
    """Give the class of a row's link and, if it is between two hosts, their names."""
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
