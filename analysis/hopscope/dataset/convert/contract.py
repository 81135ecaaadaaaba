"""Checks that each table of a dataset keeps its contract, `schemas/tables/<table>.schema.json`."""

from functools import cache

import pyarrow as pa

from hopscope.dataset.manifest import SCHEMA_VERSION
from hopscope.dataset.store import contract, table_schemas


@cache
def arrow_schema(table: str) -> pa.Schema:
    """The Arrow schema of a table. The fields' metadata has their units, the table's metadata the schema version."""
    described = contract(table)
    fields: list[pa.Field] = []
    for field in table_schemas()[table]:
        unit = described["properties"][field.name].get("x-unit")
        fields.append(field.with_metadata({"x-unit": unit}) if unit else field)
    return pa.schema(fields, metadata={"table": table, "schema_version": str(SCHEMA_VERSION)})


def conform(name: str, table: pa.Table) -> pa.Table:
    """The table with its contract's metadata. Raises ValueError if its columns, types or nulls are not the contract's;
    texts may be dictionaries.

    Cheap, because it reads no values, only the counts of nulls.
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
