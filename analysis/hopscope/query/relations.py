"""Describes all that a query can read: the tables of a dataset, whose schemas are the contract, and the views of the
catalog, described by their headers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopscope.dataset.store import contract, table_names
from hopscope.query.catalog import Catalog, Column
from hopscope.query.header import unit_of


@dataclass(frozen=True)
class Relation:
    """A table or view."""

    name: str
    meaning: str
    """The description of the table or view, in one or more sentences."""
    is_table: bool
    """True for a table of the dataset, false for a view of the catalog."""
    columns: tuple[Column, ...]
    """The columns. If no header describes a column of a view, its meaning is empty."""


def described(columns: Mapping[str, Sequence[tuple[str, str]]], catalog: Catalog) -> list[Relation]:
    """Every table, then every view that `columns` names, both by name. columns: the names and DuckDB types of the
    columns of each table or view."""
    tables = [_table(name, columns[name]) for name in table_names()]
    views = [_view(name, columns[name], catalog) for name in sorted(catalog.sources) if name in columns]
    return [*tables, *views]


def _table(name: str, columns: Sequence[tuple[str, str]]) -> Relation:
    schema = contract(name)
    meanings = {column: field.get("description", "") for column, field in schema["properties"].items()}
    described_columns = tuple(
        Column(column, kind, meanings.get(column, ""), unit_of(column)) for column, kind in columns
    )
    return Relation(name, schema["description"], is_table=True, columns=described_columns)


def _view(name: str, columns: Sequence[tuple[str, str]], catalog: Catalog) -> Relation:
    source = catalog.sources[name]
    declared = {column.name: column for column in source.columns}
    described_columns = tuple(
        declared.get(column) or Column(column, kind, "", unit_of(column)) for column, kind in columns
    )
    return Relation(name, source.help, is_table=False, columns=described_columns)
