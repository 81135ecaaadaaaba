"""Marks the edges of a placed tree or exchange that another one lacks."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, TypeVar

from hopscope_dashboard.figures.round_lanes import PlacedArrow, PlacedRounds
from hopscope_dashboard.figures.svg_parts import CHANGED, KEPT_EDGE
from hopscope_dashboard.figures.topology_tree import PlacedEdge, PlacedTree

Edge = tuple[int, int]
"""Sender and receiver."""

_LEAST_WIDTH: Final = 3.0
_Mark = TypeVar("_Mark", PlacedArrow, PlacedEdge)


def tree_with_changes(placed: PlacedTree, other_edges: AbstractSet[Edge], run: str) -> PlacedTree:
    """Give the tree with each edge marked that is not among `other_edges`; `run` is the name of its run."""
    return replace(placed, edges=tuple(_marked(edge, other_edges, run, edge.pairs) for edge in placed.edges))


def rounds_with_changes(placed: PlacedRounds, other_edges: AbstractSet[Edge], run: str) -> PlacedRounds:
    """Give the same exchange, marked like `tree_with_changes`."""
    return replace(placed, arrows=tuple(_marked(arrow, other_edges, run) for arrow in placed.arrows))


def _marked(mark: _Mark, other_edges: AbstractSet[Edge], run: str, pairs: Sequence[Edge] = ()) -> _Mark:
    """`pairs` are the edges that a bundle stands for."""
    changed = sum(pair not in other_edges for pair in pairs or ((mark.src, mark.dst),))
    if not changed:
        return replace(mark, look=KEPT_EDGE)
    width = max(mark.width, _LEAST_WIDTH)
    phrase = "this edge" if len(pairs) <= 1 else f"{changed} of these edges"
    return replace(mark, look=CHANGED, width=width, description=f"{mark.description} Only the {run} run has {phrase}.")
