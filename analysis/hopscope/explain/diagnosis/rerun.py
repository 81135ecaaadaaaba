"""Replays a recorded run without some of its causes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import CAUSAL_TABLES, MISSING, Array, causal_arrays_of, lanes_of, pair_places
from hopscope.explain.diagnosis.entry import Cost, Site
from hopscope.native import _causal
from hopscope.vocabulary.mpi_functions import of_kinds
from hopscope.vocabulary.words import INTERVAL_KINDS

Changes = Mapping[str, Any]
"""Changes of a run, as arrays in the form that `_causal.Run.times_with` takes."""

_BLOCKS: Final = 30
"""The number of parts into which the run is cut. The interval of a saving comes from its variability over the parts."""
_SITES: Final = 5
"""The largest number of call sites named."""
_HALF_WIDTH: Final = 1.96
"""Half of a 95 % interval, in standard errors."""


@dataclass(frozen=True)
class Changed:
    """A run with changes. reached_ns: the time at which it reaches the end of each block of the recorded run, and its
    own end."""

    changes: Changes
    reached_ns: Array


@dataclass(frozen=True)
class Things:
    """Calls of MPI in order of lane (thread) and begin; of calls that begin together, the longest comes first. site:
    the number of each call's site."""

    lane: Array
    begin_ns: Array
    end_ns: Array
    site: Array


@dataclass(frozen=True)
class _Sites:
    """Call sites. number: the site of each call, first for calls of collectives, then for intervals. names: the sites.
    place: a number for each site's place in the program."""

    number: Array
    names: list[Site]
    place: Array


class Rerun:
    """The recorded run, which can be replayed with changes. Holds the dataset's tables in memory."""

    def __init__(self, table: Callable[[str], pa.Table], begin_ns: int, end_ns: int) -> None:
        """table: gives a table of the dataset. begin_ns, end_ns: the part of the run in which the variability of a
        saving is measured."""
        self.begin_ns = begin_ns
        self.tables = {name: table(name) for name in CAUSAL_TABLES}
        self.lanes = lanes_of(self.tables)
        self.arrays = causal_arrays_of(self.tables, self.lanes)
        self._cuts = np.linspace(begin_ns, end_ns, _BLOCKS + 1).astype(np.int64).tolist()
        # Building the graph takes seconds for a long run. Callers read its tables meanwhile.
        pool = ThreadPoolExecutor(1)
        self._future_run = pool.submit(_causal.Run, self.arrays)
        pool.shutdown(wait=False)

    @property
    def _run(self) -> _causal.Run:
        return self._future_run.result()

    @cached_property
    def _unchanged(self) -> Array:
        return self._progress({})

    def _progress(self, changes: Changes) -> Array:
        return np.asarray(self._run.times_with(dict(changes), self._cuts), np.int64)

    @property
    def error(self) -> float:
        """The error of the run's end if the run is replayed without changes, as a share of the recorded time."""
        recorded = self._run.recorded_ns
        return abs(int(self._unchanged[-1]) - recorded) / recorded if recorded else 0.0

    def changed(self, changes: Changes) -> Changed:
        """The run with these changes, as a base against which further changes are weighed."""
        return Changed(changes, self._progress(changes) if changes else self._unchanged)

    def cost(self, changes: Changes, base: Changed | None = None) -> Cost:
        """The time that the run saves with these changes, beyond the changes of the base."""
        base_progress = self._unchanged if base is None else base.reached_ns
        changed_progress = self._progress(changes if base is None else joined(base.changes, changes))
        saved = base_progress - changed_progress
        whole = int(saved[-1])
        parts = np.diff(saved[:-1])
        half_width = _HALF_WIDTH * float(parts.std(ddof=1)) * np.sqrt(len(parts)) if len(parts) > 1 else 0.0
        longest = max(whole, self._cuts[-1] - self._cuts[0])
        return Cost(max(0, whole), max(0, round(whole - half_width)), max(0, min(longest, round(whole + half_width))))

    def first_lanes(self, rank: Array) -> Array:
        """The lane of each rank's first thread; -1 for a rank without events of its own."""
        has_rank = self.lanes.rank >= 0
        lanes = np.full(1 + int(max(rank.max(initial=0), self.lanes.rank.max(initial=0))), -1, np.int32)
        lanes[self.lanes.rank[has_rank]] = self.arrays["lanes.main_lane"][has_rank]
        return lanes[rank]

    def computing(self, rank: Array, end_ns: Array, less_ns: Array) -> Changes:
        """The change in which ranks compute less, by less_ns, before the calls that they enter at end_ns."""
        lane = self.first_lanes(rank)
        has_lane = lane >= 0
        return {
            "computing.lane": lane[has_lane],
            "computing.end_ns": np.ascontiguousarray(end_ns[has_lane], np.int64),
            "computing.less_ns": np.ascontiguousarray(less_ns[has_lane], np.int64),
        }

    def sites_of_collectives(self, rows: Array) -> tuple[Site, ...]:
        """The call sites of these rows of `collectives`, those whose calls took longest first."""
        chosen = np.isin(self.arrays["calls.collective"], rows)
        lane, enter, leave = (self.arrays[f"calls.{name}"][chosen] for name in ("lane", "enter_ns", "leave_ns"))
        return self.sites(lane, enter, length_ns(enter, leave))

    def sites(self, lane: Array, begin_ns: Array, weight: Array) -> tuple[Site, ...]:
        """The call sites of the MPI calls that these lanes entered at these times, those with most weight first."""
        things = self.things
        if not len(things.lane):
            return ()
        position = np.minimum(pair_places(things.lane, things.begin_ns, (lane, begin_ns), "left"), len(things.lane) - 1)
        fits = (things.lane[position] == lane) & (things.begin_ns[position] == begin_ns)
        of_number = np.bincount(things.site[position[fits]], weight[fits], minlength=len(self._sites.names))
        of_site: dict[Site, float] = {}
        for name, site_weight in zip(self._sites.names, of_number.tolist(), strict=True):
            of_site[name] = of_site.get(name, 0.0) + site_weight
        ordered = sorted(of_site, key=lambda name: -of_site[name])
        return tuple(name for name in ordered if of_site[name] > 0)[:_SITES]

    @cached_property
    def things(self) -> Things:
        """All calls of MPI."""
        arrays = self.arrays
        is_call = _is_call(arrays["intervals.kind"])
        lane = np.concatenate([arrays["calls.lane"], arrays["intervals.lane"][is_call]]).astype(np.int64)
        begin = np.concatenate([arrays["calls.enter_ns"], arrays["intervals.begin_ns"][is_call]])
        end = np.concatenate([arrays["calls.leave_ns"], arrays["intervals.end_ns"][is_call]])
        calls = len(arrays["calls.lane"])
        site = self._sites.number[np.concatenate([np.arange(calls), calls + np.flatnonzero(is_call)])]
        order = np.lexsort((-end, begin, lane))
        return Things(lane[order], begin[order], np.maximum(begin, end)[order], site[order])

    @property
    def place_of_site(self) -> Array:
        """The place of each site, as a number. Without call sites, each operation on each communicator counts as one
        place."""
        return self._sites.place

    @cached_property
    def _sites(self) -> _Sites:
        of_call = pa.array(self.arrays["calls.collective"])
        collectives, intervals = self.tables["collectives"], self.tables["intervals"]
        # A persistent collective has the name of the call that made its request, but begins in MPI_Start.
        is_persistent = pc.is_in(collectives["op"], pa.array(sorted(of_kinds("persistent")), pa.string()))
        begun_in = pc.if_else(is_persistent, "MPI_Start", collectives["op"])
        function = _joined(begun_in.take(of_call), intervals["region"])
        place = _joined(self.tables["calls"]["call_site"], intervals["call_site"])
        no_comm = pa.chunked_array([pa.nulls(intervals.num_rows, pa.string())])
        comm = _joined(collectives["comm"].take(of_call).cast(pa.string()), no_comm)
        comm = pc.if_else(pc.is_valid(place), "", pc.fill_null(comm, ""))
        names = pc.binary_join_element_wise(function, pc.fill_null(place, ""), comm, "\n").dictionary_encode()
        parts = [name.split("\n") for name in names.dictionary.to_pylist()]
        numbers: dict[str | tuple[str, str], int] = {}
        places = [numbers.setdefault(place or (function, comm), len(numbers)) for function, place, comm in parts]
        sites = [Site(function, place or None) for function, place, _ in parts]
        return _Sites(names.indices.to_numpy(), sites, np.asarray(places, np.int64))


def length_ns(begin_ns: Array, end_ns: Array) -> Array:
    """The time from each begin to its end, in ns; 0 if a time is missing, or if the clocks make the end earlier."""
    return np.where((begin_ns == MISSING) | (end_ns == MISSING), 0, np.maximum(0, end_ns - begin_ns))


def _is_call(kind: Array) -> Array:
    """True for the intervals that are calls of MPI, and no regions of the program."""
    return kind != list(INTERVAL_KINDS).index("region")


def _joined(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.Array:
    """Two columns of strings one after another, as one array."""
    return pa.chunked_array([*first.chunks, *second.chunks], pa.string()).combine_chunks()


def joined(first: Changes, second: Changes) -> Changes:
    """Combines two changes into one."""
    combined = dict(first)
    for name, values in second.items():
        combined[name] = (
            np.concatenate([combined[name], values]) if name in combined and name != "mpi_share" else values
        )
    return combined
