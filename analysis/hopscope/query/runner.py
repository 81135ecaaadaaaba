"""Runs SQL: with `user_query` the only module that knows DuckDB. The tables of a dataset are views, or in memory where
they are short; views and macros of the catalog are made when first used."""

import os
import re
import secrets
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
from duckdb.func import PythonUDFType

from hopscope.dataset.memory import shortage
from hopscope.dataset.store import Store
from hopscope.errors import InputError
from hopscope.format.quantities import quantity
from hopscope.query.cache import KeptAnswers
from hopscope.query.catalog import Analysis, Catalog, Scalar, Source
from hopscope.query.relations import Relation, described
from hopscope.query.shared_macros import shared_macros, whole_views
from hopscope.query.stopping import Stop
from hopscope.query.user_query import check, distinct_names
from hopscope.selection import VISITS, Part, quoted
from hopscope.vocabulary.mpi_functions import FUNCTIONS

_ROWS_IN_PIECE = 1 << 16

WHOLE = "whole_"
"""Prefix of the names of tables and views that no part of the run restricts."""

Answer = TypeVar("Answer")

_PRESENT_STATE = "dataset_files"
"""A question about what the files contain now is answered anew each time."""

_ROWS = "rows"
"""Rows of an analysis's SQL, before a verdict is made from them."""
_VERDICT_LIMIT = 32
"""Verdicts in memory, each of tens to thousands of rows, if answers are not kept beside the dataset."""

_MEMORY_SCHEMA = "rows_in_memory"
"""Schema of the tables that keep the rows of views of a short run."""

_MOST_ROWS_IN_MEMORY = 100_000
"""Rows up to which a dataset's tables lie in memory: a question binds each dozens of times, which takes longer from
files."""

_FORMATTER = "quantity"
"""The catalog's macro that `hopscope.format.quantities` replaces."""

MEMORY = "HOPSCOPE_MEMORY"
"""Environment variable: how much memory a query may take before it goes on in files, such as 4GiB. Unset: DuckDB's
own four fifths of the machine's or container's."""

_LEAN_MEMORY = 300 << 20
_LEAN_BYTES_A_ROW = 25
"""Memory of a long-lived process's queries before they go on in files: this much, plus so much for each row of the
dataset. Measured at 20 million events: noise and efficiencies take no longer with 240 MiB."""


class Runner:
    """One in-memory DuckDB over one dataset, or over a part of its run. Safe to use from several threads."""

    def __init__(self, store: Store, catalog: Catalog, part: Part | None = None, *, lean: bool = False) -> None:
        """Raises InputError if a file of the dataset cannot be read or lacks columns."""
        self._lean = lean
        self._catalog = catalog
        self.part = part or Part()
        self._store = store
        self._cache = KeptAnswers(store)
        self._verdicts: dict[object, pa.Table] = {}
        self._row_files: dict[str, Path | None] = {}
        self._in_memory: set[str] = set()
        self._making: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        try:
            self._connection = duckdb.connect(":memory:")
            self._open()
        except duckdb.OutOfMemoryException:
            raise _too_little_to_open() from None

    def _open(self) -> None:
        store = self._store
        self._bound_memory()
        restricted = self.part.is_restricted()
        # Views over views bind their tables many times: the footers of a long trace's files are read once.
        self._connection.execute("set global parquet_metadata_cache = true")
        # DuckDB expects few rows of views over views, for which its ASOF join would compare each with each.
        self._connection.execute("set global asof_loop_join_threshold = 0")
        self._check_rows(store)
        for name, schema in store.schemas.items():
            parts, table = store.parts(name), f"whole_{name}" if restricted else name
            if not parts:
                self._connection.from_arrow(schema.empty_table()).create(table)
                continue
            try:
                relation = self._connection.read_parquet([_literal(part) for part in parts])
                store.check_columns(name, relation.columns)
                if store.large_rows > _MOST_ROWS_IN_MEMORY:
                    relation.create_view(table)
                else:
                    relation.create(table)
            except duckdb.OutOfMemoryException:
                raise
            except duckdb.Error as error:
                raise InputError(f"cannot read {store.path / name}: {_first_line(error)}. {store.advice}") from None
        self._make_files_view(store)
        self._connection.execute(f"create schema {_MEMORY_SCHEMA}")
        functions = pa.Table.from_pylist([function._asdict() for function in FUNCTIONS.values()])
        self._connection.from_arrow(functions).create("mpi_functions")
        self._connection.execute("\n".join([*shared_macros(self.part), *self._views()]))
        # A query reads this dataset and nothing else: no other file, no network, no Python variable of ours.
        places = [str(store.path.resolve()), str(store.path), str(self._cache.folder)]
        self._connection.execute(
            "set allowed_directories = $directories", {"directories": [*places, *map(_literal, places)]}
        )
        self._connection.execute("set python_enable_replacements = false")
        self._connection.execute("set enable_external_access = false")
        self._connection.execute("set lock_configuration = true")

    @property
    def is_of_long_run(self) -> bool:
        """True if the dataset is so large that questions take much time and memory."""
        return self._cache.is_of_long_run

    @property
    def keeps_answers(self) -> bool:
        """True if answers from the dataset are kept beside it."""
        return self._cache.is_worthwhile

    def _check_rows(self, store: Store) -> None:
        """Holds the files' footers, which are read here once, against the manifest. Raises InputError."""
        parts = [part for name in store.schemas for part in store.parts(name)]
        if not parts:
            return
        try:
            footers = self._connection.execute(
                "select file_name, num_rows from parquet_file_metadata($parts)", {"parts": [*map(_literal, parts)]}
            ).fetchall()
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise InputError(f"cannot read {store.path}: {_first_line(error)}. {store.advice}") from None
        store.check_rows(dict(footers))

    def _views(self) -> list[str]:
        """The statements that make each table as analyses see it, with all of it as `whole_TABLE`."""
        return self.part_views() if self.part.is_restricted() else whole_views(self._store.schemas)

    def part_views(self) -> list[str]:
        """The statements that restrict the tables to the part."""
        views = [] if self.part.region is None else [VISITS]
        views += [self._catalog.sources[name].sql for name in self.part.rests_on()]
        # Collectives first, which others are restricted by.
        for name in sorted(self._store.schemas, key=lambda name: (name != "collectives", name)):
            views.append(f"create or replace view {name} as {self.part.view(name) or f'from whole_{name}'};")
        return views

    def _make_files_view(self, store: Store) -> None:
        """The view `dataset_files`: what the manifest says of each file, and the hash that its content has now, which
        is computed only where a query asks for it."""
        rows = [(str(store.path / table / entry["file"]), table, entry["sha256"]) for table, entry in store.files()]
        schema = pa.schema([(name, pa.string()) for name in ("path", "table_name", "sha256")])
        promised = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema)
        self._connection.from_arrow(promised).create("manifest_files")
        content = "(select null::varchar as filename, null::blob as content)"
        if rows:
            content = f"read_blob([{', '.join(quoted(_literal(path)) for path, *_ in rows)}])"
        self._connection.execute(
            "create view dataset_files as select path, table_name, sha256, sha256(content) as found_sha256 "
            f"from manifest_files left join {content} on path = filename"
        )

    def _bound_memory(self) -> None:
        """Lets a query spill into a directory in TMPDIR, which DuckDB makes when needed and removes. Raises InputError
        where HOPSCOPE_MEMORY is not a size."""
        spill = Path(tempfile.gettempdir()) / f"hopscope-spill-{secrets.token_hex(8)}"
        self._connection.execute("set temp_directory = $spill", {"spill": str(spill)})
        memory = os.environ.get(MEMORY)
        if not memory:
            if self._lean:
                memory_bytes = max(_LEAN_MEMORY, _LEAN_BYTES_A_ROW * self._store.large_rows)
                self._connection.execute("set memory_limit = $memory", {"memory": f"{memory_bytes}B"})
            return
        not_a_size = InputError(f"{MEMORY}={memory} is not a valid size; write for example 4GiB")
        if memory.lstrip().startswith("-"):  # which DuckDB takes for no limit
            raise not_a_size
        try:
            self._connection.execute("set memory_limit = $memory", {"memory": memory})
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error:
            raise not_a_size from None

    def ask(self, analysis: Analysis, parameters: Mapping[str, Scalar]) -> pa.Table:
        """The rows of an analysis. Raises InputError where its SQL fails or a file of the dataset is damaged."""
        return self.recall(analysis, parameters, _ROWS, partial(self._computed, analysis, parameters))

    def recall(
        self, analysis: Analysis, parameters: Mapping[str, Scalar], kind: str, compute: Callable[[], pa.Table]
    ) -> pa.Table:
        """Recall the table of this kind that was computed from an analysis's SQL with these parameters, or compute
        it."""
        if _PRESENT_STATE in analysis.sql:
            return compute()
        text = f"-- {kind}\n{self.text_of(analysis)}"
        if self.keeps_answers or kind == _ROWS:
            return self.kept_by_text(text, parameters, compute)
        # The diagnosis rests on the rows of an analysis that is asked for by itself, too.
        key = (text, *sorted(parameters.items()))
        if (table := self._verdicts.get(key)) is None:
            table = compute()
            while len(self._verdicts) >= _VERDICT_LIMIT:
                self._verdicts.pop(next(iter(self._verdicts)), None)
            self._verdicts[key] = table
        return table

    def kept_by_text(self, text: str, parameters: Mapping[str, Scalar], compute: Callable[[], pa.Table]) -> pa.Table:
        """Recall or compute a table of a text, likewise."""
        if not self._cache.is_worthwhile:
            return compute()
        place = self._cache.place(text, parameters)
        table = self._cache.find(place)
        if table is None:
            begin = time.perf_counter()
            table = compute()
            self._cache.keep(place, table, time.perf_counter() - begin)
            # The rows behind it took some hundred megabytes, which a server would hold for ever.
            pa.default_memory_pool().release_unused()
        return table

    def _computed(self, analysis: Analysis, parameters: Mapping[str, Scalar]) -> pa.Table:
        try:
            return self._from_kept_rows(analysis, parameters)
        except duckdb.OutOfMemoryException as error:
            if self._lean and not os.environ.get(MEMORY):
                # This one answer takes what it needs; then the memory is the system's again.
                return Runner(self._store, self._catalog, self.part)._computed(analysis, parameters)
            raise InputError(
                f"the analysis {analysis.name} ran out of memory or of space for files: {_first_line(error)}. "
                f"{MEMORY} sets how much memory it may use (default: four fifths of the machine's), TMPDIR where its "
                "files go"
            ) from error
        except duckdb.Error as error:
            raise InputError(
                f"the analysis {analysis.name} failed: {_first_line(error)}. If its SQL is right, "
                f"{self._store.path} is damaged; delete it and run the command on the trace again"
            ) from error

    def _from_kept_rows(self, analysis: Analysis, parameters: Mapping[str, Scalar]) -> pa.Table:
        try:
            self.prepare(analysis.uses, keep=True)
            return self.query(analysis.sql, parameters)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error:
            # Kept rows may be damaged, or gone since: another process makes room, a user deletes the folder.
            row_files = [
                file for source in self._catalog.ordered(analysis.uses) if (file := self._row_files.get(source.name))
            ]
            if not row_files:
                raise
            for file in row_files:
                self._cache.forget(file)
            self.prepare(analysis.uses)
            return self.query(analysis.sql, parameters)

    def text_of(self, target: Source) -> str:
        """All SQL that an analysis or view consists of: the views of the part that is asked, those under it, and its
        own."""
        texts = [target.sql, *(self.sql_of(source) for source in self._catalog.ordered(target.uses))]
        text = "\n\n".join(reversed(texts))
        if not self.part.is_restricted() or target.name.startswith(WHOLE):
            return "\n\n".join([*shared_macros(self.part, text), text])
        return "\n\n".join([*shared_macros(self.part), *self.part_views(), text])

    def prepare(self, uses: Sequence[str], *, keep: bool = False) -> list[Source]:
        """Make these views and macros, and those under them, where they are not there yet. Returns them in the order
        of making. With `keep`, views whose rows are worth it read those that are kept: beside the dataset of a long
        run, where the first one puts them, else in memory. Raises duckdb.Error."""
        sources = self._catalog.ordered(uses)
        for source in sources:
            with self._lock:
                making = self._making.setdefault(source.name, threading.Lock())
            with making:
                self._prepare(source, keep=keep and source.keeps_rows)
        return sources

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
            # If the file is damaged or was removed, the view stays.
            file = quoted(_literal(str(row_file)))
            try:
                self._execute(f"create or replace view {source.name} as from read_parquet({file})")
                self._row_files[source.name] = row_file
            except duckdb.OutOfMemoryException:
                raise
            except duckdb.Error:
                self._cache.forget(row_file)

    def _keep_in_memory(self, view: str) -> None:
        self._answered(lambda cursor: cursor.execute(f"create or replace table {_MEMORY_SCHEMA}.{view} as from {view}"))
        self._execute(f"create or replace view {view} as from {_MEMORY_SCHEMA}.{view}")
        self._in_memory.add(view)

    def _keep_rows(self, view: Source) -> Path | None:
        """The file that has the rows of a view, which is written if it is not there; None where it cannot be."""
        place = self._cache.rows_of(self.text_of(view))
        if place.exists():
            self._cache.used(place)
        else:
            with suppress(OSError, duckdb.IOException):
                self._cache.write(place, lambda file: self._write(view.name, file))
        return place if place.exists() else None

    def _write(self, view: str, file: Path) -> None:
        name = _literal(str(file))
        self._answered(lambda cursor: cursor.sql(f"from {view}").write_parquet(name, compression="lz4_raw"))

    def _make(self, source: Source) -> None:
        if source.name != _FORMATTER:
            self._execute(self.sql_of(source))
            return
        with self._lock:
            self._connection.create_function(
                _FORMATTER, _quantities, ["DOUBLE", "VARCHAR"], "VARCHAR", type=PythonUDFType.ARROW
            )
        # DuckDB's module complains at exit of a connection that has a function of ours and is still open.
        weakref.finalize(self, self._connection.close)

    def _execute(self, statement: str) -> None:
        with self._lock:
            self._connection.execute(statement)

    def sql_of(self, source: Source) -> str:
        """The statement that makes a view or macro, for the part that is asked."""
        body = self.part.view(source.name) if self.part.is_restricted() else None
        return f"create or replace view {source.name} as {body};" if body else source.sql

    def query(self, sql: str, parameters: Mapping[str, Scalar]) -> pa.Table:
        """The result of one query. A parameter `name` is `$name` in the text. Raises duckdb.Error."""
        return self._answered(lambda cursor: cursor.sql(sql, params=dict(parameters)).to_arrow_table())

    def _answered(self, ask: Callable[[duckdb.DuckDBPyConnection], Answer]) -> Answer:
        # In a thread of its own: the main thread hears Ctrl-C at once, DuckDB only between some of its pieces of work.
        with self._connection.cursor() as cursor, ThreadPoolExecutor(max_workers=1) as pool:
            answer = pool.submit(ask, cursor)
            try:
                return answer.result()
            except KeyboardInterrupt:
                while not answer.done():  # again, for a query that had not begun does not hear it
                    cursor.interrupt()
                    time.sleep(0.05)
                raise

    def rows_of(self, name: str) -> pa.Table:
        """All rows of a table of the dataset or of a view of the catalog."""
        if name in self._catalog.sources:
            self.prepare([name])
        return self.query("from query_table($name)", {"name": name})

    def describe(self, sql: str, parameters: Mapping[str, Scalar]) -> list[tuple[str, str]]:
        """Names and DuckDB types of a query's columns."""
        with self._connection.cursor() as cursor:
            relation = cursor.sql(sql, params=dict(parameters))
            return [(name, str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)]

    def user_query(self, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
        """The result of a query that a user wrote: one SELECT (or what reads like one). Every view of the catalog is
        there. Raises InputError."""
        self._check(sql)
        try:
            table = self.query(sql, parameters)
        except duckdb.Error as error:
            raise InputError(f"the query failed: {error}") from None
        return table.rename_columns(distinct_names(table.column_names))

    def batches(
        self, sql: str, parameters: Mapping[str, Scalar], stop: Stop | None = None
    ) -> Generator[pa.RecordBatch]:
        """The result of a user's query, some `_ROWS_IN_PIECE` rows at a time; one empty piece if it has none, so that
        its columns are known. Raises InputError, also where `stop` ended it."""
        self._check(sql)
        with self._stoppable(stop or Stop()) as cursor:
            reader = cursor.sql(sql, params=dict(parameters)).to_arrow_reader(_ROWS_IN_PIECE)
            names = distinct_names(reader.schema.names)
            has_rows = False
            for batch in reader:
                has_rows = True
                yield batch.rename_columns(names)
            if not has_rows:
                yield pa.RecordBatch.from_pylist([], reader.schema).rename_columns(names)

    def first_rows(self, sql: str, limit: int, stop: Stop) -> tuple[pa.Table, int | None]:
        """The first rows of a user's query, `limit` of them, and how many it has; None if `stop` ended the counting.
        Raises InputError, also where `stop` ended the query."""
        self._check(sql)
        with self._stoppable(stop) as cursor:
            relation = cursor.sql(sql)
            table = relation.limit(limit + 1).to_arrow_table().rename_columns(distinct_names(relation.columns))
            if table.num_rows <= limit:
                return table, table.num_rows
            try:
                return table.slice(0, limit), relation.count("*").fetchall()[0][0]
            except duckdb.InterruptException:
                return table.slice(0, limit), None

    @contextmanager
    def _stoppable(self, stop: Stop) -> Generator[duckdb.DuckDBPyConnection]:
        """A connection for a user's query, whose errors become InputErrors."""
        with self._connection.cursor() as cursor, stop.watches(cursor.interrupt):
            try:
                if stop.reason is not None:
                    raise InputError(f"the query was stopped {stop.reason}")
                yield cursor
            except (duckdb.Error, pa.ArrowException, OSError) as error:  # once rows flow, errors come through Arrow
                stopped = stop.reason is not None and "INTERRUPT Error" in str(error)
                raise InputError(
                    f"the query {f'was stopped {stop.reason}' if stopped else f'failed: {error}'}"
                ) from None

    def relations(self) -> list[Relation]:
        """Relations that a user's query can read: the dataset's tables and the catalog's views."""
        self.prepare(list(self._catalog.sources))
        with self._connection.cursor() as cursor:
            columns_by_table = cursor.sql(
                "select table_name, list(struct_pack(name := column_name, kind := data_type) order by column_index) "
                "from duckdb_columns() where schema_name = 'main' and not internal group by table_name"
            ).fetchall()
        columns = {name: [(column["name"], column["kind"]) for column in members] for name, members in columns_by_table}
        return described(columns, self._catalog)

    def _check(self, sql: str) -> None:
        """Makes every view of the catalog. Raises InputError unless the query is one that only reads."""
        self.prepare(list(self._catalog.sources))
        check(self._connection, sql)


def _quantities(values: pa.ChunkedArray, units: pa.ChunkedArray) -> pa.Array:
    texts = [quantity(value, unit) for value, unit in zip(values.to_pylist(), units.to_pylist(), strict=True)]
    return pa.array(texts, pa.string())


def _literal(path: str) -> str:
    """A path as DuckDB takes it, to which `st*r` is a pattern that its neighbour `star` fits."""
    return re.sub(r"([*?[])", r"[\1]", path)


def _too_little_to_open() -> InputError:
    memory = os.environ.get(MEMORY)
    if not memory:
        return shortage("opening the dataset")
    return InputError(f"{MEMORY}={memory} is too little memory to open the dataset; raise it, for example to 1GiB")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
