"""Of more ranks than can be shown one by one, what is shown: those with the most, or in a matrix their hosts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hopscope.format import quantities

Row = dict[str, Any]

WHOLE: Final = 128
"""With more ranks than these, the timeline and trees show hosts first: a person finds each of so many by scrolling."""

MOST_BARS: Final = 64
MOST_ROWS: Final = 256
"""So many ranks are drawn as bars, and listed in a table; the file under it has all."""

MOST: Final = 256
"""So many rows and columns of a matrix can still be told apart, and drawn at once."""

WIDER: Final[Mapping[str, str]] = {"rank": "host", "host": "cluster"}
"""What ranks and hosts lie in."""


@dataclass(frozen=True)
class Shown:
    """What a matrix shows."""

    by: str
    places: Mapping[Any, Sequence[int]]
    """The ranks of each row and column, in the order of ranks."""
    said: str
    """What is shown in place of what was asked for, as a sentence; empty if it is just that."""


def with_most(rows: Sequence[Row], amount: Callable[[Row], float | None], most: int) -> list[Row]:
    """Give the rows of largest `amount`, `most` of them, in the order that they have. No amount counts as 0."""
    if len(rows) <= most:
        return list(rows)
    chosen = sorted(range(len(rows)), key=lambda at: -(amount(rows[at]) or 0))[:most]
    return [rows[at] for at in sorted(chosen)]


def left_out(drawn: Sequence[Row], rows: Sequence[Row], what: str) -> str:
    """Say which rows are shown, such as ` The 64 of 1,024 ranks with most noise.`; nothing if all are."""
    if len(drawn) == len(rows):
        return ""
    return f" The {quantities.number(len(drawn))} of {quantities.number(len(rows))} {what}."


def shown(topology: Sequence[Row], by: str, ends: Sequence[tuple[Any, Any, float]]) -> Shown:
    """Choose the rows and columns of a matrix by rank, host or cluster (`by`).

    `topology` has rank, host and cluster; `ends` are the places, by `by`, at the two ends of each cell that there is,
    and how much it has.
    """
    places = _places(topology, by)
    if len(places) <= MOST:
        return Shown(by, places, "")
    amounts: dict[Any, float] = {}
    for one, other, amount in ends:
        amounts[one] = amounts.get(one, 0) + amount
        amounts[other] = amounts.get(other, 0) + amount
    if len(amounts) <= MOST:
        only = {place: ranks for place, ranks in places.items() if place in amounts}
        return Shown(by, only, f"Of {quantities.number(len(places))} {by}s, those that exchange messages here.")
    wider = WIDER.get(by)
    if wider is not None and 1 < len(_places(topology, wider)) <= MOST:
        return Shown(
            wider,
            _places(topology, wider),
            f"{quantities.number(len(places))} {by}s are too many to be told apart: they are drawn by {wider}. A click "
            f"on a cell selects the ranks of both {wider}s, which are then drawn one by one.",
        )
    most = set(sorted(amounts, key=lambda place: -amounts[place])[:MOST])
    only = {place: ranks for place, ranks in places.items() if place in most}
    return Shown(by, only, f"Of {quantities.number(len(places))} {by}s, the {MOST} with the most.")


def _places(topology: Sequence[Row], by: str) -> dict[Any, list[int]]:
    places: dict[Any, list[int]] = {}
    for row in sorted(topology, key=lambda row: row["rank"]):
        places.setdefault(row[by], []).append(row["rank"])
    return places
