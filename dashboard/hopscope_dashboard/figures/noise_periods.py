"""Draws the periods of the ranks' noise, and one rank's noise folded at its period."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.lanes import lane_axis, lanes
from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation.address import link
from hopscope_dashboard.navigation.leads import Leads, collective, points
from hopscope_dashboard.palette import CATEGORY_COLOURS

Row = dict[str, Any]

_ROOM: Final = 2.0
"""Factor by which the axis extends beyond the shortest and the longest period."""


def periods_by_rank(*, ranks: Sequence[Row], rows: Sequence[Row]) -> go.Figure:
    """Draw the period of each rank's noise, and beside it the share of the noise's variance that it explains. Rows are
    those of `analyze noise --by period`. A rank without a period has an empty lane.
    """
    places = lanes(ranks, {row["rank"] for row in rows})
    periodic_rows = [row for row in rows if row["periodic"]]
    unit = quantities.axis_unit(min((row["period_ns"] for row in periodic_rows), default=0))
    scale = unit.nanoseconds
    figure = go.Figure(
        go.Scatter(
            x=[row["period_ns"] / scale for row in periodic_rows],
            y=[places.of_rank[row["rank"]] for row in periodic_rows],
            mode="markers+text",
            marker={"color": CATEGORY_COLOURS["compute"], "size": 12, "line": {"width": 0}},
            error_x={
                "type": "data",
                "array": [row["resolution_ns"] / scale for row in periodic_rows],
                "thickness": 1.6,
                "width": 4,
                "color": "#868e96",
            },
            text=[f"  {quantities.share(row['explained'])}" for row in periodic_rows],
            textposition="middle right",
            **points(
                [_hover_text(row) for row in periodic_rows],
                Leads([link("", rank=row["rank"]) for row in periodic_rows], "fold its noise at the period"),
            ),
        )
    )
    frame(
        figure, height=min(1000, max(230, 26 * places.number + 100)), x=f"period ({unit.name}), logarithmic",
        y=places.title, hovermode="closest",
    )  # fmt: skip
    lane_axis(figure, places)
    figure.update_yaxes(range=[-0.6, places.number - 0.4], showgrid=True)
    if periodic_rows:
        ends = [
            min(row["period_ns"] for row in periodic_rows) / _ROOM,
            max(row["period_ns"] for row in periodic_rows) * _ROOM,
        ]
        ticks = [digit * 10.0**power for power in range(-3, 7) for digit in (1, 2, 5)]
        figure.update_xaxes(
            type="log",
            range=[math.log10(end / scale) for end in ends],
            tickvals=ticks,
            ticktext=[quantities.number(tick) for tick in ticks],
        )
    return figure


def folded_noise(rows: Sequence[Row], period_ns: float, names: Mapping[int | None, str]) -> go.Figure:
    """Draw the noise of one rank's iterations over the time within the period. Rows: iteration, collective_id,
    enter_ns, noise_ns. If every iteration ends with a collective, a click on a dot opens it, by its name COMM:SEQ in
    `names`.

    Noise with this period lines up at one phase; other noise is spread over all phases.
    """
    noise_rows = [row for row in rows if row["noise_ns"] is not None]
    ends = [names.get(row["collective_id"]) for row in noise_rows]
    leads = Leads([collective(name or "") for name in ends], "see the collective that ends it") if all(ends) else None
    time_unit, up = (
        quantities.axis_unit(period_ns),
        quantities.axis_unit(max((row["noise_ns"] for row in noise_rows), default=0)),
    )
    figure = go.Figure(
        go.Scatter(
            x=[(row["enter_ns"] % period_ns) / time_unit.nanoseconds for row in noise_rows],
            y=[row["noise_ns"] / up.nanoseconds for row in noise_rows],
            mode="markers",
            marker={"color": CATEGORY_COLOURS["compute"], "size": 8, "opacity": 0.65},
            cliponaxis=False,
            **points(
                [
                    f"<b>iteration {row['iteration']}</b><br>noise {quantities.duration(row['noise_ns'])}"
                    for row in noise_rows
                ],
                leads,
            ),
        )
    )
    frame(
        figure, height=280, x=f"time within the period ({time_unit.name})", y=f"noise ({up.name})", hovermode="closest"
    )
    figure.update_xaxes(range=[0, period_ns / time_unit.nanoseconds], zeroline=False)
    figure.update_yaxes(rangemode="tozero")
    return figure


def _hover_text(row: Row) -> str:
    return (
        f"<b>rank {row['rank']}</b>: every {quantities.duration(row['period_ns'])}, "
        f"to {quantities.duration(row['resolution_ns'])}<br>{quantities.share(row['explained'])} of the noise's "
        f"variance, swing {quantities.duration(row['amplitude_ns'])}"
    )
