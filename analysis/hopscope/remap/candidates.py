"""The trees that remapping tries: every shape, and every hierarchy over the topology."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from hopscope import _plan
from hopscope.model.costs import HostPair
from hopscope.model.trees import ROOT, Shape, Tree, explicit
from hopscope.paths.columns import Array
from hopscope.remap.program import NO_ROOT, Subject

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

Plans = tuple[tuple[Tree, Tree], ...]
"""For each of the subject's roots the tree towards the root and the one from it."""


@dataclass(frozen=True)
class Candidate:
    """A pair of trees as the tree file writes them, made for the subject's ranks and roots."""

    name: str
    reduce: Shape
    broadcast: Shape
    segment_bytes: int
    plans: Plans

    def arrays(self) -> dict[str, Any]:
        """As `hopscope._paths.replay` takes it."""
        ups, downs = [up for up, _ in self.plans], [down for _, down in self.plans]
        return {
            "first_rank": np.cumsum([0, *(len(up.parents) for up in ups)]).astype(np.int64),
            **_flat("up", ups),
            **_flat("down", downs),
            "segment_bytes": self.segment_bytes,
        }

    def drawing(self) -> dict[str, list[int | None]]:
        """The trees up and down of the first root: the parent of each rank of the communicator, None at the root."""
        return {
            phase: [None if parent == ROOT else int(parent) for parent in tree.parents]
            for phase, tree in zip(("up", "down"), self.plans[0], strict=True)
        }

    def host_pairs(self, subject: Subject) -> set[HostPair]:
        """The pairs of hosts, lower host first, between which the subject's operations send messages."""
        hosts, operations = subject.hosts, set(subject.operations)
        up, down = operations != {"MPI_Bcast"}, operations != {"MPI_Reduce"}
        used = [tree for pair in self.plans for tree, is_used in zip(pair, (up, down), strict=True) if is_used]
        return {
            (min(hosts[rank], hosts[parent]), max(hosts[rank], hosts[parent]))
            for tree in used
            for rank, parent in enumerate(tree.parents)
            if parent != ROOT and hosts[rank] != hosts[parent]
        }

    def structure(self, subject: Subject) -> dict[str, int]:
        """Depth, fan-out and WAN crossings for the subject's operation."""
        up, down = self.plans[0]
        used = [up] * (subject.op != "MPI_Bcast") + [down] * (subject.op != "MPI_Reduce")
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


def _crossings(tree: Tree, clusters: tuple[int, ...]) -> list[int]:
    """WAN messages in sequence between each rank and the root."""
    crossings = [0] * len(tree.parents)
    for rank in tree.from_root():
        parent = tree.parents[rank]
        if parent != ROOT:
            crossings[rank] = crossings[parent] + (clusters[rank] != clusters[parent])
    return crossings


def _flat(direction: str, trees: list[Tree]) -> dict[str, Array]:
    children = [ordered for tree in trees for ordered in tree.children]
    return {
        f"{direction}_parent": np.asarray([p for tree in trees for p in tree.parents], np.int32),
        f"{direction}_first_child": np.cumsum([0, *(len(c) for c in children)]).astype(np.int64),
        f"{direction}_children": np.asarray([c for ordered in children for c in ordered], np.int32),
    }


def make(
    subject: Subject, reduce: Shape, broadcast: Shape | None = None, segment_bytes: int = 0, name: str | None = None
) -> Candidate:
    """A candidate of two shapes (or of one for both directions) for the subject's ranks and roots."""
    down = reduce if broadcast is None else broadcast
    label = reduce.name if down == reduce else f"{reduce.name} / {down.name}"
    if segment_bytes:
        label += f", segments of {segment_bytes} bytes"
    return Candidate(name or label, reduce, down, segment_bytes, plans_of(subject, reduce, down))


def plans_of(subject: Subject, reduce: Shape, broadcast: Shape) -> Plans:
    """The trees of two shapes for each root. Explicit trees keep their own where the operation has none."""

    def tree(shape: Shape, root: int, *, down: bool) -> Tree:
        own = shape.spec["parents"].index(None) if shape.spec["shape"] == "explicit" else 0
        place = own if root == NO_ROOT else root
        return shape.tree(place, broadcast=down, hosts=subject.hosts, clusters=subject.clusters)

    return tuple((tree(reduce, root, down=False), tree(broadcast, root, down=True)) for root in subject.roots)


def shapes(subject: Subject, segment_bytes: int = 0) -> Iterator[Candidate]:
    """Every known shape over the subject's ranks, each tree once."""
    seen: set[Plans] = set()
    for spec in (*SIMPLE, *_hierarchies(subject)):
        candidate = make(subject, Shape(spec), segment_bytes=segment_bytes)
        if candidate.plans not in seen:
            seen.add(candidate.plans)
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
    return Candidate(name, explicit(up), explicit(down), segment_bytes, plans)
