"""Horizontal bars by rank, host or cluster, with intervals where there are some."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.style import BAR_GAP, frame
from hopscope_dashboard.navigation.leads import Leads, points

Row = dict[str, Any]

_NARROWEST: Final = 10.0
"""Smallest range of an axis of shares, in per cent: a smaller range would exaggerate differences."""
_WIDE: Final = 50.0

_MARK: Final = {"color": "#d99a00", "width": 3}


def share_bars(
    labels: Sequence[str],
    series: Sequence[tuple[str, str, Sequence[Row], str]],
    *,
    title: str,
    heading: str,
    limits: Mapping[str, Sequence[float | None]] | None = None,
    limit: str = "",
    leads: Leads | None = None,
) -> go.Figure:
    """Draw bars of shares in per cent with their intervals. `leads`: the address that a click on a label's bars opens.

    `series` are (name, colour, rows, column): each row's `column` is a share of 0 to 1, `<column>_low` and
    `<column>_high` its interval (for a column `x_share`, `x_low` and `x_high`). `limits` has, by the name of a series,
    the share at which each of its bars gets a mark. `limit` is the legend's text for the marks.
    """
    figure = go.Figure()
    for name, colour, rows, column in series:
        stem = column.removesuffix("_share")
        values = [100 * (row[column] or 0) for row in rows]
        lows = [row.get(f"{stem}_low") for row in rows]
        highs = [row.get(f"{stem}_high") for row in rows]
        shares = [
            f"{quantities.share(row[column])}{_interval(low, high)}"
            for row, low, high in zip(rows, lows, highs, strict=True)
        ]
        _add_bars(
            figure,
            name,
            colour,
            labels,
            values,
            texts=shares,
            heading=heading,
            leads=leads,
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [
                    max(0.0, 100 * high - value) if high else None for high, value in zip(highs, values, strict=True)
                ],
                "arrayminus": [
                    max(0.0, value - 100 * low) if low is not None and high else None
                    for low, high, value in zip(lows, highs, values, strict=True)
                ],
                "thickness": 1.4,
                "width": 4,
                "color": "#868e96",
            },
        )
    by_label(figure, labels, len(series), series=len(series), title=title, heading=heading)
    end = _end_of_shares(figure, limits or {})
    figure.update_xaxes(range=[0, end], dtick=20 if end > _WIDE else None)
    marks: list[dict[str, Any]] = []
    for place, (name, *_) in enumerate(series):
        for position, share in enumerate((limits or {}).get(name, ())):
            if share is not None and share <= 1:
                top = position + (1 - BAR_GAP) * (place / len(series) - 0.5)
                ends = {"y0": top, "y1": top + (1 - BAR_GAP) / len(series)}
                marks.append({"type": "line", "x0": 100 * share, "x1": 100 * share, **ends, "line": _MARK})
    figure.update_layout(shapes=marks)  # all at once: adding a mark checks all marks before it
    if limits:
        # Shapes have no entry in the legend, so a line without points stands for them.
        figure.add_scatter(x=[None], y=[None], mode="lines", name=limit, line=_MARK, hoverinfo="skip")
        figure.update_layout(showlegend=True)
    return figure


def _end_of_shares(figure: go.Figure, limits: Mapping[str, Sequence[float | None]]) -> float:
    """The end of the axis in per cent: a little beyond the longest bar or mark, because with many ranks every share may
    be small."""
    ends = [
        value + (error or 0)
        for series in figure.data
        for value, error in zip(series.x, series.error_x.array, strict=True)
    ]
    marks = [100 * share for of_series in limits.values() for share in of_series if share is not None and share <= 1]
    return min(103.0, max(_NARROWEST, 1.06 * max([*ends, *marks], default=0)))


def time_bars(
    labels: Sequence[str],
    series: Sequence[tuple[str, str, Sequence[int | None]]],
    *,
    title: str,
    heading: str,
    stacked: bool = False,
    leads: Leads | None = None,
) -> go.Figure:
    """Draw bars of times; `series` are (name, colour, times in ns). `leads`: the address that a click on a label's bars
    opens. The longest bar decides the unit."""
    unit = quantities.axis_unit(max((abs(value or 0) for _, _, values in series for value in values), default=0))
    figure = go.Figure()
    for name, colour, values in series:
        lengths = [(value or 0) / unit.nanoseconds for value in values]
        _add_bars(
            figure, name, colour, labels, lengths, texts=map(quantities.duration, values), heading=heading, leads=leads
        )
    by_label(
        figure,
        labels,
        1 if stacked else len(series),
        series=len(series),
        title=f"{title} ({unit.name})",
        heading=heading,
    )
    figure.update_layout(barmode="stack" if stacked else "group")
    figure.update_xaxes(rangemode="tozero")
    return figure


def count_bars(
    labels: Sequence[str],
    series: Sequence[tuple[str, str, Sequence[int]]],
    *,
    title: str,
    heading: str,
    leads: Leads | None = None,
) -> go.Figure:
    """Draw bars of counts. The bars of a label overlap, later series in front, so pass the series with the largest
    counts first. `series` are (name, colour, counts). `leads`: the address that a click on a label's bars opens."""
    figure = go.Figure()
    for name, colour, values in series:
        _add_bars(
            figure, name, colour, labels, values, texts=map(quantities.number, values), heading=heading, leads=leads
        )
    by_label(figure, labels, 1, series=len(series), title=title, heading=heading)
    figure.update_layout(barmode="overlay")
    largest = max((value for _, _, values in series for value in values), default=0)
    # Counts are whole numbers, so a short axis has no ticks between them.
    figure.update_xaxes(range=[0, max(1, largest) * 1.04], dtick=1 if largest <= 10 else None)
    return figure


def _add_bars(
    figure: go.Figure,
    name: str,
    colour: str,
    labels: Sequence[str],
    lengths: Sequence[float],
    *,
    texts: Iterable[str],
    heading: str,
    leads: Leads | None,
    **more: Any,
) -> None:
    """Add a series, one bar per label; `texts` are its values in words, for the hover text."""
    hovers = [f"<b>{heading} {label}</b><br>{name}: {text}" for label, text in zip(labels, texts, strict=True)]
    marker = {"color": colour, "line": {"width": 0}}
    bars = {"x": list(lengths), "y": list(labels), "orientation": "h", "name": name, "marker": marker}
    figure.add_bar(**bars, **points(hovers, leads), **more)


def by_label(
    figure: go.Figure, labels: Sequence[str], per_label: int, *, series: int, title: str, heading: str
) -> None:
    """Frame a figure of horizontal bars with one row per label, the first on top. `per_label`: bars in a row, one below
    the other. `series`: number of series; if there are several, the figure has a legend."""
    thick = 26 if per_label == 1 else 36
    frame(
        figure, height=min(1200, max(190, (thick if len(labels) <= 24 else 16) * len(labels) + 100)), x=title, y=heading
    )
    has_legend = series > 1
    figure.update_layout(
        showlegend=has_legend,
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "font": {"size": 12},
        },
        margin_t=34 if has_legend else 20,
    )
    figure.update_yaxes(showgrid=False)
    # The first row is on top, and each label is a name, not a number.
    figure.update_yaxes(
        type="category",
        autorange="reversed",
        categoryorder="array",
        categoryarray=list(labels),
        dtick=1 if len(labels) <= 48 else None,
    )


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({quantities.interval(low, high)})"
