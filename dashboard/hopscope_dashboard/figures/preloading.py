"""Loads plotly's modules before figures are drawn."""

import numpy as np
import plotly.graph_objects as go
import plotly.io.json

_LINE = {"width": 1}
_FONT = {"size": 12}
_TITLE = {"text": "", "font": _FONT}


def preload() -> None:
    """Draw one figure with every part that the pages' figures have, so that plotly's modules are loaded for all
    threads."""
    figure = go.Figure(
        [
            go.Bar(
                x=[1],
                marker={"line": _LINE, "pattern": {"shape": "/"}},
                error_x={"array": [1]},
                textfont=_FONT,
            ),
            go.Scatter(x=[1], y=[1], line=_LINE, marker={"line": _LINE}, error_x={"array": [1]}),
            go.Heatmap(z=np.ones((1, 1), np.float32), colorbar={"title": {"text": ""}}),
        ],
        layout={
            "font": _FONT,
            "hoverlabel": {"font": _FONT},
            "legend": {"font": _FONT},
            "margin": {"t": 1},
            "xaxis": {"title": _TITLE},
            "yaxis": {"title": _TITLE},
            "annotations": [{"text": "", "font": _FONT}],
            "shapes": [{"type": "line", "line": _LINE}],
        },
    )
    plotly.io.json.to_json_plotly(figure)
