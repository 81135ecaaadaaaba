"""Places an exchange between peers: a lane for each rank, a column for each round, and an arrow for each message from
the lane of its sender to that of its receiver. `round_lanes_svg` draws what is placed here.

Three or more successive rounds over the same edges, as those of a ring, share a column. If the arrows are too many to
read, some are left out, with a note.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from hopscope.format import quantities, rounds

from hopscope_dashboard.figures import tree_words
from hopscope_dashboard.figures.edge_labels import Box, Point
from hopscope_dashboard.figures.lanes import Lanes, lanes
from hopscope_dashboard.figures.svg_parts import BY_LINK
from hopscope_dashboard.figures.topology_tree import name_width, shown_name

Row = dict[str, Any]
Column = tuple[Sequence[int], Sequence[Row]]
"""Its rounds and its edges."""

MOST_COLUMNS: Final = 16
MOST_ARROWS: Final = 2500
"""Columns and arrows that are drawn."""
MOST_ARROWS_PER_ROUND: Final = 120
"""With more arrows in a round, and more than a few for each rank, only some are drawn."""
_GAP: Final = 34
"""Between two columns."""
_LABELLED: Final = 64
_THICK: Final = 3
"""Arrows per lane above which a column has thinner ones."""
_TITLE: Final = 34
_LABEL: Final = 8.0
"""Width of a character of a lane's label, in pixels."""


@dataclass(frozen=True)
class PlacedArrow:
    """The messages of one edge in one column."""

    name: str
    src: int
    dst: int
    column: int
    begin: Point
    end: Point
    link: str
    width: float
    description: str
    look: str = BY_LINK


@dataclass(frozen=True)
class PlacedColumn:
    """One round, or several over the same edges."""

    title: str
    left: float
    right: float


@dataclass(frozen=True)
class PlacedRounds:
    """An exchange, ready to be drawn. Lanes are from the top, the label of each empty where there is no room for it."""

    lanes: tuple[tuple[str, float], ...]
    clusters: tuple[tuple[str, float, float], ...]
    """Name, top and bottom of the lanes of each cluster; none where there is only one."""
    columns: tuple[PlacedColumn, ...]
    arrows: tuple[PlacedArrow, ...]
    pitch: float
    left_out: str
    """Sentences on what is not drawn; empty if all is."""

    @property
    def bounds(self) -> Box:
        """Extent of the drawing, labels included."""
        wide = max(len(shown_name(label)) for label, _ in self.lanes) * _LABEL
        aside = max((name_width(name) for name, _, _ in self.clusters), default=0)
        bottom = self.lanes[-1][1] + max(self.pitch / 2, 12) + 6
        right = self.columns[-1].right + (aside + 34 if self.clusters else 16)
        return (-wide - 16, -self.pitch / 2 - _TITLE, right, bottom)


def placed_rounds(*, ranks: Sequence[Row], edges: Sequence[Row]) -> PlacedRounds:
    """Place one exchange. `ranks` has rank, world, host and cluster; `edges` the rows of `algorithms --collective`, the
    heaviest first."""
    places = lanes(ranks, {row[end] for row in edges for end in ("src", "dst")})
    pitch = 40.0 if places.number <= 16 else 24.0 if places.number <= _LABELLED else 10.0
    all_columns = _columns(edges)
    shown_columns = _that_fit([(numbers, _readable(rows, places)) for numbers, rows in all_columns])
    wide = min(320.0, max(110.0, places.number * pitch * 0.3, 560.0 / len(shown_columns)))
    columns: list[PlacedColumn] = []
    arrows: list[PlacedArrow] = []
    largest = max((row["share"] or 0 for row in edges), default=0)
    for number, (numbers, rows) in enumerate(shown_columns):
        left = _GAP / 2 + number * (wide + _GAP)
        columns.append(PlacedColumn(_title(numbers), left, left + wide))
        thin = len(rows) > _THICK * places.number
        for row in rows:
            begin, end = ((x, _y(places, row[rank]) * pitch) for x, rank in ((left, "src"), (left + wide, "dst")))
            arrows.append(_arrow(row, number, begin, end, largest, thin=thin))
    return PlacedRounds(
        tuple(_labels(places, pitch)),
        tuple(
            (name, _top(places, high) * pitch, _top(places, low) * pitch)
            for name, low, high in (reversed(places.clusters) if len(places.clusters) > 1 else ())
        ),
        tuple(columns),
        tuple(arrows),
        pitch,
        _left_out(all_columns, shown_columns, places),
    )


def _readable(rows: Sequence[Row], places: Lanes) -> Sequence[Row]:
    """Reduces a crowded round to the highest lane's messages and those on the critical path."""
    if len(rows) <= max(MOST_ARROWS_PER_ROUND, _THICK * places.number):
        return rows
    return [row for row in rows if row["on_path"] or places.of_rank[row["src"]] == places.number - 1]


def _that_fit(columns: Sequence[Column]) -> Sequence[Column]:
    """The first columns, as many as can be drawn together; at least one."""
    number, arrows = 0, 0
    for _, rows in columns[:MOST_COLUMNS]:
        arrows += len(rows)
        if number and arrows > MOST_ARROWS:
            break
        number += 1
    return columns[:number]


def _columns(edges: Sequence[Row]) -> list[Column]:
    """The rounds of each column, and its edges in the order given."""
    by_round: dict[int, list[Row]] = defaultdict(list)
    for row in edges:
        for number in rounds.numbers(row["rounds"]):
            by_round[number].append(row)
    columns: list[Column] = []
    for _, run in groupby(sorted(by_round), key=lambda number: [row["edge"] for row in by_round[number]]):
        numbers = list(run)
        columns += (
            [(numbers, by_round[numbers[0]])]
            if len(numbers) > 2
            else [([number], by_round[number]) for number in numbers]
        )
    return columns


def _arrow(row: Row, column: int, begin: Point, end: Point, largest: float, *, thin: bool) -> PlacedArrow:
    width = (0.8 if thin else 1.5) + (3.5 * (row["share"] or 0) / largest if largest else 0)
    text = tree_words.of_edge(row["src"], row["dst"], row["link"], row)
    name = f"edge-{row['src']}-{row['dst']}-{column}"
    return PlacedArrow(name, row["src"], row["dst"], column, begin, end, row["link"], round(width, 2), text)


def _left_out(all_columns: Sequence[Column], shown_columns: Sequence[Column], places: Lanes) -> str:
    sentences: list[str] = []
    if len(shown_columns) < len(all_columns):
        total, count = (quantities.number(columns[-1][0][-1]) for columns in (all_columns, shown_columns))
        sentences.append(f"Of {total} rounds the first {count} are drawn.")
    total, count = (
        sum(len(rows) for _, rows in columns) for columns in (all_columns[: len(shown_columns)], shown_columns)
    )
    if count < total:
        first = next(rank for rank, lane in places.of_rank.items() if lane == places.number - 1)
        sentences.append(
            f"Of {quantities.number(total)} arrows {quantities.number(count)} are drawn: those of rank {first}, as an "
            "example, and those on the critical path of the run."
        )
    return " ".join(sentences)


def _title(numbers: Sequence[int]) -> str:
    return f"round {numbers[0]}" if len(numbers) == 1 else f"rounds {numbers[0]} to {numbers[-1]}"


def _top(places: Lanes, lane: int) -> int:
    """The place of a lane counted from the top."""
    return places.number - 1 - lane


def _y(places: Lanes, rank: int) -> int:
    return _top(places, places.of_rank[rank])


def _labels(places: Lanes, pitch: float) -> list[tuple[str, float]]:
    step = 1 + (places.number - 1) // _LABELLED
    return [
        (shown_name(label) if position % step == 0 else "", position * pitch)
        for position, label in enumerate(reversed(places.labels))
    ]


def neighbours(arrows: Sequence[PlacedArrow]) -> Mapping[str, dict[str, str | None]]:
    """Targets of the arrow keys from each arrow: up and down in its round, left and right to the round beside it."""
    by_column: dict[int, list[PlacedArrow]] = defaultdict(list)
    for arrow in sorted(arrows, key=lambda arrow: (arrow.begin[1], arrow.end[1])):
        by_column[arrow.column].append(arrow)
    keys: dict[str, dict[str, str | None]] = {}
    for column, members in by_column.items():
        for position, arrow in enumerate(members):
            keys[arrow.name] = {
                "up": members[position - 1].name if position else None,
                "down": members[position + 1].name if position + 1 < len(members) else None,
                "left": _nearest(by_column.get(column - 1, []), arrow.begin[1]),
                "right": _nearest(by_column.get(column + 1, []), arrow.end[1]),
            }
    return keys


def _nearest(members: Sequence[PlacedArrow], y: float) -> str | None:
    return min(members, key=lambda arrow: abs(arrow.begin[1] - y)).name if members else None
