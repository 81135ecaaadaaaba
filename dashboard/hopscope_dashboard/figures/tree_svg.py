"""A placed tree as SVG."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from math import hypot
from typing import Final

from hopscope_dashboard.figures import svg_parts
from hopscope_dashboard.figures.edge_labels import RADIUS, Point
from hopscope_dashboard.figures.svg_parts import arrow, link_rules, part, svg
from hopscope_dashboard.figures.topology_tree import (
    PlacedBox,
    PlacedEdge,
    PlacedRank,
    PlacedTree,
    shown_name,
)
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.palette import CATEGORY_COLOURS, DARK_SHARES, LIGHT_SHARES

_NAME_OFFSET: Final = 8
"""Pixels between a box and its name."""


def tree_svg(tree: PlacedTree, least_scale: float, *, has_run: bool = True) -> str:
    """Give the drawing, `least_scale` as in `svg_parts.svg`. If it `has_run`, edges lead to their hops."""
    places = {rank.rank: rank.centre for rank in tree.ranks}
    ways = _ways(tree)
    shapes = [
        *map(_box, tree.boxes),
        *(_edge(edge, places, ways.get(_edge_name(edge), ""), has_run=has_run) for edge in tree.edges),
        *(_text(edge, places) for edge in tree.edges if edge.text),
        *(_rank(rank, ways[_rank_name(rank.rank)]) for rank in tree.ranks),
    ]
    return svg(tree.bounds, least_scale, _COLOURS, shapes)


def _colours() -> str:
    """Style sheet of the palette: one rule for each share, link class and mark."""
    compute, wan = CATEGORY_COLOURS["compute"], CATEGORY_COLOURS["wan"]
    rules = [
        *(f".tree .share-{step} {{ color: {colour}; }}" for step, colour in enumerate(LIGHT_SHARES)),
        *(
            f'[data-mantine-color-scheme="dark"] .tree .share-{step} {{ color: {colour}; }}'
            for step, colour in enumerate(DARK_SHARES)
        ),
        *link_rules(),
        f".tree .delayed {{ color: {wan}; }}",
        f".tree .behind {{ color: {compute}; }}",
        f".tree .root circle, .tree .absorber circle {{ stroke: {compute}; }}",
    ]
    return " ".join(rules)


_COLOURS: Final = _colours()


def _ways(tree: PlacedTree) -> dict[str, str]:
    """Targets of the arrow keys from each rank and edge, as attributes.

    Up and down follow the edges, so that every second step is on one; left and right stay at one depth.
    """
    edge_of = {edge.child: edge for edge in tree.edges}
    neighbours_of = {rank: pair for row in _levels(tree) for rank, pair in _neighbours(row).items()}
    first: dict[int, PlacedEdge] = {}
    for row in _levels(tree):
        for rank in row:
            if rank in edge_of:
                first.setdefault(edge_of[rank].parent, edge_of[rank])
    ways: dict[str, str] = {}
    for rank, (left, right) in neighbours_of.items():
        edge_below, edge_above = first.get(rank), edge_of.get(rank)
        ways[_rank_name(rank)] = svg_parts.ways(
            up=_edge_name(edge_above) if edge_above else None,
            down=_edge_name(edge_below) if edge_below else None,
            left=None if left is None else _rank_name(left),
            right=None if right is None else _rank_name(right),
        )
        if edge_above:
            aside = [edge_of.get(neighbour) if neighbour is not None else None for neighbour in (left, right)]
            names = [_edge_name(edge) if edge else None for edge in aside]
            up, down = _rank_name(edge_above.parent), _rank_name(rank)
            ways[_edge_name(edge_above)] = svg_parts.ways(up=up, down=down, left=names[0], right=names[1])
    return ways


def _levels(tree: PlacedTree) -> list[list[int]]:
    """The ranks of each depth from the left to the right, the root's first."""
    rows: dict[float, list[PlacedRank]] = defaultdict(list)
    for placed_rank in tree.ranks:
        rows[placed_rank.centre[1]].append(placed_rank)
    return [
        [placed_rank.rank for placed_rank in sorted(rows[y], key=lambda placed_rank: placed_rank.centre[0])]
        for y in sorted(rows)
    ]


def _neighbours(row: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """For each rank of a row, the one on its left and the one on its right."""
    right = dict(pairwise(row))
    left = {right_rank: left_rank for left_rank, right_rank in right.items()}
    return {rank: (left.get(rank), right.get(rank)) for rank in row}


def _rank_name(rank: int) -> str:
    return f"rank-{rank}"


def _edge_name(edge: PlacedEdge) -> str:
    return f"edge-{edge.src}-{edge.dst}"


def _box(placed_box: PlacedBox) -> str:
    left, top, right, bottom = placed_box.box
    return (
        f'<g class="box {placed_box.kind}"><title>{escape(placed_box.name)}</title>'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" rx="8"/>'
        f'<text x="{(left + right) / 2:.1f}" y="{top - _NAME_OFFSET:.1f}">'
        f"{escape(shown_name(placed_box.name))}</text></g>"
    )


def _edge(edge: PlacedEdge, places: Mapping[int, Point], ways: str, *, has_run: bool) -> str:
    shape = arrow(places[edge.src], places[edge.dst], edge.width, RADIUS)
    lead = edge.lead
    if has_run and lead is None:
        ((src, dst),) = edge.pairs or ((edge.src, edge.dst),)
        lead = (leads.edge(src, dst), leads.EDGE_DOES)
    return part(_edge_name(edge), ("edge", edge.link, edge.look), ways, edge.description, shape, lead=lead)


def _text(edge: PlacedEdge, places: Mapping[int, Point]) -> str:
    (x0, y0), (x1, y1) = places[edge.child], places[edge.parent]
    part = edge.text_at / (hypot(x1 - x0, y1 - y0) or 1.0)
    x, y = x0 + (x1 - x0) * part, y0 + (y1 - y0) * part
    return f'<text class="share" x="{x:.1f}" y="{y + 4:.1f}">{escape(edge.text)}</text>'


def _rank(placed_rank: PlacedRank, ways: str) -> str:
    x, y = placed_rank.centre
    text = placed_rank.text or placed_rank.rank
    shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"/><text x="{x:.1f}" y="{y + 5.5:.1f}">{text}</text>'
    classes = ("rank", *(("root",) if placed_rank.root else ()), *placed_rank.marks)
    lead = placed_rank.lead or (leads.rank(placed_rank.rank), "select the rank")
    return part(
        _rank_name(placed_rank.rank), classes, ways, placed_rank.description, shape, first=placed_rank.root, lead=lead
    )
