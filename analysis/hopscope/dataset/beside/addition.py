"""Adds the archive of another tool to the dataset of the same run, and removes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopscope.dataset.beside.recording import Thread, table_of, threads_of
from hopscope.dataset.beside.tables import ADDED, RENAMED, with_archive, without_archive
from hopscope.dataset.beside.threads import ThreadMatch, matched_threads
from hopscope.dataset.convert import ensure_dataset
from hopscope.dataset.convert.dataset import replace_tables
from hopscope.dataset.memory import memory_for
from hopscope.dataset.store import Store
from hopscope.errors import InputError
from hopscope.format.quantities import duration, number, plural

Progress = Callable[[str, int, int], None]

_LEAST_SHARE: Final = 0.5
"""Traces of the same run have this share of the shorter one's calls in common."""
_LARGEST_RESIDUAL_NS: Final = 100_000
"""Traces of the same run agree within this time; clocks that agree worse cannot place a function."""


@dataclass(frozen=True)
class Addition:
    """The outcome of an addition: the threads that both traces have, and the number of regions added."""

    creator: str
    matches: Sequence[ThreadMatch]
    regions: int

    @property
    def calls(self) -> int:
        """The number of calls of these threads in the dataset."""
        return sum(len(match.thread.calls.name) for match in self.matches)

    @property
    def matched_calls(self) -> int:
        """The number of calls that both traces have."""
        return sum(len(match.rows) for match in self.matches)

    @property
    def residual_ns(self) -> float:
        """The largest residual of a rank's clock."""
        return max(match.line.residual_ns for match in self.matches)

    def __str__(self) -> str:
        return (
            f"{self.creator} recorded {number(self.matched_calls)} of the {plural(self.calls, 'call')} of MPI of "
            f"{plural(len(self.matches), 'thread')}; its clocks fit within {duration(self.residual_ns)} (median); "
            f"{plural(self.regions, 'visit')} of regions added"
        )


def add(dataset: Path, archive: Path, progress: Progress | None = None) -> Addition:
    """Adds another tool's archive to a dataset, in the place of the one before. Raises InputError if it cannot be read,
    or is not of the same run."""
    foreign_dataset = ensure_dataset(archive, progress=progress)
    if foreign_dataset.samefile(dataset):
        raise InputError(f"{archive} is the trace itself; give the archive that the other tool wrote of this run")
    store, foreign_store = Store(dataset), Store(foreign_dataset)
    with memory_for("matching the archive"):
        numbers: dict[str, int] = {}
        threads, foreign = (threads_of(side, numbers) for side in (store, foreign_store))
        matches = matched_threads(threads, foreign)
        _check_same_run(archive, threads, foreign, matches)
        replace_tables(dataset, (*ADDED, *RENAMED), with_archive(store, foreign_store, matches, str(archive.resolve())))
    creator = table_of(foreign_store, "run", ["creator"])["creator"][0].as_py()
    return Addition(creator, matches, Store(dataset).rows("beside_regions"))


def remove(dataset: Path) -> None:
    """Removes what `add` added."""
    replace_tables(dataset, (*ADDED, *RENAMED), without_archive(Store(dataset)))


def _check_same_run(
    archive: Path, threads: Sequence[Thread], foreign: Sequence[Thread], matches: Sequence[ThreadMatch]
) -> None:
    """Raises InputError unless the matches prove that both traces are of the same run."""
    ranks, foreign_ranks = ({thread.rank for thread in side} for side in (threads, foreign))
    advice = "give the archive that the other tool wrote of this very run"
    if ranks != foreign_ranks:
        raise InputError(
            f"{archive} has calls of MPI by {plural(len(foreign_ranks), 'rank')}, and the trace by "
            f"{plural(len(ranks), 'rank')}; {advice}"
        )
    calls = sum(len(match.rows) for match in matches)
    possible = sum(min(len(match.thread.calls.name), len(match.foreign.calls.name)) for match in matches)
    if not calls or calls < _LEAST_SHARE * possible:
        raise InputError(f"{archive} matches only {number(calls)} of {plural(possible, 'call')} of MPI; {advice}")
    residual = max(match.line.residual_ns for match in matches)
    if residual > _LARGEST_RESIDUAL_NS:
        raise InputError(f"the clocks of {archive} miss those of the trace by {duration(residual)}; {advice}")
