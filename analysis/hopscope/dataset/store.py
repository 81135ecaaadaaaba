"""Finds the Parquet files of each table of a dataset, and checks them against the schemas."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.dataset import manifest
from hopscope.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


class Store:
    """The tables in the directory of one dataset, `<dataset>/<table>/*.parquet`."""

    def __init__(self, dataset: Path) -> None:
        """Raises InputError if the dataset is incomplete or of another version."""
        self.path = dataset
        self.manifest = manifest.read(dataset)
        self.schemas = table_schemas()
        self.advice = f"Delete {dataset} and run the command on the trace again to convert it anew"
        """Advice on a damaged dataset."""
        self._check_files()

    def parts(self, table: str) -> list[str]:
        """Files of a table, in the order of its rows; none if the dataset lacks it."""
        return [str(self.path / table / entry["file"]) for entry in self.manifest.tables.get(table, ())]

    def rows(self, table: str) -> int:
        """The number of rows of a table, according to the manifest."""
        return sum(entry["rows"] for entry in self.manifest.tables.get(table, ()))

    @property
    def large_rows(self) -> int:
        """The number of rows of all tables that grow with the events of a run."""
        return sum(map(self.rows, ("calls", "hops", "messages", "intervals", "beside_regions")))

    @property
    def identity(self) -> str:
        """The identity of the dataset: the SHA-256 of the hashes of its files."""
        hashes = "".join(entry["sha256"] for _, entry in self.manifest.files())
        return hashlib.sha256(hashes.encode()).hexdigest()

    def files(self) -> list[tuple[str, manifest.Described]]:
        """Every file with its table, as the manifest describes it."""
        return self.manifest.files()

    def _check_files(self) -> None:
        """Raises InputError unless the dataset has exactly the files of the manifest, with their sizes."""
        promised: dict[str, manifest.Described] = {}
        for table, entry in self.files():
            promised[str(self.path / table / entry["file"])] = entry
        paths = {str(part) for name in self.schemas for part in (self.path / name).glob("*.parquet")}
        for part in sorted(promised.keys() - paths):
            raise InputError(f"{part} is missing, though manifest.json lists it. {self.advice}")
        for part in sorted(paths - promised.keys()):
            raise InputError(f"{part} is not part of the dataset: manifest.json does not list it. {self.advice}")
        for part, entry in promised.items():
            size = Path(part).stat().st_size
            if size != entry["bytes"]:
                raise InputError(
                    f"{part} has {size} bytes, but manifest.json says {entry['bytes']}: the file was changed or "
                    f"truncated after the conversion. {self.advice}"
                )

    def check_rows(self, row_counts: Mapping[str, int]) -> None:
        """Raises InputError if a file has another number of rows than in the manifest. row_counts: the rows of each
        file."""
        for table, entry in self.files():
            part = str(self.path / table / entry["file"])
            if row_counts[part] != entry["rows"]:
                raise InputError(
                    f"{part} has {row_counts[part]} rows, but manifest.json says {entry['rows']}: the file was changed "
                    f"after the conversion. {self.advice}"
                )

    def check_columns(self, table: str, columns: list[str]) -> None:
        """Raises InputError if a table's files lack a column of its schema."""
        lacking = [name for name in self.schemas[table].names if name not in columns]
        if lacking:
            raise InputError(
                f"{self.path / table} lacks the column {', '.join(lacking)}; another version of hopscope made the "
                f"dataset. {self.advice}"
            )


@cache
def table_names() -> list[str]:
    """The names of all tables of a dataset."""
    suffix = ".schema.json"
    files_there = (schema_directory() / "tables").iterdir()
    return sorted(file.name.removesuffix(suffix) for file in files_there if file.name.endswith(suffix))


@cache
def contract(table: str) -> dict[str, Any]:
    """The JSON Schema of a table."""
    return json.loads((schema_directory() / "tables" / f"{table}.schema.json").read_text(encoding="utf-8"))


@cache
def table_schemas() -> dict[str, pa.Schema]:
    """Arrow schema of every table, from `schemas/tables/*.schema.json`, by name."""
    import pyarrow as pa  # imported here, so that a command's help does not wait for it

    types = {
        "int32": pa.int32(),
        "int64": pa.int64(),
        "double": pa.float64(),
        "bool": pa.bool_(),
        "string": pa.string(),
        "list<int32>": pa.list_(pa.int32()),
    }

    def schema(properties: dict[str, dict[str, str]]) -> pa.Schema:
        return pa.schema(
            [pa.field(name, types[p["x-arrow"]], nullable="null" in p["type"]) for name, p in properties.items()]
        )

    return {name: schema(contract(name)["properties"]) for name in table_names()}


def schema_directory() -> Traversable:
    """The directory of the schemas: inside an installed package, or at the top of the source tree."""
    installed = files("hopscope") / "schemas"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "schemas"
