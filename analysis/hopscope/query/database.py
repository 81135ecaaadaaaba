"""One in-memory DuckDB over the tables of one dataset, which reads that dataset and nothing else."""

import os
import re
import secrets
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import duckdb
import pyarrow as pa
from duckdb.func import PythonUDFType

from hopscope.dataset.memory import shortage
from hopscope.dataset.store import Store
from hopscope.errors import InputError
from hopscope.query.catalog import Scalar
from hopscope.query.statements import Statements
from hopscope.selection import quoted
from hopscope.vocabulary.mpi_functions import FUNCTIONS

Answer = TypeVar("Answer")

MEMORY_SCHEMA = "rows_in_memory"
"""Schema of the tables that keep the rows of views of a short run."""

_MOST_ROWS_IN_MEMORY = 100_000
"""The tables of a dataset with fewer rows are loaded into memory, because one question reads each table dozens of
times, which takes longer from files."""

MEMORY = "HOPSCOPE_MEMORY"
"""Environment variable: the memory that a query may use before it spills to files, such as 4GiB. Unset: DuckDB's
default, four fifths of the memory of the machine or container."""

_LEAN_MEMORY = 300 << 20
_LEAN_BYTES_A_ROW = 25
"""The memory that queries of a long-lived process may use before they spill to files: `_LEAN_MEMORY` or, if larger,
this for each row of the dataset. Measured at 20 million events: noise and efficiencies take no longer with 240 MiB."""


class Database:
    """The tables of a dataset as views, or in memory where they are short. Safe to use from several threads."""

    def __init__(self, store: Store, statements: Statements, kept_answers: Path, *, lean: bool) -> None:
        """kept_answers: a folder that queries may read, too. Raises InputError if a file of the dataset cannot be read
        or lacks columns."""
        self._store = store
        self.is_lean = lean and not os.environ.get(MEMORY)
        """True if queries are limited to little memory. A single answer may need more."""
        self._lock = threading.Lock()
        try:
            self._connection = duckdb.connect(":memory:")
            self._open(statements, kept_answers)
        except duckdb.OutOfMemoryException:
            raise _too_little_to_open() from None

    def _open(self, statements: Statements, kept_answers: Path) -> None:
        store = self._store
        self._bound_memory()
        # Views over views open their tables many times. With this, the footers of a long trace's files are read once.
        self._connection.execute("set global parquet_metadata_cache = true")
        # DuckDB expects few rows from views over views, even if there are many. Where it expects few rows, its ASOF
        # join compares all pairs of rows, which is slow for many. With 0, it never does that.
        self._connection.execute("set global asof_loop_join_threshold = 0")
        self._check_rows()
        for name, schema in store.schemas.items():
            parts, table = self._parts(name), statements.table(name)
            if not parts:
                self._connection.from_arrow(schema.empty_table()).create(table)
                continue
            try:
                relation = self._connection.read_parquet([literal(part) for part in parts])
                store.check_columns(name, relation.columns)
                if store.large_rows > _MOST_ROWS_IN_MEMORY:
                    relation.create_view(table)
                else:
                    relation.create(table)
            except duckdb.OutOfMemoryException:
                raise
            except duckdb.Error as error:
                raise InputError(f"cannot read {store.path / name}: {first_line(error)}. {store.advice}") from None
        self._make_files_view()
        self._connection.execute(f"create schema {MEMORY_SCHEMA}")
        functions = pa.Table.from_pylist([function._asdict() for function in FUNCTIONS.values()])
        self._connection.from_arrow(functions).create("mpi_functions")
        self._connection.execute(statements.opening())
        # A query reads this dataset and nothing else: no other file, no network, no Python variable of ours.
        places = [str(store.path.resolve()), str(store.path), str(kept_answers)]
        self._connection.execute(
            "set allowed_directories = $directories", {"directories": [*places, *map(literal, places)]}
        )
        self._connection.execute("set python_enable_replacements = false")
        self._connection.execute("set enable_external_access = false")
        self._connection.execute("set lock_configuration = true")

    def _parts(self, table: str) -> list[str]:
        """Files of a table that has rows. Regions that another tool recorded are intervals, too."""
        names = ("intervals", "beside_regions") if table == "intervals" else (table,)
        return [part for name in names if self._store.rows(name) for part in self._store.parts(name)]

    def _check_rows(self) -> None:
        """Compares the footers of the files, which are read here once, with the manifest. Raises InputError."""
        store = self._store
        parts = [part for name in store.schemas for part in store.parts(name)]
        if not parts:
            return
        try:
            footers = self._connection.execute(
                "select file_name, num_rows from parquet_file_metadata($parts)", {"parts": [*map(literal, parts)]}
            ).fetchall()
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise InputError(f"cannot read {store.path}: {first_line(error)}. {store.advice}") from None
        store.check_rows(dict(footers))

    def _make_files_view(self) -> None:
        """Makes the view `dataset_files`: each file as in the manifest, and the hash of its present content, which is
        computed only if a query asks for it."""
        store = self._store
        rows = [(str(store.path / table / entry["file"]), table, entry["sha256"]) for table, entry in store.files()]
        schema = pa.schema([(name, pa.string()) for name in ("path", "table_name", "sha256")])
        promised = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema)
        self._connection.from_arrow(promised).create("manifest_files")
        content = "(select null::varchar as filename, null::blob as content)"
        if rows:
            content = f"read_blob([{', '.join(quoted(literal(path)) for path, *_ in rows)}])"
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
            if self.is_lean:
                memory_bytes = max(_LEAN_MEMORY, _LEAN_BYTES_A_ROW * self._store.large_rows)
                self._connection.execute("set memory_limit = $memory", {"memory": f"{memory_bytes}B"})
            return
        not_a_size = InputError(f"{MEMORY}={memory} is not a valid size; write for example 4GiB")
        if memory.lstrip().startswith("-"):  # DuckDB would read it as no limit
            raise not_a_size
        try:
            self._connection.execute("set memory_limit = $memory", {"memory": memory})
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error:
            raise not_a_size from None

    def execute(self, statement: str) -> None:
        """Run a statement that makes a view, macro or table. Raises duckdb.Error."""
        with self._lock:
            self._connection.execute(statement)

    def add_function(self, name: str, function: Callable[..., pa.Array], types: Sequence[str]) -> None:
        """Give SQL a function of Arrow arrays. types: those of the arguments, and last that of the result."""
        with self._lock:
            self._connection.create_function(name, function, [*types[:-1]], types[-1], type=PythonUDFType.ARROW)
        # At exit, DuckDB's module complains about a connection that is still open and has a Python function.
        weakref.finalize(self, self._connection.close)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A new connection to the same tables. The caller closes it."""
        return self._connection.cursor()

    def query(self, sql: str, parameters: Mapping[str, Scalar]) -> pa.Table:
        """The result of one query. A parameter `name` is `$name` in the text. Raises duckdb.Error."""
        return self.answered(lambda cursor: cursor.sql(sql, params=dict(parameters)).to_arrow_table())

    def answered(self, ask: Callable[[duckdb.DuckDBPyConnection], Answer]) -> Answer:
        """The answer to a question that Ctrl-C can end. Raises duckdb.Error."""
        # The query runs in another thread. The main thread can handle Ctrl-C at once; DuckDB handles it only between
        # pieces of work.
        with self.cursor() as cursor, ThreadPoolExecutor(max_workers=1) as pool:
            answer = pool.submit(ask, cursor)
            try:
                return answer.result()
            except KeyboardInterrupt:
                while not answer.done():  # repeatedly, because a query that has not begun ignores an interrupt
                    cursor.interrupt()
                    time.sleep(0.05)
                raise


def literal(path: str) -> str:
    """A path escaped for DuckDB, which would take `st*r` for a pattern that also fits `star`."""
    return re.sub(r"([*?[])", r"[\1]", path)


def first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return str(error).splitlines()[0]


def _too_little_to_open() -> InputError:
    memory = os.environ.get(MEMORY)
    if not memory:
        return shortage("opening the dataset")
    return InputError(f"{MEMORY}={memory} is too little memory to open the dataset; raise it, for example to 1GiB")
