"""Draws delayed hops: how much of a hop's delay moved the end of its collective, and how much was absorbed."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.bars import by_label
from hopscope_dashboard.navigation.address import link
from hopscope_dashboard.navigation.leads import Leads, points
from hopscope_dashboard.palette import CATEGORY_COLOURS

Row = dict[str, Any]


def hop_name(row: Row) -> str:
    """Name a hop for a reader, such as `2 → 0 up in 0:36`."""
    return " ".join(
        [f"{row['src']} → {row['dst']}", *([row["role"]] if row["role"] else []), f"in {row['collective']}"]
    )


def hop_address(row: Row) -> str:
    """Give the address that draws this hop on its tree."""
    return link("", hop=row["hop_id"])


def delays(rows: Sequence[Row]) -> go.Figure:
    """Draw a bar per hop: the part of its delay that moved the end of the collective, and the rest. Rows are those of
    `analyze delayed-hops`."""
    unit = quantities.axis_unit(max((row["delay_ns"] for row in rows), default=0))
    # In a pipeline two hops of one edge may be late in one collective; invisible characters tell their labels apart.
    labels = [f"{hop_name(row)} " + "\u200b" * position for position, row in enumerate(rows)]
    figure = go.Figure()
    for name, colour, values in (
        ("moved the end", CATEGORY_COLOURS["wan"], [row["moved_ns"] for row in rows]),
        ("did not", CATEGORY_COLOURS["native"], [row["delay_ns"] - row["moved_ns"] for row in rows]),
    ):
        figure.add_bar(
            x=[value / unit.nanoseconds for value in values],
            y=labels,
            orientation="h",
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            **points(
                [_hover_text(row) for row in rows], Leads([hop_address(row) for row in rows], "draw it on its tree")
            ),
        )
    by_label(figure, labels, 1, series=2, title=f"delay beyond the median ({unit.name})", heading="hop")
    figure.update_layout(barmode="stack")
    figure.update_xaxes(rangemode="tozero")
    return figure


def _hover_text(row: Row) -> str:
    absorption = "" if row["absorbed_at"] is None else (
        f"<br>{quantities.duration(row['absorbed_ns'])} absorbed at rank {row['absorbed_at']}, behind {row['behind']}"
    )  # fmt: skip
    took, usual = quantities.alike("ns", row["took_ns"], row["usual_ns"])
    return (
        f"<b>{hop_name(row)}</b> ({row['link']})<br>took {took}, usually {usual}<br>moved the end by "
        f"{quantities.duration(row['moved_ns'])}, amplification {quantities.number(row['amplification'])}{absorption}"
    )
