"""Draws a critical path's time by category."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation.leads import CATEGORY_PAGES, Leads, points
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS

Row = dict[str, Any]

_LABEL_LEAST = 0.045
"""Smallest share whose label fits into its part of the bar."""


def stacked_bar(rows: Sequence[Row], pages: Mapping[str, tuple[str, str]] = CATEGORY_PAGES) -> go.Figure:
    """Draw the run's critical path as one bar, cut by category. A click on a part opens the page of `pages` that
    explains its category.

    Rows: category, time_ns, share (0 to 1), share_low, share_high.
    """
    figure = go.Figure()
    by_category = {row["category"]: row for row in rows}
    for category, meaning in CATEGORY_MEANINGS.items():
        row = by_category.get(category)
        if row is None or not row["time_ns"]:
            continue
        interval, (page, subject) = _interval(row), pages[category]
        figure.add_bar(
            x=[100 * row["share"]],
            y=[""],
            orientation="h",
            name=category,
            width=0.9,
            marker={"color": CATEGORY_COLOURS[category], "line": {"width": 0}},
            text=f"{category} {quantities.share(row['share'])}"
            if row["share"] >= 2 * _LABEL_LEAST
            else quantities.share(row["share"])
            if row["share"] >= _LABEL_LEAST
            else "",
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": "#ffffff", "size": 13},
            **points(
                [
                    f"<b>{category}</b> {quantities.share(row['share'])}{interval}<br>"
                    f"{quantities.duration(row['time_ns'])}<br>{meaning}"
                ],
                Leads([page], f"see {subject}"),
            ),
        )
    frame(figure, height=118, x="share of the critical path (%)", barmode="stack", bargap=0)
    figure.update_xaxes(range=[0, 100], ticksuffix="", dtick=10)
    figure.update_yaxes(visible=False)
    return figure


def _interval(row: Row) -> str:
    if row.get("share_low") is None or row.get("share_high") is None:
        return ""
    return f" ({quantities.interval(row['share_low'], row['share_high'])})"
