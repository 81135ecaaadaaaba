"""Draws a value of each rank in each iteration as a heat map, such as noise."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.lanes import lane_axis, lanes
from hopscope_dashboard.figures.style import frame, selects_by_dragging
from hopscope_dashboard.navigation.address import link
from hopscope_dashboard.navigation.leads import Leads, collective, points
from hopscope_dashboard.palette import HEAT_SCALE

Row = dict[str, Any]

_WITH_GAPS: Final = 128
"""Largest number of rows with gaps between them: in more rows, gaps would be wider than the rows."""


def heat_map(
    *, ranks: Sequence[Row], rows: Sequence[Row], value: str, title: str, names: Mapping[int | None, str]
) -> go.Figure:
    """Draw the column `value` (ns; None where unknown) by rank and iteration; `title` names the value.

    Rows: rank, iteration, from_iteration, collective_id and `value`. Values below 0 count as 0. A column covers the
    iterations from one `from_iteration` to the next; a cell shows one of them, the `iteration` of its row. A click on a
    cell opens the collective that ends the iteration, by its name COMM:SEQ in `names`; if an iteration does not end
    with a collective, clicks select iterations.
    """
    places = lanes(ranks, {row["rank"] for row in rows})
    columns = sorted({row["from_iteration"] for row in rows})
    column_of = {number: place for place, number in enumerate(columns)}
    peak = max((row[value] or 0 for row in rows), default=0)
    unit = quantities.axis_unit(peak)
    # float32 and a shared prefix of the addresses: with 16,000 cells, numbers as text and whole addresses took most of
    # the page's two megabytes.
    cells = np.full((places.number, len(columns)), np.nan, np.float32)
    texts = [[""] * len(columns) for _ in range(places.number)]
    ends = {row["iteration"]: names.get(row["collective_id"]) for row in rows}
    has_ends = all(ends.values())
    addresses = {
        number: collective(end) if has_ends and end else iterations(number, number + 1) for number, end in ends.items()
    }
    begin = _beginning(addresses.values())
    addresses = {number: address[len(begin) :] for number, address in addresses.items()}
    of_column = {row["from_iteration"]: addresses[row["iteration"]] for row in rows}
    cell_addresses = [[of_column[column] for column in columns] for _ in range(places.number)]
    for row in rows:
        lane, column = places.of_rank[row["rank"]], column_of[row["from_iteration"]]
        cell_addresses[lane][column] = addresses[row["iteration"]]
        if row[value] is not None:
            cells[lane, column] = max(0.0, row[value] / unit.nanoseconds)
            texts[lane][column] = f"{row['rank']}, iteration {row['iteration']}: {quantities.duration(row[value])}"
    action = "see the collective that ends it" if has_ends else "select the iteration"
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            x=[column + (iterations_per_column(columns) - 1) / 2 for column in columns],
            y=list(range(places.number)),
            **points(texts, Leads(cell_addresses, action), key="text", prefix=f"<b>{title}</b> of rank "),
            hoverongaps=False,
            colorscale=HEAT_SCALE,
            zmin=0,
            zmax=max(peak / unit.nanoseconds, 1e-9),
            ygap=1 if places.number <= _WITH_GAPS else 0,
            colorbar={
                "title": {"text": unit.name, "side": "top"},
                "thickness": 12,
                "outlinewidth": 0,
                "len": 1,
                "x": 1.01,
            },
        )
    )
    frame(figure, height=min(1000, max(220, 24 * places.number + 90)), x="iteration")
    lane_axis(figure, places)
    figure.update_xaxes(showgrid=False, zeroline=False)
    selects_by_dragging(figure, "iteration")
    return figure.update_layout(meta={**figure.layout.meta, "leads": begin})


def _beginning(texts: Iterable[str]) -> str:
    """Common prefix of all texts. It is that of the first and the last text in sorted order."""
    order = sorted(texts) or [""]
    shared_letters = takewhile(lambda pair: pair[0] == pair[1], zip(order[0], order[-1], strict=False))
    return "".join(letter for letter, _ in shared_letters)


def iterations_per_column(columns: Sequence[int]) -> int:
    """Give the number of iterations in a column; `columns` has the first iteration of each."""
    return min((later_start - earlier_start for earlier_start, later_start in pairwise(columns)), default=1)


def iterations(first: int, end: int) -> str:
    """Give the address that selects the iterations from `first` to before `end`."""
    return link("", **{"from": f"i:{first}", "to": f"i:{end}"})
