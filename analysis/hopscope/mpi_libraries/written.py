"""Writes the settings that select an MPI library's algorithms: Open MPI's dynamic rules or parameters, MPICH's and
Intel MPI's variables."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from hopscope.mpi_libraries.offered import Offered
from hopscope.mpi_libraries.open_mpi.rules import operation_id


class Choice(NamedTuple):
    """An algorithm for messages of from_bytes to to_bytes (inclusive; None: no upper limit) on communicators of `ranks`
    ranks. Bytes are those that the library counts (`hopscope.mpi_libraries.open_mpi.rules.size_in_rules`)."""

    algorithm: Offered
    ranks: int
    from_bytes: int = 0
    to_bytes: int | None = None
    fan_out: int = 0
    segment_bytes: int = 0


ExtraSettings = Sequence[tuple[str, str]]
"""Names and values of parameters or variables to set together with choices (`offered.Library.extra_settings`)."""


class Setting(NamedTuple):
    """A file's text, and the words that make a launcher read the file. For Open MPI, the words are options after the
    launcher's name; for the other libraries, a shell command before the launcher's."""

    text: str
    words: str


def rules_file(choices: Sequence[Choice], path: str, extra_settings: ExtraSettings = ()) -> Setting:
    """The file of Open MPI's dynamic rules for these choices, as releases 4.1 and 5 read it. For operations, ranks and
    sizes without a choice, Open MPI selects the algorithm itself.

    Raises ValueError for an algorithm without a number, and for choices that overlap.
    """
    by_operation: dict[str, dict[int, list[Choice]]] = {}
    for choice in sorted(choices, key=lambda choice: (choice.ranks, choice.from_bytes)):
        if choice.algorithm.number is None:
            raise ValueError(f"{choice.algorithm.name} has no number, which rules need")
        by_operation.setdefault(choice.algorithm.operation, {}).setdefault(choice.ranks, []).append(choice)
    lines = [f"{len(by_operation)}  # operations"]
    for operation, of_ranks in sorted(by_operation.items(), key=lambda item: operation_id(item[0])):
        # Open MPI applies the rules of a communicator size also to larger sizes, up to the next listed one, and the
        # first rules also to smaller sizes. So list Open MPI's own decision for all other sizes.
        sizes = {0: [_own_decision(0)]}
        for ranks, rows in of_ranks.items():
            sizes[ranks] = _rows(rows)
            sizes[ranks + 1] = [_own_decision(0)]
        lines += [f"{operation_id(operation)}  # {operation}", f"{len(sizes)}  # sizes of communicators"]
        for ranks, rows in sizes.items():
            lines += [f"{ranks}  # ranks, or more", f"{len(rows)}  # sizes of messages", *rows]
    words = [
        ("coll_tuned_use_dynamic_rules", "1"),
        ("coll_tuned_dynamic_rules_filename", shlex.quote(path)),
        *extra_settings,
    ]
    return Setting(_lines(lines), " ".join(f"--mca {name} {value}" for name, value in words))


def variables(choices: Sequence[Choice], extra_settings: ExtraSettings = ()) -> dict[str, str]:
    """MPICH's or Intel MPI's variables and their values for these choices; empty for choices of Open MPI."""
    if any(choice.algorithm.number is not None for choice in choices):
        return {}
    return {**{choice.algorithm.setting: choice.algorithm.value for choice in choices}, **dict(extra_settings)}


def setting_file(choices: Sequence[Choice], path: str, extra_settings: ExtraSettings = ()) -> Setting:
    """The file of rules (Open MPI) or variables (the other libraries) for these choices. Without choices: no text, and
    only options that set Open MPI's parameters."""
    if not choices:
        return Setting("", " ".join(f"--mca {name} {value}" for name, value in extra_settings))
    has_variables = any(choice.algorithm.number is None for choice in choices)
    return (variables_file if has_variables else rules_file)(choices, path, extra_settings)


def _own_decision(from_bytes: int) -> str:
    return f"{from_bytes} 0 0 0  # Open MPI's own decision"


def _rows(choices: Sequence[Choice]) -> list[str]:
    """The rows of one communicator size: bytes, algorithm, fan-out and segment. A row applies from its bytes up to the
    next row's."""
    rows: list[str] = []
    free_from: int | None = 0
    for choice in choices:
        if free_from is None or choice.from_bytes < free_from:
            raise ValueError(f"two choices for {choice.algorithm.operation} at {choice.from_bytes} bytes")
        if choice.from_bytes > free_from:
            rows.append(_own_decision(free_from))
        columns = f"{choice.algorithm.number} {choice.fan_out} {choice.segment_bytes}"
        rows.append(f"{choice.from_bytes} {columns}  # {choice.algorithm.name}")
        free_from = None if choice.to_bytes is None else choice.to_bytes + 1
    if free_from is not None:
        rows.append(_own_decision(free_from))
    return rows


def variables_file(choices: Sequence[Choice], path: str, extra_settings: ExtraSettings = ()) -> Setting:
    """A shell script that exports the library's variables for these choices, to be read before the job starts. The
    variables apply to all communicators and sizes. Raises ValueError for two choices of one operation."""
    _check_operations(choices)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables(choices, extra_settings).items()]
    # Without a slash in the path, a shell would look for the file along PATH.
    place = path if "/" in path else f"./{path}"
    return Setting(_lines(lines), f". {shlex.quote(place)}")


def _check_operations(choices: Sequence[Choice]) -> None:
    operations = [choice.algorithm.operation for choice in choices]
    if len(set(operations)) < len(operations):
        raise ValueError("one operation has two choices, but these settings hold for all sizes")


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
