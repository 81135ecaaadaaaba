"""Asks analyses: runs their SQL, or recalls what was computed before."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import duckdb
import pyarrow as pa

from hopscope.dataset.store import Store
from hopscope.errors import InputError
from hopscope.query.cache import KeptAnswers
from hopscope.query.catalog import Analysis, Catalog, Scalar, Source
from hopscope.query.database import MEMORY, Database, first_line
from hopscope.query.statements import Statements
from hopscope.query.user_query import UserQueries
from hopscope.query.views import Views
from hopscope.selection import Part

_PRESENT_STATE = "dataset_files"
"""An analysis that names this view asks what the files contain now, so it is computed anew each time."""

_ROWS = "rows"
"""The kind of table that `recall` keeps: the rows of an analysis's SQL, before a verdict is made from them."""


class Runner:
    """Answers questions about one dataset, or about a part of its run. Safe to use from several threads."""

    def __init__(self, store: Store, catalog: Catalog, part: Part | None = None, *, lean: bool = False) -> None:
        """Raises InputError if a file of the dataset cannot be read or lacks columns."""
        self._catalog = catalog
        self.part = part or Part()
        self._store = store
        self.cache = KeptAnswers(store)
        """The answers that are kept from the dataset."""
        self.statements = Statements(catalog, self.part, store.schemas)
        self._database = Database(store, self.statements, self.cache.folder, lean=lean)
        self._views = Views(self._database, self.statements, self.cache)
        self.users = UserQueries(self._database, self._views, catalog)
        """Queries that a user wrote."""

    def ask(self, analysis: Analysis, parameters: Mapping[str, Scalar]) -> pa.Table:
        """The rows of an analysis. Raises InputError where its SQL fails or a file of the dataset is damaged."""
        return self.recall(analysis, parameters, _ROWS, partial(self._computed, analysis, parameters))

    def recall(
        self, analysis: Analysis, parameters: Mapping[str, Scalar], kind: str, compute: Callable[[], pa.Table]
    ) -> pa.Table:
        """Recall the table that was computed from an analysis's SQL with these parameters, or compute it. kind: `rows`,
        or the module that made the table."""
        if _PRESENT_STATE in analysis.sql:
            return compute()
        # An analysis may have several kinds of tables: its rows, and the verdict made from them.
        text = f"-- {kind}\n{self.statements.text_of(analysis)}"
        return self.cache.recall(text, parameters, compute, is_verdict=kind != _ROWS)

    def _computed(self, analysis: Analysis, parameters: Mapping[str, Scalar]) -> pa.Table:
        try:
            return self._from_kept_rows(analysis, parameters)
        except duckdb.OutOfMemoryException as error:
            if self._database.is_lean:
                # Compute this answer without the limit. Its memory goes back to the system afterwards.
                return Runner(self._store, self._catalog, self.part)._computed(analysis, parameters)
            raise InputError(
                f"the analysis {analysis.name} ran out of memory or of space for files: {first_line(error)}. "
                f"{MEMORY} sets how much memory it may use (default: four fifths of the machine's), TMPDIR where its "
                "files go"
            ) from error
        except duckdb.Error as error:
            raise InputError(
                f"the analysis {analysis.name} failed: {first_line(error)}. If its SQL is right, "
                f"{self._store.path} is damaged; delete it and run the command on the trace again"
            ) from error

    def _from_kept_rows(self, analysis: Analysis, parameters: Mapping[str, Scalar]) -> pa.Table:
        try:
            self._views.prepare(analysis.uses, keep=True)
            return self.query(analysis.sql, parameters)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error:
            # Kept rows may be damaged or gone: another process deletes old ones, a user deletes the folder.
            if not self._views.forget_rows(analysis.uses):
                raise
            self.prepare(analysis.uses)
            return self.query(analysis.sql, parameters)

    def prepare(self, uses: Sequence[str]) -> list[Source]:
        """Make these views and macros, and those that they use, if they do not exist yet. Returns them in the order of
        making. Raises duckdb.Error."""
        return self._views.prepare(uses)

    def query(self, sql: str, parameters: Mapping[str, Scalar]) -> pa.Table:
        """The result of one query. A parameter `name` is `$name` in the text. Raises duckdb.Error."""
        return self._database.query(sql, parameters)

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The rows of a query that may name views of the catalog."""
        self.prepare([word for word in dict.fromkeys(re.findall(r"\w+", sql)) if word in self._catalog.sources])
        return self.query(sql, parameters).to_pylist()

    def number_of_rows(self, table: str) -> int:
        """The number of rows of a whole table, according to the manifest."""
        return self._store.rows(table)

    def rows_of(self, name: str) -> pa.Table:
        """All rows of a table of the dataset or of a view of the catalog."""
        if name in self._catalog.sources:
            self.prepare([name])
        return self.query("from query_table($name)", {"name": name})

    def recalled_rows_of(self, view: str) -> pa.Table:
        """All rows of a view of the catalog. They are kept in the same way as answers."""
        text = self.statements.text_of(self._catalog.sources[view])
        return self.cache.recall(text, {}, partial(self.rows_of, view))

    def describe(self, analysis: Analysis) -> list[tuple[str, str]]:
        """Names and DuckDB types of the columns that an analysis has."""
        self.prepare(analysis.uses)
        values = {p.name: p.default for p in analysis.parameters if p.name in analysis.query_parameters}
        with self._database.cursor() as cursor:
            relation = cursor.sql(analysis.sql, params=values)
            return [(name, str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)]
