"""A tree drawn by cytoscape, which draws on a canvas.

Its colours follow the page's scheme by a callback in the browser.
"""

import json
from typing import Any, Final

import dash_cytoscape as cyto
from dash import MATCH, Dash, Input, Output, html
from dash.development.base_component import Component

from hopscope_dashboard import units
from hopscope_dashboard.components import aria, shell
from hopscope_dashboard.figures.topology_tree import extent, stylesheet
from hopscope_dashboard.palette import DARK_SHARES, LIGHT_SHARES, LINK_DASHES, LINK_MEANINGS

GRAPH: Final = "tree-graph"
"""Type of the ids of all such graphs: `{"type": GRAPH, "name": ...}`."""

_SMALLEST: Final = 0.6
"""A drawing is never made smaller than so many times its own size."""
_WIDE: Final = 1100
_SHORTEST, _TALLEST, _MARGIN = 260, 900, 50


def tree_graph(elements: list[dict[str, Any]], *, name: str, label: str, width: int) -> Component:
    """Give the drawing of a tree's elements for a place about `width` pixels wide.

    `label` says what it is to a reader who cannot see it.
    """
    across, down = extent(elements)
    # A drawing that would be too small to read keeps its width, and its frame scrolls.
    least = across * _SMALLEST if across * _SMALLEST > width else 0
    height = min(_TALLEST, max(_SHORTEST, down * min(1.0, max(width, least) / across) + _MARGIN))
    graph = cyto.Cytoscape(
        id={"type": GRAPH, "name": name},
        elements=elements,
        layout={"name": "preset", "fit": True, "padding": 18},
        stylesheet=stylesheet(dark=False),
        style={"width": "100%", "minWidth": f"{least:.0f}px", "height": f"{height:.0f}px"},
        minZoom=0.1,
        # A page that scrolls must not zoom under the pointer.
        userZoomingEnabled=False,
        maxZoom=2.5,
        autoungrabify=True,
        responsive=True,
    )
    return html.Div(graph, className="graph-frame", role="img", **aria.label(label))


def is_wide(elements: list[dict[str, Any]]) -> bool:
    """Whether a drawing wants the page's whole width, with nothing beside it."""
    return extent(elements)[0] > _WIDE


def links_legend() -> Component:
    """Give the meaning of the lines: what kind of link an edge is."""
    entries = [
        html.Span(
            [html.Span(className="line", style={"backgroundImage": _dashes(link)}), f"{link}, {LINK_MEANINGS[link]}"],
            className="legend-entry",
        )
        for link in ("shm", "lan", "wan")
    ]
    return html.Div(entries, className="legend")


def shares_legend(most: float) -> Component:
    """Give the meaning of the colours: from no share of the critical path to the largest of an edge drawn."""
    if not most:
        return html.Div("No edge is on the critical path.", className="legend")
    ramps = [
        html.Span(
            className=f"ramp on-{scheme}", style={"background": f"linear-gradient(to right, {', '.join(colours)})"}
        )
        for scheme, colours in (("light", LIGHT_SHARES), ("dark", DARK_SHARES))
    ]
    words = "share of the critical path; a heavier edge is wider, too"
    return html.Div(
        html.Span(["0\u00a0%", *ramps, f"{units.share(most)} {words}"], className="legend-entry scale"),
        className="legend",
    )


def _dashes(link: str) -> str:
    dash, gap = LINK_DASHES[link] or (1, 0)
    return f"repeating-linear-gradient(to right, currentColor 0 {dash}px, transparent {dash}px {dash + gap}px)"


def register(app: Dash) -> None:
    """Register the callback that gives every graph the colours of the page's scheme."""
    light, dark = (json.dumps(stylesheet(dark=scheme)) for scheme in (False, True))
    app.clientside_callback(
        f"function (scheme) {{ return scheme === 'dark' ? {dark} : {light}; }}",
        Output({"type": GRAPH, "name": MATCH}, "stylesheet"),
        Input(shell.SCHEME, "computedColorScheme"),
    )
