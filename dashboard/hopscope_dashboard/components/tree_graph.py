"""A tree on its topology: the drawing, what it says under it, and what its lines and colours mean."""

from html import escape
from typing import Final

from dash import html
from dash.development.base_component import Component

from hopscope_dashboard import units
from hopscope_dashboard.components.drawing import Drawing
from hopscope_dashboard.figures.topology_tree import PlacedTree, extent
from hopscope_dashboard.figures.tree_svg import tree_svg
from hopscope_dashboard.palette import DARK_SHARES, LIGHT_SHARES, LINK_DASHES, LINK_MEANINGS

_SMALLEST: Final = 0.6
"""A drawing is never made smaller than so many times its own size; then its frame scrolls."""
_WIDE: Final = 1100
_HINT: Final = "Point at a rank or an edge, or use the arrow keys, to see what it carried."
_HINT_WITHOUT_WEIGHTS: Final = "Point at a rank or an edge, or use the arrow keys, to see what it is."


def tree_graph(tree: PlacedTree, *, name: str, label: str) -> Component:
    """Give the drawing of a tree. `name` is its id; `label` says what it is to a reader who cannot see it."""
    unweighted = all(not edge.look.startswith("share") for edge in tree.edges)
    hint = escape(_HINT_WITHOUT_WEIGHTS if unweighted else _HINT)
    return Drawing(
        f'<div class="graph-frame" role="group" aria-label="{escape(label)}">{tree_svg(tree, _SMALLEST)}</div>'
        f'<div class="told" role="status" data-hint="{hint}">{hint}</div>',
        id=name,
    )


def is_wide(tree: PlacedTree) -> bool:
    """Whether a drawing wants the page's whole width, with nothing beside it."""
    return extent(tree)[0] > _WIDE


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
