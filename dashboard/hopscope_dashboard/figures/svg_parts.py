"""Building blocks of SVG drawings: parts with tooltips, keys and links; arrows; style rules.

Every part has its description in its `<title>`, and names in `data-up`, `data-down`, `data-left` and
`data-right` where the arrow keys lead; `assets/drawing.js` does the rest. The look that does not depend on the palette
is in `assets/hopscope.css`, so that a drawing follows the page's colour scheme. Every text of a trace is escaped here.
"""

import re
from collections.abc import Sequence
from html import escape
from math import hypot
from typing import Final

from hopscope_dashboard.figures.edge_labels import Box, Point
from hopscope_dashboard.navigation.leads import CLICK
from hopscope_dashboard.palette import CHANGED_COLOUR, CHANGED_DASH, KEPT_COLOUR, LINK_COLOURS, LINK_DASHES

BY_LINK: Final = "by-link"
"""The look of an edge that has the colour of its link class."""

KEPT_EDGE: Final = "kept"
CHANGED: Final = "changed"
"""Looks of an edge that another tree shares, and of one that it lacks."""


def link_rules() -> list[str]:
    """Give the style rules of edges by their link classes and by what changed."""
    return [
        *(f".tree .{BY_LINK}.{link} {{ color: {colour}; }}" for link, colour in LINK_COLOURS.items()),
        *(
            f".tree .{link} .line {{ stroke-dasharray: {' '.join(map(str, dashes))}; }}"
            for link, dashes in LINK_DASHES.items()
            if dashes
        ),
        # After the link classes: beside another tree, dashes say what changed.
        f".tree .{KEPT_EDGE} {{ color: {KEPT_COLOUR}; }}",
        f".tree .{KEPT_EDGE} .line {{ stroke-dasharray: none; }}",
        f".tree .{CHANGED} {{ color: {CHANGED_COLOUR}; }}",
        f".tree .{CHANGED} .line {{ stroke-dasharray: {' '.join(map(str, CHANGED_DASH))}; }}",
    ]


def svg(bounds: Box, least_scale: float, style: str, shapes: Sequence[str]) -> str:
    """Give the drawing.

    It shrinks with its frame to `least_scale` times its own size; then the frame scrolls.
    """
    left, top, right, bottom = bounds
    width, height = right - left, bottom - top
    return (
        f'<svg class="tree" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" '
        f'style="max-width: {width:.0f}px; min-width: {width * least_scale:.0f}px">'
        f"<style>{style}</style>{''.join(shapes)}</svg>"
    )


def ways(**parts: str | None) -> str:
    """Give the arrow keys' targets from a part, as attributes."""
    return "".join(f' data-{key}="{name}"' for key, name in parts.items() if name is not None)


def part(
    name: str,
    classes: Sequence[str],
    ways: str,
    title: str,
    shape: str,
    *,
    first: bool = False,
    lead: tuple[str, str] | None = None,
) -> str:
    """Give something that can be pointed at, reached by keys and clicked.

    The Tab key leads to the first of a drawing and then out of it; the arrow keys lead on. `lead` is a click's
    target, an address of `leads`, and its action; without it, a click pins the title.
    """
    role, hint = LEADS_NOWHERE, ""
    if lead is not None:
        role, hint = f'role="link" data-href="{escape(lead[0])}"', f" {CLICK}{lead[1]}."
    return (
        f'<g class="{" ".join(classes)}" data-part="{name}"{ways} {role} '
        f'tabindex="{0 if first else -1}"><title>{escape(title)}{hint}</title>{shape}</g>'
    )


LEADS_NOWHERE: Final = 'role="button" aria-pressed="false"'
"""Attributes of a part that a click only pins."""


def without_leads(markup: str) -> str:
    """Give a drawing whose parts lead nowhere and do not say that they do."""
    return re.sub(r'role="link" data-href="[^"]*"', LEADS_NOWHERE, re.sub(rf" {CLICK}[^<]*(?=</title>)", "", markup))


def arrow(begin: Point, end: Point, width: float, gap: float) -> str:
    """Give a line and its head, `gap` pixels from both points; under them a wider line that is easier to point at."""
    (x0, y0), (x1, y1) = begin, end
    length = hypot(x1 - x0, y1 - y0) or 1.0
    direction = ((x1 - x0) / length, (y1 - y0) / length)
    head = 5 + 2 * width
    begin = (x0 + direction[0] * gap, y0 + direction[1] * gap)
    tip = (x1 - direction[0] * gap, y1 - direction[1] * gap)
    base = (tip[0] - direction[0] * head, tip[1] - direction[1] * head)
    side = (-direction[1] * head / 2, direction[0] * head / 2)
    return (
        f'<path class="reach" d="M{begin[0]:.1f} {begin[1]:.1f}L{tip[0]:.1f} {tip[1]:.1f}"/>'
        f'<path class="line" d="M{begin[0]:.1f} {begin[1]:.1f}L{base[0]:.1f} {base[1]:.1f}" '
        f'stroke-width="{width}"/>'
        f'<path class="head" d="M{tip[0]:.1f} {tip[1]:.1f}L{base[0] + side[0]:.1f} {base[1] + side[1]:.1f}'
        f'L{base[0] - side[0]:.1f} {base[1] - side[1]:.1f}Z"/>'
    )
