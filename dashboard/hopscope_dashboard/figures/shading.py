"""Shades what lies outside the selected part of the run, over lanes of ranks."""

from collections.abc import Collection
from typing import Any, Final

import plotly.graph_objects as go

from hopscope_dashboard.figures.lanes import Lanes

_SHADE: Final[dict[str, Any]] = {"fillcolor": "rgba(134, 142, 150, 0.45)", "line_width": 0, "layer": "above"}


def shade(
    figure: go.Figure, places: Lanes, x: tuple[float, float], *, time: tuple[float | None, float | None],
    ranks: Collection[int] | None,
) -> None:  # fmt: skip
    """Shade a figure, which goes from `x[0]` to `x[1]`, outside `time`, and the lanes of ranks not in `ranks`. None
    sets no limit."""
    begin, end = time
    if begin is not None and begin > x[0]:
        figure.add_vrect(x0=x[0], x1=min(begin, x[1]), **_SHADE)
    if end is not None and end < x[1]:
        figure.add_vrect(x0=max(end, x[0]), x1=x[1], **_SHADE)
    for rank, lane in places.of_rank.items():
        if ranks is not None and rank not in ranks:
            figure.add_hrect(y0=lane - 0.5, y1=lane + 0.5, **_SHADE)
