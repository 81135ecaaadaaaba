"""Trees over the ranks of a communicator, built by the collector's own code (`hopscope.native._plan`).

Parents and the order of children are those that the engine executes, so that a predicted tree is the tree that runs.
Ranks are those of the communicator.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hopscope.native import _plan

ROOT = -1
"""The parent of the root."""

WITH_FAN_OUT = frozenset(shape.name for shape in _plan.shapes() if shape.counts)
"""The shapes that take a `fan_out`."""


@dataclass(frozen=True)
class Tree:
    """One direction of a collective: the parent of each rank (ROOT at the root) and each rank's children in order."""

    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]

    @property
    def root(self) -> int:
        """The rank without a parent."""
        return self.parents.index(ROOT)

    def depths(self) -> list[int]:
        """Hops from each rank to the root."""
        depths = [0] * len(self.parents)
        for rank in self.from_root():
            if self.parents[rank] != ROOT:
                depths[rank] = depths[self.parents[rank]] + 1
        return depths

    def from_root(self) -> list[int]:
        """Every rank, parents before their children."""
        order = [self.root]
        for rank in order:
            order.extend(self.children[rank])
        return order

    def rerooted(self, root: int, *, broadcast: bool) -> Tree:
        """The same edges from another root; the old parent comes first in a broadcast and last in a reduce."""
        alike = [0] * len(self.parents)
        return explicit(self).tree(root, broadcast=broadcast, hosts=alike, clusters=alike)


@dataclass(frozen=True)
class Shape:
    """A tree as the tree file writes it: a simple shape, a hierarchy, or explicit parents."""

    spec: dict[str, Any]

    @property
    def name(self) -> str:
        """A short name, such as kary:4; of a hierarchy with the levels that are not flat."""
        kind = self.spec["shape"]
        if kind == "hierarchical":
            levels = {
                level: _level_name(self.spec[level]) for level in ("clusters", "hosts", "ranks") if level in self.spec
            }
            return " ".join(["hierarchical", *(f"{level}={name}" for level, name in levels.items() if name != "flat")])
        return _level_name(self.spec)

    @cached_property
    def _rule(self) -> _plan.Tree:
        return _plan.Tree(json.dumps(self.spec).encode())

    def tree(self, root: int, *, broadcast: bool, hosts: Sequence[int], clusters: Sequence[int]) -> Tree:
        """The tree over len(hosts) ranks for this root and direction; hosts and clusters number each rank's own."""
        return Tree(*self._rule.places(root, broadcast, hosts, clusters))


def explicit(tree: Tree) -> Shape:
    """A tree as parents and, where it is not ascending, the order of children."""
    children = {
        str(rank): list(ordered) for rank, ordered in enumerate(tree.children) if list(ordered) != sorted(ordered)
    }
    spec: dict[str, Any] = {"shape": "explicit", "parents": [None if p == ROOT else p for p in tree.parents]}
    return Shape({**spec, "children": children} if children else spec)


def _level_name(level: dict[str, Any]) -> str:
    shape = str(level["shape"])
    return f"{shape}:{level['fan_out']}" if shape in WITH_FAN_OUT else shape
