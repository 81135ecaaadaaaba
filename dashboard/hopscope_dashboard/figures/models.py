"""Draws the cost of a message by the published models, and of collectives by their formulas, by the replay and as
measured."""

import math
from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go
from hopscope.format import quantities
from plotly.subplots import make_subplots

from hopscope_dashboard.address import link
from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.leads import Leads, points
from hopscope_dashboard.palette import CATEGORY_COLOURS

Row = dict[str, Any]

SOURCES: Final[dict[str, str]] = {
    "hockney_ns": "Hockney",
    "loggp_ns": "LogGP",
    "plogp_ns": "PLogP",
    "replay_ns": "replay",
    "measured_ns": "measured",
}
"""Source of a time, by its column of `analyze formulas`."""
COLOURS: Final[dict[str, str]] = {
    "Hockney": CATEGORY_COLOURS["p2p"],
    "LogGP": CATEGORY_COLOURS["compute"],
    "PLogP": CATEGORY_COLOURS["lan"],
    "replay": CATEGORY_COLOURS["shm"],
    "measured": CATEGORY_COLOURS["wan"],
}
MEANINGS: Final[dict[str, str]] = {
    "Hockney": "by the published formula, with Hockney's parameters",
    "LogGP": "by the published formula, with LogGP's parameters",
    "PLogP": "by the published formula, with PLogP's parameters",
    "replay": "the engine's messages, replayed over the ranks' own hosts",
    "measured": "the median of the trace's collectives, with its 95 % interval",
}
_DASHES: Final = {"Hockney": "dot", "LogGP": "dash", "PLogP": "longdashdot", "replay": "solid"}
SEVERAL_DESTINATIONS: Final = "several destinations"
CURVE_COLOURS: Final[dict[str, str]] = {
    **{name: COLOURS[name] for name in ("Hockney", "LogGP", "PLogP")},
    SEVERAL_DESTINATIONS: CATEGORY_COLOURS["local"],
}
"""Curves of a message over its size; the gap towards several destinations in turn belongs to no published model."""
CURVE_MEANINGS: Final[dict[str, str]] = {
    "Hockney": "the whole way of a message: α + mβ",
    "LogGP": "the time between two messages of a sender: g + (m - 1) G",
    "PLogP": "the same, g(m); dashed o_s(m), what the sender spends in MPI; dotted o_r(m), what the receiver does",
    SEVERAL_DESTINATIONS: "the time between two messages of a sender that serves several destinations in turn",
}
_WIDTHS: Final = {"LogGP": 5}
"""For a trace, PLogP's g lies on LogGP's line."""
_COLUMN_LIMIT: Final = 3
"""Pictures side by side."""
_PANEL: Final = 230
_FEW_DECADES: Final = 4
"""Decades up to which 2 and 5 are ticks, too."""


def operation_figure(rows: Sequence[Row], axis: str) -> go.Figure:
    """A picture for each algorithm of one operation, on one pair of logarithmic axes: formulas and replay as lines,
    what was measured as dots with intervals. rows as `analyze formulas` gives them; axis: `bytes` or `ranks`."""
    names = list(dict.fromkeys(_name(row) for row in rows))
    times = [row[column] for row in rows for column in SOURCES if row[column]]
    unit = quantities.axis_unit(math.sqrt(min(times) * max(times)) if times else 0)
    columns = min(_COLUMN_LIMIT, len(names))
    deep = -(-len(names) // columns)
    figure = _pictures(names, columns)
    for position, name in enumerate(names):
        panel_rows = sorted((row for row in rows if _name(row) == name), key=lambda row: row[axis])
        down, right = position // columns + 1, position % columns + 1
        for column, source in SOURCES.items():
            points_with_time = [row for row in panel_rows if row[column] is not None]
            x, y = [row[axis] for row in points_with_time], [row[column] / unit.nanoseconds for row in points_with_time]
            hover_texts = [_hover_text(row, source, row[column]) for row in points_with_time]
            if source == "measured":
                leads = Leads(
                    [link("/collectives", operation=row["operation"]) for row in points_with_time], "list them"
                )
                errors = _errors(points_with_time, unit.nanoseconds)
                marks = {"mode": "markers", "marker": {"color": COLOURS[source], "size": 8}, "error_y": errors}
                figure.add_trace(
                    go.Scatter(x=x, y=y, name=source, **marks, **points(hover_texts, leads)), row=down, col=right
                )
            else:
                line = {"color": COLOURS[source], "dash": _DASHES[source], "width": 2.4 if source == "replay" else 1.6}
                figure.add_trace(
                    go.Scatter(x=x, y=y, name=source, mode="lines", line=line, **points(hover_texts, None)),
                    row=down,
                    col=right,
                )
    frame(figure, height=_PANEL * deep + 40, hovermode="closest", margin={"l": 8, "r": 16, "t": 32, "b": 8})
    _logarithmic(figure, sorted({row[axis] for row in rows}), axis, times, unit)
    # With room for the first and the last tick's words, beside those of the next picture.
    figure.update_xaxes(showticklabels=True, range=_axis_range([row[axis] for row in rows]))
    ends = [row[end] for row in rows for end in ("low_ns", "high_ns") if row[end]]
    figure.update_yaxes(range=_axis_range([time / unit.nanoseconds for time in (*times, *ends)]))
    figure.update_yaxes(title={"text": f"time ({unit.name})"}, col=1)
    figure.update_annotations(font_size=13)
    return figure


def message_figures(curves: Sequence[Row]) -> dict[str, go.Figure]:
    """Cost of a message over its size, a figure for each link, all on the same axes. curves: link, quantity, sizes and
    times in ns, and for measured ones the ends of their intervals, low and high."""
    times = [time for curve in curves for time in curve["times"] if time > 0]
    unit = quantities.axis_unit(math.sqrt(min(times) * max(times)) if times else 0)
    sizes = sorted({size for curve in curves for size in curve["sizes"]})
    figures: dict[str, go.Figure] = {}
    for name in dict.fromkeys(curve["link"] for curve in curves):
        figure = go.Figure([_curve(curve, unit.nanoseconds) for curve in curves if curve["link"] == name])
        frame(figure, height=300, y=f"time ({unit.name})", hovermode="closest")
        _logarithmic(figure, [size for size in sizes if size - 1 not in sizes], "bytes", times, unit)
        figure.update_xaxes(range=_axis_range(sizes))
        figure.update_yaxes(range=_axis_range([time / unit.nanoseconds for time in times]))
        figures[name] = figure
    return figures


def _axis_range(values: Sequence[float]) -> list[float] | None:
    """The range of a logarithmic axis that shows them all."""
    if not values or min(values) <= 0:
        return None
    low, high = math.log10(min(values)), math.log10(max(values))
    margin = max(0.04 * (high - low), 0.1)
    return [low - margin, high + margin]


def _curve(curve: Row, scale: float) -> go.Scatter:
    """A quantity of a link; times of 0 have no place on a logarithmic axis."""
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


def _pictures(names: Sequence[str], columns: int) -> go.Figure:
    """Empty pictures side by side under their names, on the same axes."""
    deep = -(-len(names) // columns)
    sharing: Any = "all"
    return make_subplots(
        rows=deep, cols=columns, subplot_titles=names, shared_xaxes=sharing, shared_yaxes=sharing,
        horizontal_spacing=0.03, vertical_spacing=0.35 / (2 * deep - 1),
    )  # fmt: skip


def _name(row: Row) -> str:
    cut = f", segments of {quantities.size(row['segment_bytes'])}" if row["segment_bytes"] else ""
    return f"{row['algorithm']}{cut}"


def _hover_text(row: Row, source: str, time: float) -> str:
    size = "" if row["operation"] == "MPI_Barrier" else f", {quantities.size(row['bytes'])}"
    sample = ""
    if source == "measured":
        interval = quantities.interval(row["low_ns"], row["high_ns"], "ns")
        sample = f"<br>{interval}, from {quantities.plural(row['collectives'], 'collective')}"
    return f"<b>{_name(row)}</b>, {row['ranks']} ranks{size}<br>{source}: {quantities.duration(time)}{sample}"


def _errors(rows: Sequence[Row], scale: float) -> dict[str, Any]:
    upper_errors = [((row["high_ns"] or row["measured_ns"]) - row["measured_ns"]) / scale for row in rows]
    lower_errors = [(row["measured_ns"] - (row["low_ns"] or row["measured_ns"])) / scale for row in rows]
    return _error_bars(upper_errors, lower_errors, COLOURS["measured"])


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


def _logarithmic(
    figure: go.Figure, x: Sequence[int], axis: str, times: Sequence[float], unit: quantities.TimeUnit
) -> None:
    """Both axes, with the sizes or numbers of ranks that there are as ticks below."""
    tick_values = x[:: max(1, -(-len(x) // 6))]
    words = [quantities.size(value) if axis == "bytes" else quantities.number(value) for value in tick_values]
    figure.update_xaxes(type="log", tickvals=tick_values, ticktext=words)
    if times:
        decades = range(math.floor(math.log10(min(times))), math.ceil(math.log10(max(times))) + 1)
        digits = (1, 2, 5) if len(decades) <= _FEW_DECADES else (1,)
        ticks = [digit * 10.0**decade / unit.nanoseconds for decade in decades for digit in digits]
        figure.update_yaxes(type="log", tickvals=ticks, ticktext=[quantities.number(tick) for tick in ticks])
