"""Reads and writes the entries of a directory, and makes the table of their changes."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.files import whole_file
from hopscope.format.json_text import read_json
from hopscope.gate.history.entry import SCHEMA_VERSION, Entry

_SHORT = 12
"""The number of digits of a commit that are shown."""


def add(folder: Path, entry: Entry) -> Path:
    """Write an entry. Replaces an older entry of the same commit. Raises InputError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the directory {folder}: {error.strerror}; name another one") from None
    file = folder / f"{entry.commit}.json"
    with whole_file(file) as written:
        written.write(entry.text().encode())
    return file


def entries(folder: Path) -> list[Entry]:
    """The entries of a directory, the oldest first. Raises InputError if a file is not an entry, or if there are no
    files."""
    if not folder.is_dir():
        raise InputError(f"no such directory: {folder}; `analyze gate TRACE --history {folder}` makes it")
    read = [_read(file) for file in sorted(folder.glob("*.json"))]
    if not read:
        raise InputError(f"{folder} has no entry; `analyze gate TRACE --history {folder}` adds one")
    return sorted(read, key=lambda entry: (entry.date, entry.commit))


def _read(file: Path) -> Entry:
    try:
        value = read_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {file}: {error}; remove it") from None
    content = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    names = {field.name for field in fields(Entry)}
    if content.get("schema_version") != SCHEMA_VERSION or not names <= content.keys():
        raise InputError(f"{file} is no entry of a history, or one of another version; remove it")
    return Entry(**{name: content[name] for name in names})


def rows(history: Sequence[Entry]) -> list[dict[str, Any]]:
    """A row for each entry, with the columns of `analyze history`."""
    return [_row(entry, predecessor) for entry, predecessor in zip(history, [None, *history[:-1]], strict=True)]


def _row(entry: Entry, predecessor: Entry | None) -> dict[str, Any]:
    time, base_time = entry.iteration["time_ns"], predecessor and predecessor.iteration["time_ns"]
    changed = (
        [] if predecessor is None else [name for name in ("structure", "machine") if _differs(name, entry, predecessor)]
    )
    is_comparable = (
        predecessor is not None and "machine" not in changed and entry.iteration["per"] == predecessor.iteration["per"]
    )
    has_problem = entry.diagnosis["severity"] == "PROBLEM"
    return {
        "commit": entry.commit[:_SHORT],
        "date": entry.date[:19],
        "outcome": entry.outcome,
        "iteration_ns": time,
        "iteration_low_ns": entry.iteration["low_ns"],
        "iteration_high_ns": entry.iteration["high_ns"],
        "change": (time - base_time) / base_time if is_comparable and time is not None and base_time else None,
        "problem": entry.diagnosis["kind"] if has_problem else None,
        "cost_share": entry.diagnosis["cost_share"] if has_problem else 0.0,
        "efficiency": entry.efficiency,
        "changed": ", ".join(changed),
        "per": entry.iteration["per"],
        "structure": entry.structure,
    }


def _differs(name: str, entry: Entry, second: Entry) -> bool:
    return getattr(entry, name) != getattr(second, name)
