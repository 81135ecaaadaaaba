"""The call tree of a run's regions: which visit encloses which, and the path of functions to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from hopscope.dataset.path_columns import Array, pair_places

NO_PATH: Final = -1
"""Represents a place outside all regions."""


@dataclass(frozen=True)
class Visits:
    """Visits to regions, which nest on each thread. Each array has one value per visit.

    location: the thread. depth: as in the table `intervals`. begin_ns, end_ns: times of one clock, not negative.
    name: the position of the region's name in `names`.
    """

    location: Array
    depth: Array
    begin_ns: Array
    end_ns: Array
    name: Array
    names: Sequence[str]


class CallTree:
    """The call tree of some visits."""

    def __init__(self, visits: Visits) -> None:
        self.visits = visits

    @cached_property
    def _levels(self) -> list[tuple[int, Array]]:
        """The rows at each depth, ascending; rows are in order of thread and begin."""
        visits = self.visits
        order = np.lexsort((visits.begin_ns, visits.location, visits.depth))
        depths, firsts = np.unique(visits.depth[order], return_index=True)
        return list(zip(depths.tolist(), np.split(order, firsts[1:]), strict=True)) if len(order) else []

    def _latest(self, level: Array, location: Array, time_ns: Array) -> Array:
        """The row at one level that began last on each thread by these times; -1 without any."""
        visits = self.visits
        place = pair_places(visits.location[level], visits.begin_ns[level], (location, time_ns), "right") - 1
        row = level[np.maximum(place, 0)]
        return np.where((place >= 0) & (visits.location[row] == location), row, -1)

    @cached_property
    def parent(self) -> Array:
        """The row of the visit around each visit; -1 without one."""
        visits = self.visits
        parent = np.full(len(visits.depth), -1)
        for number, (_, level) in enumerate(self._levels):
            orphans = level
            for _, outer in reversed(self._levels[:number]):  # the next level, unless a call of MPI lies between
                row = self._latest(outer, visits.location[orphans], visits.begin_ns[orphans])
                encloses = (row >= 0) & (visits.end_ns[row] >= visits.end_ns[orphans])
                parent[orphans[encloses]] = row[encloses]
                orphans = orphans[~encloses]
                if not len(orphans):
                    break
        return parent

    @cached_property
    def _numbered(self) -> tuple[Array, list[tuple[int, str]]]:
        """The number of each visit's path. Of each path, the number of the path around it and its last name."""
        visits, parent = self.visits, self.parent
        path = np.full(len(parent), NO_PATH)
        steps: list[tuple[int, str]] = []
        names = max(1, len(visits.names))
        for _, level in self._levels:
            outer = np.where(parent[level] >= 0, path[parent[level]], NO_PATH)
            codes, number = np.unique((outer + 1) * names + visits.name[level], return_inverse=True)
            path[level] = len(steps) + number
            steps += [(int(code) // names - 1, visits.names[int(code) % names]) for code in codes]
        return path, steps

    @property
    def path(self) -> Array:
        """The number of each visit's path. A path at several depths has a number at each."""
        return self._numbered[0]

    @property
    def outer_path(self) -> Array:
        """The number of the path around each path; -1 for the outermost."""
        return np.asarray([outer for outer, _ in self._numbered[1]], np.int64)

    def functions(self, path: int) -> tuple[str, ...]:
        """The names along a path, the outermost first."""
        names: list[str] = []
        while path != NO_PATH:
            path, name = self._numbered[1][path]
            names.append(name)
        return tuple(reversed(names))

    def path_at(self, location: Array, time_ns: Array) -> Array:
        """The path of the innermost visit around each of these times; -1 outside all regions."""
        path = np.full(len(time_ns), NO_PATH)
        for _, level in self._levels:
            row = self._latest(level, location, time_ns)
            encloses = (row >= 0) & (self.visits.end_ns[row] >= time_ns)
            path[encloses] = self.path[row[encloses]]
        return path
