"""Matrix of senders and receivers: a cell for each pair."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation.leads import Leads, points
from hopscope_dashboard.navigation.leads import ranks as ranks_address
from hopscope_dashboard.palette import HEAT_SCALE

Row = dict[str, Any]

_LABELLED: Final = 48
"""Largest number of senders or receivers that all have a label."""


def matrix(
    rows: Sequence[Row],
    *,
    places: Mapping[Any, Sequence[int]],
    value: str,
    unit: str | None,
    title: str,
    grouping: str,
    selects: bool = True,
) -> go.Figure:
    """Draw the column `value` of rows by sender (down) and receiver (across); pairs without a row stay empty.

    Rows have `sender`, `receiver` (both keys of `places`, in whose order they are drawn) and `value`, in `unit` (ns,
    bytes, share or none). `title` names the value, and `grouping` says what a place is: rank, host or cluster. `places`
    has the ranks of each place. `selects`: a click on a cell selects the ranks of its two places.
    """
    column_of = {place: number for number, place in enumerate(places)}
    cells: list[list[float | None]] = [[None] * len(places) for _ in places]
    texts = [[""] * len(places) for _ in places]
    addresses = [[""] * len(places) for _ in places]
    for row in rows:
        down, column = column_of[row["sender"]], column_of[row["receiver"]]
        cells[down][column] = row[value]
        addresses[down][column] = ranks_address([*places[row["sender"]], *places[row["receiver"]]])
        texts[down][column] = (
            f"<b>{grouping} {row['sender']} to {row['receiver']}</b><br>"
            f"{title}: {quantities.quantity(row[value], unit)}"
        )
    peak = max((row[value] or 0 for row in rows), default=0)
    marks = [0, peak / 2, peak] if peak else [0]
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            x=list(range(len(places))),
            y=list(range(len(places))),
            **points(texts, Leads(addresses, "select the ranks of both") if selects else None, key="text"),
            hoverongaps=False,
            colorscale=HEAT_SCALE,
            zmin=0,
            zmax=peak or 1,
            xgap=1,
            ygap=1,
            colorbar={
                "tickvals": marks,
                "ticktext": quantities.alike(unit, *marks),
                "thickness": 12,
                "outlinewidth": 0,
                "len": 1,
                "x": 1.01,
            },
        )
    )
    frame(figure, height=min(760, max(260, 22 * len(places) + 110)), x=f"to {grouping}", y=f"from {grouping}")
    labels = [str(place) for place in places]
    ticked = list(range(0, len(places), 1 + (len(places) - 1) // _LABELLED))
    ticks: dict[str, Any] = {
        "tickvals": ticked,
        "ticktext": [labels[position] for position in ticked],
        "showgrid": False,
        "zeroline": False,
    }
    figure.update_xaxes(**ticks, range=[-0.5, len(places) - 0.5])
    figure.update_yaxes(**ticks, range=[len(places) - 0.5, -0.5])
    return figure
