"""Places an exchange between peers: a lane for each rank, a column for each round, and an arrow for each message from
the lane of its sender to that of its receiver.

Three or more successive rounds over the same edges, as in a ring, share a column. If there are too many arrows to read,
some are left out, with a note.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from hopscope.format import quantities, rounds

from hopscope_dashboard.figures.graphs import words
from hopscope_dashboard.figures.graphs.graph import BY_LINK, Column, Graph, NamedBox, PlacedEdge
from hopscope_dashboard.figures.lanes import Lanes, lanes

Row = dict[str, Any]
Round = tuple[Sequence[int], Sequence[Row]]
"""The rounds of one column and their edges."""

MOST_COLUMNS: Final = 16
MOST_ARROWS: Final = 2500
"""Largest numbers of columns and arrows that are drawn."""
MOST_ARROWS_PER_ROUND: Final = 120
"""If a round has more arrows, and more than _THICK for each rank, only some are drawn."""
_GAP: Final = 34
"""Distance between two columns, in pixels."""
_LABELLED: Final = 64
_THICK: Final = 3
"""Arrows per lane above which a column has thin arrows."""


def placed_rounds(*, ranks: Sequence[Row], edges: Sequence[Row]) -> Graph:
    """Place one exchange. `ranks` has rank, world, host and cluster; `edges` has the rows of `analyze algorithms
    --collective`, the heaviest first."""
    places = lanes(ranks, {row[end] for row in edges for end in ("src", "dst")})
    pitch = 40.0 if places.number <= 16 else 24.0 if places.number <= _LABELLED else 10.0
    all_rounds = _rounds(edges)
    shown_rounds = _that_fit([(numbers, _readable(rows, places)) for numbers, rows in all_rounds])
    width = min(320.0, max(110.0, places.number * pitch * 0.3, 560.0 / len(shown_rounds)))
    largest = max((row["share"] or 0 for row in edges), default=0)
    columns: list[Column] = []
    arrows: list[PlacedEdge] = []
    for number, (numbers, rows) in enumerate(shown_rounds):
        column = Column(_title(numbers), _GAP / 2 + number * (width + _GAP), _GAP / 2 + number * (width + _GAP) + width)
        columns.append(column)
        least_width = 0.8 if len(rows) > _THICK * places.number else 1.5
        for row in rows:
            src, dst = row["src"], row["dst"]
            arrow_width = round(least_width + (3.5 * (row["share"] or 0) / largest if largest else 0), 2)
            ends = ((column.left, _top(places, src) * pitch), (column.right, _top(places, dst) * pitch))
            text = words.of_edge(src, dst, row["link"], row)
            arrows.append(PlacedEdge(src, dst, *ends, row["link"], BY_LINK, arrow_width, text, column=number))
    step = 1 + (places.number - 1) // _LABELLED
    labels = [
        (words.shown_name(label) if position % step == 0 else "", position * pitch)
        for position, label in enumerate(reversed(places.labels))
    ]
    return Graph(
        tuple(arrows),
        boxes=tuple(_clusters(places, pitch, columns[-1].right)),
        lanes=tuple(labels),
        columns=tuple(columns),
        pitch=pitch,
        largest_share=largest,
        left_out=_left_out(all_rounds, shown_rounds, places),
    )


def _clusters(places: Lanes, pitch: float, right: float) -> list[NamedBox]:
    """A box around the lanes of each cluster; none if there is only one cluster."""
    last = places.number - 1
    return [
        NamedBox("lane-cluster", name, (0, (last - high - 0.5) * pitch, right + 8, (last - low + 0.5) * pitch))
        for name, low, high in (reversed(places.clusters) if len(places.clusters) > 1 else ())
    ]


def _readable(rows: Sequence[Row], places: Lanes) -> Sequence[Row]:
    """Reduces a crowded round to the messages sent from the top lane and those on the critical path."""
    if len(rows) <= max(MOST_ARROWS_PER_ROUND, _THICK * places.number):
        return rows
    return [row for row in rows if row["on_path"] or _top(places, row["src"]) == 0]


def _that_fit(columns: Sequence[Round]) -> Sequence[Round]:
    """The first columns, as many as can be drawn within the limits; at least one."""
    number, arrows = 0, 0
    for _, rows in columns[:MOST_COLUMNS]:
        arrows += len(rows)
        if number and arrows > MOST_ARROWS:
            break
        number += 1
    return columns[:number]


def _rounds(edges: Sequence[Row]) -> list[Round]:
    """The columns of the drawing; each has its rounds and their edges, in the order given."""
    by_round: dict[int, list[Row]] = defaultdict(list)
    for row in edges:
        for number in rounds.numbers(row["rounds"]):
            by_round[number].append(row)
    columns: list[Round] = []
    for _, run in groupby(sorted(by_round), key=lambda number: [row["edge"] for row in by_round[number]]):
        numbers = list(run)
        parts = [numbers] if len(numbers) > 2 else [[number] for number in numbers]
        columns += [(part, by_round[part[0]]) for part in parts]
    return columns


def _left_out(all_rounds: Sequence[Round], shown_rounds: Sequence[Round], places: Lanes) -> str:
    sentences: list[str] = []
    if len(shown_rounds) < len(all_rounds):
        total, count = (quantities.number(columns[-1][0][-1]) for columns in (all_rounds, shown_rounds))
        sentences.append(f"Of {total} rounds the first {count} are drawn.")
    total, count = (
        sum(len(rows) for _, rows in columns) for columns in (all_rounds[: len(shown_rounds)], shown_rounds)
    )
    if count < total:
        first = next(rank for rank in places.of_rank if _top(places, rank) == 0)
        sentences.append(
            f"Of {quantities.number(total)} arrows {quantities.number(count)} are drawn: those of rank {first}, as an "
            "example, and those on the critical path of the run."
        )
    return " ".join(sentences)


def _title(numbers: Sequence[int]) -> str:
    return f"round {numbers[0]}" if len(numbers) == 1 else f"rounds {numbers[0]} to {numbers[-1]}"


def _top(places: Lanes, rank: int) -> int:
    """The number of a rank's lane, counted from the top."""
    return places.number - 1 - places.of_rank[rank]
