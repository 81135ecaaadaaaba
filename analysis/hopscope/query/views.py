"""Makes the catalog's views and macros in a database when they are first used, and keeps the rows of some views."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa

from hopscope.format.quantities import quantity
from hopscope.query.cache import KeptAnswers, forget
from hopscope.query.catalog import Source
from hopscope.query.database import MEMORY_SCHEMA, Database, literal
from hopscope.query.statements import Statements
from hopscope.selection import quoted

_FORMATTER = "quantity"
"""The catalog's macro that a Python function of `hopscope.format.quantities` replaces."""


class Views:
    """Makes the views and macros of a database when they are needed. Safe to use from several threads."""

    def __init__(self, database: Database, statements: Statements, cache: KeptAnswers) -> None:
        self._database = database
        self._statements = statements
        self._cache = cache
        self._row_files: dict[str, Path | None] = {}
        self._in_memory: set[str] = set()
        self._making: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def prepare(self, uses: Sequence[str], *, keep: bool = False) -> list[Source]:
        """Make these views and macros, and those that they use, if they do not exist yet. Returns them in the order of
        making. Raises duckdb.Error.

        keep: views that the catalog marks as `kept` read kept rows, which the first use writes. For a long run the rows
        are in a file beside the dataset, else in memory.
        """
        sources = self._statements.catalog.ordered(uses)
        for source in sources:
            with self._lock:
                making = self._making.setdefault(source.name, threading.Lock())
            with making:
                self._prepare(source, keep=keep and source.keeps_rows)
        return sources

    def prepare_all(self) -> None:
        """Make every view and macro of the catalog."""
        self.prepare(list(self._statements.catalog.sources))

    def forget_rows(self, uses: Sequence[str]) -> bool:
        """Remove the kept files that these views read. False if they read none."""
        sources = self._statements.catalog.ordered(uses)
        row_files = [file for source in sources if (file := self._row_files.get(source.name))]
        for file in row_files:
            forget(file)
        return bool(row_files)

    def _prepare(self, source: Source, *, keep: bool) -> None:
        row_file = self._row_files.get(source.name)
        exists = source.name in self._row_files and (row_file is None or row_file.exists())
        if not exists:
            self._make(source)
            self._row_files[source.name] = row_file = None
        if not keep or source.name in self._in_memory:
            return
        if not self._cache.is_of_long_run:
            self._keep_in_memory(source.name)
        elif self._cache.is_worthwhile and row_file is None and (row_file := self._keep_rows(source)):
            # If the file is damaged or gone, the view computes its rows as before.
            file = quoted(literal(str(row_file)))
            try:
                self._database.execute(f"create or replace view {source.name} as from read_parquet({file})")
                self._row_files[source.name] = row_file
            except duckdb.OutOfMemoryException:
                raise
            except duckdb.Error:
                forget(row_file)

    def _keep_in_memory(self, view: str) -> None:
        table = f"{MEMORY_SCHEMA}.{view}"
        self._database.answered(lambda cursor: cursor.execute(f"create or replace table {table} as from {view}"))
        self._database.execute(f"create or replace view {view} as from {table}")
        self._in_memory.add(view)

    def _keep_rows(self, view: Source) -> Path | None:
        """The file with the rows of a view, written if it does not exist; None if it cannot be written."""
        with suppress(duckdb.IOException):
            return self._cache.rows_of(self._statements.text_of(view), partial(self._write, view.name))
        return None

    def _write(self, view: str, file: Path) -> None:
        name = literal(str(file))
        self._database.answered(lambda cursor: cursor.sql(f"from {view}").write_parquet(name, compression="lz4_raw"))

    def _make(self, source: Source) -> None:
        if source.name == _FORMATTER:
            self._database.add_function(_FORMATTER, _quantities, ("DOUBLE", "VARCHAR", "VARCHAR"))
        else:
            self._database.execute(self._statements.sql_of(source))


def _quantities(values: pa.ChunkedArray, units: pa.ChunkedArray) -> pa.Array:
    texts = [quantity(value, unit) for value, unit in zip(values.to_pylist(), units.to_pylist(), strict=True)]
    return pa.array(texts, pa.string())
