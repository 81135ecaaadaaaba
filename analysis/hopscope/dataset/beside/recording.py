"""Reads from a dataset what matching needs: the calls of MPI and the regions of each thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hopscope.dataset.beside.clock import Ints
from hopscope.dataset.beside.matching import Calls
from hopscope.dataset.call_tree import Visits
from hopscope.dataset.path_columns import MISSING, integers
from hopscope.dataset.store import Store, table_schemas
from hopscope.vocabulary.mpi_functions import of_kinds

_NO_CALLS: Final = ("region", "overhead", "off", "idle", "join", "tool")
"""Kinds of intervals that are no calls of the program."""
_REFUSED: Final = " (refused)"
_RECORDER_REGIONS: Final = ("MEASUREMENT OFF", "TRACE BUFFER FLUSH")
"""Regions in which Score-P records its own work."""


@dataclass(frozen=True)
class Thread:
    """A thread that calls MPI. call_site: the call site of each call, null if unknown."""

    rank: int
    location: int
    calls: Calls
    call_site: pa.Array


def table_of(store: Store, name: str, columns: Sequence[str]) -> pa.Table:
    """Some columns of a table."""
    tables = [pq.read_table(part, columns=[*columns]) for part in store.parts(name)]
    schema = table_schemas()[name]
    return pa.concat_tables(tables) if tables else pa.schema([schema.field(c) for c in columns]).empty_table()


def threads_of(store: Store, numbers: dict[str, int]) -> list[Thread]:
    """The threads of a dataset that call MPI. numbers: the number of each function's name, to which new ones are
    added."""
    rows = _calls_of(store)
    names = rows["name"].dictionary_encode().combine_chunks()
    number = [numbers.setdefault(name.removesuffix(_REFUSED), len(numbers)) for name in names.dictionary.to_pylist()]
    name = np.asarray(number, np.int64)[names.indices.to_numpy()] if len(names) else np.zeros(0, np.int64)
    rank, location = integers(rows, "rank"), integers(rows, "location")
    enter, leave = integers(rows, "enter_ns"), integers(rows, "leave_ns")
    leave = np.where(leave == MISSING, enter, leave)
    sites = rows["call_site"].combine_chunks()
    order = np.lexsort((-leave, enter, location))
    threads: list[Thread] = []
    for thread_rows in np.split(order, np.flatnonzero(np.diff(location[order])) + 1) if len(order) else []:
        calls = Calls(name, enter, leave).take(thread_rows)
        first = int(thread_rows[0])
        threads.append(Thread(int(rank[first]), int(location[first]), calls, sites.take(pa.array(thread_rows))))
    return threads


def regions_of(store: Store) -> pa.Table:
    """The rows of `intervals` that are regions of the program."""
    rows = table_of(store, "intervals", table_schemas()["intervals"].names)
    is_region = pc.and_(
        pc.equal(rows["kind"], "region"), pc.invert(pc.is_in(rows["region"], pa.array(_RECORDER_REGIONS)))
    )
    return rows.filter(is_region)


def visits_of(regions: pa.Table) -> Visits:
    """Rows of `intervals` as visits. A region that did not end lasts to the end of the run."""
    names = regions["region"].dictionary_encode().combine_chunks()
    end = integers(regions, "end_ns")
    return Visits(
        integers(regions, "location"),
        integers(regions, "depth"),
        integers(regions, "begin_ns"),
        np.where(end == MISSING, np.iinfo(np.int64).max, end),
        names.indices.to_numpy().astype(np.int64) if len(names) else np.zeros(0, np.int64),
        names.dictionary.to_pylist() if len(names) else [],
    )


def _calls_of(store: Store) -> pa.Table:
    """All calls of MPI: name, rank, location, enter_ns, leave_ns and call_site."""
    collectives = table_of(store, "collectives", ["collective_id", "op"])
    calls = table_of(store, "calls", ["collective_id", "rank", "location", "enter_ns", "leave_ns", "call_site"])
    ids: Ints = integers(collectives, "collective_id")
    row = np.searchsorted(ids, integers(calls, "collective_id"))
    # A persistent collective has the name of the call that made its request, but begins in MPI_Start.
    is_persistent = pc.is_in(collectives["op"], pa.array(sorted(of_kinds("persistent")), pa.string()))
    functions = pc.if_else(is_persistent, "MPI_Start", collectives["op"])
    intervals = table_of(store, "intervals", ["region", "rank", "location", "begin_ns", "end_ns", "call_site", "kind"])
    intervals = intervals.filter(pc.invert(pc.is_in(intervals["kind"], pa.array(_NO_CALLS)))).drop_columns(["kind"])
    columns = ["name", "rank", "location", "enter_ns", "leave_ns", "call_site"]
    calls = calls.drop_columns(["collective_id"]).add_column(0, "name", functions.take(pa.array(row)))
    calls = calls.select(columns)
    return pa.concat_tables([calls, intervals.rename_columns(columns).cast(calls.schema)])
