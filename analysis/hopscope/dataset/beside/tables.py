"""Makes the tables that a foreign archive of the same run adds to a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hopscope.dataset.beside.call_paths import MARK, CallPaths, plain_sites
from hopscope.dataset.beside.clock import Ints
from hopscope.dataset.beside.recording import regions_of, table_of, visits_of
from hopscope.dataset.beside.threads import ThreadMatch
from hopscope.dataset.call_tree import CallTree
from hopscope.dataset.path_columns import MISSING, integers
from hopscope.dataset.store import Store, table_schemas

ADDED: Final = ("beside_regions", "beside_threads")
"""Tables that are empty without a foreign archive."""
RENAMED: Final = ("calls", "intervals", "path_stretches", "places")
"""Tables whose call sites get call paths."""

Pieces = Iterator[tuple[str, pa.Table]]


def with_archive(store: Store, foreign: Store, matches: Sequence[ThreadMatch], archive: str) -> Pieces:
    """The tables ADDED and RENAMED of a dataset with these threads of a foreign archive, in pieces."""
    regions = regions_of(foreign)
    paths = CallPaths(matches, CallTree(visits_of(regions)))
    yield "beside_threads", _threads(foreign, matches, archive)
    yield "beside_regions", _regions(store, regions, matches)
    places = _plain_places(store)
    more_places = pa.Table.from_pylist(paths.places(places.to_pylist()), schema=places.schema)
    yield "places", pa.concat_tables([places, more_places]).sort_by("call_site")
    for name, rows in _pieces_of(store, "calls", "intervals"):
        begin = "enter_ns" if name == "calls" else "begin_ns"
        yield name, _renamed(rows, paths.of_calls(rows["call_site"], integers(rows, "location"), integers(rows, begin)))
    for name, rows in _pieces_of(store, "path_stretches"):
        sites = paths.of_stretches(rows["call_site"], integers(rows, "rank"), integers(rows, "end_ns"))
        yield name, _renamed(rows, sites)


def without_archive(store: Store) -> Pieces:
    """The tables RENAMED of a dataset without a foreign archive. Those ADDED have no pieces."""
    yield "places", _plain_places(store)
    for name, rows in _pieces_of(store, "calls", "intervals", "path_stretches"):
        yield name, _renamed(rows, plain_sites(rows["call_site"]))


def _pieces_of(store: Store, *names: str) -> Pieces:
    for name in names:
        for part in store.parts(name):
            yield name, pq.read_table(part)


def _renamed(rows: pa.Table, call_sites: pa.ChunkedArray | pa.Array) -> pa.Table:
    return rows.set_column(rows.column_names.index("call_site"), "call_site", call_sites)


def _plain_places(store: Store) -> pa.Table:
    """The places of call sites without call paths."""
    places = table_of(store, "places", table_schemas()["places"].names)
    return places.filter(pc.invert(pc.match_substring(places["call_site"], MARK)))


def _threads(foreign: Store, matches: Sequence[ThreadMatch], archive: str) -> pa.Table:
    creator = table_of(foreign, "run", ["creator"])["creator"][0].as_py()
    rows = [
        {
            "location": match.thread.location,
            "rank": match.thread.rank,
            "foreign_location": match.foreign.location,
            "archive": archive,
            "creator": creator,
            "calls": len(match.thread.calls.name),
            "foreign_calls": len(match.foreign.calls.name),
            "matched_calls": len(match.rows),
            "offset_ns": round(match.line.offset_ns),
            "drift": match.line.drift,
            "residual_ns": match.line.residual_ns,
            "residual_95_ns": match.line.worst_ns,
        }
        for match in sorted(matches, key=lambda match: match.thread.location)
    ]
    return pa.Table.from_pylist(rows, schema=table_schemas()["beside_threads"])


def _regions(store: Store, regions: pa.Table, matches: Sequence[ThreadMatch]) -> pa.Table:
    """The foreign regions of the matched ranks as rows of `intervals`, on the dataset's threads and clock."""
    line_of = {match.thread.rank: match.line for match in matches}
    ranks = table_of(store, "ranks", ["rank", "first_event_ns", "last_event_ns"]).to_pylist()
    bounds = {row["rank"]: (row["first_event_ns"], row["last_event_ns"]) for row in ranks}
    rank, location = integers(regions, "rank"), integers(regions, "location")
    begin, end = (integers(regions, column).copy() for column in ("begin_ns", "end_ns"))
    is_in_run = np.zeros(len(rank), bool)
    for number, line in line_of.items():
        rows = np.flatnonzero(rank == number)
        first, last = bounds[number]
        has_end = end[rows] != MISSING
        mapped_begin = line.mapped(begin[rows])
        mapped_end = np.where(has_end, line.mapped(np.where(has_end, end[rows], begin[rows])), last)
        is_in_run[rows] = (mapped_begin < last) & (mapped_end > first)
        # Functions such as main begin before MPI_Init and end after MPI_Finalize.
        begin[rows] = np.maximum(mapped_begin, first)
        end[rows] = np.where(has_end, np.minimum(mapped_end, last), MISSING)
    depths, next_id = _recorded_depths(store)
    foreign_locations, row, number = np.unique(location, return_index=True, return_inverse=True)
    thread = _threads_of(store, rank[row], foreign_locations, matches)
    threads = thread[number]
    depth = integers(regions, "depth") + np.asarray([depths.get(key, 0) for key in thread.tolist()], np.int64)[number]
    rows = np.flatnonzero(is_in_run)
    rows = rows[np.lexsort((depth[rows], begin[rows]))]
    values = {
        "interval_id": pa.array(next_id + np.arange(len(rows))),
        "location": pa.array(threads[rows]),
        "depth": pa.array(depth[rows].astype(np.int32)),
        "begin_ns": pa.array(begin[rows]),
        "end_ns": pa.array(end[rows], mask=end[rows] == MISSING),
    }
    chosen_regions = regions.take(pa.array(rows))
    schema = table_schemas()["beside_regions"]
    columns = [
        values[name] if name in values else chosen_regions[name].cast(schema.field(name).type) for name in schema.names
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _recorded_depths(store: Store) -> tuple[dict[int, int], int]:
    """For threads with regions of their own, the depth below them; and the first free number of an interval."""
    rows = table_of(store, "intervals", ["interval_id", "kind", "location", "depth"])
    regions = rows.filter(pc.equal(rows["kind"], "region")).group_by("location").aggregate([("depth", "max")])
    free_depths = {row["location"]: row["depth_max"] + 1 for row in regions.to_pylist()}
    return free_depths, 1 + int(integers(rows, "interval_id").max(initial=-1))


def _threads_of(store: Store, ranks: Ints, foreign_locations: Ints, matches: Sequence[ThreadMatch]) -> Ints:
    """The dataset's location of each foreign one, whose rank is in `ranks`. Threads that never call MPI get further
    locations of their rank."""
    known_locations = {match.foreign.location: match.thread.location for match in matches}
    tables = (table_of(store, name, ["location"])["location"].unique() for name in ("calls", "intervals"))
    further = 1 + max((value >> 32 for table in tables for value in table.to_pylist()), default=0)
    locations: list[int] = []
    for rank, foreign_location in zip(ranks.tolist(), foreign_locations.tolist(), strict=True):
        if foreign_location not in known_locations:
            known_locations[foreign_location] = further << 32 | rank
            further += 1
        locations.append(known_locations[foreign_location])
    return np.asarray(locations, np.int64)
