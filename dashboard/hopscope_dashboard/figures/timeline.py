"""Draws one collective.

A lane per rank, its calls as bars, hops as arrows in the colour of their link class, and the critical path under
them.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import plotly.graph_objects as go
from hopscope.format import quantities
from hopscope.vocabulary.words import BINDINGS

from hopscope_dashboard.figures.lanes import Lanes, lane_axis, lanes
from hopscope_dashboard.figures.shading import shade
from hopscope_dashboard.figures.style import frame
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.palette import (
    CALL_COLOUR,
    COMBINE_COLOUR,
    LINK_COLOURS,
    LINK_MEANINGS,
    LINKS,
    PATH_COLOUR,
    WAIT_COLOUR,
)

Row = dict[str, Any]

_BAR = 0.5
"""Thickness of a call's bar, in lanes."""

_CHARACTER = 7
"""Width of a letter of a cluster's name in pixels: the largest average over a name."""

_LONGEST_NAME = 16
"""Largest number of letters of a cluster's name; of a longer name only the beginning is shown."""

_LABELLED_LANES = 80
"""Largest number of lanes that all have labels."""


def timeline(
    *,
    ranks: Sequence[Row],
    calls: Sequence[Row],
    hops: Sequence[Row],
    steps: Sequence[Row],
    path: Sequence[Row],
    until_ns: int | None = None,
    view: tuple[int, int] | None = None,
    selected: tuple[int | None, int | None, Collection[int] | None] = (None, None, None),
) -> go.Figure:
    """Draw one collective, with times since its first enter.

    A click on a call, on combining or on the critical path opens that time in the run's timeline; a click on a hop
    opens all hops of its edge. `view`: the range shown, in ns since the first enter; without a view, or if it has
    nothing of this collective, the whole collective is shown. `selected`: from and to in ns since the start of the
    trace, and ranks, each None for all; the rest is shaded.

    Rows, times in ns since the start of the trace: ranks (rank, host, cluster), calls (rank, enter_ns, leave_ns),
    hops as in the table hops, steps (rank, kind, begin_ns, end_ns), path (step, begin_ns, end_ns, rank, category,
    src, dst, hop_id). `until_ns` is the right end where a call has no leave.
    """
    start = min(call["enter_ns"] for call in calls)
    end = max(
        [call["leave_ns"] for call in calls if call["leave_ns"] is not None]
        + ([until_ns] if until_ns is not None else []),
        default=start,
    )
    places = lanes(ranks, (call["rank"] for call in calls))
    drawing = _Drawing(start, max(end, start + 1), places)
    figure = go.Figure()
    for trace in (
        drawing.path(path),
        *drawing.calls(calls, hops),
        drawing.steps(steps),
        *drawing.hops(hops),
        drawing.path_hover(path),
    ):
        if trace is not None:
            figure.add_trace(trace)
    height = min(
        1400, max(300, (46 if places.number <= 8 else 34 if places.number <= 16 else 20) * places.number + 110)
    )
    frame(
        figure,
        height=height,
        x=f"time since the first rank entered ({drawing.unit.name})",
        barmode="overlay",
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "yref": "paper",
            "font": {"size": 12},
            "itemsizing": "constant",
        },
        dragmode="zoom",
        hovermode="closest",
    )
    figure.update_layout(margin_t=52)
    _lanes_of_clusters(figure, places)
    span = (drawing.end - start) / drawing.unit.nanoseconds
    scale, whole = drawing.unit.nanoseconds, [-0.015 * span, 1.015 * span]
    # The zoom is kept for the next collective, which may end before the zoomed range begins.
    axis_range = [end / scale for end in view] if view and view[1] > 0 and view[0] < drawing.end - start else whole
    figure.update_xaxes(range=axis_range, zeroline=False)
    begin, end_ns, shaded_ranks = selected
    time = (None if begin is None else drawing.x(begin), None if end_ns is None else drawing.x(end_ns))
    shade(figure, places, (whole[0], whole[1]), time=time, ranks=shaded_ranks)
    # assets/marks.js writes a zoom into the address, shows all on a double click, and selects what is in view.
    figure.update_layout(meta={"zoom": scale, "start": start, "whole": whole, "lanes": list(figure.layout.yaxis.range)})
    return figure


class _Drawing:
    """Turns times and ranks into coordinates."""

    def __init__(self, start: int, end: int, places: Lanes) -> None:
        self.start, self.end, self.places = start, end, places
        self.unit = quantities.axis_unit(end - start)

    def x(self, at_ns: int) -> float:
        return (at_ns - self.start) / self.unit.nanoseconds

    def y(self, rank: int) -> int:
        return self.places.of_rank.get(rank, -1)

    def calls(self, calls: Sequence[Row], hops: Sequence[Row]) -> list[go.Bar]:
        texts = [
            f"<b>rank {call['rank']}</b><br>entered at {self._time_text(call['enter_ns'])}<br>"
            + (
                f"left at {self._time_text(call['leave_ns'])}<br>"
                f"inside {quantities.duration(call['leave_ns'] - call['enter_ns'])}"
                if call["leave_ns"] is not None
                else "never left"
            )
            for call in calls
        ]
        ends = [call["leave_ns"] if call["leave_ns"] is not None else self.end for call in calls]
        bars = [
            self._bars(
                "in the collective",
                WAIT_COLOUR,
                [(c["rank"], c["enter_ns"], end) for c, end in zip(calls, ends, strict=True)],
                texts,
                lead=_times((c["enter_ns"], end) for c, end in zip(calls, ends, strict=True)),
            )
        ]
        # The last rank may be inside for only microseconds of a collective of milliseconds: its outline stays visible.
        bars[0].update(marker_line={"width": 1.2, "color": CALL_COLOUR})
        waits = [hop for hop in hops if hop["recv_wait_begin_ns"] is not None and hop["binding"] == "recv"]
        if waits:
            words = [
                f"<b>rank {hop['dst']}</b> waits "
                f"{quantities.duration(hop['recv_end_ns'] - hop['recv_wait_begin_ns'])}<br>for rank "
                f"{hop['src']}{f' ({role})' if (role := hop['role']) else ''}"
                for hop in waits
            ]
            bars.append(
                self._bars(
                    "waiting for a message",
                    WAIT_COLOUR,
                    [(h["dst"], h["recv_wait_begin_ns"], h["recv_end_ns"]) for h in waits],
                    words,
                    lead=leads.Leads([leads.edge(h["src"], h["dst"]) for h in waits], leads.EDGE_DOES),
                    hatched=True,
                )
            )
        return bars

    def steps(self, steps: Sequence[Row]) -> go.Bar | None:
        if not steps:
            return None
        words = [
            f"<b>rank {step['rank']}</b> {step['kind']}<br>{quantities.duration(step['end_ns'] - step['begin_ns'])}"
            for step in steps
        ]
        bars = self._bars(
            "combining",
            COMBINE_COLOUR,
            [(step["rank"], step["begin_ns"], step["end_ns"]) for step in steps],
            words,
            lead=_times((step["begin_ns"], step["end_ns"]) for step in steps),
        )
        # Combining may take only microseconds of a collective of milliseconds: its outline stays visible.
        bars.update(marker_line={"width": 1.5, "color": COMBINE_COLOUR})
        return bars

    def hops(self, hops: Sequence[Row]) -> list[go.Scatter]:
        traces: list[go.Scatter] = []
        for link in LINKS:
            of_link = [hop for hop in hops if hop["link"] == link]
            if not of_link:
                continue
            x: list[float | None] = []
            y: list[float | None] = []
            texts: list[str] = []
            addresses: list[str] = []
            sizes: list[int] = []
            for hop in of_link:
                x += [self.x(hop["send_begin_ns"]), self.x(hop["recv_end_ns"]), None]
                y += [self.y(hop["src"]), self.y(hop["dst"]), None]
                texts += [self._hop_text(hop)] * 2 + [""]
                addresses += [leads.edge(hop["src"], hop["dst"])] * 2 + [""]
                sizes += [0, 11, 0]
            colour = LINK_COLOURS[link]
            group = {"legendgroup": link, "line": {"color": colour, "width": 2}}
            # The legend shows a plain line. It also switches the arrowheads and their hover texts, which are in its
            # group.
            traces.append(
                go.Scatter(
                    x=x, y=y, mode="lines", name=f"{link} hop ({LINK_MEANINGS[link]})", hoverinfo="skip", **group
                )
            )
            heads = {
                "symbol": "arrow",
                "angleref": "previous",
                "size": sizes,
                "color": colour,
                "line": {"width": 0},
                "opacity": 1,
            }
            traces.append(
                go.Scatter(
                    x=x,
                    y=y,
                    mode="lines+markers",
                    marker=heads,
                    **leads.points(texts, leads.Leads(addresses, leads.EDGE_DOES)),
                    showlegend=False,
                    **group,
                )
            )
        return traces

    def path(self, path: Sequence[Row]) -> go.Scatter | None:
        if not path:
            return None
        x: list[float] = []
        y: list[int] = []
        for stretch in path:
            at_begin = stretch["src"] if stretch["src"] is not None else stretch["rank"]
            x += [self.x(stretch["begin_ns"]), self.x(stretch["end_ns"])]
            y += [self.y(at_begin), self.y(stretch["rank"])]
        return go.Scatter(
            x=x, y=y, mode="lines", name="critical path", line={"color": PATH_COLOUR, "width": 11}, hoverinfo="skip"
        )

    def path_hover(self, path: Sequence[Row]) -> go.Scatter | None:
        if not path:
            return None
        middle_x = [self.x((stretch["begin_ns"] + stretch["end_ns"]) // 2) for stretch in path]
        middle_y = [(self.y(s["src"] if s["src"] is not None else s["rank"]) + self.y(s["rank"])) / 2 for s in path]
        texts = [
            f"<b>step {s['step']} of the critical path</b><br>{s['what']}, {quantities.duration(s['time_ns'])}"
            + (f"<br>rank {s['src']} to rank {s['dst']}" if s["src"] is not None else f"<br>on rank {s['rank']}")
            for s in path
        ]
        return go.Scatter(
            x=middle_x,
            y=middle_y,
            mode="markers",
            marker={"size": 14, "opacity": 0},
            **leads.points(texts, _times((s["begin_ns"], s["end_ns"]) for s in path)),
            showlegend=False,
        )

    def _bars(
        self,
        name: str,
        colour: str,
        bars: Sequence[tuple[int, int, int]],
        texts: Sequence[str],
        *,
        lead: leads.Leads,
        hatched: bool = False,
    ) -> go.Bar:
        pattern = (
            {
                "shape": "/",
                "fgcolor": "rgba(134, 142, 150, 0.85)",
                "bgcolor": "rgba(0,0,0,0)",
                "size": 5,
                "solidity": 0.28,
            }
            if hatched
            else None
        )
        return go.Bar(
            base=[self.x(begin) for _, begin, _ in bars],
            x=[self.x(end) - self.x(begin) for _, begin, end in bars],
            y=[self.y(rank) for rank, _, _ in bars],
            orientation="h",
            width=_BAR,
            name=name,
            marker={"color": colour, "line": {"width": 0}, "pattern": pattern},
            **leads.points(texts, lead),
        )

    def _hop_text(self, hop: Row) -> str:
        return (
            f"<b>{hop['role'] or 'hop'}: rank {hop['src']} to rank {hop['dst']}</b> "
            f"({hop['link']})<br>{quantities.size(hop['bytes'])}"
            + (f", segment {hop['segment']}" if hop["segment"] else "")
            + f"<br>sent at {self._time_text(hop['send_begin_ns'])}"
            + f"<br>received at {self._time_text(hop['recv_end_ns'])}"
            + f"<br>took {quantities.duration(hop['recv_end_ns'] - hop['send_begin_ns'])}; {BINDINGS[hop['binding']]}"
        )

    def _time_text(self, at_ns: int) -> str:
        return quantities.on_axis(at_ns - self.start, self.unit)


def _times(stretches: Iterable[tuple[int, int]]) -> leads.Leads:
    """Give the leads to these stretches of time in the run's timeline."""
    return leads.Leads([leads.timeline(begin, end) for begin, end in stretches], "see it in the run's timeline")


def _lanes_of_clusters(figure: go.Figure, places: Lanes) -> None:
    lane_axis(figure, places, labelled=_LABELLED_LANES)
    figure.update_yaxes(range=[-0.6, places.number - 0.4])
    has_bands = len(places.clusters) > 1
    for position, (name, low, high) in enumerate(places.clusters):
        if position % 2 and has_bands:
            figure.add_hrect(
                y0=low - 0.5, y1=high + 0.5, fillcolor="rgba(134,142,150,0.07)", line_width=0, layer="below"
            )
        if has_bands:
            # The name is beside the plot, because above it the name would cover arrows.
            figure.add_annotation(
                text=_shortened(name),
                hovertext=name,
                x=1,
                xref="paper",
                xanchor="left",
                xshift=4,
                y=high + 0.48,
                yanchor="top",
                showarrow=False,
                font={"size": 11.5},
            )
    if has_bands:
        longest = max(len(_shortened(name)) for name, _, _ in places.clusters)
        figure.update_layout(margin_r=12 + _CHARACTER * longest)


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
