"""Where a dataset's tables are: finds the Parquet files of each table and what is missing, against the schemas that
are the contract."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hopscope.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
"""Version of the tables that this program reads; a dataset says its own in manifest.json."""


class Store:
    """The tables of one dataset directory, `<dataset>/<table>/*.parquet`."""

    def __init__(self, dataset: Path) -> None:
        """Raises InputError if the directory is no whole dataset, or one of another version."""
        self.path = dataset
        self.manifest = _manifest(dataset)
        self.schemas = table_schemas()
        self.missing = tuple(name for name in self.schemas if not self.parts(name))
        """Tables that have no file at all; they are read as empty."""
        lost = [name for name in self.schemas if self._promised(name) > len(self.parts(name))]
        if lost:
            raise InputError(
                f"{dataset} is no whole dataset: manifest.json promises rows of {', '.join(lost)}, of "
                f"which files are missing. Delete {dataset} and run the command on the trace again"
            )

    def parts(self, table: str) -> list[str]:
        """Files of a table, in order; none if the dataset lacks it."""
        return sorted(str(part) for part in (self.path / table).glob("*.parquet"))

    def _promised(self, table: str) -> int:
        """How many files a table has at least, as the manifest says."""
        parts, rows = self.manifest.get("parts"), self.manifest.get("tables")
        if isinstance(parts, dict):
            return int(cast("dict[str, int]", parts).get(table, 0))
        return int(isinstance(rows, dict) and bool(cast("dict[str, object]", rows).get(table)))

    def check_columns(self, table: str, columns: list[str]) -> None:
        """Raises InputError if a table's files lack a column of its schema."""
        lacking = [name for name in self.schemas[table].names if name not in columns]
        if lacking:
            raise InputError(
                f"{self.path / table}: lacks the column {', '.join(lacking)}; the dataset comes of another version. "
                f"Delete {self.path} and run the command on the trace again, which converts it anew"
            )


@cache
def table_names() -> list[str]:
    """Every table of a dataset."""
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
    import pyarrow as pa  # here, so that a command's help need not wait for it

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
    """The directory of contracts: inside an installed package, or at the top of the source tree."""
    installed = files("hopscope") / "schemas"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "schemas"


def _manifest(dataset: Path) -> dict[str, object]:
    path = dataset / "manifest.json"
    try:
        manifest: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{dataset} is no whole dataset: it has no manifest.json. "
            "Give the trace directory, which is converted when needed"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read: {error}. Delete {dataset} and run the command on the trace again"
        ) from None
    version = cast("dict[str, object]", manifest).get("schema_version") if isinstance(manifest, dict) else None
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{path} has schema_version {version}, and this hopscope reads {SCHEMA_VERSION}. "
            f"Delete {dataset} and run the command on the trace again"
        )
    return cast("dict[str, object]", manifest)
