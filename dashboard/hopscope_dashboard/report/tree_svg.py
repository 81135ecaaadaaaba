"""A tree on its topology as SVG, from the same elements and styles that cytoscape draws on the pages."""

from collections.abc import Mapping, Sequence
from html import escape
from math import hypot
from typing import Any, Final

Element = Mapping[str, Any]
Box = tuple[float, float, float, float]

_RADIUS: Final = 19
_TITLE: Final = 22
_PADDING: Final = 8


def tree_svg(elements: Sequence[Element], stylesheet: Sequence[Mapping[str, Any]]) -> str:
    """Give the drawing. Boxes fit around what is in them; an edge ends at the circle that it points at."""
    style = {rule["selector"]: rule["style"] for rule in stylesheet}
    places = {
        element["data"]["id"]: (element["position"]["x"], element["position"]["y"])
        for element in elements
        if "position" in element
    }
    boxes = _boxes(elements, places, style)
    left, top, right, bottom = _around(list(boxes.values()), 6 + _TITLE)
    drawn = [
        *(_box(element, boxes[element["data"]["id"]], style) for element in _nested(elements, boxes)),
        *(_edge(element, places, style) for element in elements if "source" in element["data"]),
        *(_rank(element, places, style) for element in elements if element["data"]["id"] in places),
    ]
    return (
        f'<svg class="tree" viewBox="{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f}" '
        f'style="max-width: {right - left:.0f}px; width: 100%">{"".join(drawn)}</svg>'
    )


def _boxes(
    elements: Sequence[Element], places: Mapping[str, tuple[float, float]], style: Mapping[str, Any]
) -> dict[str, Box]:
    """Where the boxes of hosts and then of clusters are: around their ranks, and around their hosts."""
    boxes: dict[str, Box] = {}
    inside: dict[str, list[Box]] = {}
    for element in elements:
        data = element["data"]
        if data["id"] in places:
            x, y = places[data["id"]]
            inside.setdefault(data["parent"], []).append((x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS))
    for kind in ("host", "cluster"):
        padding = float(style[".box" if kind == "host" else ".cluster"]["padding"].removesuffix("px"))
        for element in elements:
            data = element["data"]
            if kind in str(element.get("classes", "")).split():
                boxes[data["id"]] = _around(inside.get(data["id"], []), padding)
                inside.setdefault(data.get("parent", ""), []).append(boxes[data["id"]])
    return boxes


def _around(boxes: Sequence[Box], padding: float) -> Box:
    if not boxes:
        return (0, 0, 0, 0)
    left, top, right, bottom = zip(*boxes, strict=True)
    return (min(left) - padding, min(top) - padding, max(right) + padding, max(bottom) + padding)


def _nested(elements: Sequence[Element], boxes: Mapping[str, Box]) -> list[Element]:
    """The boxes, those around others first."""
    known = [element for element in elements if element["data"]["id"] in boxes]
    return sorted(known, key=lambda element: "cluster" not in str(element["classes"]).split())


def _box(element: Element, box: Box, style: Mapping[str, Any]) -> str:
    look = style[".box"] | (style[".cluster"] if "cluster" in element["classes"].split() else {})
    left, top, right, bottom = box
    dashes = ' stroke-dasharray="6 4"' if look.get("border-style") == "dashed" else ""
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" rx="8" '
        f'fill="{look["background-color"]}" fill-opacity="{look.get("background-opacity", 1)}" '
        f'stroke="{look["border-color"]}"{dashes}/>'
        + _text((left + right) / 2, top - _PADDING, element["data"]["label"], look, style)
    )


def _edge(element: Element, places: Mapping[str, tuple[float, float]], style: Mapping[str, Any]) -> str:
    data, classes = element["data"], element["classes"].split()
    look = style["edge"] | _look(element, style)
    (x0, y0), (x1, y1) = places[data["source"]], places[data["target"]]
    length = hypot(x1 - x0, y1 - y0) or 1.0
    along = ((x1 - x0) / length, (y1 - y0) / length)
    width = float(data["width"] if isinstance(look["width"], str) else look["width"])
    colour = look["line-color"]
    head = 5 + 2 * width
    tip = (x1 - along[0] * _RADIUS, y1 - along[1] * _RADIUS)
    base = (tip[0] - along[0] * head, tip[1] - along[1] * head)
    side = (-along[1] * head / 2, along[0] * head / 2)
    dashes = " ".join(str(part) for part in look.get("line-dash-pattern", ()))
    line = (
        f'<g opacity="{look.get("opacity", 1)}"><title>{data["src"]} to {data["dst"]}, {data["link"]}</title>'
        f'<path d="M{x0 + along[0] * _RADIUS:.1f} {y0 + along[1] * _RADIUS:.1f}L{base[0]:.1f} {base[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"' + (f' stroke-dasharray="{dashes}"' if dashes else "") + "/>"
        f'<path d="M{tip[0]:.1f} {tip[1]:.1f}L{base[0] + side[0]:.1f} {base[1] + side[1]:.1f}'
        f'L{base[0] - side[0]:.1f} {base[1] - side[1]:.1f}Z" fill="{colour}"/></g>'
    )
    if not data["label"]:
        return line
    at = _RADIUS + float(data["offset"])
    at = length - at if "label-target" in classes else at
    place = (x0 + along[0] * at, y0 + along[1] * at)
    return line + _text(place[0], place[1] + 4, data["label"], look, style, halo=look["text-background-color"])


def _rank(element: Element, places: Mapping[str, tuple[float, float]], style: Mapping[str, Any]) -> str:
    look = _look(element, style)
    x, y = places[element["data"]["id"]]
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="{look["background-color"]}" '
        f'stroke="{look["border-color"]}" stroke-width="{look["border-width"]}"/>'
        + _text(x, y + 5, element["data"]["label"], look, style)
    )


def _look(element: Element, style: Mapping[str, Any]) -> dict[str, Any]:
    """What the style sheet says of an element's classes; as in cytoscape, what it says later holds."""
    look: dict[str, Any] = {}
    for selector, more in style.items():
        if selector.removeprefix(".") in element["classes"].split():
            look |= more
    return look


def _text(
    x: float, y: float, words: str, look: Mapping[str, Any], style: Mapping[str, Any], *, halo: str | None = None
) -> str:
    behind = f' stroke="{halo}" stroke-width="7" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{look.get("font-size", 13)}" '
        f'font-weight="{look.get("font-weight", 400)}" fill="{style["node"]["color"]}"{behind}>{escape(words)}</text>'
    )
