"""What remapping tries: every shape of tree, every hierarchy over the topology, and every other algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from hopscope import _plan
from hopscope.model.costs import HostPair
from hopscope.model.sequences import lay
from hopscope.model.trees import ROOT, Shape, Tree, explicit
from hopscope.remap.candidates.laid import Messages, counted, drawn_as_trees, host_pairs_of, messages_of, structure_of
from hopscope.remap.run.calls import NO_ROOT, Call
from hopscope.remap.run.operations import OPERATION
from hopscope.remap.run.program import Subject

FAN_OUTS = {"kary": range(3, 9)}
"""What is tried of the shapes that take a number; `binary` is kary:2."""
_SHAPES = [shape for shape in _plan.shapes() if shape.is_simple and not shape.same_as]
SIMPLE: tuple[dict[str, Any], ...] = tuple(
    {"shape": shape.name, **number}
    for shape in _SHAPES
    for number in ([{"fan_out": k} for k in FAN_OUTS.get(shape.name, ())] if shape.counts else [{}])
)
LEVEL: tuple[dict[str, Any], ...] = tuple({"shape": shape.name} for shape in _SHAPES if not shape.counts)
"""What is tried at each level of a hierarchy."""
LARGEST_LEVEL_BY_LEVEL = 64
"""Hierarchies are combined freely up to this many ranks; beyond, all levels have one shape."""
TREE = "tree"
"""What trees are called among the algorithms."""

Plans = tuple[tuple[Tree, Tree], ...]
"""For each of the subject's roots the tree towards the root and the one from it; none of what is no tree."""


@dataclass(frozen=True)
class Candidate:
    """A rule as tree files have it, but for its operations and ranges, with the trees that it names."""

    name: str
    rule: dict[str, Any]
    trees: dict[str, dict[str, Any]]
    operations: tuple[str, ...]  # of the subject's; the others stay as they are
    plans: Plans = ()

    @property
    def segment_bytes(self) -> int:
        """0: messages are sent whole."""
        return int(self.rule.get("segment_bytes", 0))

    @property
    def algorithm(self) -> str:
        """As in tree files; `tree` for trees."""
        return str(self.rule.get("algorithm", TREE))

    @property
    def named(self) -> int:
        """How many algorithms it names; a library's setting may have one for each of several levels."""
        return 1

    def lay(self, subject: Subject, call: Call) -> _plan.Schedules:
        """What every rank does in such a call. Raises ValueError where the rule cannot run it."""
        root = None if call.root == NO_ROOT else call.root
        return lay(self.rule, call.op, call.lengths, subject.hosts, subject.clusters, root=root, trees=self.trees)

    def drawing(self, subject: Subject) -> dict[str, list[int | None]] | None:
        """The trees up and down of the first root: the parent of each rank of the communicator, None at the root. None
        where messages do not go along a tree."""
        if not self.plans:
            return drawn_as_trees(self.lay(subject, longest(subject)))
        return {
            role: [None if parent == ROOT else int(parent) for parent in tree.parents]
            for role, tree in zip(("up", "down"), self.plans[0], strict=True)
        }

    def host_pairs(self, subject: Subject) -> set[HostPair]:
        """The pairs of hosts, from and to, between which the operations that it runs send messages."""
        if not self.plans:
            return {pair for sent in self.messages(subject) for pair in host_pairs_of(sent, subject.hosts)}
        hosts = subject.hosts
        up, down = (
            {
                (hosts[rank], hosts[parent])
                for tree in trees
                for rank, parent in enumerate(tree.parents)
                if is_used and parent != ROOT and hosts[rank] != hosts[parent]
            }
            for trees, is_used in zip(zip(*self.plans, strict=True), _ways(self.operations), strict=True)
        )
        return up | {(parent, child) for child, parent in down}

    def messages(self, subject: Subject) -> list[Messages]:
        """Of each kind of call that it runs."""
        return [messages_of(self.lay(subject, call)) for call in subject.calls if call.op in self.operations]

    def last_messages(self, subject: Subject) -> Counter[tuple[int, int, int]]:
        """Sender, receiver and bytes of each message of the subject's last collective, but for those to oneself."""
        sent = messages_of(self.lay(subject, subject.calls[subject.call_of[-1]]))
        return counted(sent.src, sent.dst, sent.size)

    def structure(self, subject: Subject) -> dict[str, int | None]:
        """Depth, fan-out and WAN crossings for the subject's operation."""
        if not self.plans:
            return structure_of(self.lay(subject, longest(subject)), subject.clusters)
        used = _used(self.plans, [subject.op])[0]
        crossings = [_crossings(tree, subject.clusters) for tree in used]
        return {
            "depth": max(max(tree.depths()) for tree in used),
            "fan_out": max(max(len(c) for c in tree.children) for tree in used),
            "wan_crossings": sum(max(c) for c in crossings),
            "wan_messages": sum(
                parent != ROOT and subject.clusters[rank] != subject.clusters[parent]
                for tree in used
                for rank, parent in enumerate(tree.parents)
            ),
        }


def longest(subject: Subject) -> Call:
    """Of its operation."""
    return max(call for call in subject.calls if call.op == subject.op)


def served(algorithm: str, subject: Subject, *, cut: bool = False) -> tuple[str, ...]:
    """Of the subject's operations those that an algorithm serves; cut: and whose messages it cuts into segments."""
    rows = [row for row in _plan.algorithms() if row.name == algorithm and (row.cuts or not cut)]
    return tuple(op for op in subject.operations if any(op in row.operations for row in rows))


def _used(plans: Plans, operations: Collection[str]) -> list[tuple[Tree, ...]]:
    """Of each root's trees those along which these operations send."""
    is_used = _ways(operations)
    return [tuple(tree for tree, used in zip(pair, is_used, strict=True) if used) for pair in plans]


def _ways(operations: Collection[str]) -> tuple[bool, bool]:
    """Whether these operations send along the trees towards the root, and along those from it."""
    return (
        any(not OPERATION[op].only_down for op in operations),
        any(not OPERATION[op].only_up for op in operations),
    )


def _crossings(tree: Tree, clusters: tuple[int, ...]) -> list[int]:
    """WAN messages in sequence between each rank and the root."""
    crossings = [0] * len(tree.parents)
    for rank in tree.from_root():
        parent = tree.parents[rank]
        if parent != ROOT:
            crossings[rank] = crossings[parent] + (clusters[rank] != clusters[parent])
    return crossings


def make(
    subject: Subject, reduce: Shape, broadcast: Shape | None = None, segment_bytes: int = 0, name: str | None = None
) -> Candidate:
    """A candidate of two shapes (or of one for both directions) for the subject's ranks and roots."""
    down = reduce if broadcast is None else broadcast
    label = name or (reduce.name if down == reduce else f"{reduce.name} / {down.name}")
    whole = _of_shapes(label, subject, reduce, down, plans_of(subject, reduce, down))
    return segmented(whole, segment_bytes) if segment_bytes else whole


def _of_shapes(name: str, subject: Subject, reduce: Shape, broadcast: Shape, plans: Plans) -> Candidate:
    trees = {"reduce": reduce.spec, "broadcast": broadcast.spec}
    rule = {"reduce_tree": "reduce", "broadcast_tree": "broadcast"}
    return Candidate(name, rule, trees, served(TREE, subject), plans)


def segmented(candidate: Candidate, segment_bytes: int) -> Candidate:
    """The same with messages cut into segments."""
    rule = {**candidate.rule, "segment_bytes": segment_bytes}
    return replace(candidate, name=f"{candidate.name}, segments of {segment_bytes} bytes", rule=rule)


def plans_of(subject: Subject, reduce: Shape, broadcast: Shape) -> Plans:
    """The trees of two shapes for each root. Explicit trees keep their own where the operation has none."""

    def tree(shape: Shape, root: int, *, down: bool) -> Tree:
        own = shape.spec["parents"].index(None) if shape.spec["shape"] == "explicit" else 0
        place = own if root == NO_ROOT else root
        return shape.tree(place, broadcast=down, hosts=subject.hosts, clusters=subject.clusters)

    return tuple((tree(reduce, root, down=False), tree(broadcast, root, down=True)) for root in subject.roots)


def shapes(subject: Subject) -> Iterator[Candidate]:
    """Every known shape over the subject's ranks, each tree once; none where its operation does not run over trees."""
    if subject.op not in served(TREE, subject):
        return
    seen: set[tuple[tuple[Tree, ...], ...]] = set()
    for spec in (*SIMPLE, *_hierarchies(subject)):
        candidate = make(subject, Shape(spec))
        trees = tuple(_used(candidate.plans, candidate.operations))
        if trees not in seen:
            seen.add(trees)
            yield candidate


def _hierarchies(subject: Subject) -> Iterator[dict[str, Any]]:
    if len(set(subject.hosts)) == 1:
        return
    if len(subject.hosts) > LARGEST_LEVEL_BY_LEVEL:
        combinations = ((level, level, level) for level in LEVEL)
    else:
        combinations = product(LEVEL, LEVEL, LEVEL)
    for clusters, hosts, ranks in combinations:
        yield {"shape": "hierarchical", "clusters": clusters, "hosts": hosts, "ranks": ranks}


def of_trees(subject: Subject, name: str, up: Tree, down: Tree, segment_bytes: int = 0) -> Candidate:
    """A candidate of explicit trees."""

    def turned(tree: Tree, root: int, *, down: bool) -> Tree:
        return tree if root in (NO_ROOT, tree.root) else tree.rerooted(root, broadcast=down)

    plans = tuple((turned(up, root, down=False), turned(down, root, down=True)) for root in subject.roots)
    whole = _of_shapes(name, subject, explicit(up), explicit(down), plans)
    return replace(whole, rule={**whole.rule, "segment_bytes": segment_bytes}) if segment_bytes else whole
