"""Writes the Parquet files of a dataset: cuts tables into parts, which threads write."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock, Semaphore
from types import TracebackType
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from hopscope.dataset.convert.contract import arrow_schema, conform
from hopscope.dataset.manifest import described
from hopscope.dataset.store import contract, table_names

_ROWS_PER_GROUP = 1 << 18
_ROWS_PER_PART = 1 << 21
_VALUES_AT_ONCE = 1 << 14
_WRITERS = 2
_WAITING = 3
"""The number of pieces that may wait for a writer, besides those being written. `Parts.add` blocks at this limit."""


class Parts:
    """Writes `<directory>/<table>/part-00000.parquet` and so on. Tables come in pieces, each in the order of its rows;
    different tables are written at the same time.

    Leaving the `with` block without close() drops the waiting rows, so the files are worthless.
    """

    def __init__(self, directory: Path, names: Sequence[str] | None = None) -> None:
        """directory: where the files are written; it must exist. names: the only tables, by default all."""
        self._tables = {name: _Table(directory / name, name) for name in names or table_names()}
        self._pool = ThreadPoolExecutor(max_workers=_WRITERS, thread_name_prefix="parquet")
        self._room = Semaphore(_WRITERS + _WAITING)
        self._problem: BaseException | None = None

    def __enter__(self) -> Parts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for table in self._tables.values():
            table.drop_waiting()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for table in self._tables.values():
            table.abandon()

    def add(self, name: str, rows: pa.Table) -> None:
        """Hands rows to a writer. Raises the error of an earlier write, such as OSError if the disk is full."""
        self._room.acquire()
        self._check()
        if self._tables[name].wait_for_writer(rows):
            self._pool.submit(self._write, self._tables[name])

    def _write(self, table: _Table) -> None:
        """Write the waiting pieces of a table, including those that are added meanwhile. So only one writer at a time
        works on a table."""
        try:
            while table.write_next():
                self._room.release()
        except BaseException as problem:
            self._problem = self._problem or problem
            self._room.release()

    def _check(self) -> None:
        if self._problem is not None:
            raise self._problem

    def close(self) -> dict[str, list[dict[str, Any]]]:
        """Writes all waiting pieces. Returns the files of each table, as the manifest describes them."""
        self._pool.shutdown(wait=True)
        self._check()
        for name, table in self._tables.items():
            if table.is_empty:
                table.write(pa.Table.from_batches([], schema=arrow_schema(name)))
        with ThreadPoolExecutor(max_workers=_WRITERS) as pool:
            for closing in [pool.submit(table.close) for table in self._tables.values()]:
                closing.result()
        return {name: table.files for name, table in self._tables.items()}


class _Table:
    """One table's files. One thread at a time writes it."""

    def __init__(self, directory: Path, name: str) -> None:
        self._directory = directory
        self._name = name
        self._writer: pq.ParquetWriter | None = None
        self._in_part = 0
        self._lock = Lock()
        self._waiting: deque[pa.Table] = deque()
        self._has_writer = False
        self.files: list[dict[str, Any]] = []
        """Descriptions of the finished files."""
        directory.mkdir()

    @property
    def is_empty(self) -> bool:
        """True if nothing was written yet."""
        return self._writer is None and not self.files

    def wait_for_writer(self, rows: pa.Table) -> bool:
        """Queues rows. True if no thread writes this table: then the caller must call write_next() until it returns
        False."""
        with self._lock:
            self._waiting.append(rows)
            had_writer, self._has_writer = self._has_writer, True
            return not had_writer

    def write_next(self) -> bool:
        """Writes the piece that has waited longest; False if none waits."""
        with self._lock:
            if not self._waiting:
                self._has_writer = False
                return False
            rows = self._waiting.popleft()
        self.write(rows)
        return True

    def drop_waiting(self) -> None:
        """Drops the pieces that wait."""
        with self._lock:
            self._waiting.clear()

    def write(self, rows: pa.Table) -> None:
        rows = conform(self._name, rows)
        if self._writer is not None and self._in_part >= _ROWS_PER_PART:
            self.close()
        if self._writer is None:
            self._writer = _open(self._part(), self._name, rows.schema)
            self._in_part = 0
        self._writer.write_table(_cast(rows, self._writer.schema), row_group_size=_ROWS_PER_GROUP)
        self._in_part += rows.num_rows

    def close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
            # The hash is computed in the thread that wrote the file, while the file is still in memory.
            self.files.append(described(self._part(), self._in_part))

    def _part(self) -> Path:
        return self._directory / f"part-{len(self.files):05}.parquet"

    def abandon(self) -> None:
        """Closes the unfinished file of a table whose conversion failed."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(OSError, pa.ArrowException):
                writer.close()


def _cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    return table if table.schema.equals(schema) else table.cast(schema)


@cache
def _plain_schema(name: str) -> bytes:
    """The table's schema in the form in which Arrow's readers expect it in a file. With it they read dictionaries as
    plain texts."""
    return base64.b64encode(arrow_schema(name).serialize().to_pybytes())


def _open(path: Path, name: str, schema: pa.Schema) -> pq.ParquetWriter:
    """Opens a Parquet file with encodings for its columns. Times and ids grow from row to row: only their differences
    are stored, and their statistics tell which rows a query may skip. All other columns repeat values, so they use
    dictionaries, without statistics, which would cost a seventh of the writing time. The result compresses little
    further: LZ4 makes files 8 % larger than zstd, and takes four fifths of the time."""
    growing = [field.name for field in schema if field.type == pa.int64() and field.name.endswith(("_ns", "_id"))]
    repeating = [column for column in schema.names if column not in growing]
    order = contract(name)["x-order"]
    texts = [column for column in order if not pa.types.is_integer(schema.field(column).type)]
    sorting = [pq.SortingColumn(schema.get_field_index(column), nulls_first=True) for column in order]
    writer = pq.ParquetWriter(
        path,
        schema,
        compression="lz4",
        use_dictionary=cast("Any", repeating),
        column_encoding=dict.fromkeys(growing, "DELTA_BINARY_PACKED"),
        write_statistics=cast("Any", list(dict.fromkeys([*growing, *order]))),
        write_batch_size=_VALUES_AT_ONCE,
        sorting_columns=None if texts else sorting,
        store_schema=False,
    )
    writer.add_key_value_metadata({"ARROW:schema": _plain_schema(name), **(arrow_schema(name).metadata or {})})
    return writer
