"""A tree of many ranks: each host is drawn as one circle, `×16`, until it is opened. The edges between two hosts are
drawn as one, with what they carry together.

A host's circle has the place of its rank nearest to the root, so the drawing is a tree as well. Hosts stand under one
another by their depth in it, and beside one another as far as a page is wide.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from hopscope_dashboard.figures import tree_words
from hopscope_dashboard.figures.edge_labels import RADIUS, Point
from hopscope_dashboard.figures.many_places import WHOLE
from hopscope_dashboard.figures.svg_parts import BY_LINK
from hopscope_dashboard.figures.topology_tree import (
    CLUSTER_GAP,
    CLUSTER_PADDING,
    COLUMN,
    HOST_PADDING,
    NAME_ROOM,
    NO_HOP,
    ROW,
    Folding,
    PlacedEdge,
    PlacedRank,
    PlacedTree,
    boxes,
    depth_of,
    host_width,
    labelled,
    link_between,
    name_width,
    placed_edge,
    placed_tree,
    scale,
    share_look,
)
from hopscope_dashboard.navigation.address import link

Row = dict[str, Any]
Host = tuple[str, str]
"""A cluster and a host in it: hosts of two clusters may have one name."""
_Item = TypeVar("_Item")

OPEN: Final = "open"
"""The parameter of the address that names the hosts that are drawn rank by rank, with commas between them."""

_ROW_WIDTH: Final = 1300
"""Widest row of hosts of all clusters together, in pixels; the next hosts go under it."""
_RANKS_ACROSS: Final = 12
"""Ranks of one host and one depth that stand side by side."""
_HOST_GAP: Final = 26
_ROW_GAP: Final = NAME_ROOM + 2 * (HOST_PADDING + RADIUS) + 10
"""Pixels between two hosts side by side, and from the lowest rank of one to the highest of one under it."""


@dataclass(frozen=True)
class Fold:
    """Folding of hosts: every host but those opened, without the separate ranks."""

    opened: tuple[str, ...] = ()
    separate_ranks: Collection[int] = ()

    @classmethod
    def from_query(cls, query: Mapping[str, str], separate_ranks: Collection[int] = ()) -> "Fold":
        """Read which hosts the address opens; `separate_ranks` are drawn by themselves in any case."""
        return cls(tuple(dict.fromkeys(filter(None, query.get(OPEN, "").split(",")))), separate_ranks)

    def opening(self, host: str) -> str:
        """Give the address at which this host is open as well."""
        return link("", **{OPEN: ",".join([*self.opened, host])})


def folded_again(folding: Folding, host: str) -> str:
    """Give the address at which an open host is folded."""
    rest = [name for name in folding.opened if name != host]
    # Following an address whose parameter is set already removes the parameter.
    return link("", **{OPEN: ",".join(rest or folding.opened)})


def drawn_tree(
    *,
    ranks: Sequence[Row],
    parents: Mapping[int, int | None],
    edges: Mapping[tuple[int, int], Row],
    role: str,
    fold: Fold,
    by_link: bool = False,
) -> PlacedTree:
    """Place a tree as `placed_tree` does; one of many ranks on several hosts folded."""
    hosts = {(row["cluster"], row["host"]) for row in ranks if row["rank"] in parents}
    if len(parents) <= WHOLE or len(hosts) < 2:
        return placed_tree(ranks=ranks, parents=parents, edges=edges, role=role, by_link=by_link)
    return _Folded(ranks, parents, edges, role, fold).placed(by_link=by_link)


class _Folded:
    """A tree with most hosts folded. A folded host goes by its rank nearest to the root: its first."""

    def __init__(
        self,
        ranks: Sequence[Row],
        parents: Mapping[int, int | None],
        edges: Mapping[tuple[int, int], Row],
        role: str,
        fold: Fold,
    ) -> None:
        of_rank = {row["rank"]: row for row in ranks}
        self.rows: dict[int, Row] = {
            rank: of_rank.get(rank, {"rank": rank, "host": "?", "cluster": "?"}) for rank in sorted(parents)
        }
        self.parents, self.edges, self.role, self.fold = parents, edges, role, fold
        depth = {rank: depth_of(rank, parents) for rank in parents}
        alone = {*fold.separate_ranks, *(rank for rank, parent in parents.items() if parent is None)}
        stacks: dict[Host, list[int]] = defaultdict(list)
        for rank, row in self.rows.items():
            if rank not in alone and row["host"] not in fold.opened:
                stacks[_host(row)].append(rank)
        self.first = {rank: rank for rank in parents}
        self.members: dict[int, list[int]] = {}
        for stack in stacks.values():
            first = min(stack, key=lambda rank: (depth[rank], rank))
            self.members[first] = stack
            self.first |= dict.fromkeys(stack, first)
        self.parent_circles = {
            rank: None if (parent := parents[rank]) is None else self.first.get(parent)
            for rank in dict.fromkeys(self.first.values())
        }

    def placed(self, *, by_link: bool) -> PlacedTree:
        places = _positions([self.rows[rank] for rank in self.parent_circles], self.parent_circles)
        bundles, inner_edges = self._bundles()
        weights = {pair: self._weight(pairs) for pair, pairs in bundles.items()}
        inner = {rank: self._weight(pairs) for rank, pairs in inner_edges.items()}
        largest = scale(row["share"] for row in [*weights.values(), *inner.values()] if row)
        edges = [self._edge(pair, pairs, weights[pair], largest) for pair, pairs in bundles.items()]
        if by_link:
            edges = [replace(edge, look=BY_LINK) for edge in edges]
        # A tree edge comes after others from its child, so that the arrow keys lead along it.
        edges.sort(key=lambda edge: (edge.child, edge.parent == self.parent_circles[edge.child]))
        hosts = {_host(row) for row in self.rows.values()}
        folded = [members for members in self.members.values() if len(members) > 1]
        return PlacedTree(
            tuple(boxes([self.rows[rank] for rank in self.parent_circles], places)),
            tuple(labelled(edges, places, largest)),
            tuple(
                self._rank(rank, places[rank], inner.get(rank), 0 if by_link else largest)
                for rank in self.parent_circles
            ),
            largest,
            Folding(len(hosts), len(self.rows), sum(map(len, folded)), self.fold.opened),
        )

    def _bundles(self) -> tuple[dict[tuple[int, int], list[tuple[int, int]]], dict[int, list[tuple[int, int]]]]:
        """The edges between each two circles, and those inside of each, as (sender, receiver)."""
        outer_edges: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        inner_edges: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for rank, parent in sorted(self.parents.items()):
            if parent is None:
                continue
            src, dst = (rank, parent) if self.role == "up" else (parent, rank)
            ends = self.first[src], self.first[dst]
            if ends[0] == ends[1]:
                inner_edges[ends[0]].append((src, dst))
            else:
                outer_edges[ends].append((src, dst))
        return outer_edges, inner_edges

    def _weight(self, pairs: Sequence[tuple[int, int]]) -> Row | None:
        """Sums over edges, in the columns of tree-edges that can be added; None in a tree that did not run."""
        if not self.edges:
            return None
        rows = [self.edges.get(pair, NO_HOP) for pair in pairs]
        if len(rows) == 1:
            return {**rows[0], "share": rows[0]["share"] or 0}
        return {name: sum(row.get(name) or 0 for row in rows) for name in ("hops", "time_ns", "share")}

    def _edge(
        self, pair: tuple[int, int], pairs: Sequence[tuple[int, int]], weight: Row | None, largest: float
    ) -> PlacedEdge:
        src, dst = pair
        child = self.first[pairs[0][self.role == "down"]]
        kind = link_between(self.rows[src], self.rows[dst])
        if len(pairs) == 1:
            text, lead = tree_words.of_edge(*pairs[0], kind, weight), None
        else:
            text = tree_words.of_edges(len(pairs), self._name(src), self._name(dst), kind, weight)
            # Either end is folded, or there would be one edge.
            host = next(self.rows[end]["host"] for end in (child, src, dst) if end in self.members)
            lead = (self.fold.opening(host), f"open {host}")
        edge = placed_edge(pair, child, kind, row=weight, largest=largest, description=text)
        return replace(edge, pairs=tuple(pairs), lead=lead)

    def _name(self, rank: int) -> str:
        return str(self.rows[rank]["host"]) if rank in self.members else f"rank {rank}"

    def _rank(self, rank: int, centre: Point, inner: Row | None, largest: float) -> PlacedRank:
        row, parent_circle = self.rows[rank], self.parent_circles[rank]
        stack = self.members.get(rank, [rank])
        if len(stack) == 1:
            children = [child for child, parent in self.parents.items() if parent == rank]
            text = tree_words.of_rank(row, self.parents[rank], children)
            return PlacedRank(rank, centre, parent_circle is None, text)
        marks = ["folded"]
        if largest and inner is not None and inner["share"]:
            marks.append(share_look(inner["share"], largest))
        text = tree_words.of_folded(row, stack, inner)
        lead = (self.fold.opening(row["host"]), "open the host")
        return PlacedRank(rank, centre, False, text, tuple(marks), f"×{len(stack)}", lead)


def _host(row: Row) -> Host:
    return str(row["cluster"]), str(row["host"])


def _positions(ranks: Sequence[Row], parents: Mapping[int, int | None]) -> dict[int, Point]:
    """Positions of the circles, in pixels: clusters side by side, in them hosts in rows by their least depth, and in
    a host its circles by theirs."""
    depth = {rank: depth_of(rank, parents) for rank in parents}
    hosts: dict[Host, list[int]] = defaultdict(list)
    for row in ranks:
        hosts[_host(row)].append(row["rank"])
    level = {host: min(depth[rank] for rank in members) for host, members in hosts.items()}
    inner = {host: _host_positions(members, depth) for host, members in hosts.items()}
    wide = {host: max(_width(inner[host]), name_width(host[1])) for host in hosts}
    clusters = list(dict.fromkeys(cluster for cluster, _ in hosts))
    rows = {
        (cluster, row_depth): list(
            _lines([host for host in hosts if host[0] == cluster and level[host] == row_depth], wide, clusters)
        )
        for cluster in clusters
        for row_depth in set(level.values())
    }
    top = _tops(rows, inner)
    places: dict[int, Point] = {}
    x = 0.0
    for cluster in clusters:
        lines = [
            (row_depth, nth, line)
            for (row_cluster, row_depth), all_lines in rows.items()
            if row_cluster == cluster
            for nth, line in enumerate(all_lines)
        ]
        width = max(name_width(cluster), *(_length(line, wide) for _, _, line in lines))
        for row_depth, nth, line in lines:
            # Every second row is a little aside, so that edges to it run between the hosts above.
            left = x + (width - _length(line, wide)) / 2 + (_HOST_GAP if nth % 2 else 0)
            for host in line:
                middle = left + wide[host] / 2
                places |= {rank: (middle + dx, top[row_depth, nth] + dy) for rank, (dx, dy) in inner[host].items()}
                left += wide[host] + _HOST_GAP
        x += width + 2 * CLUSTER_PADDING + CLUSTER_GAP
    return places


def _host_positions(ranks: Sequence[int], depth: Mapping[int, int]) -> dict[int, Point]:
    """Positions of a host's circles, from the middle of its first row."""
    places: dict[int, Point] = {}
    y = 0.0
    for level in sorted({depth[rank] for rank in ranks}):
        for nth, line in enumerate(_cut([rank for rank in ranks if depth[rank] == level], _RANKS_ACROSS)):
            aside = 0.0 if len(ranks) == 1 else 0.22 if (level + nth) % 2 else -0.22
            for column, rank in enumerate(line):
                places[rank] = ((column - (len(line) - 1) / 2 + aside) * COLUMN, y)
            y += ROW
    return places


def _width(places: Mapping[int, Point]) -> float:
    """Width of a host, equal on both sides of its middle."""
    return host_width(1) + 2 * max(abs(x) for x, _ in places.values())


def _lines(hosts: Sequence[Host], wide: Mapping[Host, float], clusters: Sequence[str]) -> Iterator[list[Host]]:
    """Splits hosts into rows no wider than their cluster's part of the page, unless a single host is."""
    line: list[Host] = []
    for host in hosts:
        if line and _length([*line, host], wide) > _ROW_WIDTH / len(clusters):
            yield line
            line = []
        line.append(host)
    if line:
        yield line


def _length(line: Sequence[Host], wide: Mapping[Host, float]) -> float:
    return sum(wide[host] + _HOST_GAP for host in line) - _HOST_GAP


def _tops(
    rows: Mapping[tuple[str, int], Sequence[Sequence[Host]]], inner: Mapping[Host, Mapping[int, Point]]
) -> dict[tuple[int, int], float]:
    """The height of the first circles of each row, by depth and number of the row: the same in all clusters."""
    high: dict[tuple[int, int], float] = {}
    for (_, row_depth), lines in rows.items():
        for nth, line in enumerate(lines):
            deepest = max(y for host in line for _, y in inner[host].values())
            high[row_depth, nth] = max(deepest, high.get((row_depth, nth), 0.0))
    tops: dict[tuple[int, int], float] = {}
    y = 0.0
    for key in sorted(high):
        tops[key] = y
        y += high[key] + _ROW_GAP
    return tops


def _cut(items: Sequence[_Item], limit: int) -> Iterator[Sequence[_Item]]:
    return (items[start : start + limit] for start in range(0, len(items), limit))
