"""Checks trees and topology files before a job starts: the tree by the collector's own reader, the topology against its
schema.

The collector checks them again in MPI_Init, because only there the number of ranks is known for sure.
"""

import json
import os
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.format.json_text import read_json
from hopscope.native import _plan


def schema(name: str) -> dict[str, Any]:
    """A schema of the package by its file name, such as ``tree.schema.json``."""
    # In a checkout, use its own schemas and not older installed copies.
    package = Path(__file__).parents[1]
    for folder in (package.parents[1], package):
        path = folder / "schemas" / name
        if path.is_file():
            return cast("dict[str, Any]", json.loads(path.read_text()))
    raise InputError(f"the package's {name} is missing; reinstall hopscope")


def _line_of(text: str, path: list[str | int]) -> int | None:
    """The line of the text with the deepest key of a JSON path. The keys are searched one after another, as quoted
    words."""
    position, match = 0, None
    for part in path:
        if isinstance(part, str):
            start = text.find(json.dumps(part), position)
            if start < 0:
                break
            position = match = start
    return None if match is None else text.count("\n", 0, match) + 1


def _json_path(path: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def tree_names() -> list[str]:
    """The names of shapes and algorithms that may be given instead of a tree file. A name that takes a number, such as
    `kary:4`, is listed with its colon: `kary:`."""
    shapes = [f"{row.name}:" if row.counts else row.name for row in _plan.shapes() if row.name != "explicit"]
    algorithms = {row.name: row.in_groups for row in _plan.algorithms() if not row.by_tree}
    exchanges = [f"{name}:{word}" for name, in_groups in algorithms.items() if in_groups for word in _plan.BETWEEN]
    return [*shapes, *algorithms, *exchanges]


def check_tree(tree: str, ranks: int | None = None) -> None:
    """Checks a tree file, or the name of a shape or an algorithm, by the collector's rules. ranks: the number of the
    job's ranks, if it is known. Raises InputError with the collector's message: the input, line and column of a file,
    the fault and the remedy.
    """
    try:
        text, name = _plan.requested(os.fsencode(tree))
    except ValueError as error:
        raise InputError(str(error)) from error
    try:
        _plan.TreeFile(text, ranks or 0)
    except ValueError as error:
        raise InputError(f"{os.fsdecode(name)}:{error}") from error


def check_topology(path: Path) -> dict[str, Any]:
    """The content of a topology file. Raises InputError with file, line, place and fault if it breaks its schema."""
    return checked_file(path, "topology")


def checked_file(path: Path, kind: str) -> dict[str, Any]:
    """The content of a file of this kind, such as `topology`, checked against schemas/<kind>.schema.json.

    Raises InputError with file, line, place and fault if it breaks the schema.
    """
    try:
        text = path.read_text()
    except OSError as error:
        raise InputError(f"cannot read the {kind} file {path}: {error.strerror}; name an existing file") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the {kind} file {path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    name = f"{kind}.schema.json"
    try:
        content: Any = read_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{kind} file {path}: {error}; see schemas/{name}") from error
    actual_kind = _kind_of(content)
    if actual_kind is not None and actual_kind != kind:
        raise InputError(f"{path} is a {actual_kind} file; give a {kind} file")
    from jsonschema import Draft202012Validator  # imported late, because it is slow to load
    from jsonschema.exceptions import best_match

    fault = best_match(Draft202012Validator(schema(name)).iter_errors(content))
    if fault is not None:
        json_path = list(fault.absolute_path)
        line = _line_of(text, json_path)
        place = f"{path}:{line}" if line else str(path)
        raise InputError(f"{place}: at {_json_path(json_path)}: {fault.message} (see schemas/{name})")
    return cast("dict[str, Any]", content)


KINDS = ("machine", "sweep", "topology", "tree", "tuning")
"""The kinds of files that users give to commands. Each kind has a schema."""


def kind_of(path: Path) -> str | None:
    """The file's kind among KINDS, by its top-level keys; None if it is of no kind or cannot be read."""
    try:
        return _kind_of(read_json(path.read_text()))
    except (OSError, ValueError):
        return None


def _kind_of(content: object) -> str | None:
    if not isinstance(content, dict):
        return None
    names = set(cast("dict[str, object]", content))
    for kind in KINDS:
        properties = schema(f"{kind}.schema.json")
        if set(properties["required"]) <= names <= set(properties["properties"]):
            return kind
    return None
