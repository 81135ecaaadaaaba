"""Converts Arrow tables to the plain arrays of `hopscope.native._paths`. analysis/native/paths/columns.h has their
meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.native import _paths
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import BINDINGS, INTERVAL_KINDS

Array = np.ndarray[Any, Any]
Tables = dict[str, pa.Table]

MISSING = np.iinfo(np.int64).min
"""Represents a missing time."""

_COUNTED = 1 << 20
"""Integers below this are always counted, however few they are."""

TO_LAST_ENTER, TO_ROOT, ROOT_TO_LAST_ENTER, SCAN, EXSCAN, STAYS = range(6)
"""The codes of the column `collectives.leads`. They say for whom a rank waits in a collective without hops."""


def integers(table: pa.Table, column: str, kind: str = "int64", null: int = MISSING) -> Array:
    """A column as a contiguous array. null: the value for nulls."""
    values = table[column]
    if values.null_count:
        values = pc.fill_null(values, null)
    return np.ascontiguousarray(values.to_numpy().astype(kind, copy=False))


def codes(table: pa.Table, column: str, names: Sequence[str]) -> Array:
    """A column of strings as their positions in names (int8)."""
    positions = pc.index_in(table[column], value_set=pa.array(names, pa.string()))
    if positions.null_count:
        unknown = pc.unique(table[column].filter(pc.is_null(positions))).to_pylist()
        raise ValueError(f"column {column}: {unknown} is none of {', '.join(names)}")
    return np.ascontiguousarray(positions.to_numpy().astype(np.int8))


def flags(table: pa.Table, column: str) -> Array:
    """A column of booleans as 0, 1 and -1 for null (int8)."""
    return np.ascontiguousarray(pc.fill_null(table[column].cast(pa.int8()), -1).to_numpy().astype(np.int8))


def _numbers(table: pa.Table, column: str, words: pa.Array) -> Array:
    """A column of strings as their positions in words; -1 for null (int32)."""
    return pc.fill_null(pc.index_in(table[column], value_set=words), -1).to_numpy().astype(np.int32)


def numbered(*columns: Array) -> Array:
    """A number for each distinct combination of integers, in ascending order of combinations. numpy's `unique` of
    stacked columns gives the same, but sorts rows, which takes ten times as long."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, number = distinct(column)
        _, code = distinct(code * (int(number.max(initial=-1)) + 1) + number)
    return code


def distinct(values: Array) -> tuple[Array, Array]:
    """The distinct integers, ascending, and the position of each value among them, as numpy's `unique` with
    `return_inverse` gives them. Small non-negative integers are counted, which takes a tenth of the time of sorting."""
    span = int(values.max(initial=-1)) + 1
    if values.min(initial=0) < 0 or span > max(len(values), _COUNTED):
        return np.unique(values, return_inverse=True)
    occurs = np.zeros(span, bool)
    occurs[values] = True
    return np.flatnonzero(occurs).astype(values.dtype), (np.cumsum(occurs) - 1)[values]


def stable_order(numbers: Array) -> Array:
    """numpy's stable `argsort`. If all numbers fit into 16 bits, numpy sorts by counting."""
    fits = numbers.min(initial=0) >= 0 and numbers.max(initial=0) <= np.iinfo(np.uint16).max
    return np.argsort(numbers.astype(np.uint16) if fits else numbers, kind="stable")


def pair_places(first: Array, second: Array, needles: tuple[Array, Array], side: Literal["left", "right"]) -> Array:
    """The positions of pairs of non-negative numbers (`needles`) among pairs in ascending order. It does for pairs what
    numpy's `searchsorted` does for numbers."""
    first_needle, second_needle = (values.astype(np.int64) for values in needles)
    span = 1 + int(max(second.max(initial=0), second_needle.max(initial=0)))
    return np.searchsorted(first.astype(np.int64) * span + second, first_needle * span + second_needle, side=side)


@dataclass(frozen=True)
class Lanes:
    """The threads of the trace, numbered densely: OTF2 locations in order, and the rank of each."""

    locations: Array
    rank: Array

    def numbers(self, table: pa.Table, column: str) -> Array:
        """The lane of each location in a column."""
        return np.searchsorted(self.locations, integers(table, column)).astype(np.int32)


def lanes_of(tables: Tables) -> Lanes:
    """Every location that any table names, with its rank."""
    rank_of: dict[int, int] = {}
    for table, location, rank in (
        ("calls", "location", "rank"),
        ("intervals", "location", "rank"),
        ("hops", "src_location", "src"),
        ("hops", "dst_location", "dst"),
        ("messages", "src_location", "src"),
        ("messages", "dst_location", "dst"),
    ):
        encoded = pc.dictionary_encode(tables[table][location]).combine_chunks()
        code = encoded.indices.to_numpy()
        row = np.zeros(len(encoded.dictionary), np.int64)
        row[code] = np.arange(len(code))  # keeps the last row of each location
        of_row = integers(tables[table], rank, null=-1)[row] if len(code) else row
        rank_of |= dict(zip(encoded.dictionary.to_pylist(), of_row.tolist(), strict=True))
    locations = np.asarray(sorted(rank_of), np.int64)
    return Lanes(locations, np.asarray([rank_of[location] for location in locations.tolist()], np.int32))


def _message_arrays(table: pa.Table, name: str, lanes: Lanes) -> dict[str, Array]:
    times = ("bytes", "send_begin_ns", "send_wait_begin_ns", "send_end_ns", "recv_post_ns", "recv_wait_begin_ns")
    arrays = {f"{name}.{column}": integers(table, column) for column in (*times, "recv_end_ns", "clock_error_ns")}
    arrays[f"{name}.src_lane"] = lanes.numbers(table, "src_location")
    arrays[f"{name}.dst_lane"] = lanes.numbers(table, "dst_location")
    arrays[f"{name}.link"] = codes(table, "link", LINKS)
    return arrays


def _comm_ranks(tables: Tables, comm_of_call: Array, rank_of_call: Array) -> Array:
    """For each call, the caller's rank in the communicator; its trace-wide rank if the members are unknown."""
    comms = tables["comms"]
    members = comms["members"].combine_chunks()
    flat = members.flatten().to_numpy(zero_copy_only=False).astype(np.int64)
    lengths = pc.fill_null(pc.list_value_length(members), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    comm = np.repeat(integers(comms, "comm"), lengths)
    position = np.arange(len(flat)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if not len(flat):
        return rank_of_call.astype(np.int32)
    order = np.lexsort((flat, comm))
    comm, flat, position = comm[order], flat[order], position[order]
    place = np.minimum(pair_places(comm, flat, (comm_of_call, rank_of_call), "left"), len(flat) - 1)
    is_member = (comm[place] == comm_of_call) & (flat[place] == rank_of_call)
    return np.where(is_member, position[place], rank_of_call).astype(np.int32)


def _root_ranks(tables: Tables) -> Array:
    """The trace-wide rank of each collective's root; -1 where there is none."""
    collectives = tables["collectives"]
    members = dict(zip(tables["comms"]["comm"].to_pylist(), tables["comms"]["members"].to_pylist(), strict=True))
    root = integers(collectives, "root", "int32", -1)
    comm = integers(collectives, "comm", "int32")
    result = np.full(len(root), -1, np.int32)
    for number, ranks in members.items():
        mask = (comm == number) & (root >= 0) & (root < len(ranks))
        result[mask] = np.asarray(ranks, np.int32)[root[mask]]
    return result


def _have_hops(collectives: int, of_hops: Array, of_calls: Array, by_tree: Array) -> Array:
    """For each collective: 1 if its messages were recorded, or would have been if it had sent any; else 0 (int8)."""
    has_hops = np.zeros(collectives, np.int8)
    has_hops[of_hops] = 1
    has_hops[of_calls[by_tree]] = 1
    return has_hops


def intervals_of(table: pa.Table, lanes: Lanes) -> dict[str, Array]:
    """The columns of the table `intervals` as arrays, except for columns of text."""
    return {
        "intervals.lane": lanes.numbers(table, "location"),
        "intervals.kind": codes(table, "kind", list(INTERVAL_KINDS)),
        "intervals.begin_ns": integers(table, "begin_ns"),
        "intervals.end_ns": integers(table, "end_ns"),
    }


def arrays_of(tables: Tables, known_lanes: Lanes | None = None) -> dict[str, Array]:
    """The arrays that columns.h describes, except for columns of text. tables: as in schemas/tables, with rows in the
    contract's order."""
    lanes = known_lanes or lanes_of(tables)
    collectives, calls, hops = tables["collectives"], tables["calls"], tables["hops"]
    ranks = tables["ranks"]
    ids = integers(collectives, "collective_id")
    row_of_call = np.searchsorted(ids, integers(calls, "collective_id"))
    call_ranks = integers(calls, "rank")
    first_event = dict(zip(ranks["rank"].to_pylist(), integers(ranks, "first_event_ns").tolist(), strict=True))
    main = {int(rank): lane for lane, rank in reversed(list(enumerate(lanes.rank)))}
    names = collectives["op"].unique().to_pylist()
    ops = [_paths.leads_of(op) for op in names]
    native_categories = [_paths.library_of(op) for op in names]
    early_returns = [_paths.returns_early(op) for op in names]
    op_codes = _numbers(collectives, "op", pa.array(names, pa.string()))
    hop_collectives = np.searchsorted(ids, integers(hops, "collective_id")).astype(np.int64)
    by_tree = pc.equal(calls["engine"], "tree").to_numpy()
    arrays = {
        **_message_arrays(hops, "hops", lanes),
        **_message_arrays(tables["messages"], "messages", lanes),
        "hops.collective": hop_collectives,
        "hops.arrived_early": flags(hops, "arrived_early"),
        "hops.from_engine": pc.equal(hops["source"], "tree").cast(pa.int8()).to_numpy(),
        "collectives.has_hops": _have_hops(len(ids), hop_collectives, row_of_call, by_tree),
        "collectives.leads": np.asarray(ops, np.int8)[op_codes],
        "collectives.library": np.asarray(native_categories, np.int8)[op_codes],
        "collectives.returns_early": np.asarray(early_returns, np.int8)[op_codes],
        "collectives.root_rank": _root_ranks(tables),
        "collectives.first_call": np.searchsorted(row_of_call, np.arange(len(ids) + 1)).astype(np.int64),
        "calls.collective": row_of_call.astype(np.int64),
        "calls.rank": call_ranks.astype(np.int32),
        "calls.comm_rank": _comm_ranks(tables, integers(collectives, "comm")[row_of_call], call_ranks),
        "calls.lane": lanes.numbers(calls, "location"),
        "calls.enter_ns": integers(calls, "enter_ns"),
        "calls.wait_begin_ns": integers(calls, "wait_begin_ns"),
        "calls.leave_ns": integers(calls, "leave_ns"),
        "calls.complete_ns": integers(calls, "complete_ns"),
        "calls.by_tree": by_tree.astype(np.int8),
        "lanes.rank": lanes.rank,
        # The first location of a rank is its main thread (schemas/otf2.md: thread << 32).
        "lanes.main_lane": np.asarray([main[int(rank)] for rank in lanes.rank], np.int32),
        "lanes.first_event_ns": np.asarray([first_event.get(int(rank), MISSING) for rank in lanes.rank], np.int64),
    }
    return {name: np.ascontiguousarray(values) for name, values in arrays.items()}


def _waits_for_ranks(arrays: dict[str, Array], needed_ns: Array) -> Array:
    """The end of each call's wait for the ranks that it needs; MISSING if unknown, or if another thread waited."""
    row = np.flatnonzero((arrays["calls.wait_begin_ns"] != MISSING) & (needed_ns != MISSING))
    begin, wait = arrays["intervals.begin_ns"], arrays["calls.wait_begin_ns"][row]
    span = 1 + int(max(begin.max(initial=0), wait.max(initial=0)))
    begins = arrays["intervals.lane"].astype(np.int64) * span + begin if len(row) else begin
    waits = arrays["calls.lane"][row].astype(np.int64) * span + wait
    # Looks for the waits among the intervals, because a table of the waits alone is smaller.
    begins = begins[pc.is_in(pa.array(begins), value_set=pa.array(waits)).to_numpy(zero_copy_only=False)]
    row = row[np.isin(waits, begins)]
    waited_until = np.full(len(needed_ns), MISSING)
    waited_until[row] = np.minimum(needed_ns[row], arrays["calls.complete_ns"][row])
    return waited_until


CAUSAL_TABLES = ("collectives", "calls", "hops", "messages", "intervals", "ranks", "comms")


def causal_arrays_of(tables: Tables, lanes: Lanes) -> dict[str, Array]:
    """Arrays of CAUSAL_TABLES with bindings and intervals, as `hopscope.native._causal` takes them."""
    arrays = {**arrays_of(tables, lanes), **intervals_of(tables["intervals"], lanes)}
    arrays["calls.waited_until_ns"] = _waits_for_ranks(arrays, integers(tables["calls"], "needed_ns"))
    for name in ("hops", "messages"):
        arrays[f"{name}.binding"] = codes(tables[name], "binding", list(BINDINGS))
    collectives, comms = tables["collectives"], tables["comms"]
    # Hops say what a rank waited for, unless some of them are missing.
    reason = pc.fill_null(collectives["native_reason"], "undecided")
    decided = pc.equal(reason, "undecided").to_numpy()
    arrays["collectives.has_hops"] = (arrays["collectives.has_hops"] * decided).astype(np.int8)
    groups = dict(zip(comms["comm"].to_pylist(), integers(comms, "second_group", null=-1).tolist(), strict=True))
    second = [groups.get(comm, -1) for comm in collectives["comm"].to_pylist()]
    arrays["collectives.second_group"] = np.asarray(second, np.int32)
    return {name: np.ascontiguousarray(values) for name, values in arrays.items()}
