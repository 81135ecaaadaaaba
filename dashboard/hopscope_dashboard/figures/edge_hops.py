"""Draws the durations of an edge's hops over time."""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities
from hopscope.vocabulary.words import BINDINGS

from hopscope_dashboard.figures.style import frame, selects_by_dragging
from hopscope_dashboard.navigation.leads import Leads, collective, points
from hopscope_dashboard.palette import CATEGORY_COLOURS, UNDECIDED_COLOUR

Row = dict[str, Any]

_COLOURS: Final = {
    "recv": CATEGORY_COLOURS["wan"],
    "send": CATEGORY_COLOURS["p2p"],
    "none": CATEGORY_COLOURS["native"],
    "undecided": UNDECIDED_COLOUR,
}


def over_time(rows: Sequence[Row]) -> go.Figure:
    """Draw a dot per hop at the time of its sending, in a colour for its `binding`, which says who waited. Rows are
    those of `analyze edge-hops`.

    A click on a dot opens its collective; dragging selects a range of time.
    """
    time_unit = quantities.axis_unit(max((row["begin_ns"] for row in rows), default=0))
    up = quantities.axis_unit(max((row["took_ns"] for row in rows), default=0))
    figure = go.Figure()
    for binding, meaning in BINDINGS.items():
        dots = [row for row in rows if row["binding"] == binding]
        if dots:
            figure.add_scatter(
                x=[row["begin_ns"] / time_unit.nanoseconds for row in dots],
                y=[row["took_ns"] / up.nanoseconds for row in dots],
                mode="markers",
                name=meaning,
                marker={"color": _COLOURS[binding], "size": 8, "opacity": 0.75},
                cliponaxis=False,
                **points(
                    [_hover_text(row) for row in dots],
                    Leads([collective(row["collective"]) for row in dots], "see its collective"),
                ),
            )
    x, y = f"time since the start of the trace ({time_unit.name})", f"from send to receive ({up.name})"
    frame(figure, height=300, x=x, y=y, hovermode="closest", showlegend=True)
    figure.update_layout(legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}, margin_t=34)
    figure.update_yaxes(rangemode="tozero")
    return selects_by_dragging(figure, "time", time_unit.nanoseconds)


def _hover_text(row: Row) -> str:
    count_phrase = f"<br>the longest of {quantities.number(row['hops'])} about then" if row["hops"] > 1 else ""
    path = "<br>on the run's critical path" if row["on_path"] else ""
    return (
        f"<b>{row['role'] or 'hop'} in {row['operation']} {row['collective']}</b>, {quantities.size(row['bytes'])}<br>"
        f"sent at {quantities.moment(row['begin_ns'])}, took {quantities.duration(row['took_ns'])}{count_phrase}{path}"
    )
