"""Draws the predicted time of each candidate tree beside the baseline's."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation.leads import Leads, points
from hopscope_dashboard.palette import CATEGORY_COLOURS

Row = dict[str, Any]

_LONGEST_LINE, _MOST_LINES = 44, 3
"""Largest number of characters in a line, and of lines, of a candidate's name. The names of several algorithms in one
candidate need more than one line."""


def candidate_bars(rows: Sequence[Row], addresses: Sequence[str]) -> go.Figure:
    """Draw the predicted time per iteration, with its interval, of each candidate. Rows are those of `analyze remap`,
    times in ns.

    `addresses`: for each bar, the address that a click opens. It shows the candidate's numbers.
    """
    unit = quantities.axis_unit(max((max(row["predicted_high_ns"], row["measured_ns"]) for row in rows), default=0))
    scale = unit.nanoseconds
    names = [
        wrap(row["name"], _LONGEST_LINE, max_lines=_MOST_LINES, placeholder=" …", break_on_hyphens=False)
        for row in rows
    ]
    colours = [_colour(row) for row in rows]
    figure = go.Figure(
        go.Bar(
            x=[row["predicted_ns"] / scale for row in rows],
            y=list(range(len(rows))),
            orientation="h",
            marker={"color": colours},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [(row["predicted_high_ns"] - row["predicted_ns"]) / scale for row in rows],
                "arrayminus": [(row["predicted_ns"] - row["predicted_low_ns"]) / scale for row in rows],
                "thickness": 1.4,
                "width": 4,
                "color": "#868e96",
            },
            **points([_hover_text(row) for row in rows], Leads(addresses, "show its numbers")),
        )
    )
    height = max(200, len(rows) * (12 + 16 * max(map(len, names), default=1)) + 90)
    frame(figure, height=height, x=f"predicted time per iteration ({unit.name})")
    # The axis has numbers with names as labels, because two shortened names may be equal.
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=["<br>".join(lines) for lines in names],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
    )
    figure.update_xaxes(rangemode="tozero")
    if rows:
        figure.add_vline(x=rows[0]["measured_ns"] / scale, line={"color": "#868e96", "width": 1.5, "dash": "dash"})
    return figure


def _hover_text(row: Row) -> str:
    comparison = "less" if row["gain"] >= 0 else "more"
    return (
        f"<b>{row['name']}</b><br>{quantities.duration(row['predicted_ns'])} per iteration, "
        f"{quantities.share(abs(row['gain']))} {comparison} than the baseline in the same replay"
    )


def _colour(row: Row) -> str:
    if row["chosen"]:
        return CATEGORY_COLOURS["shm"]
    return CATEGORY_COLOURS["wan"] if row["baseline"] else CATEGORY_COLOURS["native"]
