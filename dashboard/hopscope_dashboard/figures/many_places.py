"""Reduces too many ranks to those with the largest values or, in a matrix, to their hosts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hopscope.format import quantities

Row = dict[str, Any]

WHOLE: Final = 128
"""Largest number of ranks that the timeline and trees show one by one. With more ranks they show hosts first, because
scrolling would no longer find a rank."""

MOST_BARS: Final = 64
MOST_ROWS: Final = 256
"""Largest number of ranks drawn as bars, and of rows in a table; the CSV file under a table has all rows."""

MOST_PLACES: Final = 256
"""Largest number of rows, and of columns, of a matrix: more could not be told apart, nor drawn at once."""

WIDER: Final[Mapping[str, str]] = {"rank": "host", "host": "cluster"}
"""The next wider grouping of ranks, and of hosts."""


@dataclass(frozen=True)
class MatrixPlaces:
    """Rows and columns of a matrix."""

    grouping: str
    places: Mapping[Any, Sequence[int]]
    """The ranks of each row and column, in the order of ranks."""
    notice: str
    """Sentence on how the matrix differs from what was asked for; empty if it does not."""


def largest_rows(rows: Sequence[Row], amount: Callable[[Row], float | None], limit: int) -> list[Row]:
    """Give the `limit` rows with the largest `amount`, in the order of `rows`. An amount of None counts as 0."""
    if len(rows) <= limit:
        return list(rows)
    numbers = sorted(range(len(rows)), key=lambda number: -(amount(rows[number]) or 0))[:limit]
    return [rows[number] for number in sorted(numbers)]


def left_out(shown_rows: Sequence[Row], rows: Sequence[Row], description: str) -> str:
    """Say which rows are shown, such as ` The 64 of 1,024 ranks with most noise.`; empty if all rows are shown."""
    if len(shown_rows) == len(rows):
        return ""
    return f" The {quantities.number(len(shown_rows))} of {quantities.number(len(rows))} {description}."


def matrix_places(topology: Sequence[Row], grouping: str, ends: Sequence[tuple[Any, Any, float]]) -> MatrixPlaces:
    """Choose the rows and columns of a matrix by rank, host or cluster (`grouping`).

    `topology` has rank, host and cluster. `ends` has, for each cell, its sender and receiver (a rank, host or cluster)
    and its amount.
    """
    places = _places(topology, grouping)
    if len(places) <= MOST_PLACES:
        return MatrixPlaces(grouping, places, "")
    amounts: dict[Any, float] = {}
    for sender, receiver, amount in ends:
        amounts[sender] = amounts.get(sender, 0) + amount
        amounts[receiver] = amounts.get(receiver, 0) + amount
    if len(amounts) <= MOST_PLACES:
        only = {place: ranks for place, ranks in places.items() if place in amounts}
        return MatrixPlaces(
            grouping, only, f"Of {quantities.number(len(places))} {grouping}s, those that exchange messages here."
        )
    wider = WIDER.get(grouping)
    if wider is not None and 1 < len(_places(topology, wider)) <= MOST_PLACES:
        return MatrixPlaces(
            wider,
            _places(topology, wider),
            f"{quantities.number(len(places))} {grouping}s are too many to tell apart: they are drawn by {wider}. A "
            f"click on a cell selects the ranks of both {wider}s, which are then drawn one by one.",
        )
    busiest = set(sorted(amounts, key=lambda place: -amounts[place])[:MOST_PLACES])
    only = {place: ranks for place, ranks in places.items() if place in busiest}
    return MatrixPlaces(
        grouping, only, f"Of {quantities.number(len(places))} {grouping}s, the {MOST_PLACES} with the most."
    )


def _places(topology: Sequence[Row], grouping: str) -> dict[Any, list[int]]:
    places: dict[Any, list[int]] = {}
    for row in sorted(topology, key=lambda row: row["rank"]):
        places.setdefault(row[grouping], []).append(row["rank"])
    return places
