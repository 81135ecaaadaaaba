"""What a finding is, and the words that several of them share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from hopscope.errors import some
from hopscope.quantities import in_words, share

Row = dict[str, Any]
Ask = Callable[[str], list[Row]]
"""Gives the rows of an analysis by its command, none where the trace has nothing to answer with."""

Severity = Literal["problem", "note", "undecided", "fine"]

WORTH_SAYING: Final = 0.1
"""What takes less of the critical path, or of the collectives, is not worth saying and no problem."""

LEAST_COST: Final = 0.01
"""A rank's lateness, or noise, that adds up to less of the run's critical path is no finding."""

_NAMED: Final = 8
"""So many ranks are named before the rest is counted."""


@dataclass(frozen=True)
class Finding:
    """One finding, but for its key; the header of `findings.sql` explains each field."""

    verdict: str
    severity: Severity
    sentence: str
    evidence: str
    analysis: str
    value: float | None = None
    unit: str | None = None
    cost_share: float | None = None
    part: str | None = None


@dataclass(frozen=True)
class Run:
    """Facts of the run that several findings weigh their own against: the row of `findings.sql`."""

    collectives: int
    whole_collectives: int
    """Those of the whole run, where the others are of a part of it."""
    hops: int
    iterations: int
    """Those of the whole run; 0 where no loop repeats a sequence of MPI calls."""
    most_calls: int
    """MPI calls of the first rank at the place that it calls most often, in the whole run."""
    clusters: int
    crossings: int | None
    """Most crossings between clusters in a row, each way: on any way to the root of a tree, or in an exchange. None if
    that is unknown, as where messages between clusters fit no algorithm."""
    path_ns: int
    """Length of the run's critical path; 0 if there is none. The shares are of it, and None without it."""
    loop_path_ns: int
    """Length of it in all iterations but the first, which has the set-up before it; `path_ns` without iterations."""
    wan_share: float | None
    """None, too, if collectives of several clusters hide their hops and no other hop between clusters is on it."""
    hops_share: float | None


def named(rows: Sequence[Row], word: str = "Rank") -> str:
    """Write `Rank 3`, `Ranks 1, 2 and 4`; of many only the first."""
    names = [str(row["rank"]) for row in rows]
    if len(names) > _NAMED:
        return f"{word}s {some(names, _NAMED)}"
    return f"{word if len(names) == 1 else word + 's'} {in_words(names)}"


def of_ranks(rows: Sequence[Row]) -> str:
    """Write these ranks as the option that selects them."""
    return f"--ranks {','.join(str(rank) for rank in sorted(row['rank'] for row in rows))}"


def each(rows: Sequence[Row], column: str) -> str:
    """Write `rank 7 in 59.0 %, rank 6 in 35.0 %` from a column of shares; of many only the first."""
    return some([f"rank {row['rank']} in {share(row[column])}" for row in rows], _NAMED)
