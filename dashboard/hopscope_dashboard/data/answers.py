"""Types of the answers that `trace.py` gives the pages: rows of an analysis, or several fields."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
"""One row of an analysis, keyed by its documented columns."""

Rows = list[Row]


@dataclass(frozen=True)
class Compared:
    """Answer of `analyze compare` about two runs, and notes on it, in sentences."""

    rows: Rows
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Suggestion:
    """Answer of `analyze remap`: every candidate tree, the sentence on the result, and the suggested tree."""

    candidates: Rows
    sentence: str
    tree_file: str | None
    """JSON text of the suggested tree's file; None if none is suggested."""
    parents: dict[str, Any] | None
    """The suggested tree: `comm`, and for `up` and `down` the parent of each rank of the communicator. None if the MPI
    library's own algorithm is the best."""
    is_native: bool
    """True if the MPI library's own algorithm ran, so that the baseline has no tree."""


@dataclass(frozen=True)
class Result:
    """The first rows of a user's query."""

    columns: Sequence[str]
    numbers: Sequence[bool]
    """True for each column of numbers."""
    rows: Sequence[Sequence[str | int | float | bool | None]]
    """Cells as in CSV: nested values are JSON, null is None."""
    whole: int | None
    """Number of rows; None if counting them took too long."""


@dataclass(frozen=True)
class Bounds:
    """Selected part of a run: times in ns, ranks, communicators and an operation; None where nothing is selected."""

    from_ns: int | None = None
    to_ns: int | None = None
    ranks: tuple[int, ...] | None = None
    comms: tuple[int, ...] | None = None
    operation: str | None = None
