"""A placed tree as SVG."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from math import hypot
from typing import Final

from hopscope_dashboard import leads
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
from hopscope_dashboard.palette import CATEGORY_COLOURS, DARK_SHARES, LIGHT_SHARES

_OVER: Final = 8
"""A box's name stands so many pixels over it."""


def tree_svg(tree: PlacedTree, least: float, *, ran: bool = True) -> str:
    """Give the drawing, `least` as in `svg_parts.svg`. The edges of a tree that ran lead to their hops."""
    places = {each.rank: each.at for each in tree.ranks}
    ways = _ways(tree)
    drawn = [
        *map(_box, tree.boxes),
        *(_edge(each, places, ways.get(_edge_name(each), ""), ran=ran) for each in tree.edges),
        *(_text(each, places) for each in tree.edges if each.text),
        *(_rank(each, ways[_rank_name(each.rank)]) for each in tree.ranks),
    ]
    return svg(tree.bounds, least, _COLOURS, drawn)


def _colours() -> str:
    """The style sheet of what the palette says: one rule for each share, link class and mark."""
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
    """Where the arrow keys lead from each rank and each edge, as attributes.

    Up and down follow the edges, so that every second step is on one; left and right stay at one depth.
    """
    edge_of = {each.child: each for each in tree.edges}
    beside = {rank: pair for row in _levels(tree) for rank, pair in _neighbours(row).items()}
    first: dict[int, PlacedEdge] = {}
    for row in _levels(tree):
        for rank in row:
            if rank in edge_of:
                first.setdefault(edge_of[rank].parent, edge_of[rank])
    ways: dict[str, str] = {}
    for rank, (left, right) in beside.items():
        below, above = first.get(rank), edge_of.get(rank)
        ways[_rank_name(rank)] = svg_parts.ways(
            up=_edge_name(above) if above else None,
            down=_edge_name(below) if below else None,
            left=None if left is None else _rank_name(left),
            right=None if right is None else _rank_name(right),
        )
        if above:
            aside = [edge_of.get(each) if each is not None else None for each in (left, right)]
            names = [_edge_name(each) if each else None for each in aside]
            up, down = _rank_name(above.parent), _rank_name(rank)
            ways[_edge_name(above)] = svg_parts.ways(up=up, down=down, left=names[0], right=names[1])
    return ways


def _levels(tree: PlacedTree) -> list[list[int]]:
    """The ranks of each depth from the left to the right, the root's first."""
    rows: dict[float, list[PlacedRank]] = defaultdict(list)
    for each in tree.ranks:
        rows[each.at[1]].append(each)
    return [[each.rank for each in sorted(rows[y], key=lambda each: each.at[0])] for y in sorted(rows)]


def _neighbours(row: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """For each rank of a row, the one on its left and the one on its right."""
    right = dict(pairwise(row))
    left = {after: before for before, after in right.items()}
    return {rank: (left.get(rank), right.get(rank)) for rank in row}


def _rank_name(rank: int) -> str:
    return f"rank-{rank}"


def _edge_name(edge: PlacedEdge) -> str:
    return f"edge-{edge.src}-{edge.dst}"


def _box(each: PlacedBox) -> str:
    left, top, right, bottom = each.box
    return (
        f'<g class="box {each.kind}"><title>{escape(each.name)}</title>'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" rx="8"/>'
        f'<text x="{(left + right) / 2:.1f}" y="{top - _OVER:.1f}">{escape(shown_name(each.name))}</text></g>'
    )


def _edge(each: PlacedEdge, places: Mapping[int, Point], ways: str, *, ran: bool) -> str:
    drawn = arrow(places[each.src], places[each.dst], each.width, RADIUS)
    lead = each.lead
    if ran and lead is None:
        ((src, dst),) = each.pairs or ((each.src, each.dst),)
        lead = (leads.edge(src, dst), leads.EDGE_DOES)
    return part(_edge_name(each), ("edge", each.link, each.look), ways, each.told, drawn, lead=lead)


def _text(each: PlacedEdge, places: Mapping[int, Point]) -> str:
    (x0, y0), (x1, y1) = places[each.child], places[each.parent]
    part = each.text_at / (hypot(x1 - x0, y1 - y0) or 1.0)
    x, y = x0 + (x1 - x0) * part, y0 + (y1 - y0) * part
    return f'<text class="share" x="{x:.1f}" y="{y + 4:.1f}">{escape(each.text)}</text>'


def _rank(each: PlacedRank, ways: str) -> str:
    x, y = each.at
    text = each.text or each.rank
    drawn = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"/><text x="{x:.1f}" y="{y + 5.5:.1f}">{text}</text>'
    classes = ("rank", *(("root",) if each.root else ()), *each.marks)
    lead = each.lead or (leads.rank(each.rank), "select the rank")
    return part(_rank_name(each.rank), classes, ways, each.told, drawn, first=each.root, lead=lead)
