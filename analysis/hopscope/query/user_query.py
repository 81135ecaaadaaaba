"""A query that a user wrote: it has to be one SELECT, or what reads like one."""

import re
from collections.abc import Sequence

import duckdb

from hopscope.errors import InputError

_EXPLAIN = re.compile(r"\A\s*explain\s+(analyze\s+)?(\([^()]*\)\s*)?", re.IGNORECASE)
# In DuckDB's tree of a query, a part that is a COPY, INSERT, UPDATE or DELETE.
_QUERY_NODE = re.compile(r'"type":"([A-Z_]+)_QUERY_NODE"')


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise InputError unless the query is one that only reads."""
    kind = _kind(connection, sql)
    if kind == "MULTI":  # it makes a type of the values first, and what else it does cannot be looked into
        raise InputError(
            "a PIVOT without values counts as several statements; name the values, as in: pivot hops on link in "
            "('shm', 'wan') using count(*)"
        )
    if kind != "SELECT":
        raise InputError(f"a dataset is read-only; give a SELECT instead of this {kind}")


def _kind(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """SELECT for one statement that only reads, else what it is. Raises InputError for no SQL or several."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise InputError(f"cannot parse the query: {error}") from None
    if len(statements) != 1:
        raise InputError(f"the query has {len(statements)} statements; give exactly one")
    if statements[0].type == duckdb.StatementType.EXPLAIN:
        # EXPLAIN ANALYZE runs what it explains.
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
    """Names that differ: a row is an object by name, so of two columns called `a` the second becomes `a_2`."""
    distinct: list[str] = []
    for name in names:
        free, number = name, 1
        while free in distinct:
            number += 1
            free = f"{name}_{number}"
        distinct.append(free)
    return distinct
