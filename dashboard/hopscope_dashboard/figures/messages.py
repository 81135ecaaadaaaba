"""Draws the cost of a message over its size according to the published models."""

import math
from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities

from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation.leads import points
from hopscope_dashboard.palette import CATEGORY_COLOURS

Row = dict[str, Any]

SEVERAL_DESTINATIONS: Final = "several destinations"
CURVE_COLOURS: Final[dict[str, str]] = {
    "Hockney": CATEGORY_COLOURS["p2p"],
    "LogGP": CATEGORY_COLOURS["compute"],
    "PLogP": CATEGORY_COLOURS["lan"],
    SEVERAL_DESTINATIONS: CATEGORY_COLOURS["local"],
}
"""Colours of the curves by model. SEVERAL_DESTINATIONS is a curve of no published model."""
CURVE_MEANINGS: Final[dict[str, str]] = {
    "Hockney": "a message from end to end: α + mβ",
    "LogGP": "the time between two messages of a sender: g + (m - 1) G",
    "PLogP": "the same, g(m); dashed o_s(m), what the sender spends in MPI; dotted o_r(m), what the receiver does",
    SEVERAL_DESTINATIONS: "the time between two messages of a sender that serves several destinations in turn",
}
_WIDTHS: Final = {"LogGP": 5}
_FEW_DECADES: Final = 4
"""Largest number of decades in which 2 and 5 have ticks too."""


def message_figures(curves: Sequence[Row]) -> dict[str, go.Figure]:
    """Draw the cost of a message over its size, a figure for each link, all with the same axes. `curves` have link,
    quantity, sizes and times in ns; measured ones also the ends of their intervals, low and high."""
    times = [time for curve in curves for time in curve["times"] if time > 0]
    unit = quantities.axis_unit(math.sqrt(min(times) * max(times)) if times else 0)
    sizes = sorted({size for curve in curves for size in curve["sizes"]})
    figures: dict[str, go.Figure] = {}
    for name in dict.fromkeys(curve["link"] for curve in curves):
        figure = go.Figure([_curve(curve, unit.nanoseconds) for curve in curves if curve["link"] == name])
        frame(figure, height=300, y=f"time ({unit.name})", hovermode="closest")
        _logarithmic(figure, sizes, times, unit)
        figure.update_xaxes(range=_axis_range(sizes))
        figure.update_yaxes(range=_axis_range([time / unit.nanoseconds for time in times]))
        figures[name] = figure
    return figures


def _axis_range(values: Sequence[float]) -> list[float] | None:
    """The range of a logarithmic axis that shows all values; None if a value has no logarithm."""
    if not values or min(values) <= 0:
        return None
    low, high = math.log10(min(values)), math.log10(max(values))
    margin = max(0.04 * (high - low), 0.1)
    return [low - margin, high + margin]


def _curve(curve: Row, scale: float) -> go.Scatter:
    """A quantity of a link, without the times of 0, which a logarithmic axis cannot show."""
    model, _, quantity = curve["quantity"].rpartition(": ")
    sizes, times = curve["sizes"], curve["times"]
    has_intervals = curve.get("low") is not None
    low, high = (curve["low"], curve["high"]) if has_intervals else (times, times)
    intervals = [interval for interval in zip(sizes, times, low, high, strict=True) if interval[1] > 0]
    hover_texts = [
        f"<b>{curve['quantity']}</b>, {curve['link']}<br>{quantities.size(size)}: {quantities.duration(time)}"
        + (f"<br>{quantities.interval(low_ns, high_ns, 'ns')}" if has_intervals else "")
        for size, time, low_ns, high_ns in intervals
    ]
    colour = CURVE_COLOURS[model or SEVERAL_DESTINATIONS]
    upper_errors = [(high_ns - time) / scale for _, time, _, high_ns in intervals]
    lower_errors = [(time - low_ns) / scale for _, time, low_ns, _ in intervals]
    errors = {"error_y": _error_bars(upper_errors, lower_errors, colour)} if has_intervals else {}
    return go.Scatter(
        x=[size for size, *_ in intervals],
        y=[time / scale for _, time, *_ in intervals],
        mode="lines+markers" if has_intervals else "lines",
        marker={"size": 5},
        line={
            "color": colour,
            "dash": {"o_s(m)": "dash", "o_r(m)": "dot"}.get(quantity, "solid"),
            "width": _WIDTHS.get(model, 1.8),
        },
        **errors,
        **points(hover_texts, None),
    )


def _error_bars(upper_errors: Sequence[float], lower_errors: Sequence[float], colour: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": list(upper_errors),
        "arrayminus": list(lower_errors),
        "thickness": 1.4,
        "width": 4,
        "color": colour,
    }


def _logarithmic(figure: go.Figure, sizes: Sequence[int], times: Sequence[float], unit: quantities.TimeUnit) -> None:
    """Make both axes logarithmic, with sizes as ticks of the horizontal axis."""
    tick_values = sizes[:: max(1, -(-len(sizes) // 6))]
    words = [quantities.size(value) for value in tick_values]
    figure.update_xaxes(type="log", tickvals=tick_values, ticktext=words)
    if times:
        decades = range(math.floor(math.log10(min(times))), math.ceil(math.log10(max(times))) + 1)
        digits = (1, 2, 5) if len(decades) <= _FEW_DECADES else (1,)
        ticks = [digit * 10.0**decade / unit.nanoseconds for decade in decades for digit in digits]
        figure.update_yaxes(type="log", tickvals=ticks, ticktext=[quantities.number(tick) for tick in ticks])
