"""Drawing of a tree on its topology, or of an exchange between peers, with a legend and a line of text about the edge
that the user points at."""

from html import escape
from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import exports
from hopscope_dashboard.components.drawing import Drawing
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.figures.graphs.graph import Folding, Graph
from hopscope_dashboard.figures.graphs.svg import svg
from hopscope_dashboard.figures.graphs.tree import folded_again
from hopscope_dashboard.palette import (
    CHANGED_COLOUR,
    CHANGED_DASH,
    DARK_SHARES,
    KEPT_COLOUR,
    LIGHT_SHARES,
    LINK_COLOURS,
    LINK_DASHES,
    LINK_MEANINGS,
)

_SMALLEST: Final = 0.6
"""Smallest scale of a drawing. In a frame that is too small for it, the drawing scrolls."""
_SMALLEST_ROUNDS: Final = 0.7
_WIDE: Final = 1100
_HINT: Final = "Point at an edge, or use the arrow keys."


def graph(placed: Graph, *, name: str, label: str, has_run: bool = True) -> Component:
    """Give the drawing of a tree or an exchange. `name` is its id; `label` says what it is to a reader who cannot see
    it. `has_run`: the tree ran, so its edges lead to their hops."""
    markup = svg(placed, _SMALLEST_ROUNDS if placed.lanes else _SMALLEST, has_run=has_run)
    drawing = Drawing(
        f'<div class="graph-frame" role="group" aria-label="{escape(label)}">{markup}</div>'
        f'<div class="told" role="status" data-hint="{_HINT}">{_HINT}</div>'
        f"{exports.markup()}",
        id=name,
    )
    return drawing if placed.folding is None else html.Div([_folding(placed.folding), drawing])


def _folding(folding: Folding) -> Component:
    """Say how many ranks are folded into circles, with links that fold open hosts again."""
    total = f"{quantities.number(folding.ranks)} ranks on {quantities.number(folding.hosts)} hosts"
    sentence = (
        f"{quantities.number(folding.folded_ranks)} of {total} are folded: circle ×16 is 16 ranks of one host; an "
        "edge between circles is all edges between their ranks. Click a circle to open its host."
        if folding.folded_ranks
        else f"All {total} are drawn."
    )
    shut = [html.Span([" ", mark(name, folded_again(folding, name), "fold the host again")]) for name in folding.opened]
    return html.P([sentence, *([" Open: "] if shut else []), *shut], className="hint folding")


def is_wide(placed: Graph) -> bool:
    """True if a drawing needs the page's whole width."""
    left, _, right, _ = placed.bounds
    return right - left > _WIDE


def links_legend(*, coloured: bool = False) -> Component:
    """Give the legend of lines, one for each kind of link. `coloured`: edges also have the colour of their link."""
    entries = [
        html.Span(
            [
                html.Span(
                    className="line",
                    style={"backgroundImage": _dashes(link), **({"color": LINK_COLOURS[link]} if coloured else {})},
                ),
                f"{link}, {meaning}",
            ],
            className="legend-entry",
        )
        for link, meaning in LINK_MEANINGS.items()
        if link != "self"
    ]
    return html.Div(entries, className="legend")


def changes_legend() -> Component:
    """Give the meaning of the lines of two trees that are compared."""
    dash, gap = CHANGED_DASH
    lines = {
        "both runs have this edge": (KEPT_COLOUR, (1, 0)),
        "only this run has it": (CHANGED_COLOUR, (dash, gap)),
    }
    entries = [
        html.Span(
            [html.Span(className="line", style={"color": colour, "backgroundImage": _dashed(*dashes)}), meaning],
            className="legend-entry",
        )
        for meaning, (colour, dashes) in lines.items()
    ]
    return html.Div(
        [*entries, html.Span("wider: more of the critical path", className="legend-entry")], className="legend"
    )


def shares_legend(largest: float) -> Component:
    """Give the meaning of the colours, which go from no share of the critical path to the `largest` share of an edge
    drawn."""
    if not largest:
        return html.Div("No edge is on the critical path.", className="legend")
    ramps = [
        html.Span(
            className=f"ramp on-{scheme}", style={"background": f"linear-gradient(to right, {', '.join(colours)})"}
        )
        for scheme, colours in (("light", LIGHT_SHARES), ("dark", DARK_SHARES))
    ]
    words = "share of the critical path; heavier edges are also wider"
    return html.Div(
        html.Span(["0\u00a0%", *ramps, f"{quantities.share(largest)} {words}"], className="legend-entry scale"),
        className="legend",
    )


def widths_legend(largest: float) -> Component:
    """Give the meaning of the widths where colours mean links; `largest` is the largest share of an edge drawn."""
    if not largest:
        return html.Div("No edge is on the critical path of the run.", className="legend")
    words = f"Wider: more of the critical path of the run, at most {quantities.share(largest)}."
    return html.Div(words, className="legend")


def _dashes(link: str) -> str:
    return _dashed(*(LINK_DASHES[link] or (1, 0)))


def _dashed(dash: int, gap: int) -> str:
    return f"repeating-linear-gradient(to right, currentColor 0 {dash}px, transparent {dash}px {dash + gap}px)"
