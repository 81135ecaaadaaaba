"""Places a tree on the topology: ranks in boxes of their host, hosts in boxes of their cluster. An edge's colour and
width are its share of the critical path, its line its link class.

A rank's height is its depth in the tree, its column its host, so the drawing reads as a tree and shows which edges
leave a host or a cluster. `tree_svg` draws what is placed here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from hopscope.format import quantities
from hopscope.vocabulary.links import link_class

from hopscope_dashboard.figures import tree_words
from hopscope_dashboard.figures.edge_labels import RADIUS, Box, Point, place
from hopscope_dashboard.figures.svg_parts import BY_LINK
from hopscope_dashboard.palette import LIGHT_SHARES

Row = dict[str, Any]

ROW: Final = 92
COLUMN: Final = 82
"""From a rank to the one below it or beside it, in pixels."""
_HOST_GAP = 58
CLUSTER_GAP: Final = 64
HOST_PADDING: Final = 20.0
CLUSTER_PADDING: Final = 34.0
_NAME: Final = 8.6
"""Width of a character of a box's name, in pixels, and at most this many characters of it."""
_LONGEST: Final = 40
NAME_ROOM: Final = 28
"""Height of a box's name over it, with a margin to the drawing's frame."""
_LEAST_SCALE = 0.01
"""The heaviest edge of a tree that weighs next to nothing must not look like one that matters."""
_LABELLED = 0.2
"""Part of the heaviest edge's share from which on an edge is labelled; the others have a tooltip."""
_MOST_LABELS = 40
"""Edges labelled with their share at most: more texts would be a pattern and no figures."""


@dataclass(frozen=True)
class PlacedRank:
    """A rank: the centre of its circle, and its description."""

    rank: int
    centre: Point
    root: bool
    description: str
    marks: tuple[str, ...] = ()
    text: str = ""
    """Text in the circle, if not the rank."""
    lead: tuple[str, str] | None = None
    """Address and action of a click, if it does not select the rank."""


@dataclass(frozen=True)
class PlacedEdge:
    """An edge: its two ranks in the direction of its messages, its look, and its description."""

    src: int
    dst: int
    child: int
    link: str
    share: float
    width: float
    look: str
    description: str
    text: str = ""
    text_at: float = 0
    """Position of the text's middle: pixels from the child along the edge."""
    pairs: tuple[tuple[int, int], ...] = ()
    """The edges between ranks that it stands for, if not its own two."""
    lead: tuple[str, str] | None = None
    """Address and action of a click, if not the hops of its two ranks."""

    @property
    def parent(self) -> int:
        """The rank nearer to the root."""
        return self.src if self.child == self.dst else self.dst


@dataclass(frozen=True)
class PlacedBox:
    """The box of a host or a cluster, with its name over it."""

    kind: str
    name: str
    box: Box


@dataclass(frozen=True)
class Folding:
    """The hosts of a tree of many ranks, each drawn as one until it is opened."""

    hosts: int
    ranks: int
    folded_ranks: int
    opened: tuple[str, ...]
    """The hosts that were opened, by name, in the order of opening."""


@dataclass(frozen=True)
class PlacedTree:
    """A tree, ready to be drawn. The boxes that are around others come first."""

    boxes: tuple[PlacedBox, ...]
    edges: tuple[PlacedEdge, ...]
    ranks: tuple[PlacedRank, ...]
    largest_share: float = 0
    """The share of the critical path at the end of the scale of colours; 0 if no edge has any."""
    folding: "Folding | None" = None
    """Hosts drawn as one; None if all ranks are drawn."""

    @property
    def bounds(self) -> Box:
        """Extent of the drawing, the names of its boxes included."""
        left, top, right, bottom = _enclosing_box((placed_box.box for placed_box in self.boxes), 0)
        wide = [(sum(placed_box.box[::2]) / 2, name_width(placed_box.name) / 2) for placed_box in self.boxes]
        return (
            min(left, *(middle - half for middle, half in wide)) - 6,
            top - NAME_ROOM,
            max(right, *(middle + half for middle, half in wide)) + 6,
            bottom + 6,
        )


def placed_tree(
    *,
    ranks: Sequence[Row],
    parents: Mapping[int, int | None],
    edges: Mapping[tuple[int, int], Row],
    role: str,
    by_link: bool = False,
) -> PlacedTree:
    """Place one tree.

    `ranks` has rank, host and cluster; `parents` the parent of each rank of the tree (None at the root), both as
    trace-wide ranks; `edges` the rows of tree-edges by directed edge (src, dst), none for a tree that did not run.
    `role` up draws from child to parent, down the other way. The colour of an edge is its share of the critical path
    or, `by_link`, its link class.
    """
    of_rank = {row["rank"]: row for row in ranks}
    placed = [of_rank.get(rank, {"rank": rank, "host": "?", "cluster": "?"}) for rank in sorted(parents)]
    places = positions(placed, parents)
    largest = heaviest(parents, edges, role)
    drawn_edges: list[PlacedEdge] = []
    for rank, parent in sorted(parents.items()):
        if parent is not None:
            src, dst = (rank, parent) if role == "up" else (parent, rank)
            link = link_between(of_rank.get(src), of_rank.get(dst))
            # A tree that did not run has no weights: all its edges are alike.
            weight = edges.get((src, dst), NO_HOP) if edges else None
            edge = placed_edge(
                (src, dst),
                rank,
                link,
                row=weight,
                largest=largest,
                description=tree_words.of_edge(src, dst, link, weight),
            )
            drawn_edges.append(replace(edge, look=BY_LINK) if by_link else edge)
    children: dict[int, list[int]] = defaultdict(list)
    for rank, parent in sorted(parents.items()):
        if parent is not None:
            children[parent].append(rank)
    return PlacedTree(
        tuple(boxes(placed, places)),
        tuple(labelled(drawn_edges, places, largest)),
        tuple(
            PlacedRank(
                row["rank"],
                places[row["rank"]],
                parents[row["rank"]] is None,
                tree_words.of_rank(row, parents[row["rank"]], children[row["rank"]]),
            )
            for row in placed
        ),
        largest,
    )


def heaviest(parents: Mapping[int, int | None], edges: Mapping[tuple[int, int], Row], role: str) -> float:
    """Give the end of the colour scale: the largest share of an edge of the tree, 1 % at least; 0 if none has any."""
    pairs = {(rank, parent) if role == "up" else (parent, rank) for rank, parent in parents.items()}
    return scale((row["share"] or 0 for pair, row in edges.items() if pair in pairs))


def scale(shares: Iterable[float]) -> float:
    """Give the end of the colour scale for these shares, 1 % at least; 0 if none is any."""
    largest = max(shares, default=0)
    return max(largest, _LEAST_SCALE) if largest else 0


def positions(ranks: Sequence[Row], parents: Mapping[int, int | None]) -> dict[int, Point]:
    """Position of each rank, in pixels: x by cluster, host and place within it, y by depth in the tree."""
    depth = {rank: depth_of(rank, parents) for rank in parents}
    hosts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in ranks:
        hosts[row["cluster"], row["host"]].append(row["rank"])
    places: dict[int, Point] = {}
    x = 0.0
    for cluster in dict.fromkeys(cluster for cluster, _ in hosts):
        wide = {key: _widest(members, depth) for key, members in hosts.items() if key[0] == cluster}
        # Names that are longer than their boxes must not lie on one another: a box keeps that much away from the next.
        spare = {key: max(0.0, name_width(key[1]) - host_width(columns)) / 2 for key, columns in wide.items()}
        width = sum(host_width(columns) + 2 * spare[key] for key, columns in wide.items())
        width += _HOST_GAP * (len(wide) - 1) + 2 * CLUSTER_PADDING
        aside = max(0.0, name_width(cluster) - width) / 2
        x += aside
        for key, columns in wide.items():
            x += spare[key]
            places |= _in_columns(hosts[key], depth, x, columns)
            x += host_width(columns) + spare[key] + _HOST_GAP
        x += aside + CLUSTER_GAP
    return places


def _in_columns(ranks: Sequence[int], depth: Mapping[int, int], x: float, columns: int) -> dict[int, Point]:
    """Positions of one host's ranks: those of one depth side by side, in the middle of the host's columns."""
    by_depth: dict[int, list[int]] = defaultdict(list)
    for rank in sorted(ranks):
        by_depth[depth[rank]].append(rank)
    # Even and odd levels lean to different sides, so that an edge to the rank two levels below does not run through
    # the one between.
    return {
        rank: (x + (position + (columns - len(members)) / 2 + (0.22 if level % 2 else -0.22)) * COLUMN, level * ROW)
        for level, members in by_depth.items()
        for position, rank in enumerate(members)
    }


def _widest(ranks: Sequence[int], depth: Mapping[int, int]) -> int:
    """Largest number of these ranks with one depth."""
    return max(Counter(depth[rank] for rank in ranks).values())


def host_width(columns: int) -> float:
    """Width of a host's box with this many ranks side by side, in pixels."""
    return (columns - 1) * COLUMN + 2 * (RADIUS + HOST_PADDING)


def with_delay(
    tree: PlacedTree, *, delayed: tuple[int, int], absorber: int | None, delaying_edge: tuple[int, int] | None
) -> PlacedTree:
    """The tree with the edge of a delayed hop marked, the rank that absorbed most of its delay, and the edge of the
    hop that was later there."""
    marked = {delayed: ("delayed", 6.0, "The delayed hop")}
    if delaying_edge is not None:
        marked[delaying_edge] = ("behind", 4.0, "Most was absorbed behind it")

    def edge(placed: PlacedEdge) -> PlacedEdge:
        if (placed.src, placed.dst) not in marked:
            return placed
        look, width, sentence = marked[placed.src, placed.dst]
        return replace(placed, look=look, width=width, description=f"{placed.description} {sentence}.")

    def rank(placed: PlacedRank) -> PlacedRank:
        if placed.rank != absorber:
            return placed
        return replace(
            placed, marks=("absorber",), description=f"{placed.description} Most of the delay was absorbed here."
        )

    return replace(tree, edges=tuple(map(edge, tree.edges)), ranks=tuple(map(rank, tree.ranks)))


def crossings(ranks: Sequence[Row], parents: Mapping[int, int | None]) -> int:
    """Number of edges of a tree that run between clusters."""
    of_rank = {row["rank"]: row for row in ranks}
    return sum(
        link_between(of_rank.get(rank), of_rank.get(parent)) == "wan"
        for rank, parent in parents.items()
        if parent is not None
    )


def most_in_a_row(parents: Mapping[int, int | None], cluster_of: Mapping[int, str]) -> int:
    """Give the most crossings between clusters on the way from any rank to the root."""
    peak = 0
    for rank in parents:
        current, crossed, steps = rank, 0, 0
        while (parent := parents.get(current)) is not None and steps <= len(parents):
            crossed += cluster_of.get(current) != cluster_of.get(parent)
            current, steps = parent, steps + 1
        peak = max(peak, crossed)
    return peak


def shown_name(name: str) -> str:
    """Give a box's name as it is drawn: a very long one without its middle."""
    half = _LONGEST // 2 - 1
    return name if len(name) <= _LONGEST else f"{name[:half]} … {name[-half:]}"


def name_width(name: str) -> float:
    """Largest width of a box's name, in pixels."""
    return len(shown_name(name)) * _NAME


def boxes(ranks: Sequence[Row], places: Mapping[int, Point]) -> list[PlacedBox]:
    """Give the boxes of clusters, around those of their hosts, and of hosts, around their ranks."""
    circles_of: dict[tuple[str, str], list[Box]] = defaultdict(list)
    for row in ranks:
        x, y = places[row["rank"]]
        circles_of[row["cluster"], row["host"]].append((x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS))
    hosts = {key: _enclosing_box(circles, HOST_PADDING) for key, circles in circles_of.items()}
    clusters = {
        cluster: _enclosing_box((box for key, box in hosts.items() if key[0] == cluster), CLUSTER_PADDING)
        for cluster, _ in hosts
    }
    return [
        *(PlacedBox("cluster", str(cluster), box) for cluster, box in clusters.items()),
        *(PlacedBox("host", str(host), box) for (_, host), box in hosts.items()),
    ]


def _enclosing_box(boxes: Iterable[Box], padding: float) -> Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return (min(left) - padding, min(top) - padding, max(right) + padding, max(bottom) + padding)


NO_HOP: Final[Row] = {"share": 0.0}
"""The weight of an edge that carried no hop, of a tree that ran."""


def placed_edge(
    pair: tuple[int, int], child: int, link: str, *, row: Row | None, largest: float, description: str
) -> PlacedEdge:
    """Draw an edge by its row of tree-edges, None in a tree that did not run; `largest` is the share that is drawn
    widest."""
    share = (row["share"] or 0) if row is not None else 0
    width = 2.4 if row is None else 1.6 + (8 * share / largest if largest else 0)
    look = "unweighted" if row is None else share_look(share, largest)
    return PlacedEdge(*pair, child, link, share, round(width, 2), look, description)


def share_look(share: float, largest: float) -> str:
    """Give the look of a share of the critical path, by its colour, `largest` being the end of the scale."""
    return f"share-{round((len(LIGHT_SHARES) - 1) * share / largest) if largest else 0}"


def labelled(edges: Sequence[PlacedEdge], places: Mapping[int, Point], largest: float) -> list[PlacedEdge]:
    """Write the shares of the heavy edges beside their children, where no other text and no rank is in the way.

    At the child's end edges are further apart than in the middle or at the parent.
    """
    heavy = sorted(
        (edge for edge in edges if largest and edge.share >= _LABELLED * largest), key=lambda edge: -edge.share
    )
    heavy = heavy[:_MOST_LABELS]
    lines = [(places[edge.child], places[edge.parent]) for edge in heavy]
    texts = [quantities.share(edge.share) for edge in heavy]
    labelled_edges = {
        (edge.src, edge.dst): replace(edge, text=text, text_at=distance)
        for edge, text, distance in zip(heavy, texts, place(lines, texts, list(places.values())), strict=True)
        if distance is not None
    }
    return [labelled_edges.get((edge.src, edge.dst), edge) for edge in edges]


def depth_of(rank: int, parents: Mapping[int, int | None]) -> int:
    """Number of edges from a rank to the root."""
    depth, ancestor = 0, parents[rank]
    # A tree with a cycle never reaches a root: stop rather than hang.
    while ancestor is not None and depth <= len(parents):
        depth, ancestor = depth + 1, parents.get(ancestor)
    return depth


def link_between(row: Row | None, other_row: Row | None) -> str:
    """Give the link class between two rows of the table ranks; None is an unknown rank."""
    if row is None or other_row is None:
        return link_class(same_rank=False, same_host=False, same_cluster=False)
    equality = {f"same_{part}": bool(row[part] == other_row[part]) for part in ("rank", "host", "cluster")}
    return link_class(**equality)
