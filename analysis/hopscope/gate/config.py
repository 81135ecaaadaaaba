"""The gates of a project: the table `[gates]` of `hopscope.toml` or `[tool.hopscope.gates]` of `pyproject.toml`.

    [gates]
    "compare --by structure" = "*.changed == 1"
    "last-arrivals --by host" = ["*.share > 50%", "*.waiting_ns > baseline * 1.2"]

A key is an analysis with its options, as typed after `analyze`, without the traces. Its value is a gate or a list of
gates, in the syntax of `--fail-if`.
"""

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.gate.expression import Gate, parse

EXAMPLE = '[gates]\n"compare --by structure" = "*.changed == 1"'
_PLACES = (("hopscope.toml", ("gates",)), ("pyproject.toml", ("tool", "hopscope", "gates")))


@dataclass(frozen=True)
class GateLine:
    """One line of the table: an analysis, its options as words, and the gates on its answer."""

    command: str
    words: tuple[str, ...]
    gates: tuple[Gate, ...]

    @property
    def question(self) -> str:
        """The analysis with its options, as typed on a command line."""
        return shlex.join([self.command, *self.words])


def find(start: Path) -> Path:
    """The nearest file with gates, from this directory upwards. Raises InputError if there is none."""
    for directory in (start, *start.parents):
        for name, keys in _PLACES:
            file = directory / name
            if file.is_file() and _table(file, keys) is not None:
                return file
    raise InputError(
        f"found no hopscope.toml, and no pyproject.toml with gates, in {start} or above it. Write a hopscope.toml "
        f"such as\n{EXAMPLE}\nor name the file with --config"
    )


def read(file: Path) -> list[GateLine]:
    """The gates of this file. Raises InputError naming the file and the invalid line of the table."""
    keys = ("tool", "hopscope", "gates") if file.name == "pyproject.toml" else ("gates",)
    table = _table(file, keys)
    if not table:
        raise InputError(f"{file} has no gates: its table [{'.'.join(keys)}] is missing or empty; write\n{EXAMPLE}")
    return [_gate_line(file, key, value) for key, value in table.items()]


def _gate_line(file: Path, key: str, value: object) -> GateLine:
    try:
        words = shlex.split(key)
    except ValueError as error:
        raise InputError(f"{file}: cannot parse the key {key!r}: {error}") from None
    texts = [value] if isinstance(value, str) else value
    if not words or not isinstance(texts, list) or not all(isinstance(text, str) for text in cast("list[Any]", texts)):
        raise InputError(f"{file}: {key!r} is not an analysis with a gate or a list of gates; write\n{EXAMPLE}")
    try:
        gates = tuple(parse(text) for text in cast("list[str]", texts))
    except InputError as error:
        raise InputError(f"{file}: {key!r}: {error}") from None
    return GateLine(words[0], tuple(words[1:]), gates)


def _table(file: Path, keys: tuple[str, ...]) -> dict[str, object] | None:
    try:
        table: object = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}; name the file of gates with --config") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read {file}: {error}") from None
    for key in keys:
        if not isinstance(table, dict):
            return None
        table = cast("dict[str, object]", table).get(key)
    return cast("dict[str, object]", table) if isinstance(table, dict) else None
