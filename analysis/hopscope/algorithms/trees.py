"""Trees that MPI libraries and the engine use, and the messages that go along them.

Shapes that the engine knows come from its own code (`hopscope.native._plan`). This file adds further shapes of Open MPI
from J. Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations", Cluster Computing 10 (2007), and
from Open MPI's sources (coll_base_topo.c).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hopscope.algorithms.messages import DOWN, UP, Message, Pattern
from hopscope.native import _plan
from hopscope.native.trees import ROOT, Shape

_NAMES = {
    "flat": "linear",
    "k-chain": "chain",
    "kary": "k-ary",
    "binomial-mpich": "binomial",
    "binomial-lam": "binomial",
}
"""Names of algorithms, for shapes that have another name in the engine."""

_SMALLEST_COUNTS = {"kary": 3, "k-chain": 2}
"""The smallest numbers of children (kary) or chains (k-chain). With smaller numbers, these shapes equal others."""

_MOST_RADIX = 16


@dataclass(frozen=True)
class NamedTree:
    """A tree with the name of its shape. parents: the parent of each rank; ROOT for the root."""

    name: str
    parents: tuple[int, ...]
    fan_out: int | None = None

    @property
    def root(self) -> int:
        """The rank without a parent."""
        return self.parents.index(ROOT)

    def children(self) -> list[list[int]]:
        """Each rank's children."""
        children: list[list[int]] = [[] for _ in self.parents]
        for rank, parent in enumerate(self.parents):
            if parent != ROOT:
                children[parent].append(rank)
        return children

    def from_root(self) -> list[int]:
        """All ranks, parents before their children."""
        children, order = self.children(), [self.root]
        for rank in order:
            order.extend(children[rank])
        return order


def trees(root: int, hosts: Sequence[int], clusters: Sequence[int], *, down: bool, degree: int) -> Iterator[NamedTree]:
    """All known trees over len(hosts) ranks, in the order of preference. degree: the number of ranks with which the
    root exchanged messages. It is the fan-out of shapes that have one."""
    ranks = len(hosts)
    alike = [0] * ranks
    for shape in _plan.shapes():
        if (
            not shape.is_simple
            or shape.same_as
            or (shape.counts and not _SMALLEST_COUNTS[shape.name] <= degree < ranks - 1)
        ):
            continue
        spec = {"shape": shape.name, **({"fan_out": degree} if shape.counts else {})}
        parents = Shape(spec).tree(root, broadcast=down, hosts=alike, clusters=alike).parents
        yield NamedTree(_NAMES.get(shape.name, shape.name), parents, degree if shape.counts else None)
    # Open MPI's coll/basic gathers along the binomial tree in which LAM, an older library, broadcasts. Open MPI's
    # libnbc makes the tree for root 0, and then exchanges the root and rank 0.
    highest = [v - (1 << (v.bit_length() - 1)) if v else ROOT for v in range(ranks)]
    yield NamedTree("binomial", _shifted(highest, root))
    if root:
        for parents in (highest, [_clear_digit(v, 2) for v in range(ranks)]):
            yield NamedTree("binomial", _exchanged(parents, root))
    yield NamedTree("binary", _shifted(level_binary(ranks), root))
    yield NamedTree("in-order-binary", _in_order_binary(ranks))
    for radix in range(3, min(ranks - 1, _MOST_RADIX + 1)):
        yield NamedTree("k-nomial", _shifted([_clear_digit(v, radix) for v in range(ranks)], root), radix)
    if len(set(hosts)) > 1:
        for levels in _HIERARCHIES:
            spec = {"shape": "hierarchical", **levels}
            parents = Shape(spec).tree(root, broadcast=down, hosts=hosts, clusters=clusters).parents
            yield NamedTree("hierarchical", parents)


_HIERARCHIES = [
    {level: {"shape": shape} for level in ("clusters", "hosts", "ranks")}
    for shape in ("flat", "binomial-mpich", "binomial-lam", "chain", "binary")
]


def _shifted(parents: Sequence[int], root: int) -> tuple[int, ...]:
    """The tree for root `root`, made from a tree for root 0 by adding `root` to all ranks (modulo their number)."""
    ranks = len(parents)
    places = [(rank - root) % ranks for rank in range(ranks)]
    return tuple(ROOT if parents[v] == ROOT else (parents[v] + root) % ranks for v in places)


def _exchanged(parents: Sequence[int], root: int) -> tuple[int, ...]:
    """The tree for root `root`, made from a tree for root 0 by exchanging the ranks 0 and `root`."""
    place = {0: root, root: 0}
    places = [place.get(rank, rank) for rank in range(len(parents))]
    return tuple(ROOT if parents[v] == ROOT else places[parents[v]] for v in places)


def _clear_digit(v: int, radix: int) -> int:
    """The parent of v in a k-nomial tree: v with its lowest nonzero digit, to base `radix`, set to zero."""
    place = 1
    while v and v % (place * radix) == 0:
        place *= radix
    return v // (place * radix) * (place * radix) if v else ROOT


def level_binary(ranks: int) -> list[int]:
    """The parents in a binary tree in which a rank v on level l has the children v + 2^l and v + 2 * 2^l."""
    parents = [ROOT] * ranks
    for v in range(ranks):
        step = 1 << ((v + 1).bit_length() - 1)
        for child in (v + step, v + 2 * step):
            if child < ranks:
                parents[child] = v
    return parents


def _in_order_binary(ranks: int) -> tuple[int, ...]:
    """The parents in a binary tree with the last rank as root. A rank's descendants are the consecutive ranks right
    before it; their first and second half are its two subtrees. So a reduction keeps the order of ranks."""
    parents = [ROOT] * ranks
    waiting = [(0, ranks, ROOT)]
    while waiting:
        low, high, parent = waiting.pop()
        if high <= low:
            continue
        top = high - 1
        parents[top] = parent
        half = low + (high - low) // 2
        if high - low == 2:
            half = low
        waiting += [(low, half, top), (half, top, top)]
    return tuple(parents)


def pass_down(tree: NamedTree, segments: Sequence[int]) -> Pattern:
    """The pattern of a message from the root to all ranks, in segments. A rank passes on each segment as soon as it has
    received it. segments: their lengths in bytes."""
    order, messages = tree.from_root(), []
    for size in segments:
        arrivals: dict[int, tuple[int, ...]] = {}
        for rank in order[1:]:
            parent = tree.parents[rank]
            arrivals[rank] = (len(messages),)
            messages.append(Message(parent, rank, size, DOWN, arrivals.get(parent, ())))
    return Pattern(messages)


def pass_up(tree: NamedTree, segments: Sequence[int]) -> Pattern:
    """The pattern of a reduction towards the root, in segments. A rank sends a segment as soon as it has received this
    segment from all its children. segments: their lengths in bytes."""
    order, messages = tree.from_root(), []
    for size in segments:
        arrivals: dict[int, tuple[int, ...]] = {}
        for rank in reversed(order[1:]):
            parent = tree.parents[rank]
            number = len(messages)
            messages.append(Message(rank, parent, size, UP, arrivals.get(rank, ())))
            arrivals[parent] = (*arrivals.get(parent, ()), number)
    return Pattern(messages)


def blocks_along(tree: NamedTree, block: int, passing: Callable[[NamedTree, Sequence[int]], Pattern]) -> Pattern:
    """The pattern of a scatter or gather along a tree. Each message has the blocks of all ranks in a subtree. block:
    bytes of a rank's block. passing: pass_down to scatter, pass_up to gather."""
    subtree_sizes = [1] * len(tree.parents)
    for rank in reversed(tree.from_root()[1:]):
        subtree_sizes[tree.parents[rank]] += subtree_sizes[rank]
    whole = passing(tree, [0])

    def size(m: Message) -> int:
        return block * subtree_sizes[m.dst if tree.parents[m.dst] == m.src else m.src]

    return Pattern([m._replace(bytes=size(m)) for m in whole.messages])
