"""Finds the function in which ranks compute longer: divides the computing between calls of MPI by the run's regions.

The call tree is walked from the outermost function inwards, as long as one callee has most of the excess. Functions
that only lead to calls of MPI, such as main, are left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import pyarrow.compute as pc

from hopscope.dataset.call_tree import NO_PATH, CallTree, Visits
from hopscope.dataset.path_columns import MISSING, Array, integers
from hopscope.explain.diagnosis.computing import Cause
from hopscope.explain.diagnosis.rerun import Rerun
from hopscope.explain.diagnosis.sites import Gaps

_MOSTLY: Final = 0.5
"""The share of a cause's excess that a function has if it is named."""
_COMPUTES: Final = 0.98
"""A function computes, and does not only lead to calls of MPI, if this share of its time is computing."""


class Functions:
    """Divides the computing of a run by function."""

    def __init__(self, rerun: Rerun, gaps: Gaps) -> None:
        self._rerun = rerun
        self._gaps = gaps

    def of_cause(self, cause: Cause) -> tuple[str, ...]:
        """The functions in which the ranks of a cause compute longer, each called by the one before; empty if the trace
        has no regions, or if the excess is in none of them."""
        if self._tree is None:
            return ()
        excess = self._excess(cause)
        least_ns = _MOSTLY * float(cause.less_ns.sum())
        path, chain = NO_PATH, list[int]()
        while True:
            callees = np.flatnonzero((self._tree.outer_path == path) & (excess >= least_ns) & (excess > 0))
            if not len(callees):
                break
            path = int(callees[np.argmax(excess[callees])])
            chain.append(path)
        computing = [path for path in chain if self._computes[path]] or chain[-1:]
        return self._tree.functions(path)[-len(computing) :] if computing else ()

    @cached_property
    def _tree(self) -> CallTree | None:
        """The call tree of each rank's first thread; None without regions."""
        intervals, arrays = self._rerun.tables["intervals"], self._rerun.arrays
        lane = arrays["intervals.lane"]
        is_main = arrays["lanes.main_lane"][lane] == lane
        rows = np.flatnonzero(pc.equal(intervals["kind"], "region").to_numpy() & is_main)
        if not len(rows):
            return None
        names = intervals["region"].take(rows).combine_chunks().dictionary_encode()
        end = arrays["intervals.end_ns"][rows]
        return CallTree(
            Visits(
                lane[rows].astype(np.int64),
                integers(intervals, "depth")[rows],
                arrays["intervals.begin_ns"][rows],
                np.where(end == MISSING, np.iinfo(np.int64).max, end),
                names.indices.to_numpy().astype(np.int64),
                names.dictionary.to_pylist(),
            )
        )

    @cached_property
    def _computes(self) -> Array:
        """For each path, True if its visits are spent computing."""
        assert self._tree is not None
        visits, path = self._tree.visits, self._tree.path
        last = self._gaps.end.max(initial=0)
        length = np.minimum(visits.end_ns, last) - np.minimum(visits.begin_ns, last)
        whole = np.bincount(path, length, minlength=len(self._tree.outer_path))
        return self._times(np.arange(len(self._gaps.rank))) >= _COMPUTES * whole

    def _excess(self, cause: Cause) -> Array:
        """By path, the time by which the cause's gaps exceed those of the other ranks at the same site; where other
        ranks have none, or the cause does not keep to its ranks, those without the cause."""
        assert self._tree is not None
        gaps, rows = self._gaps, np.unique(cause.gaps)
        is_cause = np.zeros(len(gaps.rank), bool)
        is_cause[rows] = True
        is_other_rank = ~np.isin(gaps.rank, cause.ranks)
        excess = np.zeros(len(self._tree.outer_path))
        for site in np.unique(gaps.site[rows]).tolist():
            at_site = gaps.site == site
            late_rows = np.flatnonzero(at_site & is_cause)
            reference = np.flatnonzero(at_site & is_other_rank)
            if not len(reference) or cause.kind in ("noise", "rotating-delay"):
                reference = np.flatnonzero(at_site & ~is_cause)
            excess += self._times(late_rows)
            if len(reference):
                excess -= self._times(reference) * len(late_rows) / len(reference)
        return excess

    def _times(self, rows: Array) -> Array:
        """The computing in these gaps, summed by path."""
        assert self._tree is not None
        visits, gaps, lanes = self._tree.visits, self._gaps, self._rerun.lanes
        overlap = np.zeros(len(visits.begin_ns))
        rank_of_visit = lanes.rank[visits.location]
        for rank in np.unique(gaps.rank[rows]).tolist():
            own_rows = rows[gaps.rank[rows] == rank]
            own_rows = own_rows[np.argsort(gaps.end[own_rows])]
            end, length = gaps.end[own_rows].astype(np.float64), gaps.computing[own_rows]
            moments = np.column_stack([end - length, end]).ravel()
            computed_ns = np.repeat(np.cumsum(length), 2)
            computed_ns[::2] -= length
            visited = np.flatnonzero(rank_of_visit == rank)
            begin, leave = (
                np.interp(times[visited], moments, computed_ns) for times in (visits.begin_ns, visits.end_ns)
            )
            overlap[visited] = leave - begin
        return np.bincount(self._tree.path, overlap, minlength=len(self._tree.outer_path))
