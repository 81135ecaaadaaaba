"""Decides if two runs may be compared, and notes differences."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from hopscope.errors import InputError
from hopscope.format.quantities import in_words

ONE_RUN = (
    "one run of each cannot exclude that the two differ only as runs of one program differ, for example because "
    "something else disturbed one of them; give three or more of each with --base-also and --also"
)
WHOLE_RUNS = (
    "the times are of whole runs, because the two have no iterations in common; --iteration-at names the call that "
    "each iteration begins with"
)


class HasFacts(Protocol):
    """An opened trace: its path as the user gave it, and the row of its table `run`."""

    path: Path

    @cached_property
    def run_facts(self) -> dict[str, Any]: ...  # noqa: D102 - said above


def scaling_notes(first: HasFacts, second: HasFacts) -> tuple[str, ...]:
    """Notes on comparing a run with the first run of a scaling series, in sentences. Their numbers of ranks may differ.
    Raises InputError as `about_runs` does."""
    notes = _unlike([first], [second], f"{first.path} and {second.path}", {**_FACTS, "ranks": None})
    programs = [_program(run) for run in (first, second)]
    if None not in programs and len(set(programs)) > 1:
        notes = (
            *notes,
            f"{first.path} ran {programs[0]} and {second.path} ran {programs[1]}: speed-up and computation scaling "
            "mean nothing between different programs. Give runs of one program with the same problem",
        )
    return notes


def about_runs(runs: Sequence[HasFacts], base: Sequence[HasFacts], *, may_repeat: bool) -> tuple[str, ...]:
    """Notes on comparing runs with those of a base or, without a base, with the first of them. With `may_repeat`, a
    note says if there is only one run on each side. Raises InputError if the runs must not be compared: emulation
    delays only the hops of trees, so an emulated run and a native one differ in more than the change to evaluate."""
    if not base:
        return tuple(dict.fromkeys(note for run in runs[1:] for note in scaling_notes(runs[0], run)))
    is_pair = len(base) == len(runs) == 1
    notes = _unlike(base, runs, "the two runs" if is_pair else "the runs", _FACTS)
    return (*notes, ONE_RUN) if may_repeat and is_pair else notes


def matched(table: pa.Table) -> tuple[str, ...]:
    """Notes on how places and iterations of two runs were matched, if needed."""
    if "per" in table.column_names:
        return (WHOLE_RUNS,) if "run" in table["per"].to_pylist() else ()
    if "aligned" not in table.column_names:
        return ()
    from hopscope.selection.alignment import match_notes

    return match_notes(table)


_FACTS = {"command": "commands", "ranks": "numbers of ranks", "mpi_library": "MPI libraries"}


def _program(run: HasFacts) -> str | None:
    command = run.run_facts.get("command")
    return Path(str(command).split(maxsplit=1)[0]).name if command else None


def _unlike(
    base: Sequence[HasFacts], new: Sequence[HasFacts], sides: str, facts: Mapping[str, str | None]
) -> tuple[str, ...]:
    """Notes on the facts in which the runs of two sides differ, one for each fact."""
    for first, second in product(base, new):
        _check_links(first, second)
    runs = (*base, *new)
    notes = [f"{sides} emulated different links"] if len({run.run_facts.get("emulated") for run in runs}) > 1 else []
    for fact, words in facts.items():
        values = list(dict.fromkeys(str(run.run_facts.get(fact)) for run in runs))
        if words is not None and len(values) > 1:
            notes.append(f"{sides} had different {words}: {in_words(values)}")
    return tuple(notes)


def _check_links(base: HasFacts, new: HasFacts) -> None:
    base_links, new_links = base.run_facts.get("emulated"), new.run_facts.get("emulated")
    if (base_links is None) != (new_links is None):
        emulated, native = (base, new) if new_links is None else (new, base)
        raise InputError(
            f"{emulated.path} ran with emulated links and {native.path} without, so their times cannot be compared "
            "(emulation delays only collectives that run over a tree). Run both with the same topology file"
        )


def names(paths: Sequence[Path]) -> list[str]:
    """A short name for each trace: the end of its path that differs from all others, or the path if there is none."""
    parts = [path.resolve().parts for path in paths]
    for length in range(1, max(map(len, parts), default=0) + 1):
        ends = ["/".join(part[-length:]) for part in parts]
        if len(set(ends)) == len(ends):
            return ends
    return [str(path) for path in paths]
