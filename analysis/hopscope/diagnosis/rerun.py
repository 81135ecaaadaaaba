"""A recorded run, run again without one of its causes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope import _causal
from hopscope.diagnosis.entry import Cost, Site
from hopscope.paths.columns import Array, Lanes, arrays_of, codes, integers, intervals_of, lanes_of, pair_places
from hopscope.words import BINDINGS

Changes = Mapping[str, Any]
"""Arrays as `_causal.Run.times_with` takes them."""

TABLES: Final = ("collectives", "calls", "hops", "messages", "intervals", "ranks", "comms")
_BLOCKS: Final = 30
"""The saving is measured in so many parts of the run; its interval comes from how much they differ."""
_SITES: Final = 5
"""So many call sites are named."""
_WITHIN: Final = 1.96
"""Half of a 95 % interval, in standard errors."""


@dataclass(frozen=True)
class Changed:
    """A run with changes, and how far it has come where each block ends as recorded, in ns."""

    changes: Changes
    reached_ns: Array


class Rerun:
    """The run as recorded, which can be run again with changes. Costs: the tables of the dataset in memory."""

    def __init__(self, table: Callable[[str], pa.Table], begin_ns: int, end_ns: int) -> None:
        """table: gives a table of the dataset. begin_ns, end_ns: the part of the run over which a saving may vary."""
        self.begin_ns = begin_ns
        self.tables = {name: table(name) for name in TABLES}
        self.lanes = lanes_of(self.tables)
        self.arrays = _arrays(self.tables, self.lanes)
        self._run = _causal.Run(self.arrays)
        self._cuts = np.linspace(begin_ns, end_ns, _BLOCKS + 1).astype(np.int64).tolist()
        self._unchanged = self._reached({})

    def _reached(self, changes: Changes) -> Array:
        return np.asarray(self._run.times_with(dict(changes), self._cuts), np.int64)

    @property
    def error(self) -> float:
        """The share by which the run without a change ends off from its recorded end."""
        recorded = self._run.recorded_ns
        return abs(int(self._unchanged[-1]) - recorded) / recorded if recorded else 0.0

    def changed(self, changes: Changes) -> Changed:
        """The run with these changes, beyond which others are weighed."""
        return Changed(changes, self._reached(changes))

    def cost(self, changes: Changes, base: Changed | None = None) -> Cost:
        """The time that the run saves with these changes, beyond those of the base."""
        before = self._unchanged if base is None else base.reached_ns
        after = self._reached(changes if base is None else joined(base.changes, changes))
        saved = before - after
        whole = int(saved[-1])
        parts = np.diff(saved[:-1])
        spread = _WITHIN * float(parts.std(ddof=1)) * np.sqrt(len(parts)) if len(parts) > 1 else 0.0
        longest = max(whole, self._cuts[-1] - self._cuts[0])
        return Cost(max(0, whole), max(0, round(whole - spread)), max(0, min(longest, round(whole + spread))))

    def first_lanes(self, rank: Array) -> Array:
        """The lane of each rank's first thread; -1 for a rank without events of its own."""
        known = self.lanes.rank >= 0
        lanes = np.full(1 + int(max(rank.max(initial=0), self.lanes.rank.max(initial=0))), -1, np.int32)
        lanes[self.lanes.rank[known]] = self.arrays["lanes.main_lane"][known]
        return lanes[rank]

    def computing(self, rank: Array, end_ns: Array, less_ns: Array) -> Changes:
        """The change in which ranks compute less before the calls that they enter at end_ns."""
        lane = self.first_lanes(rank)
        known = lane >= 0
        return {
            "computing.lane": lane[known],
            "computing.end_ns": np.ascontiguousarray(end_ns[known], np.int64),
            "computing.less_ns": np.ascontiguousarray(less_ns[known], np.int64),
        }

    def sites(self, lane: Array, begin_ns: Array, weight: Array) -> tuple[Site, ...]:
        """The calls of MPI that these lanes entered at these times, those with most weight first."""
        lanes, begins, rows = self._entered
        if not len(rows):
            return ()
        at = np.minimum(pair_places(lanes, begins, (lane, begin_ns), "left"), len(rows) - 1)
        fits = (lanes[at] == lane) & (begins[at] == begin_ns)
        of_row = np.bincount(self._site_number[rows[at[fits]]], weight[fits], minlength=len(self._site_names))
        order = np.argsort(-of_row, kind="stable")
        return tuple(self._site_names[number] for number in order.tolist() if of_row[number] > 0)[:_SITES]

    @cached_property
    def _entered(self) -> tuple[Array, Array, Array]:
        """Lanes and begins of all calls in order, and their numbers: collectives first, then intervals."""
        arrays = self.arrays
        lane = np.concatenate([arrays["calls.lane"], arrays["intervals.lane"]]).astype(np.int64)
        begin = np.concatenate([arrays["calls.enter_ns"], arrays["intervals.begin_ns"]])
        order = np.lexsort((begin, lane))
        return lane[order], begin[order], order

    @cached_property
    def _sites(self) -> tuple[Array, list[Site]]:
        """The number of each call's site, and the sites."""
        op = self.tables["collectives"]["op"].take(pa.array(self.arrays["calls.collective"]))
        function = pa.chunked_array([*op.chunks, *self.tables["intervals"]["region"].chunks], pa.string())
        of_both = [self.tables[table]["call_site"].chunks for table in ("calls", "intervals")]
        place = pc.fill_null(pa.chunked_array([chunk for chunks in of_both for chunk in chunks], pa.string()), "")
        names = pc.binary_join_element_wise(function, place, "\n").combine_chunks().dictionary_encode()
        pairs = [name.split("\n", 1) for name in names.dictionary.to_pylist()]
        return names.indices.to_numpy(), [Site(function, place or None) for function, place in pairs]

    @property
    def _site_number(self) -> Array:
        return self._sites[0]

    @property
    def _site_names(self) -> list[Site]:
        return self._sites[1]


def joined(first: Changes, second: Changes) -> Changes:
    """Both changes at once."""
    both = dict(first)
    for name, values in second.items():
        both[name] = np.concatenate([both[name], values]) if name in both and name != "mpi_share" else values
    return both


def _arrays(tables: dict[str, pa.Table], lanes: Lanes) -> dict[str, Array]:
    arrays = {**arrays_of(tables, lanes), **intervals_of(tables["intervals"], lanes)}
    for name in ("hops", "messages"):
        arrays[f"{name}.binding"] = codes(tables[name], "binding", list(BINDINGS))
    collectives, comms = tables["collectives"], tables["comms"]
    # Hops say what a rank waited for unless some of them are missing.
    reason = pc.fill_null(collectives["native_reason"], "undecided")
    known = pc.equal(reason, "undecided").to_numpy()
    arrays["collectives.has_hops"] = (arrays["collectives.has_hops"] * known).astype(np.int8)
    groups = dict(zip(comms["comm"].to_pylist(), integers(comms, "second_group", null=-1).tolist(), strict=True))
    second = [groups.get(comm, -1) for comm in collectives["comm"].to_pylist()]
    arrays["collectives.second_group"] = np.asarray(second, np.int32)
    return {name: np.ascontiguousarray(values) for name, values in arrays.items()}
