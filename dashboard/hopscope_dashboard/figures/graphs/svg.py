"""Turns a placed tree or exchange into SVG. Its parts have tooltips and links, and the arrow keys move between them.

Every part has its description in its `<title>`, and the targets of the arrow keys in `data-up`, `data-down`,
`data-left` and `data-right`; `assets/drawing.js` handles keys and pointer. The look that does not depend on the palette
is in `assets/hopscope.css`, so that a drawing follows the page's colour scheme. Every text of a trace is escaped here.
"""

import re
from collections.abc import Iterable
from html import escape
from math import hypot
from typing import Final

from hopscope_dashboard.figures.graphs.arrow_keys import Ways, arrow_keys
from hopscope_dashboard.figures.graphs.edge_labels import RADIUS
from hopscope_dashboard.figures.graphs.graph import (
    BY_LINK,
    CHANGED,
    KEPT,
    Column,
    Graph,
    NamedBox,
    PlacedEdge,
    PlacedRank,
)
from hopscope_dashboard.figures.graphs.words import shown_name
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.palette import (
    CATEGORY_COLOURS,
    CHANGED_COLOUR,
    CHANGED_DASH,
    DARK_SHARES,
    KEPT_COLOUR,
    LIGHT_SHARES,
    LINK_COLOURS,
    LINK_DASHES,
)

_NAME_OFFSET: Final = 8
"""Pixels between a box and its name."""
_PINS: Final = 'role="button" aria-pressed="false"'
"""Attributes of a part without a link: a click pins its tooltip."""


def svg(graph: Graph, least_scale: float, *, has_run: bool = True) -> str:
    """Give the drawing as SVG. `has_run`: the tree ran, so its edges lead to their hops.

    The drawing shrinks with its frame to `least_scale` times its own size; in a smaller frame it scrolls.
    """
    ways = arrow_keys(graph)
    left, top, right, bottom = graph.bounds
    width, height = right - left, bottom - top
    first = next((rank.name for rank in graph.ranks if rank.root), graph.edges[0].name if graph.edges else "")
    shapes = [
        *(_box(box, shaded=bool(number % 2)) for number, box in enumerate(graph.boxes)),
        *(_lane(label, y, graph.columns[-1].right) for label, y in graph.lanes),
        *(_column(column, graph) for column in graph.columns),
        *(_edge(edge, _keys(edge.name, ways, first), has_run=has_run) for edge in graph.edges),
        *(_share(edge) for edge in graph.edges if edge.text),
        *(_rank(rank, _keys(rank.name, ways, first)) for rank in graph.ranks),
    ]
    return (
        f'<svg class="tree" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" '
        f'style="max-width: {width:.0f}px; min-width: {width * least_scale:.0f}px">'
        f"<style>{_STYLE}</style>{''.join(shapes)}</svg>"
    )


def without_leads(markup: str) -> str:
    """Give a drawing without the links of its parts and their mention in tooltips."""
    return re.sub(r'role="link" data-href="[^"]*"', _PINS, re.sub(rf" {leads.CLICK}[^<]*(?=</title>)", "", markup))


def _style() -> str:
    """CSS rules with the palette's colours and dashes: one for each share, link class, change and mark."""
    colours = {f"{BY_LINK}.{link}": colour for link, colour in LINK_COLOURS.items()}
    colours |= {f"share-{step}": colour for step, colour in enumerate(LIGHT_SHARES)}
    colours |= {KEPT: KEPT_COLOUR, CHANGED: CHANGED_COLOUR}
    colours |= {"delayed": CATEGORY_COLOURS["wan"], "behind": CATEGORY_COLOURS["compute"]}
    dashes = {link: " ".join(map(str, dash)) for link, dash in LINK_DASHES.items() if dash}
    # Later rules override the link classes: in a comparison, dashes say what changed.
    dashes |= {KEPT: "none", CHANGED: " ".join(map(str, CHANGED_DASH))}
    return " ".join(
        [
            *(f".tree .{name} {{ color: {colour}; }}" for name, colour in colours.items()),
            *(
                f'[data-mantine-color-scheme="dark"] .tree .share-{step} {{ color: {colour}; }}'
                for step, colour in enumerate(DARK_SHARES)
            ),
            *(f".tree .{name} .line {{ stroke-dasharray: {dash}; }}" for name, dash in dashes.items()),
            f".tree .root circle, .tree .absorber circle {{ stroke: {CATEGORY_COLOURS['compute']}; }}",
        ]
    )


_STYLE: Final = _style()


def _part(
    part: PlacedEdge | PlacedRank, classes: Iterable[str], shape: str, keys: str, lead: tuple[str, str] | None
) -> str:
    """A rank or an edge that can be pointed at, reached by keys and clicked.

    `keys`: its attributes from `_keys`. `lead`: the address that a click opens, and words for that; None if a click
    pins the title.
    """
    role, hint = (f'role="link" data-href="{escape(lead[0])}"', f" {leads.CLICK}{lead[1]}.") if lead else (_PINS, "")
    title = f"<title>{escape(part.description)}{hint}</title>"
    return f'<g class="{" ".join(classes)}" data-part="{part.name}" {keys} {role}>{title}{shape}</g>'


def _keys(name: str, ways: Ways, first: str) -> str:
    """Attributes for the keys: Tab enters a drawing at its part `first` and then leaves it, arrow keys move between
    parts."""
    targets = "".join(f'data-{key}="{target}" ' for key, target in ways.get(name, {}).items() if target is not None)
    return f'{targets}tabindex="{0 if name == first else -1}"'


def _rank(rank: PlacedRank, keys: str) -> str:
    x, y = rank.centre
    text = rank.text or rank.rank
    shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"/><text x="{x:.1f}" y="{y + 5.5:.1f}">{text}</text>'
    classes = ("rank", *(("root",) if rank.root else ()), *rank.marks)
    return _part(rank, classes, shape, keys, rank.lead or (leads.rank(rank.rank), "select the rank"))


def _edge(edge: PlacedEdge, keys: str, *, has_run: bool) -> str:
    lead = edge.lead
    if has_run and lead is None:
        lead = (leads.edge(*(edge.pairs[0] if edge.pairs else (edge.src, edge.dst))), leads.EDGE_DOES)
    return _part(edge, ("edge", edge.link, edge.look), _arrow(edge), keys, lead)


def _arrow(edge: PlacedEdge) -> str:
    """A line with its arrowhead, between the circles at its ends, and an invisible wider line that is easier to point
    at."""
    (x0, y0), (x1, y1) = edge.begin, edge.end
    length = hypot(x1 - x0, y1 - y0) or 1.0
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    gap = RADIUS if edge.column is None else 0
    head = 5 + 2 * edge.width
    x0, y0, x1, y1 = x0 + dx * gap, y0 + dy * gap, x1 - dx * gap, y1 - dy * gap
    x, y = x1 - dx * head, y1 - dy * head
    aside = (-dy * head / 2, dx * head / 2)
    return (
        f'<path class="reach" d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"/>'
        f'<path class="line" d="M{x0:.1f} {y0:.1f}L{x:.1f} {y:.1f}" stroke-width="{edge.width}"/>'
        f'<path class="head" d="M{x1:.1f} {y1:.1f}L{x + aside[0]:.1f} {y + aside[1]:.1f}'
        f'L{x - aside[0]:.1f} {y - aside[1]:.1f}Z"/>'
    )


def _share(edge: PlacedEdge) -> str:
    x, y = edge.text_at
    return f'<text class="share" x="{x:.1f}" y="{y + 4:.1f}">{escape(edge.text)}</text>'


def _box(box: NamedBox, *, shaded: bool) -> str:
    """A box with its name over it. In a drawing with lanes the name is beside the box, and the box is visible only if
    it is `shaded`."""
    left, top, right, bottom = box.box
    of_lanes = box.kind == "lane-cluster"
    look = 'class="band"' if of_lanes else 'rx="8"'
    rect = f'<rect {look} x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"/>'
    x, y = (right + 8, (top + bottom) / 2 + 5) if of_lanes else ((left + right) / 2, top - _NAME_OFFSET)
    return (
        f'<g class="{box.kind if of_lanes else f"box {box.kind}"}"><title>{escape(box.name)}</title>'
        f"{rect if shaded or not of_lanes else ''}"
        f'<text x="{x:.1f}" y="{y:.1f}">{escape(shown_name(box.name))}</text></g>'
    )


def _lane(label: str, y: float, right: float) -> str:
    text = f'<text x="-8" y="{y + 4.5:.1f}">{escape(label)}</text>' if label else ""
    return f'<g class="lane"><path d="M0 {y:.1f}L{right + 8:.1f} {y:.1f}"/>{text}</g>'


def _column(column: Column, graph: Graph) -> str:
    top, bottom = graph.lanes[0][1] - graph.pitch / 2, graph.lanes[-1][1] + graph.pitch / 2
    ends = "".join(f'<path d="M{x:.1f} {top:.1f}L{x:.1f} {bottom:.1f}"/>' for x in (column.left, column.right))
    middle = (column.left + column.right) / 2
    return f'<g class="round">{ends}<text x="{middle:.1f}" y="{top - 10:.1f}">{escape(column.title)}</text></g>'
