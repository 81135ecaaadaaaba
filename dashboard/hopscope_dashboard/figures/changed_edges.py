"""Marks in a placed tree or exchange which edges another one has, too, and which it has not."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, TypeVar

from hopscope_dashboard.figures.round_lanes import PlacedArrow, PlacedRounds
from hopscope_dashboard.figures.svg_parts import CHANGED, KEPT
from hopscope_dashboard.figures.topology_tree import PlacedEdge, PlacedTree

Edge = tuple[int, int]
"""Sender and receiver."""

_LEAST_WIDTH: Final = 3.0
_Drawn = TypeVar("_Drawn", PlacedArrow, PlacedEdge)


def tree_with_changes(placed: PlacedTree, others: AbstractSet[Edge], run: str) -> PlacedTree:
    """Give the same tree with each edge marked that is not among `others`; `run` is what its run is called."""
    return replace(placed, edges=tuple(_marked(each, others, run, each.pairs) for each in placed.edges))


def rounds_with_changes(placed: PlacedRounds, others: AbstractSet[Edge], run: str) -> PlacedRounds:
    """Give the same exchange, marked like `tree_with_changes`."""
    return replace(placed, arrows=tuple(_marked(each, others, run) for each in placed.arrows))


def _marked(each: _Drawn, others: AbstractSet[Edge], run: str, pairs: Sequence[Edge] = ()) -> _Drawn:
    """`pairs` are the edges that it stands for, if it is not one alone."""
    changed = sum(pair not in others for pair in pairs or ((each.src, each.dst),))
    if not changed:
        return replace(each, look=KEPT)
    width = max(each.width, _LEAST_WIDTH)
    those = "this edge" if len(pairs) <= 1 else f"{changed} of these edges"
    return replace(each, look=CHANGED, width=width, told=f"{each.told} Only the {run} run has {those}.")
