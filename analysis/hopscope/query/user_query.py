"""Runs queries that a user wrote. Each must be one SELECT, or a statement that reads like one."""

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from hopscope.errors import InputError
from hopscope.query.catalog import Catalog
from hopscope.query.database import Database
from hopscope.query.relations import Relation, described
from hopscope.query.stopping import Stop
from hopscope.query.views import Views

_ROWS_IN_PIECE = 1 << 16
_EXPLAIN = re.compile(r"\A\s*explain\s+(analyze\s+)?(\([^()]*\)\s*)?", re.IGNORECASE)
# Finds the parts of a query in DuckDB's tree that are a COPY, INSERT, UPDATE or DELETE.
_QUERY_NODE = re.compile(r'"type":"([A-Z_]+)_QUERY_NODE"')


class UserQueries:
    """Runs queries of users in a database that has every view of the catalog."""

    def __init__(self, database: Database, views: Views, catalog: Catalog) -> None:
        self._database = database
        self._views = views
        self._catalog = catalog

    def table(self, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
        """The result of a query. Raises InputError."""
        self._check(sql)
        try:
            table = self._database.query(sql, parameters)
        except duckdb.Error as error:
            raise InputError(f"the query failed: {error}") from None
        return table.rename_columns(distinct_names(table.column_names))

    def batches(self, sql: str, parameters: Mapping[str, Any], stop: Stop | None = None) -> Generator[pa.RecordBatch]:
        """The result of a query, about `_ROWS_IN_PIECE` rows at a time. A result without rows gives one empty piece, so
        that its columns are known. Raises InputError if the query fails, or if `stop` ended it."""
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

    def first_rows(self, sql: str, limit: int, stop: Stop | None = None) -> tuple[pa.Table, int | None]:
        """The first `limit` rows of a query, and the number of all its rows. The number is None if `stop` ended the
        counting. Raises InputError if the query fails, or if `stop` ended it before."""
        self._check(sql)
        with self._stoppable(stop or Stop()) as cursor:
            relation = cursor.sql(sql)
            table = relation.limit(limit + 1).to_arrow_table().rename_columns(distinct_names(relation.columns))
            if table.num_rows <= limit:
                return table, table.num_rows
            try:
                return table.slice(0, limit), relation.count("*").fetchall()[0][0]
            except duckdb.InterruptException:
                return table.slice(0, limit), None

    def relations(self) -> list[Relation]:
        """Relations that a query can read: the dataset's tables and the catalog's views."""
        self._views.prepare_all()
        columns_by_table = self._database.query(
            "select table_name, list(struct_pack(name := column_name, kind := data_type) order by column_index) as "
            "columns from duckdb_columns() where schema_name = 'main' and not internal group by table_name",
            {},
        ).to_pylist()
        columns = {
            table["table_name"]: [(column["name"], column["kind"]) for column in table["columns"]]
            for table in columns_by_table
        }
        return described(columns, self._catalog)

    @contextmanager
    def _stoppable(self, stop: Stop) -> Generator[duckdb.DuckDBPyConnection]:
        """Context that gives a connection for a query. Turns its errors into InputErrors."""
        with self._database.cursor() as cursor, stop.watches(cursor.interrupt):
            try:
                if stop.reason is not None:
                    raise InputError(f"the query was stopped {stop.reason}")
                yield cursor
            except (duckdb.Error, pa.ArrowException, OSError) as error:  # once rows flow, errors come through Arrow
                stopped = stop.reason is not None and "INTERRUPT Error" in str(error)
                raise InputError(
                    f"the query {f'was stopped {stop.reason}' if stopped else f'failed: {error}'}"
                ) from None

    def _check(self, sql: str) -> None:
        """Makes every view of the catalog. Raises InputError unless the query only reads."""
        self._views.prepare_all()
        with self._database.cursor() as cursor:
            check(cursor, sql)


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise InputError unless the query only reads."""
    kind = _kind(connection, sql)
    if kind == "MULTI":  # DuckDB splits it into several statements, of which only the first can be checked
        raise InputError(
            "a PIVOT without values counts as several statements; name the values, as in: pivot hops on link in "
            "('shm', 'wan') using count(*)"
        )
    if kind != "SELECT":
        raise InputError(f"a dataset is read-only; give a SELECT instead of this {kind}")


def _kind(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """`SELECT` for one statement that only reads, else the kind of the statement. Raises InputError unless `sql` has
    exactly one statement."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise InputError(f"cannot parse the query: {error}") from None
    if len(statements) != 1:
        raise InputError(f"the query has {len(statements)} statements; give exactly one")
    if statements[0].type == duckdb.StatementType.EXPLAIN:
        # EXPLAIN ANALYZE runs the statement that it explains.
        explained = _EXPLAIN.sub("", sql, count=1)
        return "EXPLAIN" if explained == sql else _kind(connection, explained)
    if statements[0].type != duckdb.StatementType.SELECT:
        return statements[0].type.name
    # A SELECT may begin with a COPY: `with copied as (copy ... to ...) select ...`.
    with connection.cursor() as cursor:
        row = cursor.execute("select json_serialize_sql($sql::varchar)", {"sql": sql}).fetchone()
    written = [kind for kind in _QUERY_NODE.findall(row[0] if row else "") if kind != "SELECT"]
    return f"SELECT with {written[0]}" if written else "SELECT"


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names, with a number after each that occurred before: the second column `a` becomes `a_2`. A row becomes an
    object, whose keys must differ."""
    distinct: list[str] = []
    for name in names:
        free, number = name, 1
        while free in distinct:
            number += 1
            free = f"{name}_{number}"
        distinct.append(free)
    return distinct
