"""Finds places for texts on straight edges, so that none lies on another text, on a node or on another of the edges.

Greedy, in the order given: each text takes the nearest free place, or none if all are taken (the greedy algorithm of
Christensen, Marks and Shieber, An Empirical Study of Algorithms for Point-Feature Label Placement, 1995).
"""

from collections.abc import Sequence
from math import hypot
from typing import Final

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

RADIUS: Final = 19.0
"""Radius of a rank's circle, in pixels."""

_CHARACTER, _LINE = 7.6, 15.0
_PADDING: Final = 3.0
_FIRST, _STEP = RADIUS + 24, 8.0


def place(lines: Sequence[tuple[Point, Point]], texts: Sequence[str], nodes: Sequence[Point]) -> list[float | None]:
    """Give the distance of each text's middle from its line's first end, in pixels; None where it has no room.

    `nodes` are the middles of the circles. A text on another of the `lines` would seem to belong to that.
    """
    obstacles = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in nodes]
    distances: list[float | None] = []
    for number, ((begin, end), text) in enumerate(zip(lines, texts, strict=True)):
        length = hypot(end[0] - begin[0], end[1] - begin[1])
        other_lines = [line for candidate, line in enumerate(lines) if candidate != number]
        distance: float | None = _FIRST
        while distance is not None and _is_blocked(box(begin, end, distance, text), obstacles, other_lines):
            distance = distance + _STEP if distance + _STEP < length - RADIUS else None
        if distance is not None:
            obstacles.append(box(begin, end, distance, text))
        distances.append(distance)
    return distances


def box(begin: Point, end: Point, distance: float, text: str) -> Box:
    """Give the box of a text whose middle lies on a line, `distance` pixels from its begin."""
    length = hypot(end[0] - begin[0], end[1] - begin[1]) or 1.0
    x, y = begin[0] + (end[0] - begin[0]) * distance / length, begin[1] + (end[1] - begin[1]) * distance / length
    wide, high = len(text) * _CHARACTER / 2 + _PADDING, _LINE / 2 + _PADDING
    return (x - wide, y - high, x + wide, y + high)


def overlap(box: Box, neighbour: Box) -> bool:
    """True if two boxes share more than an edge."""
    return box[0] < neighbour[2] and neighbour[0] < box[2] and box[1] < neighbour[3] and neighbour[1] < box[3]


def crosses(line: tuple[Point, Point], box: Box) -> bool:
    """True if a part of a line lies in a box, by clipping it at the four sides (Liang and Barsky, A New Concept and
    Method for Line Clipping, 1984)."""
    (x0, y0), (x1, y1) = line
    first, last = 0.0, 1.0
    for step, to_low, to_high in ((x1 - x0, box[0] - x0, box[2] - x0), (y1 - y0, box[1] - y0, box[3] - y0)):
        if step == 0:
            if to_low > 0 or to_high < 0:
                return False
            continue
        enters, leaves = sorted((to_low / step, to_high / step))
        first, last = max(first, enters), min(last, leaves)
    return first < last


def _is_blocked(place: Box, boxes: Sequence[Box], lines: Sequence[tuple[Point, Point]]) -> bool:
    return any(overlap(place, obstacle) for obstacle in boxes) or any(crosses(line, place) for line in lines)
