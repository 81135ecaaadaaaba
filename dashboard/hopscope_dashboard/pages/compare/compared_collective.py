"""The part of the page Compare that shows one collective of both runs, one above the other on one scale of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.data.trace import InputError, Row, Rows, TraceData
from hopscope_dashboard.figures.path_pair import RUNS
from hopscope_dashboard.navigation.address import Query, allowed_word, link
from hopscope_dashboard.navigation.selection import TRACE, trace_attribute
from hopscope_dashboard.timeline import one_collective
from hopscope_dashboard.timeline.canvas import TimelineCanvas

TIMELINES: Final = {run: f"compare-timeline-{run}" for run in RUNS}
FACTS = "compare-collective"

_TITLE: Final = "One collective"
_SLOWEST: Final = {run: f"slowest of {run}" for run in RUNS}


@dataclass(frozen=True)
class _Side:
    """One run, its collective, and the collective's calls."""

    run: str
    data: TraceData
    fact: Row
    calls: Rows

    @property
    def name(self) -> str:
        return self.fact["collective"]

    @property
    def span(self) -> tuple[int, int]:
        return one_collective.span(self.data, self.calls)


def card(base: TraceData, new: TraceData, query: Query) -> Component:
    """Give the timelines and times of one collective in both runs.

    The address selects it by `collective` (COMM:SEQ), or as the `slowest` of base or new. Its match in the other run
    is the same operation with the same number on the same communicator.
    """
    slowest = allowed_word(query, "slowest", RUNS)
    name = query.get("collective") or _slowest(new if slowest == "new" else base)
    parameters = {key: value for key, value in query.items() if key != "collective"}
    current = "" if "collective" in query else slowest
    controls = choice("Collective", "/compare", parameters, "slowest", options=_SLOWEST, current=current)
    if name is None:
        return empty.nothing_to_draw(_TITLE, f"The {slowest} run has no collective in this part.")
    candidates = [_side(run, data, name) for run, data in zip(RUNS, (base, new), strict=True)]
    sides = [side for side in candidates if side is not None]
    if len(sides) < 2 or len({side.fact["operation"] for side in sides}) > 1:
        return blocks.card(_TITLE, controls, html.P(_no_match(sides, name), className="reason", id=FACTS))
    longest = max(end_ns - begin_ns for begin_ns, end_ns in (side.span for side in sides))
    return blocks.card(
        _TITLE,
        controls,
        html.P([html.Strong(f"{sides[0].fact['operation']} {name}"), ": ", _steps(sides, query)], className="reason"),
        _facts(sides),
        *(part for side in sides for part in _timeline_section(side, longest)),
        meaning="The collectives match by operation, communicator and number on it. Both pictures have one scale, from "
        "the first enter; zooming in one zooms the other.",
    )


def _slowest(data: TraceData) -> str | None:
    rows = data.rows("collectives", order="worst", limit=1)
    return rows[0]["collective"] if rows else None


def _side(run: str, data: TraceData, name: str) -> _Side | None:
    comm, _, seq = name.partition(":")
    if not (comm.isdecimal() and seq.isdecimal()):
        raise InputError(f"collective is {name!r}; it takes COMM:SEQ, such as 0:17")
    facts = data.rows("collectives", comm=int(comm), seq=int(seq))
    return _Side(run, data, facts[0], data.rows("collective-calls", collective=name)) if facts else None


def _no_match(sides: Sequence[_Side], name: str) -> str:
    if len(sides) == 2:
        base, new = (side.fact["operation"] for side in sides)
        return f"{name} has no match: it is {base} in base and {new} in new."
    if not sides:
        return f"Neither run has {name}."
    side = sides[0]
    other_run = next(run for run in RUNS if run != side.run)
    return f"{side.fact['operation']} {name} of {side.run} has no match: {other_run} has no such collective."


def _steps(sides: Sequence[_Side], query: Query) -> Component:
    """Links to the previous and the next collective on the same communicator, if both runs have it."""
    links: list[Any] = []
    for word, column in (("previous", "previous_seq"), ("next", "next_seq")):
        numbers = {side.fact[column] for side in sides}
        if len(numbers) == 1 and None not in numbers:
            name = f"{sides[0].fact['comm']}:{numbers.pop()}"
            links += [dcc.Link(word, href=link("/compare", **{**query, "collective": name})), " "]
    return html.Span(links)


def _facts(sides: Sequence[_Side]) -> Component:
    body = [
        [
            side.run,
            dcc.Link(
                side.name,
                href=link("/collective", comm=side.fact["comm"], seq=side.fact["seq"], **{TRACE: side.data.identity}),
            ),
            quantities.moment(side.fact["first_enter_ns"]),
            quantities.duration(side.fact["duration_ns"]),
            quantities.duration(side.fact["after_last_enter_ns"]),
            quantities.duration(side.fact["spread_ns"]),
            quantities.MISSING if side.fact["last_rank"] is None else side.fact["last_rank"],
            side.fact["engine"],
        ]
        for side in sides
    ]
    columns = ["run", "collective", "began at", "duration", "after last enter", "spread", "last in", "run by"]
    return blocks.table(columns, body, name=FACTS, right=range(2, 7))


def _timeline_section(side: _Side, longest: int) -> list[Component]:
    hops = side.data.rows_or_none("collective-hops", collective=side.name)
    begin_ns, _ = side.span
    canvas = TimelineCanvas(
        TIMELINES[side.run], side.data.identity, collective=(side.name, begin_ns, begin_ns + longest), selected={}
    )
    missing = "" if hops else "It has no hops in this run: the bars are the calls."
    return [
        html.H3(f"{side.run.capitalize()}: {side.data.name}"),
        html.P(missing, className="hint"),
        html.Div(canvas, **trace_attribute(side.data.identity)),
    ]
