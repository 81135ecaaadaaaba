"""A tree drawn by cytoscape, which draws on a canvas: its colours follow the page's scheme by a callback in the browser."""

import json
from typing import Any, Final

import dash_cytoscape as cyto
from dash import MATCH, Dash, Input, Output, html
from dash.development.base_component import Component

from hopscope_dashboard.components import shell
from hopscope_dashboard.figures.topology_tree import stylesheet

GRAPH: Final = "tree-graph"
"""Type of the ids of all such graphs: `{"type": GRAPH, "name": ...}`."""


def tree_graph(elements: list[dict[str, Any]], *, name: str, label: str, height: int) -> Component:
    """Give the drawing of a tree's elements, `height` pixels high; `label` says what it is to who cannot see it."""
    graph = cyto.Cytoscape(
        id={"type": GRAPH, "name": name},
        elements=elements,
        layout={"name": "preset", "fit": True, "padding": 18},
        stylesheet=stylesheet(dark=False),
        style={"width": "100%", "height": f"{height}px"},
        minZoom=0.1,
        # A page that scrolls must not zoom under the pointer.
        userZoomingEnabled=False,
        maxZoom=2.5,
        autoungrabify=True,
        responsive=True,
    )
    return html.Div(graph, className="graph-frame", role="img", **{"aria-label": label})


def register(app: Dash) -> None:
    """Register the callback that gives every graph the colours of the page's scheme."""
    light, dark = (json.dumps(stylesheet(dark=scheme)) for scheme in (False, True))
    app.clientside_callback(
        f"function (scheme) {{ return scheme === 'dark' ? {dark} : {light}; }}",
        Output({"type": GRAPH, "name": MATCH}, "stylesheet"),
        Input(shell.SCHEME, "computedColorScheme"),
    )
