"""Draws a decision map: a cell for each message size and number of ranks names the best method, in its algorithm's
colour."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation.leads import points
from hopscope_dashboard.palette import CATEGORY_COLOURS

Row = Mapping[str, Any]

_COLOURS: Final = tuple(CATEGORY_COLOURS.values())
_ROW_HEIGHT: Final = 64


def algorithm_of(method: str) -> str:
    """Give a method's algorithm: its name without the segment size."""
    return method.partition("/")[0]


def colours(rows: Sequence[Row], columns: Sequence[str]) -> dict[str, str]:
    """Give a colour to each algorithm that these columns name."""
    names = sorted({algorithm_of(row[column]) for row in rows for column in columns if row[column]})
    return {name: _COLOURS[position % len(_COLOURS)] for position, name in enumerate(names)}


def decision_map(
    rows: Sequence[Row], *, method: str, penalty: str | None, shades: Mapping[str, str], texts: Sequence[str]
) -> go.Figure:
    """Draw the column `method` by bytes (across) and ranks (down), with the column `penalty`, if given, in each cell.
    `shades` has the colour of each algorithm, `texts` the hover text of each row."""
    sizes = sorted({row["bytes"] for row in rows})
    counts = sorted({row["ranks"] for row in rows})
    names = list(shades)
    cells: list[list[int | None]] = [[None] * len(sizes) for _ in counts]
    words = [[""] * len(sizes) for _ in counts]
    hover_texts = [[""] * len(sizes) for _ in counts]
    for row, text in zip(rows, texts, strict=True):
        down, column = counts.index(row["ranks"]), sizes.index(row["bytes"])
        hover_texts[down][column] = text
        if row[method]:
            cells[down][column] = names.index(algorithm_of(row[method]))
            cost = f"<br>{_cost(row[penalty])}" if penalty else ""
            words[down][column] = f"{row[method].replace('/', '<br>/')}{cost}"
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            x=list(range(len(sizes))),
            y=list(range(len(counts))),
            **points(hover_texts, None, key="hovertext"),
            text=words,
            texttemplate="%{text}",
            textfont={"color": "#ffffff", "size": 11},
            colorscale=_scale([shades[name] for name in names]),
            zmin=-0.5,
            zmax=max(len(names), 1) - 0.5,
            hoverongaps=False,
            showscale=False,
            xgap=2,
            ygap=2,
        )
    )
    frame(figure, height=_ROW_HEIGHT * len(counts) + 90, x="message size", y="ranks")
    quiet = {"showgrid": False, "zeroline": False}
    figure.update_xaxes(tickvals=list(range(len(sizes))), ticktext=[quantities.size(size) for size in sizes], **quiet)
    figure.update_yaxes(tickvals=list(range(len(counts))), ticktext=[str(count) for count in counts], **quiet)
    return figure


def _cost(penalty: float | None) -> str:
    return "" if penalty is None else f"+{quantities.share(penalty)}"


def _scale(steps: Sequence[str]) -> list[list[Any]]:
    """A scale with one colour for each whole number."""
    count = max(len(steps), 1)
    return [[(position + end) / count, colour] for position, colour in enumerate(steps) for end in (0, 1)] or [
        [0, "#888"],
        [1, "#888"],
    ]
