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


def _level_name(level: dict[str, Any]) -> str:
    shape = str(level["shape"])
    return f"{shape}:{level['fan_out']}" if shape in WITH_FAN_OUT else shape
