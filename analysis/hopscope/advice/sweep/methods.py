"""The methods of a point: the library's own choice, each of its algorithms, and those of Hopscope's engine.

A library reads its settings at MPI_Init, so a job can force only one method of each operation. The methods of one job
are a column. The operation with the most methods of the library determines the number of columns. The engine's methods
have further columns.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopscope.advice.sweep.grid import Point, prefixes
from hopscope.mpi_libraries.offered import Library, Offered
from hopscope.mpi_libraries.open_mpi.algorithms import ALGORITHMS, CUT
from hopscope.mpi_libraries.planned import messages_name
from hopscope.mpi_libraries.written import Choice, rules_file, variables

DEFAULT: Final = "default"
SEGMENTS: Final = (8 << 10, 64 << 10)
_LEAST_PIECES: Final = 2
_RULES: Final = "rules.conf"


@dataclass(frozen=True)
class Method:
    """A way to run an operation: an algorithm of the library (`offered`), one of the engine (`rule`), or the library's
    own choice if both are None. segment_bytes: 0 for whole messages. rule, trees: as in a tree file, without operations
    and ranges."""

    name: str
    offered: Offered | None = None
    segment_bytes: int = 0
    rule: dict[str, Any] | None = None
    trees: dict[str, Any] | None = None

    def concerns(self, point: Point) -> bool:
        """Tell if the method runs on the point's ranks and, if it uses segments, cuts the message into two or more. A
        method that cannot run would abort its job, which also measures methods of other operations."""
        algorithm = self.offered
        if algorithm is not None and (algorithm.operation, algorithm.number) in ALGORITHMS:
            runs = messages_name(algorithm, point.ranks) is not None
        else:
            runs = True
        return runs and point.bytes >= _LEAST_PIECES * self.segment_bytes


OWN_CHOICE: Final = Method(DEFAULT)


def methods_of(library: Library, operation: str) -> list[Method]:
    """The library's methods for an operation: its own choice first, then its algorithms."""
    methods = [OWN_CHOICE]
    for offered in library.algorithms:
        if offered.operation == operation:
            methods.append(Method(offered.name, offered))
            if offered.number is not None and (operation, offered.number) in CUT:
                methods += [Method(f"{offered.name}/{segment}", offered, segment) for segment in SEGMENTS]
    return methods


def columns_of(methods: dict[str, list[Method]]) -> list[dict[str, Method]]:
    """The columns: the method of each operation, one column for each job. The first column has only the library's own
    choices. The engine's methods are in columns of their own."""
    by_library, by_engine = (
        {
            operation: [method for method in entries if (method.rule is not None) == is_engine]
            for operation, entries in methods.items()
        }
        for is_engine in (False, True)
    )
    return [
        {operation: entries[number] for operation, entries in group.items() if number < len(entries)}
        for group in (by_library, by_engine)
        for number in range(max(map(len, group.values()), default=0))
    ]


def forced(
    words: Sequence[str], column: dict[str, Method], library: Library, ranks: int, folder: Path
) -> tuple[list[str], dict[str, str]]:
    """The command line and the variables that make the library run a column's methods. folder: gets the rules file."""
    choices = [
        Choice(method.offered, members, 0, None, 0, method.segment_bytes)
        for method in column.values()
        if method.offered is not None
        for members in (prefixes(ranks) if library.flavour == "openmpi" else (ranks,))
    ]
    extra_settings = tuple(
        dict.fromkeys(
            library.extra_settings[c.algorithm.operation]
            for c in choices
            if c.algorithm.operation in library.extra_settings
        )
    )
    if library.flavour != "openmpi" or not choices:
        return list(words), variables(choices, extra_settings)
    rules = folder / _RULES
    setting = rules_file(choices, str(rules), extra_settings)
    rules.write_text(setting.text)
    return [words[0], *shlex.split(setting.words), *words[1:]], {}
