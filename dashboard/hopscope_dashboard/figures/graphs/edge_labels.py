"""Places texts on straight edges so that no text covers another text, a node or another edge.

Greedy, in the order given: each text takes the nearest free place, or none if all are taken (the greedy algorithm of
Christensen, Marks and Shieber, An Empirical Study of Algorithms for Point-Feature Label Placement, 1995).
"""

from collections.abc import Iterator, Sequence
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


def place(lines: Sequence[tuple[Point, Point]], texts: Sequence[str], nodes: Sequence[Point]) -> list[Point | None]:
    """Give the middle of each text, as near to its line's first end as there is room; None where there is no room.

    `nodes` are the middles of the circles. A text that covers another line would seem to belong to that line.
    """
    obstacles = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in nodes]
    middles: list[Point | None] = []
    for number, (line, text) in enumerate(zip(lines, texts, strict=True)):
        other_lines = [neighbour for candidate, neighbour in enumerate(lines) if candidate != number]
        candidates = (
            middle for middle in _middles(*line) if not _is_blocked(box(middle, text), obstacles, other_lines)
        )
        middles.append(next(candidates, None))
        if middles[-1] is not None:
            obstacles.append(box(middles[-1], text))
    return middles


def _middles(begin: Point, end: Point) -> Iterator[Point]:
    """Positions along a line at which a text may be centred, from the line's first end on."""
    length = hypot(end[0] - begin[0], end[1] - begin[1]) or 1.0
    distance = _FIRST
    while distance == _FIRST or distance < length - RADIUS:
        part = distance / length
        yield begin[0] + (end[0] - begin[0]) * part, begin[1] + (end[1] - begin[1]) * part
        distance += _STEP


def box(middle: Point, text: str) -> Box:
    """Give the box of a text."""
    wide, high = len(text) * _CHARACTER / 2 + _PADDING, _LINE / 2 + _PADDING
    return (middle[0] - wide, middle[1] - high, middle[0] + wide, middle[1] + high)


def overlap(box: Box, neighbour: Box) -> bool:
    """True if two boxes share more than an edge."""
    return box[0] < neighbour[2] and neighbour[0] < box[2] and box[1] < neighbour[3] and neighbour[1] < box[3]


def crosses(line: tuple[Point, Point], box: Box) -> bool:
    """True if a part of a line lies in a box. The line is clipped at the box's four sides (Liang and Barsky, A New
    Concept and Method for Line Clipping, 1984)."""
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
