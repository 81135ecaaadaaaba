"""Draws how often each rank is late, with the interval that decides its class, in the colour of the class."""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.bars import by_label
from hopscope_dashboard.navigation.leads import of_ranks, points
from hopscope_dashboard.palette import LATENESS_CLASS_COLOURS

Row = dict[str, Any]

UNTOLD: Final = "no class"
"""Class of a rank with too few collectives to tell its class."""


def class_of(row: Row) -> str:
    """Give the class of a row of `analyze late-ranks`, as it is shown."""
    return row["class"] or UNTOLD


def classes_of(rows: Sequence[Row]) -> list[str]:
    """Give the classes that occur in the rows, in the order of the legend."""
    class_names = {class_of(row) for row in rows}
    return [name for name in LATENESS_CLASS_COLOURS if name in class_names]


def shares_by_class(rows: Sequence[Row], *, rare: float, frequent: float) -> go.Figure:
    """Draw the share of its collectives in which each rank was late, with its interval. Rows are those of `analyze
    late-ranks`.

    The interval of the class `spikes` lies wholly below the share `rare`, that of `always` above `frequent`.
    """
    labels = [str(row["rank"]) for row in rows]
    figure = go.Figure()
    for name in classes_of(rows):
        of_class = [row for row in rows if class_of(row) == name]
        colour = LATENESS_CLASS_COLOURS[name]
        figure.add_scatter(
            x=[100 * row["share"] for row in of_class],
            y=[str(row["rank"]) for row in of_class],
            mode="markers",
            name=name,
            marker={"color": colour, "size": 11},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [_error(row, "share_high") for row in of_class],
                "arrayminus": [_error(row, "share_low") for row in of_class],
                "thickness": 2.5,
                "width": 5,
                "color": colour,
            },
            **points(
                [
                    f"<b>rank {row['rank']}</b>: {name}<br>late in {quantities.share(row['share'])}{_words(row)}"
                    for row in of_class
                ],
                of_ranks(row["rank"] for row in of_class),
            ),
        )
    # The page's own legend says what the classes mean.
    by_label(
        figure, labels, 1, series=1, title="share of its collectives in which the rank was late (%)", heading="rank"
    )
    # Both limits are always in view; the axis goes on towards 100 % only if a rank is there.
    end = max([1.2 * frequent, *((row["share_high"] or row["share"]) for row in rows)])
    figure.update_xaxes(range=[-2, 103 * end], dtick=20 if end > 1.2 * frequent else 10)
    for limit in (rare, frequent):
        figure.add_vline(x=100 * limit, line={"color": "#868e96", "width": 1.2, "dash": "dot"})
    return figure


def _error(row: Row, end: str) -> float | None:
    return None if row[end] is None else abs(100 * (row[end] - row["share"]))


def _words(row: Row) -> str:
    interval = "" if row["share_low"] is None else f" ({quantities.interval(row['share_low'], row['share_high'])})"
    return f"{interval} of {quantities.plural(row['collectives'], 'collective')}"
