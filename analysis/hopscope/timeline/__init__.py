"""Computes the data of a picture of the run: the time that every rank spent on each category, such as computing, in
each column of a range of time.

For short ranges the calls themselves are summed up; long ranges come from the table `time_bins`. Both give the same
sums (analysis/native/paths/bins.h). A column is 2^level ns long and begins at a multiple of its length, so that columns
of neighbouring ranges fit together.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array, codes, integers
from hopscope.errors import InputError
from hopscope.native import _paths
from hopscope.timeline.queries import (
    CALLS_AT,
    LONG_CALLS,
    MARK_QUERIES,
    NEAREST_CALLS,
    OPERATIONS_IN,
    PATH_IN,
    REGION_IN,
    WAITING_IN,
)
from hopscope.timeline.search import Search
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import CATEGORIES

EXACT_ROWS: Final = 400_000
"""The approximate number of calls, intervals and hops that are summed up for one range. For more, the bins are read."""

MARKS: Final = 2_000
"""The largest number of marks of one kind, such as hops, in an answer. If there are more, the answer has none."""

_COMPUTE: Final = list(CATEGORIES).index("compute")

Row = dict[str, Any]


class Asker(Protocol):
    """Runs SQL."""

    def query(self, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
        """The result of one query."""
        ...

    def prepare(self, uses: Sequence[str]) -> object:
        """Makes views and macros."""
        ...


@dataclass(frozen=True)
class Columns:
    """Time by category, row and column. Rows are ranks, or hosts with all their ranks."""

    begin_ns: int
    """Begin of the first column."""
    level: int
    """A column is 2^level ns long."""
    rows: list[Row]
    """The attributes of each row: host, cluster, ranks, and rank if the row is one rank."""
    time_ns: Array
    """int64 [category in the order of `hopscope.vocabulary.words.CATEGORIES`, row, column]: the time of all threads of
    the row that were ever in MPI, from each rank's first event to its last."""
    path_ns: Array
    """int64 [category, row, column]: the part of the run's critical path on the row's ranks."""
    waiting_ns: Array | None
    """int64 [row, column]: the part of the time in which a thread waited for another rank. None if waiting was not
    asked for, or if the sums come from bins."""
    exact: bool
    """True if the sums come from the calls themselves and not from bins, so that shorter columns would show more."""

    @property
    def width_ns(self) -> int:
        """Length of a column."""
        return 1 << self.level

    @property
    def end_ns(self) -> int:
        """End of the last column."""
        return self.begin_ns + self.time_ns.shape[2] * self.width_ns


@dataclass(frozen=True)
class _Grid:
    """The columns and rows over which times are summed up."""

    begin: int
    level: int
    shape: tuple[int, int, int]
    """The numbers of categories, rows and columns."""
    row_of: Array
    """For each rank the number of its row, -1 if it has none."""

    @property
    def window(self) -> dict[str, int]:
        """The range as parameters of a query."""
        return {"begin_ns": self.begin, "end_ns": self.begin + (self.shape[2] << self.level)}


class Timeline:
    """The timeline of one trace."""

    def __init__(self, asker: Asker, rows: int) -> None:
        """rows: the number of calls, intervals and hops."""
        self._asker = asker
        self._number_of_rows = rows

    @cached_property
    def ranks(self) -> list[Row]:
        """Every rank with its host, cluster, and first and last event."""
        return self._asker.query("from ranks order by rank", {}).to_pylist()

    @cached_property
    def duration_ns(self) -> int:
        """The duration between the first and last event, 1 at least."""
        return max([1, *(rank["last_event_ns"] or 0 for rank in self.ranks)])

    @cached_property
    def phases(self) -> dict[str, tuple[int, int]]:
        """Begin and end in ns of `startup` (up to the first collective or message after MPI_Init of all ranks) and of
        `shutdown` (after the last one). Empty if there are neither collectives nor messages."""
        row = self._ask("run_bounds", "from run_bounds").to_pylist()[0]
        if row["first_ns"] is None:
            return {}
        return {"startup": (0, row["first_ns"]), "shutdown": (row["last_ns"], self.duration_ns)}

    @cached_property
    def levels(self) -> tuple[int, int] | None:
        """The finest and the highest level of the bins; None if there are none."""
        row = self._asker.query("select min(level) as finest, max(level) as highest from time_bins", {}).to_pylist()[0]
        return None if row["finest"] is None else (row["finest"], row["highest"])

    @cached_property
    def _threads(self) -> tuple[Array, Array]:
        """The locations in order, and the rank of each. Ranks that were never in MPI have no location."""
        threads = self._ask("timeline_threads", "from timeline_threads")
        return integers(threads, "location"), integers(threads, "rank", "int32")

    def columns(
        self,
        from_ns: int = 0,
        to_ns: int | None = None,
        columns: int = 1000,
        *,
        by: str = "rank",
        host: str | None = None,
        ranks: Collection[int] | None = None,
        waiting: bool = False,
    ) -> Columns:
        """Columns that cover a range of time, which is cut to the run. columns: the largest number of columns.

        by: `rank` or `host`. host, ranks: restrict the rows to this host or to these ranks. waiting: True to compute
        waiting_ns, which takes seconds in a run of 20 million events. Raises InputError for an empty range or an
        unknown host.
        """
        end = self.duration_ns if to_ns is None else min(to_ns, self.duration_ns)
        begin = max(0, from_ns)
        if begin >= end or columns < 1:
            raise InputError(
                f"the range from {from_ns} to {to_ns} holds nothing; the run ends at {self.duration_ns}, in ns"
            )
        rows, row_of = self._rows(by, host, ranks)
        level = _level(begin, end, columns)
        share = (end - begin) / self.duration_ns
        exact = self.levels is None or self._number_of_rows * share <= EXACT_ROWS
        if self.levels is not None and not exact:
            level = min(max(level, self.levels[0]), self.levels[1])
        first, last = begin >> level, (end - 1) >> level
        grid = _Grid(first << level, level, (len(CATEGORIES), len(rows), last - first + 1), row_of)
        time, path = self._exact(grid) if exact else self._from_bins(grid)
        time[_COMPUTE] = self._alive(grid) - time.sum(axis=0)
        waited = self._waiting(grid) if exact and waiting else None
        return Columns(first << level, level, rows, time, path, waited, exact)

    def _rows(self, grouping: str, host: str | None, ranks: Collection[int] | None) -> tuple[list[Row], Array]:
        """The rows, and for each rank the number of its row; -1 if it has none."""
        if grouping not in ("rank", "host"):
            raise InputError(f"by is {grouping!r}; it can be rank or host")
        # Clusters and hosts come in the order of their first rank.
        places: dict[object, int] = {}
        for rank in self.ranks:
            places.setdefault(rank["cluster"], len(places))
            places.setdefault((rank["cluster"], rank["host"]), len(places))
        ordered = sorted(self.ranks, key=lambda r: (places[r["cluster"]], places[r["cluster"], r["host"]], r["rank"]))
        visible = [rank for rank in ordered if host is None or rank["host"] == host]
        if not visible and self.ranks:
            hosts = ", ".join(sorted({rank["host"] for rank in self.ranks})[:8])
            raise InputError(f"the trace has no host {host!r}; its hosts are {hosts}")
        if ranks is not None:
            visible = [rank for rank in visible if rank["rank"] in ranks]
        row_of = np.full(len(self.ranks), -1, np.int64)
        rows_by_key: dict[object, Row] = {}
        for rank in visible:
            key = rank["rank"] if grouping == "rank" else (rank["cluster"], rank["host"])
            row = rows_by_key.setdefault(key, {"host": rank["host"], "cluster": rank["cluster"], "ranks": 0})
            row["ranks"] += 1
            if grouping == "rank":
                row["rank"] = rank["rank"]
            row_of[rank["rank"]] = list(rows_by_key).index(key) if grouping == "host" else len(rows_by_key) - 1
        return list(rows_by_key.values()), row_of

    def _alive(self, grid: _Grid) -> Array:
        """The time from each rank's first event to its last, multiplied by the number of its threads, by row and
        column."""
        edges = grid.begin + (np.arange(grid.shape[2] + 1, dtype=np.int64) << grid.level)
        threads = np.bincount(self._threads[1], minlength=len(self.ranks))
        alive = np.zeros(grid.shape[1:], np.int64)
        for rank, row in zip(self.ranks, grid.row_of.tolist(), strict=True):
            if row >= 0 and rank["first_event_ns"] is not None:
                durations = np.diff(np.clip(edges, rank["first_event_ns"], rank["last_event_ns"]))
                alive[row] += durations * max(1, int(threads[rank["rank"]]))
        return alive

    def _exact(self, grid: _Grid) -> tuple[Array, Array]:
        locations, rank_of = self._threads
        spans = self._ask("timeline_spans", "from timeline_spans($begin_ns, $end_ns)", grid.window)
        waits = self._ask("timeline_waits", "from timeline_waits($begin_ns, $end_ns)", grid.window)
        time = _sums(
            _times(spans, np.searchsorted(locations, integers(spans, "location")), has_hops=True),
            {
                "lane": np.searchsorted(locations, integers(waits, "location")).astype(np.int32),
                "begin_ns": integers(waits, "begin_ns"),
                "end_ns": integers(waits, "end_ns"),
                "link": codes(waits, "link", LINKS),
            },
            grid.row_of[rank_of],
            grid,
        )
        path = self._ask("", PATH_IN + " order by rank, begin_ns", grid.window)
        return time, _sums(_times(path, integers(path, "rank")), _NO_WAITS, grid.row_of, grid)

    def _waiting(self, grid: _Grid) -> Array:
        locations, rank_of = self._threads
        waits = self._ask("timeline_waiting", "from timeline_waiting($begin_ns, $end_ns)", grid.window)
        lane = np.searchsorted(locations, integers(waits, "location")).astype(np.int32)
        spans = {
            "lane": lane,
            "begin_ns": integers(waits, "begin_ns"),
            "end_ns": integers(waits, "end_ns"),
            "category": np.zeros(len(lane), np.int8),
            "has_hops": np.zeros(len(lane), np.int8),
        }
        return _sums(spans, _NO_WAITS, grid.row_of[rank_of], grid).sum(axis=0)

    def _from_bins(self, grid: _Grid) -> tuple[Array, Array]:
        sums_by_kind: list[Array] = []
        for kind in ("ranks", "path"):
            rows = self._ask(
                "",
                "select rank, category, begin_ns, time_ns from time_bins where kind = $kind and level = $level and "
                "begin_ns >= $begin_ns and begin_ns < $end_ns",
                {"kind": kind, "level": grid.level, **grid.window},
            )
            sums = np.zeros(grid.shape, np.int64)
            row = grid.row_of[integers(rows, "rank")]
            mask = row >= 0
            column = (integers(rows, "begin_ns") - grid.begin) >> grid.level
            category = codes(rows, "category", list(CATEGORIES))
            np.add.at(sums, (category[mask], row[mask], column[mask]), integers(rows, "time_ns")[mask])
            sums_by_kind.append(sums)
        return sums_by_kind[0], sums_by_kind[1]

    def marks(self, from_ns: int, to_ns: int, limit: int = MARKS) -> dict[str, list[Row] | None]:
        """Marks that lie at least partly in a range: `path`, `collectives`, `hops`, `messages` and `regions`. A kind is
        None if it has more than `limit` marks. Marks have those columns of the tables that a picture needs."""
        window = {"begin_ns": from_ns, "end_ns": to_ns, "limit": limit + 1}
        rows_by_kind: dict[str, list[Row] | None] = {}
        for name, query in MARK_QUERIES.items():
            rows = self._ask("", f"{query} limit $limit", window)
            rows_by_kind[name] = None if rows.num_rows > limit else rows.to_pylist()
        return rows_by_kind

    def long_calls(self, from_ns: int, to_ns: int, least_ns: int, limit: int = MARKS) -> list[Row] | None:
        """The calls of MPI functions in a range that take `least_ns` or more: rank, begin_ns, end_ns and name. None if
        there are more than `limit`."""
        window = {"begin_ns": from_ns, "end_ns": to_ns, "least_ns": least_ns, "limit": limit + 1}
        rows = self._ask("mpi_calls", LONG_CALLS, window)
        return None if rows.num_rows > limit else rows.to_pylist()

    def operations(
        self, from_ns: int, to_ns: int, ranks: Sequence[int] | None = None, *, waiting: bool = True
    ) -> list[Row]:
        """The MPI functions that were called in a range, by all ranks or by these, the longest first. Each row has the
        operation, the number of calls, time_ns (their time in the range), and waiting_ns (the part of it spent waiting
        for another rank).

        waiting: True to compute waiting_ns, which is None otherwise. It takes seconds for a whole run of 20 million
        events.
        """
        window = {"begin_ns": from_ns, "end_ns": to_ns, "ranks": None if ranks is None else list(ranks)}
        called = self._ask("mpi_calls", OPERATIONS_IN, window).to_pylist()
        if not waiting:
            return [{**row, "waiting_ns": None} for row in called]
        rows = self._ask("timeline_waiting", WAITING_IN, window).to_pylist()
        waited = {row["operation"]: row["waiting_ns"] for row in rows}
        return [{**row, "waiting_ns": waited.get(row["operation"], 0)} for row in called]

    @cached_property
    def search(self) -> Search:
        """Finds calls, collectives and regions by their name or call site."""
        return Search(self._asker)

    def at(self, rank: int, at_ns: int) -> list[Row]:
        """The calls and regions that a rank was in at a time, the innermost last: name, begin_ns, end_ns, and for a
        collective its comm and seq."""
        return self._ask("", CALLS_AT, {"rank": rank, "at_ns": at_ns}).to_pylist()

    def computing(self, rank: int, at_ns: int) -> Row | None:
        """The stretch outside all MPI calls that a rank was in at a time: begin_ns, end_ns, the `region` that covers
        more than half of it, if any, and the calls around it, `before` and `after` (name, place, and for a collective
        its comm and seq). None if the rank was in a call, or had no call before or afterwards."""
        calls = {row["side"]: row for row in self._ask("", NEAREST_CALLS, {"rank": rank, "at_ns": at_ns}).to_pylist()}
        if set(calls) != {"before", "after"}:
            return None
        begin, end = calls["before"]["end_ns"], calls["after"]["begin_ns"]
        stretch = {"begin_ns": begin, "end_ns": end, "location": calls["after"]["location"]}
        regions = self._ask("", REGION_IN, stretch).to_pylist()
        return {"begin_ns": begin, "end_ns": end, "region": regions[0]["region"] if regions else None, **calls}

    def _ask(self, uses: str, sql: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
        if uses:
            self._asker.prepare([uses])
        return self._asker.query(sql, parameters or {})


_NO_WAITS: Final = {
    "lane": np.zeros(0, np.int32),
    "begin_ns": np.zeros(0, np.int64),
    "end_ns": np.zeros(0, np.int64),
    "link": np.zeros(0, np.int8),
}


def _level(begin: int, end: int, columns: int) -> int:
    """The finest level at which at most `columns` columns cover a range."""
    level = 0
    while ((end - 1) >> level) - (begin >> level) + 1 > columns:
        level += 1
    return level


def _times(table: pa.Table, lane: Array, *, has_hops: bool = False) -> dict[str, Array]:
    flags = table["has_hops"].to_numpy().astype(np.int8) if has_hops else np.zeros(table.num_rows, np.int8)
    return {
        "lane": np.ascontiguousarray(lane.astype(np.int32)),
        "begin_ns": integers(table, "begin_ns"),
        "end_ns": integers(table, "end_ns"),
        "category": codes(table, "category", list(CATEGORIES)),
        "has_hops": np.ascontiguousarray(flags),
    }


def _sums(spans: dict[str, Array], waits: dict[str, Array], row_of_lane: Array, grid: _Grid) -> Array:
    """The sums by category, row and column. Lanes without a row are summed into an extra row, which is cut off."""
    categories, rows, columns = grid.shape
    row = np.where(row_of_lane < 0, rows, row_of_lane).astype(np.int32)
    sums = _paths.sum_times(spans, waits, {"row": row}, rows + 1, grid.begin, grid.level, columns)
    return sums.reshape(categories, rows + 1, columns)[:, :-1, :].copy()
