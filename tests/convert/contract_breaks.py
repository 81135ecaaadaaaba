"""Checks whole tables against their contracts: every value, which would take too long in a conversion."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from hopscope.dataset.convert.contract import conform
from hopscope.dataset.store import contract


def violations(name: str, table: pa.Table) -> list[str]:
    """The violations of a table's contract, as sentences; empty if there are none.

    Checks all values: words of closed vocabularies, the order of rows, and keys that occur twice.
    """
    try:
        table = conform(name, table)
    except ValueError as problem:
        return [str(problem)]

    described = contract(name)
    breaks: list[str] = []
    for column, column_schema in described["properties"].items():
        if "enum" in column_schema:
            allowed = pa.array([word for word in column_schema["enum"] if word is not None], pa.string())
            words = table[column].drop_null().unique()
            strange = words.filter(pc.invert(pc.is_in(words, value_set=allowed))).to_pylist()
            if strange:
                breaks.append(f"{name}.{column}: {strange} is none of {column_schema['enum']}")
    keys = table.select(described["x-key"])
    if keys.group_by(keys.column_names).aggregate([]).num_rows != table.num_rows:
        breaks.append(f"{name}: {described['x-key']} does not name each row")
    order = described["x-order"]
    rows = list(zip(*(table[column].to_pylist() for column in order), strict=True))
    for i in range(1, len(rows)):
        if _sortable(rows[i]) < _sortable(rows[i - 1]):
            breaks.append(f"{name}: row {i} comes before row {i - 1} in the order {order}")
            break
    return breaks


def _sortable(row: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """A key for sorting with nulls first."""
    return tuple((value is not None, 0 if value is None else value) for value in row)
