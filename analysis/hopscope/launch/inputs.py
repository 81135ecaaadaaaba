"""Tree and topology files, held against their schemas before a job starts.

The collector checks them again, and more (ranks, cycles, sizes), in MPI_Init: only there is the number of ranks known.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import hopscope
from hopscope.errors import InputError

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

SHAPES = ("flat", "chain", "binary", "binomial", "binomial-mpich", "binomial-lam", "hierarchical")
ALGORITHMS = (
    "pipeline",
    "split-binary",
    "recursive-doubling",
    "dissemination",
    "bruck",
    "ring",
    "double-ring",
    "pairwise",
    "linear",
)
_NUMBERED = re.compile(r"(kary|k-chain):[1-9][0-9]*")


def is_shape(text: str) -> bool:
    """True for a name that serves as a tree file by itself: `binomial-lam`, `kary:4`, `recursive-doubling`, ..."""
    return text in SHAPES or text in ALGORITHMS or _NUMBERED.fullmatch(text) is not None


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
    if fault.schema is False:
        return path, f"{fault.instance!r} is given beside `algorithm`, which stands alone: no tree, native or combine"
    if fault.validator == "not":
        return path, f"{fault.instance!r} goes by no `bytes`: each rank knows only its own counts; leave `bytes` out"
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


def check_tree(path: Path) -> dict[str, Any]:
    """The content of a tree file. Raises InputError with file, line, place and fault if it breaks its schema, names a
    tree that it does not define, or has an explicit tree that is none (no root, two roots, a cycle, a missing rank).
    """
    content = _check(path, "tree.schema.json", "tree")
    trees: dict[str, Any] = content.get("trees", {})
    for index, rule in enumerate(content["rules"]):
        for key in ("reduce_tree", "broadcast_tree"):
            if key in rule and rule[key] not in trees:
                raise InputError(
                    f"{path}: at $.rules[{index}].{key}: there is no tree {rule[key]!r}; "
                    f"the file defines {', '.join(sorted(trees)) or 'none'}"
                )
    for name, tree in trees.items():
        if tree["shape"] == "explicit":
            _check_parents(f"{path}: at $.trees.{name}.parents", tree["parents"])
    return content


def _check_parents(place: str, parents: list[int | None]) -> None:
    roots = [rank for rank, parent in enumerate(parents) if parent is None]
    if len(roots) != 1:
        raise InputError(f"{place}: a tree has one root (one null), this has {len(roots)}: ranks {roots}")
    for rank, parent in enumerate(parents):
        if parent is not None and parent >= len(parents):
            raise InputError(f"{place}: rank {rank} has parent {parent}, but the ranks are 0 to {len(parents) - 1}")
    for rank in range(len(parents)):
        seen: list[int] = []
        at: int | None = rank
        while at is not None and at not in seen:
            seen.append(at)
            at = parents[at]
        if at is not None:
            circle = [*seen[seen.index(at) :], at]
            raise InputError(
                f"{place}: a cycle, {' > '.join(map(str, circle))}; every rank must lead to rank {roots[0]}"
            )


def check_topology(path: Path) -> dict[str, Any]:
    """The content of a topology file. Raises InputError as check_tree does."""
    return _check(path, "topology.schema.json", "topology")
