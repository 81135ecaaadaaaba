"""A dataset's description of itself, `manifest.json` (schemas/manifest.schema.json): its version, the files of each
table with their rows, bytes and hash, and what it was made from. It is written last: a directory without it is no
dataset."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.format.json_text import read_json

MANIFEST = "manifest.json"

SCHEMA_VERSION = 7
"""The version of the tables and the manifest that this program reads. Version 1 had no hashes."""

Described = dict[str, Any]
"""The manifest's entry for one file."""


@dataclass(frozen=True)
class Manifest:
    """A manifest of this version."""

    tables: Mapping[str, Sequence[Described]]
    """The files of each table, in the order of its rows."""
    source: object
    """The dataset's source; None if it was not made from an archive."""

    def files(self) -> list[tuple[str, Described]]:
        """Every file with its table."""
        return [(table, file) for table, files in self.tables.items() for file in files]


def described(part: Path, rows: int) -> Described:
    """The manifest's entry for a written file. rows: the number of its rows."""
    with part.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {"file": part.name, "rows": rows, "bytes": part.stat().st_size, "sha256": digest}


def write(dataset: Path, tables: Mapping[str, Sequence[Described]], source: object = None) -> None:
    """Writes the manifest, which turns the directory into a dataset."""
    content = {"schema_version": SCHEMA_VERSION, "tables": tables, "source": source}
    (dataset / MANIFEST).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def existing(path: str | Path) -> Path:
    """The path of a trace, if there is anything. Raises InputError."""
    location = Path(path)
    if not location.exists():
        raise InputError(f"no such trace: {location}; give a trace directory, an OTF2 archive or a dataset")
    return location


def is_dataset(path: Path) -> bool:
    """True if a directory has a dataset's manifest and no archive: beside an archive, manifest.json may be another
    program's."""
    return (path / MANIFEST).is_file() and not any(path.glob("*.otf2"))


def read(dataset: Path) -> Manifest:
    """The manifest of a dataset. Raises InputError if the dataset has no manifest, or one of another version."""
    path = dataset / MANIFEST
    advice = f"Delete {dataset} and run the command on the trace again to convert it anew"
    try:
        content = read_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{dataset} is an incomplete dataset: it lacks {MANIFEST}. Give the trace directory; it is converted if "
            "necessary"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}. {advice}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path} is not a dataset's manifest: expected an object. {advice}")
    manifest = cast("dict[str, object]", content)
    version = manifest.get("schema_version")
    if version != SCHEMA_VERSION:
        older = isinstance(version, int) and version < SCHEMA_VERSION
        document = f"{dataset} is an older dataset: its manifest.json" if older else f"{path}"
        raise InputError(f"{document} has schema_version {version}, but this hopscope reads {SCHEMA_VERSION}. {advice}")
    tables = manifest.get("tables")
    if not _describes_files(tables):
        raise InputError(f"{path} does not describe the dataset's files (schemas/manifest.schema.json). {advice}")
    return Manifest(cast("dict[str, list[Described]]", tables), manifest.get("source"))


def not_ours(directory: Path) -> str | None:
    """The reason why a directory is not a dataset made by a conversion (of any version); None if it is one."""
    try:
        content = read_json((directory / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return f"it lacks a dataset's {MANIFEST}"
    except (OSError, ValueError) as error:
        return f"its {MANIFEST} is broken: {error}"
    manifest = cast("dict[str, object]", content) if isinstance(content, dict) else {}
    source = manifest.get("source")
    is_complete = (
        isinstance(manifest.get("schema_version"), int)
        and isinstance(manifest.get("tables"), dict)
        and isinstance(source, dict)
        and {"anchor", "hopscope_version"} <= cast("dict[str, object]", source).keys()
    )
    return None if is_complete else f"its {MANIFEST} does not say which archive it was made from"


def _describes_files(tables: object) -> bool:
    if not isinstance(tables, dict):
        return False
    for files in cast("dict[str, object]", tables).values():
        if not isinstance(files, list):
            return False
        for file in cast("list[object]", files):
            entry = cast("dict[str, object]", file) if isinstance(file, dict) else {}
            if {name: type(entry.get(name)) for name in _FILE} != _FILE:
                return False
    return True


_FILE = {"file": str, "rows": int, "bytes": int, "sha256": str}
