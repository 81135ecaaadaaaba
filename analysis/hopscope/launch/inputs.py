"""Trees and topology files, checked before a job starts: the tree by the collector's own reader, the topology against
its schema.

The collector checks them again in MPI_Init: only there is the number of ranks known for sure.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import hopscope
from hopscope.errors import InputError
from hopscope.launch.installed import collector_file

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def schema(name: str) -> dict[str, Any]:
    """A schema of the package by its file name, such as ``tree.schema.json``."""
    # In a checkout its own schemas count, not the copies that were installed some time ago.
    for folder in (str(Path(hopscope.__file__).parents[2]), *hopscope.__path__):
        path = Path(folder) / "schemas" / name
        if path.is_file():
            return cast("dict[str, Any]", json.loads(path.read_text()))
    raise InputError(f"the package's own {name} is not installed; install hopscope again")


def _line_of(text: str, path: list[str | int]) -> int | None:
    """The line of the deepest key of a JSON path that stands in the text as a quoted word, searched in order."""
    position, found = 0, None
    for part in path:
        if isinstance(part, str):
            at = text.find(json.dumps(part), position)
            if at < 0:
                break
            position = found = at
    return None if found is None else text.count("\n", 0, found) + 1


def _told(fault: ValidationError) -> tuple[list[str | int], str]:
    """Where a fault lies and what it is, in words that say what would be right; for alternatives, the nearest one."""
    path, context = list(fault.absolute_path), list(fault.context or [])
    if not context:
        return path, fault.message
    if all(inner.validator == "required" for inner in context):
        return path, f"needs one of {', '.join(inner.message.split(' is ')[0] for inner in context)}"
    # Alternatives are told apart by a word such as `shape`: the nearest is the one whose word fits.
    branches: dict[int, list[ValidationError]] = {}
    for inner in context:
        branches.setdefault(int(inner.schema_path[0]), []).append(inner)
    fitting = [b for b in branches.values() if not any(inner.validator in ("const", "enum") for inner in b)]
    if fitting:
        return _told(min(fitting, key=len)[0])
    allowed: list[str] = []
    given: Any = fault.instance
    for inner in context:
        if inner.validator in ("const", "enum"):
            values = cast("Any", inner.validator_value)
            allowed += [str(value) for value in (values if isinstance(values, list) else [values])]
            path, given = list(inner.absolute_path), cast("Any", inner.instance)
    return path, f"{given!r} is none of {', '.join(dict.fromkeys(allowed))}"


def _json_path(path: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def _check(path: Path, schema_name: str, kind: str) -> dict[str, Any]:
    try:
        text = path.read_text()
    except OSError as error:
        raise InputError(f"{kind} file {path}: cannot be read ({error.strerror}); name an existing file") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{kind} file {path}: is not UTF-8 text (byte {error.start})") from error
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: is not JSON: {error.msg}") from error
    from jsonschema import Draft202012Validator  # every command starts without it
    from jsonschema.exceptions import best_match

    fault = best_match(Draft202012Validator(schema(schema_name)).iter_errors(content))
    if fault is not None:
        at, what = _told(fault)
        line = _line_of(text, at)
        place = f"{path}:{line}" if line else str(path)
        raise InputError(f"{place}: at {_json_path(at)}: {what} (schemas/{schema_name} says what may stand there)")
    return cast("dict[str, Any]", content)


def check_tree(tree: str, ranks: int | None = None) -> None:
    """A tree file, or a shape or an algorithm by name, held against what the collector takes, and against the number of
    the job's ranks where that is known. Raises InputError in the collector's own words: what was given, line and column
    of a file, what is wrong and what would be right.
    """
    words = [str(collector_file("hopscope-check")), tree, *([] if ranks is None else [str(ranks)])]
    said = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if said.returncode != 0:
        raise InputError(said.stderr.strip() or f"{words[0]} could not read {tree} (exit code {said.returncode})")


def check_topology(path: Path) -> dict[str, Any]:
    """The content of a topology file. Raises InputError with file, line, place and fault if it breaks its schema."""
    return _check(path, "topology.schema.json", "topology")
