"""Places a tree on the topology: ranks in boxes of their host, hosts in boxes of their cluster. An edge's colour and
width show its share of the critical path, its dashes its link class.

In a tree of many ranks each host is one circle, such as `×16`, until it is opened. All edges between two circles are
drawn as one, with their sums. A host's circle stands where its rank nearest to the root would, so the drawing is a tree
too.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from hopscope.format import quantities
from hopscope.vocabulary.links import link_class

from hopscope_dashboard.figures.graphs import words
from hopscope_dashboard.figures.graphs.edge_labels import Box, Point, place
from hopscope_dashboard.figures.graphs.graph import (
    BY_LINK,
    CLUSTER_PADDING,
    HOST_PADDING,
    Folding,
    Graph,
    NamedBox,
    Pair,
    PlacedEdge,
    PlacedRank,
    circle_box,
    enclosing_box,
)
from hopscope_dashboard.figures.graphs.tidy_tree import positions
from hopscope_dashboard.figures.many_places import WHOLE
from hopscope_dashboard.navigation.address import link
from hopscope_dashboard.palette import LIGHT_SHARES

Row = dict[str, Any]

OPEN: Final = "open"
"""Parameter of the address: the hosts that are drawn rank by rank, with commas between them."""

_PAGE_WIDTH: Final = 1300
"""Widest row of hosts of all clusters together if hosts are folded, in pixels."""
_LEAST_SCALE: Final = 0.01
"""Smallest share of the critical path that the last colour may stand for, so that tiny shares do not look heavy."""
_LABELLED: Final = 0.2
"""Fraction of the heaviest edge's share from which on an edge is labelled; all edges have a tooltip."""
_MOST_LABELS: Final = 40
"""Largest number of edges labelled with their share: nobody could read more."""
_NO_HOP: Final[Row] = {"share": 0.0}
"""Weight of an edge without hops in a tree that ran."""


@dataclass(frozen=True)
class Fold:
    """Folding of hosts: every host is folded except those in `opened`; `separate_ranks` are not folded with their
    host."""

    opened: tuple[str, ...] = ()
    separate_ranks: Collection[int] = ()

    @classmethod
    def from_query(cls, query: Mapping[str, str], separate_ranks: Collection[int] = ()) -> "Fold":
        """Read from the address which hosts are open. `separate_ranks` are drawn separately even if their host is
        folded."""
        return cls(tuple(dict.fromkeys(filter(None, query.get(OPEN, "").split(",")))), separate_ranks)

    def opening(self, host: str) -> str:
        """Give the address that opens this host in addition."""
        return link("", **{OPEN: ",".join([*self.opened, host])})


def folded_again(folding: Folding, host: str) -> str:
    """Give the address that folds an open host again."""
    rest = [name for name in folding.opened if name != host]
    # Following an address whose parameter is already set removes the parameter.
    return link("", **{OPEN: ",".join(rest or folding.opened)})


def placed_tree(
    *,
    ranks: Iterable[Row],
    parents: Mapping[int, int | None],
    edges: Mapping[Pair, Row],
    role: str,
    fold: Fold | None = None,
    by_link: bool = False,
) -> Graph:
    """Place one tree. If it has many ranks on several hosts, hosts are folded, as `fold` says.

    `ranks` has rank, host and cluster; `parents` the parent of each rank of the tree (None at the root), both as
    trace-wide ranks. `edges` has the rows of tree-edges by directed edge (src, dst); it is empty for a tree that did
    not run. `role`: "up" draws edges from child to parent, "down" from parent to child. `by_link`: the colour of an
    edge is its link class instead of its share of the critical path.
    """
    return _Tree(ranks, parents, edges, role, fold or Fold()).placed(by_link=by_link)


class _Tree:
    """A tree of circles. A circle stands for one rank, or for the ranks of a folded host. Its number is that of its
    first rank, the rank nearest to the root."""

    def __init__(
        self,
        ranks: Iterable[Row],
        parents: Mapping[int, int | None],
        edges: Mapping[Pair, Row],
        role: str,
        fold: Fold,
    ) -> None:
        of_rank = {row["rank"]: row for row in ranks}
        self.rows: dict[int, Row] = {
            rank: of_rank.get(rank, {"rank": rank, "host": "?", "cluster": "?"}) for rank in sorted(parents)
        }
        self.parents, self.edges, self.role, self.fold = parents, edges, role, fold
        self.hosts = {_host(row) for row in self.rows.values()}
        self.is_folded = len(parents) > WHOLE and len(self.hosts) > 1
        self.circles = self._circles()
        self.first = {rank: circle for circle, members in self.circles.items() for rank in members}
        self.children: dict[int, list[int]] = defaultdict(list)
        self.parent_circles: dict[int, int | None] = dict.fromkeys(self.circles)
        for rank, parent in sorted(parents.items()):
            if parent is not None:
                self.children[parent].append(rank)
                if rank in self.circles:
                    self.parent_circles[rank] = self.first.get(parent)

    def _circles(self) -> dict[int, list[int]]:
        """The ranks of each circle, by its first rank."""
        stacks: dict[Any, list[int]] = defaultdict(list)
        for rank, row in self.rows.items():
            alone = not self.is_folded or rank in self.fold.separate_ranks or self.parents[rank] is None
            stacks[rank if alone or row["host"] in self.fold.opened else _host(row)].append(rank)
        return {min(stack, key=lambda rank: (depth_of(rank, self.parents), rank)): stack for stack in stacks.values()}

    def placed(self, *, by_link: bool) -> Graph:
        rows = [self.rows[circle] for circle in self.circles]
        depths = {circle: depth_of(circle, self.parent_circles) for circle in self.circles}
        places = positions(rows, depths, _PAGE_WIDTH if self.is_folded else inf)
        bundles, inner_pairs = self._bundles()
        weights = {ends: self._weight(pairs) for ends, pairs in bundles.items()}
        inner = {circle: self._weight(pairs) for circle, pairs in inner_pairs.items()}
        largest = max((row["share"] for row in [*weights.values(), *inner.values()] if row), default=0)
        largest = max(largest, _LEAST_SCALE) if largest else 0
        edges = [self._edge(ends, pairs, weights[ends], places, largest) for ends, pairs in bundles.items()]
        if by_link:
            edges = [replace(edge, look=BY_LINK) for edge in edges]
        # A circle's edge to its parent comes after its other edges, so that the arrow keys follow it.
        edges.sort(key=lambda edge: (edge.child, edge.parent == self.parent_circles[edge.child or 0]))
        folded = [members for members in self.circles.values() if len(members) > 1]
        return Graph(
            tuple(_labelled(edges, places, largest)),
            tuple(
                self._rank(circle, places[circle], inner.get(circle), 0 if by_link else largest)
                for circle in self.circles
            ),
            tuple(_boxes(rows, places)),
            largest_share=largest,
            folding=Folding(len(self.hosts), len(self.rows), sum(map(len, folded)), self.fold.opened)
            if self.is_folded
            else None,
        )

    def _bundles(self) -> tuple[dict[Pair, list[Pair]], dict[int, list[Pair]]]:
        """The edges between every two circles, by (sender's circle, receiver's circle), and the edges inside each
        circle."""
        outer: dict[Pair, list[Pair]] = defaultdict(list)
        inner: dict[int, list[Pair]] = defaultdict(list)
        for rank, parent in sorted(self.parents.items()):
            if parent is not None:
                src, dst = (rank, parent) if self.role == "up" else (parent, rank)
                ends = self.first[src], self.first[dst]
                (inner[ends[0]] if ends[0] == ends[1] else outer[ends]).append((src, dst))
        return outer, inner

    def _weight(self, pairs: Sequence[Pair]) -> Row | None:
        """Sums over edges, in the columns of tree-edges that can be added; None in a tree that did not run."""
        if not self.edges:
            return None
        rows = [self.edges.get(pair, _NO_HOP) for pair in pairs]
        if len(rows) == 1:
            return {**rows[0], "share": rows[0]["share"] or 0}
        return {name: sum(row.get(name) or 0 for row in rows) for name in ("hops", "time_ns", "share")}

    def _edge(
        self, ends: Pair, pairs: Sequence[Pair], weight: Row | None, places: Mapping[int, Point], largest: float
    ) -> PlacedEdge:
        src, dst = ends
        child = self.first[pairs[0][self.role == "down"]]
        kind = _link(self.rows[src], self.rows[dst])
        if len(pairs) == 1:
            text, lead = words.of_edge(*pairs[0], kind, weight), None
        else:
            text = words.of_edges(len(pairs), self._name(src), self._name(dst), kind, weight)
            # At least one end is a folded host; otherwise there would be only one edge.
            host = next(self.rows[end]["host"] for end in (child, src, dst) if len(self.circles[end]) > 1)
            lead = (self.fold.opening(host), f"open {host}")
        share = weight["share"] if weight else 0
        width = 2.4 if weight is None else 1.6 + (8 * share / largest if largest else 0)
        look = "unweighted" if weight is None else _share_look(share, largest)
        ways = (places[src], places[dst])
        return PlacedEdge(
            src, dst, *ways, kind, look, round(width, 2), text, share, child, pairs=tuple(pairs), lead=lead
        )

    def _name(self, circle: int) -> str:
        return str(self.rows[circle]["host"]) if len(self.circles[circle]) > 1 else f"rank {circle}"

    def _rank(self, circle: int, centre: Point, inner: Row | None, largest: float) -> PlacedRank:
        row, members = self.rows[circle], self.circles[circle]
        if len(members) == 1:
            text = words.of_rank(row, self.parents[circle], self.children[circle])
            return PlacedRank(circle, centre, self.parent_circles[circle] is None, text)
        marks = ["folded"]
        if largest and inner is not None and inner["share"]:
            marks.append(_share_look(inner["share"], largest))
        text = words.of_folded(row, members, inner)
        lead = (self.fold.opening(row["host"]), "open the host")
        return PlacedRank(circle, centre, False, text, tuple(marks), f"×{len(members)}", lead)


def _host(row: Row) -> tuple[str, str]:
    """A cluster and a host in it: hosts of two clusters may have the same name."""
    return str(row["cluster"]), str(row["host"])


def _share_look(share: float, largest: float) -> str:
    """The look of an edge with this share of the critical path; `largest` is the share at the end of the colours."""
    return f"share-{round((len(LIGHT_SHARES) - 1) * share / largest) if largest else 0}"


def _boxes(rows: Iterable[Row], places: Mapping[int, Point]) -> list[NamedBox]:
    """Boxes of clusters around their hosts' boxes, followed by boxes of hosts around their ranks."""
    circles: dict[tuple[str, str], list[Box]] = defaultdict(list)
    for row in rows:
        circles[_host(row)].append(circle_box(places[row["rank"]]))
    hosts = {host: enclosing_box(boxes, HOST_PADDING) for host, boxes in circles.items()}
    clusters: dict[str, list[Box]] = defaultdict(list)
    for (cluster, _), box in hosts.items():
        clusters[cluster].append(box)
    return [
        *(NamedBox("cluster", cluster, enclosing_box(boxes, CLUSTER_PADDING)) for cluster, boxes in clusters.items()),
        *(NamedBox("host", host, box) for (_, host), box in hosts.items()),
    ]


def _labelled(edges: Sequence[PlacedEdge], places: Mapping[int, Point], largest: float) -> list[PlacedEdge]:
    """Write the shares of the heavy edges near their children, where neither another text nor a rank is in the way.

    Edges are farther apart at the child's end than in the middle or at the parent.
    """
    heavy = sorted(
        (edge for edge in edges if largest and edge.share >= _LABELLED * largest), key=lambda edge: -edge.share
    )[:_MOST_LABELS]
    lines = [(edge.begin, edge.end) if edge.child == edge.src else (edge.end, edge.begin) for edge in heavy]
    texts = [quantities.share(edge.share) for edge in heavy]
    labels = {
        edge.name: replace(edge, text=text, text_at=middle)
        for edge, text, middle in zip(heavy, texts, place(lines, texts, list(places.values())), strict=True)
        if middle is not None
    }
    return [labels.get(edge.name, edge) for edge in edges]


def depth_of(rank: int, parents: Mapping[int, int | None]) -> int:
    """Give the number of edges from a rank to the root."""
    depth, ancestor = 0, parents[rank]
    # From a cycle there is no way to a root: stop rather than hang.
    while ancestor is not None and depth <= len(parents):
        depth, ancestor = depth + 1, parents.get(ancestor)
    return depth


def _link(row: Row, other_row: Row) -> str:
    """The link class between two rows of the table ranks."""
    equality = {f"same_{part}": bool(row[part] == other_row[part]) for part in ("rank", "host", "cluster")}
    return link_class(**equality)
