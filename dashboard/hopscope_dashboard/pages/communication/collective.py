"""One collective: its facts, its timeline with hops and critical path, and the path step by step."""

from dataclasses import asdict
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import aria, blocks, empty, exports, source
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.components.mark import mark, rank
from hopscope_dashboard.data.trace import InputError, Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.many_places import MOST_ROWS, largest_rows, left_out
from hopscope_dashboard.navigation import leads, selection
from hopscope_dashboard.navigation.address import Query, link, number, view
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.communication import algorithms, entered_last
from hopscope_dashboard.palette import CATEGORY_COLOURS
from hopscope_dashboard.timeline import one_collective
from hopscope_dashboard.timeline.canvas import TimelineCanvas

TIMELINE = "timeline"
PATH_TABLE = "path-table"
FACTS = "collective-facts"

_ADDRESS_KEYS: Final = ("comm", "seq")
_CALL_COLUMNS: Final = (
    "rank", "host", "cluster", "time_ns", "waiting_ns", "needed_rank", "engine", "call_site",
)  # fmt: skip
"""The columns of the analysis that the table of calls shows."""
_ARROWS: Final = "An arrow is a hop, from the start of its send to its receiver seeing it."
_BARS: Final = "A bar with an outline runs from entering the call to leaving it."


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The parameters `comm` and `seq` of the address select the collective; without them it is the worst
    collective of the selected part."""
    comm, seq = number(query, "comm"), number(query, "seq")
    if (comm is None or seq is None) and ("comm" in query or "seq" in query):
        fault = " and ".join(
            f"{name} is {query[name]!r}" if name in query else f"{name} is missing" for name in _ADDRESS_KEYS
        )
        raise InputError(
            f"The address names no collective: {fault}. It takes two whole numbers, the communicator and the number "
            "on it, as in /collective?comm=0&seq=3; the page Collectives lists the trace's collectives"
        )
    if comm is None or seq is None:
        part = data.part(selection.options(query))
        if not part.number_of_collectives:
            lead = "What happened inside one collective operation."
            return empty.no_collectives("Timeline of a collective", lead, part.scope)
        worst = part.only_row("collectives", order="worst", limit=1)
        comm, seq = worst["comm"], worst["seq"]
    name = f"{comm}:{seq}"
    fact = data.collective(comm, seq)
    calls = data.rows("collective-calls", collective=name)
    hops = data.rows_or_none("collective-hops", collective=name)
    path = data.rows_or_none("critical-path", collective=name)
    return html.Div(
        [
            blocks.page_head(
                f"{fact['operation']} {name}",
                [
                    *entered_last.lead(data, fact),
                    *_lead(fact, calls, data.rows("algorithms", comm=comm, seq=seq) if hops else []),
                ],
                *_neighbours(fact),
            ),
            _facts(fact, calls, path),
            *([] if hops else [_why_no_hops(calls)]),
            blocks.columns(
                blocks.card(
                    "Timeline",
                    _timeline(data, name, calls, query),
                    hint="Drag or turn the wheel to zoom, double-click to see all. Times count from the first enter.",
                    meaning=f"{_BARS} {_ARROWS}" if hops else _BARS,
                ),
                _path(path, fact),
                widths="minmax(0, 1fr) 440px",
            ),
            *source.card(calls, data.source),
            _calls(calls, name),
        ]
    )


def _timeline(data: TraceData, name: str, calls: Rows, query: Query) -> Component:
    """The timeline. A zoom that was set at another collective stays, if it shows any part of this one."""
    begin_ns, end_ns = one_collective.span(data, calls)
    view_ns = view(query)
    ends = view_ns if view_ns and view_ns[1] > 0 and view_ns[0] < end_ns - begin_ns else (0, end_ns - begin_ns)
    return TimelineCanvas(
        TIMELINE,
        data.identity,
        begin=begin_ns + ends[0],
        end=begin_ns + ends[1],
        host=query.get("host"),
        collective=(name, begin_ns, end_ns),
        selected=asdict(data.part(selection.options(query)).bounds),
    )


def _lead(fact: Row, calls: Rows, algorithm_rows: Rows) -> list[Any]:
    comm_name = fact["comm_name"] or f"communicator {fact['comm']}"
    engines = sorted({call["engine"] for call in calls})
    trees = sorted({call["tree"] for call in calls if call["tree"]})
    run_by = (
        "the MPI library"
        if engines == ["native"]
        else "Hopscope's engine"
        if engines == ["tree"]
        else ", ".join(engines)
    )
    tree = f" over {', '.join(trees)}" if trees else ""
    return [
        f"On {comm_name}, {quantities.plural(fact['ranks'], 'rank')}, {quantities.size(fact['bytes'])}; run "
        f"by {run_by}{tree}.",
        *(part for row in algorithm_rows for part in _algorithm(row)),
    ]


def _algorithm(row: Row) -> list[Component | str]:
    """The recognised algorithm, with a link to its drawing."""
    recognition, address = algorithms.recognised(row), link("/tree", collective=row["first"])
    if row["depth"] is None:
        return [f" {recognition} ", dcc.Link("See who sent to whom", href=address), "."]
    return [" It ran as ", dcc.Link(algorithms.title(row), href=address, title=recognition), "."]


def _neighbours(fact: Row) -> list[Component]:
    def button(target_seq: int | None, key: str, *children: Any) -> Component:
        if target_seq is None:
            return html.Span(list(children), className="button disabled", **aria.DISABLED)
        # `assets/keys.js` follows the link with this class when the key is pressed.
        return dcc.Link(
            [*children, html.Kbd(key, **aria.HIDDEN)],
            href=link("/collective", comm=fact["comm"], seq=target_seq),
            className=f"button key-{key}",
            title=f"Key {key}",
        )

    return [
        button(fact["previous_seq"], "p", icon("left", 15), "previous"),
        button(fact["next_seq"], "n", "next", icon("right", 15)),
        dcc.Link("all collectives", href="/collectives", className="button"),
    ]


def _facts(fact: Row, calls: Rows, path: Rows) -> Component:
    longest = max(path, key=lambda step: step["time_ns"], default=None)
    figures = [
        (
            "Duration",
            quantities.duration(fact["duration_ns"]),
            "",
        ),
        (
            "After the last enter",
            quantities.duration(fact["after_last_enter_ns"]),
            "",
        ),
        (
            "Waiting",
            quantities.duration(sum(call["waiting_ns"] or 0 for call in calls)),
            "over all ranks",
        ),
        (
            "Longest stretch",
            quantities.duration(longest["time_ns"] if longest else None),
            f"{longest['category']}, step {longest['step']}" if longest else "no critical path is known",
        ),
    ]
    return html.Div(blocks.key_figures(figures), id=FACTS)


def _why_no_hops(calls: Rows) -> Component:
    reasons = sorted({call["engine"].partition(":")[2] for call in calls if call["engine"].startswith("native:")})
    reason_phrase = f" Why: {', '.join(reasons)}." if reasons else ""
    return blocks.note(
        f"It has no hops.{reason_phrase} ",
        dcc.Link("How to get them", href="/tree"),
        ".",
    )


def _path(path: Rows, fact: Row) -> Component:
    if not path:
        return empty.nothing_to_draw("Critical path", "The collective is incomplete, so its critical path is unknown.")
    whole = sum(step["time_ns"] for step in path) or 1
    rows = [
        [
            _time_mark(step, str(step["step"])),
            blocks.chip(step["category"], CATEGORY_COLOURS[step["category"]]),
            _place_mark(step),
            _time_mark(step, f"+{quantities.duration(step['begin_ns'] - fact['first_enter_ns'])}"),
            quantities.duration(step["time_ns"]),
            quantities.share(step["time_ns"] / whole),
        ]
        for step in path
    ]
    return blocks.card(
        "Critical path",
        blocks.table(
            ["", "", "rank", "at", "time", "share"],
            rows,
            name=PATH_TABLE,
            right=(0, 3, 4, 5),
            full=exports.csv_address("critical-path", collective=fact["collective"]),
        ),
    )


def _time_mark(step: Row, text: str) -> Component:
    return mark(text, leads.timeline(step["begin_ns"], step["end_ns"]), "see it in the run's timeline")


def _place_mark(step: Row) -> Component:
    if step["src"] is None:
        return mark(f"on {step['rank']}", leads.rank(step["rank"]), "select the rank")
    return mark(f"{step['src']} → {step['dst']}", leads.edge(step["src"], step["dst"]), leads.EDGE_DOES)


def _calls(all_calls: Rows, name: str) -> Component:
    calls = largest_rows(all_calls, lambda call: call["waiting_ns"], MOST_ROWS)
    rows = [
        [
            rank(call["rank"]),
            call["host"],
            call["cluster"],
            quantities.duration(call["time_ns"]),
            quantities.duration(call["waiting_ns"]),
            quantities.MISSING if call["needed_rank"] is None else rank(call["needed_rank"]),
            call["engine"],
            mark(source.place(call), leads.place(call["place"]) if call["place"] else None, "select the place"),
        ]
        for call in calls
    ]
    return blocks.card(
        "Calls",
        blocks.table(
            ["rank", "host", "cluster", "in the call", "waited", "for rank", "run by", "called from"],
            rows,
            name="calls-table",
            right=(0, 3, 4, 5),
            full=exports.csv_address("collective-calls", collective=name),
            meanings=meanings("collective-calls", *_CALL_COLUMNS, collective=name),
        ),
        hint=left_out(calls, all_calls, "calls that waited longest").strip(),
    )


PAGE = Page(
    path="/collective",
    title="Timeline of a collective",
    layout=layout,
    parent_path="/collectives",
    follows_selection=False,
    shades_the_rest=True,
    keeps=("view",),
)
