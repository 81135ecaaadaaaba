"""The contract of each table, `schemas/tables/<table>.schema.json`, and whether a table keeps it."""

from functools import cache
from typing import Any

import pyarrow as pa

from hopscope.manifest import SCHEMA_VERSION
from hopscope.store import contract, table_schemas


@cache
def arrow_schema(table: str) -> pa.Schema:
    """The Arrow schema of a table, with units in the fields' metadata and the version in the table's."""
    described = contract(table)
    fields: list[pa.Field] = []
    for field in table_schemas()[table]:
        unit = described["properties"][field.name].get("x-unit")
        fields.append(field.with_metadata({"x-unit": unit}) if unit else field)
    return pa.schema(fields, metadata={"table": table, "schema_version": str(SCHEMA_VERSION)})


def conform(name: str, table: pa.Table) -> pa.Table:
    """The table with its contract's metadata. Raises ValueError if its columns, types or nulls are not the contract's;
    texts may be dictionaries.

    Cheap: looks at no value but the counts of nulls.
    """
    schema = arrow_schema(name)
    if table.column_names != schema.names:
        raise ValueError(f"{name}: columns {table.column_names}, the contract says {schema.names}")
    fields: list[pa.Field] = []
    for field in schema:
        column = table[field.name]
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if kind != field.type:
            raise ValueError(f"{name}.{field.name}: type {kind}, the contract says {field.type}")
        if column.null_count and not field.nullable:
            raise ValueError(f"{name}.{field.name}: {column.null_count} nulls, the contract allows none")
        fields.append(field.with_type(column.type))
    return pa.Table.from_arrays(table.columns, schema=pa.schema(fields, metadata=schema.metadata))


def violations(name: str, table: pa.Table) -> list[str]:
    """Every way in which a table breaks its contract, as sentences; empty if it keeps it.

    Looks at all values: words of closed lists, order of rows, keys that name two rows.
    """
    try:
        table = conform(name, table)
    except ValueError as problem:
        return [str(problem)]
    import pyarrow.compute as pc  # takes a while, and only this needs it

    described = contract(name)
    found: list[str] = []
    for column, about in described["properties"].items():
        if "enum" in about:
            allowed = pa.array([word for word in about["enum"] if word is not None], pa.string())
            words = table[column].drop_null().unique()
            strange = words.filter(pc.invert(pc.is_in(words, value_set=allowed))).to_pylist()
            if strange:
                found.append(f"{name}.{column}: {strange} is none of {about['enum']}")
    keys = table.select(described["x-key"])
    if keys.group_by(keys.column_names).aggregate([]).num_rows != table.num_rows:
        found.append(f"{name}: {described['x-key']} does not name each row")
    order = described["x-order"]
    rows = list(zip(*(table[column].to_pylist() for column in order), strict=True))
    for i in range(1, len(rows)):
        if _sortable(rows[i]) < _sortable(rows[i - 1]):
            found.append(f"{name}: row {i} comes before row {i - 1} in the order {order}")
            break
    return found


def _sortable(row: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """Nulls first."""
    return tuple((value is not None, 0 if value is None else value) for value in row)
