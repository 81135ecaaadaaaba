"""Draws two critical paths by category, one bar above the other on one scale."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation.leads import CATEGORY_PAGES, Leads, points
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS

Row = dict[str, Any]

RUNS: Final = ("base", "new")
"""The two runs, as the columns of `analyze compare` name them; the bar of `base` is on top."""

_NAME_ROOM: Final = 0.12
_LABELLED: Final = 0.055
"""Smallest parts of a bar, as fractions of the longer bar, that have room for the category's name and share (first), or
for the share alone (second)."""


def path_pair(rows: Sequence[Row], addresses: Sequence[Mapping[str, str]]) -> go.Figure:
    """Draw two bars, cut by category. A click on a part opens the page of its run that explains the category.

    Rows: name (of the category), and for both runs base_ns, base_share, new_ns, new_share. `addresses` has for each run
    the page's address, by category.
    """
    by_category = {row["name"]: row for row in rows}
    lengths = {run: sum(row[f"{run}_ns"] for row in rows) for run in RUNS}
    longest = max(1, *lengths.values())
    unit = quantities.axis_unit(longest)
    labels = [f"{run}, {quantities.duration(lengths[run])}" for run in RUNS]
    figure = go.Figure()
    for category, meaning in CATEGORY_MEANINGS.items():
        row = by_category.get(category)
        if row is None:
            continue
        figure.add_bar(
            x=[row[f"{run}_ns"] / unit.nanoseconds for run in RUNS],
            y=labels,
            orientation="h",
            name=category,
            marker={"color": CATEGORY_COLOURS[category], "line": {"width": 0}},
            text=[_label(category, row, run, longest) for run in RUNS],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": "#ffffff", "size": 13},
            **points(
                [
                    f"<b>{category}</b>, {label}<br>{quantities.duration(row[f'{run}_ns'])}, "
                    f"{quantities.share(row[f'{run}_share'])}<br>{meaning}"
                    for run, label in zip(RUNS, labels, strict=True)
                ],
                Leads([run_addresses[category] for run_addresses in addresses], f"see {CATEGORY_PAGES[category][1]}"),
            ),
        )
    frame(figure, height=170, x=f"time on the critical path ({unit.name})", barmode="stack", bargap=0.25)
    figure.update_xaxes(rangemode="tozero")
    figure.update_yaxes(showgrid=False, autorange="reversed", type="category")
    return figure


def _label(category: str, row: Row, run: str, longest: int) -> str:
    part = row[f"{run}_ns"] / longest
    share = quantities.share(row[f"{run}_share"])
    return f"{category} {share}" if part >= _NAME_ROOM else share if part >= _LABELLED else ""
