"""Parts of a drawing with their positions. A tree has ranks in boxes, and edges; an exchange has lanes, columns and
edges."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from hopscope_dashboard.figures.graphs.edge_labels import RADIUS, Box, Point
from hopscope_dashboard.figures.graphs.words import name_width, shown_name

Pair = tuple[int, int]
"""Sender and receiver of an edge."""

BY_LINK: Final = "by-link"
"""Look of an edge that has the colour of its link class."""
KEPT: Final = "kept"
CHANGED: Final = "changed"
"""Looks of an edge that the drawing compared with this one also has (kept), or lacks (changed)."""

HOST_PADDING: Final = 20.0
CLUSTER_PADDING: Final = 34.0
_CHANGED_WIDTH: Final = 3.0
_NAME_ROOM: Final = 28
"""Height of the name over a box, with a margin to the drawing's frame."""
_TITLE_ROOM: Final = 34
_LABEL_CHARACTER: Final = 8.0
"""Width of a character of a lane's label, in pixels."""


@dataclass(frozen=True)
class PlacedRank:
    """A rank: the centre of its circle, and its description."""

    rank: int
    centre: Point
    root: bool
    description: str
    marks: tuple[str, ...] = ()
    text: str = ""
    """Text in the circle; if empty, the rank."""
    lead: tuple[str, str] | None = None
    """Address and action of a click; if None, a click selects the rank."""

    @property
    def name(self) -> str:
        """Name of the part of the drawing."""
        return f"rank-{self.rank}"


@dataclass(frozen=True)
class PlacedEdge:
    """An edge, drawn from the sender of its messages to their receiver."""

    src: int
    dst: int
    begin: Point
    end: Point
    link: str
    look: str
    width: float
    description: str
    share: float = 0
    child: int | None = None
    """The end of the edge that is farther from the root, in a tree."""
    column: int | None = None
    """In an exchange, the number of its column."""
    text: str = ""
    text_at: Point = (0, 0)
    pairs: tuple[Pair, ...] = ()
    """The edges between ranks that this edge stands for; if empty, the edge from src to dst."""
    lead: tuple[str, str] | None = None
    """Address and action of a click; if None, a click leads to the hops between the two ranks."""

    @property
    def name(self) -> str:
        """Name of the part of the drawing."""
        return f"edge-{self.src}-{self.dst}" + ("" if self.column is None else f"-{self.column}")

    @property
    def parent(self) -> int:
        """The rank nearer to the root."""
        return self.src if self.child == self.dst else self.dst


@dataclass(frozen=True)
class NamedBox:
    """A box around the ranks of a host or a cluster. Its name is above it or, in a drawing with lanes, beside it."""

    kind: str
    name: str
    box: Box


@dataclass(frozen=True)
class Column:
    """One round, or several successive rounds over the same edges."""

    title: str
    left: float
    right: float


@dataclass(frozen=True)
class Folding:
    """The hosts of a tree of many ranks, each drawn as one circle until the user opens it."""

    hosts: int
    ranks: int
    folded_ranks: int
    opened: tuple[str, ...]
    """The hosts that were opened, by name, in the order of opening."""


@dataclass(frozen=True)
class Graph:
    """A tree or an exchange."""

    edges: tuple[PlacedEdge, ...]
    ranks: tuple[PlacedRank, ...] = ()
    boxes: tuple[NamedBox, ...] = ()
    """The boxes; a box comes before the boxes inside it."""
    lanes: tuple[tuple[str, float], ...] = ()
    """Label and position of each lane, from the top; the label is empty where there is no room for it."""
    columns: tuple[Column, ...] = ()
    pitch: float = 0
    """Distance from a lane to the next."""
    largest_share: float = 0
    """The share of the critical path at the end of the scale of colours; 0 if no edge is on the path."""
    folding: Folding | None = None
    """Hosts drawn as one circle each; None if all ranks are drawn."""
    left_out: str = ""
    """Sentences on what is not drawn; empty if all is drawn."""

    @property
    def bounds(self) -> Box:
        """Extent of the drawing, names and labels included."""
        if self.lanes:
            wide = max(len(shown_name(label)) for label, _ in self.lanes) * _LABEL_CHARACTER
            aside = max((name_width(box.name) for box in self.boxes), default=-18)
            bottom = self.lanes[-1][1] + max(self.pitch / 2, 12) + 6
            return (-wide - 16, -self.pitch / 2 - _TITLE_ROOM, self.columns[-1].right + aside + 34, bottom)
        left, top, right, bottom = enclosing_box((box.box for box in self.boxes), 6)
        wide_names = [(sum(box.box[::2]) / 2, name_width(box.name) / 2 + 6) for box in self.boxes]
        return (
            min(left, *(middle - half for middle, half in wide_names)),
            top - _NAME_ROOM + 6,
            max(right, *(middle + half for middle, half in wide_names)),
            bottom,
        )


def enclosing_box(boxes: Iterable[Box], padding: float) -> Box:
    """Give the box around other boxes, `padding` pixels wider on each side."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return (min(left) - padding, min(top) - padding, max(right) + padding, max(bottom) + padding)


def circle_box(centre: Point) -> Box:
    """Give the box of a rank's circle."""
    return (centre[0] - RADIUS, centre[1] - RADIUS, centre[0] + RADIUS, centre[1] + RADIUS)


def with_changes(graph: Graph, other_edges: AbstractSet[Pair], run: str) -> Graph:
    """Mark each edge that is not among `other_edges`, those of the compared drawing; `run` is the name of this
    drawing's run."""

    def marked(edge: PlacedEdge) -> PlacedEdge:
        pairs = edge.pairs or ((edge.src, edge.dst),)
        changed = sum(pair not in other_edges for pair in pairs)
        if not changed:
            return replace(edge, look=KEPT)
        phrase = "this edge" if len(pairs) == 1 else f"{changed} of these edges"
        text = f"{edge.description} Only the {run} run has {phrase}."
        return replace(edge, look=CHANGED, width=max(edge.width, _CHANGED_WIDTH), description=text)

    return replace(graph, edges=tuple(map(marked, graph.edges)))


def with_delay(graph: Graph, *, delayed: Pair, absorber: int | None, delaying_edge: Pair | None) -> Graph:
    """Mark the edge of a delayed hop, the rank that absorbed most of its delay, and the edge of the later hop that this
    rank was waiting for anyway."""
    marks = {delayed: ("delayed", 6.0, "The delayed hop")}
    if delaying_edge is not None:
        marks[delaying_edge] = ("behind", 4.0, "Most was absorbed behind it")

    def edge(plain: PlacedEdge) -> PlacedEdge:
        if (plain.src, plain.dst) not in marks:
            return plain
        look, width, sentence = marks[plain.src, plain.dst]
        return replace(plain, look=look, width=width, description=f"{plain.description} {sentence}.")

    def rank(plain: PlacedRank) -> PlacedRank:
        if plain.rank != absorber:
            return plain
        return replace(
            plain, marks=("absorber",), description=f"{plain.description} Most of the delay was absorbed here."
        )

    return replace(graph, edges=tuple(map(edge, graph.edges)), ranks=tuple(map(rank, graph.ranks)))
