"""Targets of the arrow keys, from each rank and edge of a drawing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from hopscope_dashboard.figures.graphs.graph import Graph, PlacedEdge, PlacedRank

Ways = Mapping[str, Mapping[str, str | None]]
"""For each part of a drawing (a rank or an edge), by name: the name of the next part in each direction, or None."""


def arrow_keys(graph: Graph) -> Ways:
    """Give the next part for each arrow key. In a tree, up and down alternate between ranks and edges along a path, and
    left and right stay at one depth. In an exchange, up and down stay in a round, and left and right lead to the
    neighbouring rounds."""
    return _of_tree(graph) if graph.ranks else _of_rounds(graph.edges)


def _of_tree(graph: Graph) -> Ways:
    edge_of = {edge.child: edge for edge in graph.edges}
    by_depth: dict[float, list[PlacedRank]] = defaultdict(list)
    for rank in sorted(graph.ranks, key=lambda rank: rank.centre[::-1]):
        by_depth[rank.centre[1]].append(rank)
    below: dict[int, str] = {}
    for rank in (rank for row in by_depth.values() for rank in row if rank.rank in edge_of):
        below.setdefault(edge_of[rank.rank].parent, edge_of[rank.rank].name)
    ways: dict[str, dict[str, str | None]] = {}
    for row in by_depth.values():
        rank_names = _beside([rank.name for rank in row])
        edge_names = _beside([edge_of[rank.rank].name if rank.rank in edge_of else None for rank in row])
        for rank, beside, edges_beside in zip(row, rank_names, edge_names, strict=True):
            edge = edge_of.get(rank.rank)
            ways[rank.name] = {"up": edge.name if edge else None, "down": below.get(rank.rank), **beside}
            if edge:
                ways[edge.name] = {"up": f"rank-{edge.parent}", "down": rank.name, **edges_beside}
    return ways


def _beside(names: Sequence[str | None]) -> list[dict[str, str | None]]:
    """The left and the right neighbour of each name in a row."""
    around = [None, *names, None]
    return [{"left": left, "right": right} for left, right in zip(around, around[2:], strict=False)]


def _of_rounds(edges: Sequence[PlacedEdge]) -> Ways:
    by_column: dict[int | None, list[PlacedEdge]] = defaultdict(list)
    for edge in sorted(edges, key=lambda edge: (edge.column, edge.begin[1], edge.end[1])):
        by_column[edge.column].append(edge)
    ways: dict[str, dict[str, str | None]] = {edge.name: {"up": None, "down": None} for edge in edges}
    for members in by_column.values():
        for upper, lower in pairwise(members):
            ways[upper.name]["down"], ways[lower.name]["up"] = lower.name, upper.name
    columns = list(by_column.values())
    for before, members, after in zip([[], *columns], columns, [*columns[1:], []], strict=False):
        for edge in members:
            ways[edge.name] |= {"left": _nearest(before, edge.begin[1]), "right": _nearest(after, edge.end[1])}
    return ways


def _nearest(edges: Sequence[PlacedEdge], y: float) -> str | None:
    return min(edges, key=lambda edge: abs(edge.begin[1] - y)).name if edges else None
