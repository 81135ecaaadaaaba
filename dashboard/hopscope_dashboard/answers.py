"""What `data.py` gives the pages: the rows of analyses, and what answers of several parts consist of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
"""One row of an analysis, keyed by its documented columns."""

Rows = list[Row]


@dataclass(frozen=True)
class Compared:
    """What `analyze compare` answers about two runs, and what to know beside it, in sentences."""

    rows: Rows
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Models:
    """What `analyze model` and `analyze formulas` say of a trace."""

    parameters: Rows
    curves: Rows
    """What a message takes over its size: link, quantity, sizes in bytes and times in ns. None without a model."""
    times: Rows
    """What collectives take by the formulas, by the replay and as measured."""
    lack: str | None
    """Why there are no times, in a sentence."""
    said: str
    """Which collectives all of it is from."""


@dataclass(frozen=True)
class Suggestion:
    """What remapping says: every candidate tree, the sentence, and the suggested tree."""

    candidates: Rows
    sentence: str
    tree_file: str | None
    """JSON text of the suggested tree's file; None if none is suggested."""
    parents: dict[str, Any] | None
    """Of the suggested tree: `comm`, and for `up` and `down` the parent of each rank of the communicator. None if what
    the MPI library ran is the best."""
    is_native: bool
    """Whether the MPI library's own algorithm ran, so that today has no tree."""


@dataclass(frozen=True)
class Result:
    """The first rows of what a query of the user gives."""

    columns: Sequence[str]
    numbers: Sequence[bool]
    """Whether each column holds numbers."""
    rows: Sequence[Sequence[str | int | float | bool | None]]
    """Cells as in CSV: what has parts is JSON, null is None."""
    whole: int | None
    """How many rows there are; None if counting them took too long."""


@dataclass(frozen=True)
class Bounds:
    """What of a run is selected: times in ns, ranks, communicators and an operation; None where nothing is."""

    from_ns: int | None = None
    to_ns: int | None = None
    ranks: tuple[int, ...] | None = None
    comms: tuple[int, ...] | None = None
    operation: str | None = None
