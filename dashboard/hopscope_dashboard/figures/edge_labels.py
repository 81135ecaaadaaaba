"""Finds places for texts on straight edges, so that none lies on another text or on a node.

Greedy, in the order given: the first takes the place that it likes best, a later one the nearest place that is still
free, and one for which there is none goes without (the greedy algorithm of Christensen, Marks and Shieber, An
Empirical Study of Algorithms for Point-Feature Label Placement, 1995).
"""

from collections.abc import Sequence
from math import hypot
from typing import Final

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

RADIUS: Final = 19.0
"""Of a rank's circle, in pixels."""

_CHARACTER, _LINE = 7.6, 15.0
_PADDING: Final = 3.0
_FIRST, _STEP = RADIUS + 24, 8.0


def place(lines: Sequence[tuple[Point, Point]], texts: Sequence[str], nodes: Sequence[Point]) -> list[float | None]:
    """Give for each line how far from its first end the middle of its text goes, in pixels; None where it has no room.

    `nodes` are the middles of the circles.
    """
    taken = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in nodes]
    found: list[float | None] = []
    for (begin, end), text in zip(lines, texts, strict=True):
        length = hypot(end[0] - begin[0], end[1] - begin[1])
        at: float | None = _FIRST
        while at is not None and any(overlap(box(begin, end, at, text), other) for other in taken):
            at = at + _STEP if at + _STEP < length - RADIUS else None
        if at is not None:
            taken.append(box(begin, end, at, text))
        found.append(at)
    return found


def box(begin: Point, end: Point, at: float, text: str) -> Box:
    """Give what a text covers whose middle lies on a line, `at` pixels from its begin."""
    length = hypot(end[0] - begin[0], end[1] - begin[1]) or 1.0
    x, y = begin[0] + (end[0] - begin[0]) * at / length, begin[1] + (end[1] - begin[1]) * at / length
    wide, high = len(text) * _CHARACTER / 2 + _PADDING, _LINE / 2 + _PADDING
    return (x - wide, y - high, x + wide, y + high)


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes have more than an edge in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
