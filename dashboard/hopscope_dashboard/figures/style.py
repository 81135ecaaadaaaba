"""The frame of every plotly figure: margins, axes and text that follow the page's colour scheme.

Backgrounds are transparent, and the style sheet colours text and grid lines with the page's own colours, so that
switching between light and dark needs no new figure.
"""

from typing import Any, Final

import plotly.graph_objects as go

from hopscope_dashboard.palette import FONT

CONFIG: Final[dict[str, Any]] = {
    # The buttons of plotly's mode bar would cover legends. `components/exports.py` has buttons that save a figure, and
    # dragging zooms.
    "displayModeBar": False,
    "responsive": True,
    # By default, plotly.js knows a server to upload figures to.
    "showSendToCloud": False,
    "plotlyServerURL": "",
}
"""Settings of plotly.js, on the pages and in the report of a machine file alike."""

_TRANSPARENT = "rgba(0,0,0,0)"
BAR_GAP = 0.35
"""Fraction of a bar's row that stays free."""

_GRID = "rgba(134, 142, 150, 0.22)"


def frame(figure: go.Figure, *, height: int, x: str | None = None, y: str | None = None, **layout: Any) -> go.Figure:
    """Give a figure the common frame; `x` and `y` are axis titles, with their unit."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 16, "t": 12, "b": 8},
        paper_bgcolor=_TRANSPARENT,
        plot_bgcolor=_TRANSPARENT,
        font={"family": FONT, "size": 13},
        hoverlabel={"font": {"family": FONT, "size": 12.5}, "align": "left"},
        showlegend=False,
        bargap=BAR_GAP,
        separators=".\u202f",
    )
    figure.update_layout(**layout)
    for update, title in ((figure.update_xaxes, x), (figure.update_yaxes, y)):
        update(
            gridcolor=_GRID,
            zerolinecolor=_GRID,
            automargin=True,
            ticks="",
            exponentformat="none",  # 10 000, not 10k
            separatethousands=True,
            title={"text": title, "font": {"size": 12.5}, "standoff": 10},
        )
    # A little room between a label and the bar that it names.
    figure.update_yaxes(ticklabelstandoff=6)
    return figure


def selects_by_dragging(figure: go.Figure, axis: str, nanoseconds: float = 1.0) -> go.Figure:
    """Make dragging along a figure's horizontal axis select a part of the run, and double-clicking clear it.

    `axis` says what the axis shows: `iteration`, or `time` since the start of the trace, in units of `nanoseconds`. The
    vertical axis does not zoom.
    """
    figure.update_layout(meta={"drag": axis, "nanoseconds": nanoseconds}, dragmode="zoom")
    figure.update_yaxes(fixedrange=True)
    return figure
