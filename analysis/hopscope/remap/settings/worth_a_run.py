"""The commands that run a program by other algorithms of its MPI library, where none of them can be predicted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from hopscope.remap.candidates.tree_file import RUNS
from hopscope.remap.settings.forced import Forced
from hopscope.tuning.offered import Library, Offered, operation_name
from hopscope.tuning.planned import messages_name
from hopscope.tuning.written import forced_words


def commands_of(
    library: Library, op: str, candidates: Iterable[Forced], run: Mapping[str, Any], ranks: int, *, ran: str | None
) -> list[str]:
    """One for each of the first algorithms for an operation: the candidates', then others that the library has. run:
    the row of the table `run`; ran: the algorithm that need not be tried, for it ran."""
    operation = operation_name(op)
    known = [one.offered for one in candidates if one.offered is not None]
    others = [one for one in library.algorithms if one.operation == operation]
    new = [one for one in dict.fromkeys([*known, *others]) if ran is None or messages_name(one, ranks) != ran]
    return [_command(library, one, run, ranks) for one in new[:RUNS]]


def _command(library: Library, one: Offered, run: Mapping[str, Any], ranks: int) -> str:
    besides = [library.besides[one.operation]] if one.operation in library.besides else []
    start = shlex.join(["hopscope", "run", "--", library.launcher, "-n", str(ranks)])
    program = run.get("command") or "./app"
    words = forced_words(one, besides)
    return f"{start} {words} {program}" if library.flavour == "openmpi" else f"{words} {start} {program}"
