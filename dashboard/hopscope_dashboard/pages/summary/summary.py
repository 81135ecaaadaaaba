"""The summary: the diagnosis, the efficiency, the whole run, the call sites and what can be changed, on one screen."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import short_command

from hopscope_dashboard.components import blocks, exports
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import Row, TraceData, meanings
from hopscope_dashboard.navigation import menu
from hopscope_dashboard.navigation.address import Query, allowed_word, link
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.communication import critical_path
from hopscope_dashboard.pages.imbalance import efficiency
from hopscope_dashboard.pages.improve import improve
from hopscope_dashboard.pages.summary import diagnosis
from hopscope_dashboard.timeline.canvas import TimelineCanvas

WHOLE_RUN = "whole-run"
PATH = "path-bar"
SITES = "call-sites"
LIMITS = "limits"
REMEDIES = "remedies"

_SITES: Final = {"path": "critical path", "ranks": "all ranks"}
_MOST_SITES: Final = 5
_LONG_STARTUP: Final = 0.1
_SHOWN_STARTUP: Final = 0.05
"""If start-up takes more than _LONG_STARTUP of the run, the page shows only its end, whose length is _SHOWN_STARTUP of
the rest of the run."""
_SAVING: Final = "Share of the run that it would save, according to the diagnosis"
_WIDTHS: Final = "minmax(0, 3fr) minmax(0, 2fr)"


def layout(other_pages: Sequence[Page], data: TraceData, query: Query) -> Component:
    """Give the page. The parameter `sites` of the address selects which time the call sites show: on the critical path
    or of all ranks. `other_pages` are all pages but the summary."""
    return html.Div(
        [
            blocks.page_head("Summary", _run_description(data, data.run)),
            blocks.columns(diagnosis.card(data), html.Div([efficiency.factors(data), _changes(data)]), widths=_WIDTHS),
            _whole_run(data),
            blocks.columns(_call_sites(data, query), _path(data) or html.Div(), widths=_WIDTHS),
            _limits(data, other_pages),
        ]
    )


def _run_description(data: TraceData, run: Row) -> list[Component | str]:
    words: list[Component | str] = []
    if run["command"]:
        words += [html.Code(short_command(run["command"]), title=run["command"]), " on "]
    else:
        words.append(f"Recorded by {run['creator']} on " if run["creator"] else "On ")
    threads = f" with {quantities.plural(run['threads'], 'thread')}" if run["threads"] > run["ranks"] else ""
    words.append(
        f"{_ranks(data, run)}{threads}, {quantities.plural(run['hosts'], 'host')}, "
        f"{quantities.plural(run['clusters'], 'cluster')}"
    )
    if run["mpi_library"]:
        words.append(f", {run['mpi_library'].splitlines()[0].split(',')[0]}")
    words.append(f": {quantities.duration(run['duration_ns'])}{', unfinished' if run['unfinished'] else ''}")
    return words


def _ranks(data: TraceData, run: Row) -> str:
    """Write the number of ranks and, if there are several, of worlds: each world has a rank 0."""
    worlds = len({rank["world"] for rank in data.ranks})
    return quantities.plural(run["ranks"], "rank") + (f" of {worlds} worlds" if worlds > 1 else "")


def _whole_run(data: TraceData) -> Component:
    begin, end = _without_startup(data)
    canvas = TimelineCanvas(WHOLE_RUN, data.identity, begin=begin, end=end, small=True, selected=asdict(data.bounds))
    return blocks.card(None, canvas, dcc.Link("Timeline", href="/timeline"), css="whole-run")


def _without_startup(data: TraceData) -> tuple[int | None, int | None]:
    """Give begin and end of the time to show, with only the last part of a long start-up; None for both shows the whole
    run."""
    timeline = data.timeline
    _, first = timeline.phases.get("startup", (0, 0))
    if first < _LONG_STARTUP * timeline.duration_ns:
        return None, None
    return round(first - _SHOWN_STARTUP * (timeline.duration_ns - first)), timeline.duration_ns


def _call_sites(data: TraceData, query: Query) -> Component:
    if not data.has_places:
        return blocks.card("Operations", critical_path.operations(data, _MOST_SITES, name=SITES, time="on the path"))
    grouping = allowed_word(query, "sites", tuple(_SITES))
    time, count = ("time_ns", "share") if grouping == "path" else ("mpi_ns", "calls")
    rows = sorted(data.rows("places"), key=lambda row: -(row[time] or 0))[:_MOST_SITES]
    body = [
        [
            mark(html.Code(row["place"], title=row["call_site"]), link("/places", at=row["place"]), "see its source"),
            quantities.duration(row[time]),
            quantities.share(row[count]) if grouping == "path" else quantities.number(row[count]),
        ]
        for row in rows
    ]
    columns = ["call site", *(("on the path", "share") if grouping == "path" else ("in MPI", "calls"))]
    return blocks.card(
        "Call sites",
        choice("Time of", "/", query, "sites", options=_SITES, current=grouping),
        blocks.table(
            columns,
            body,
            name=SITES,
            right=(1, 2),
            full=exports.csv_address("places"),
            meanings=meanings("places", "place", time, count),
        ),
    )


def _path(data: TraceData) -> Component | None:
    if not any(row["time_ns"] for row in data.rows("critical-path")):
        return None
    return blocks.card(
        "Critical path", critical_path.bar(data, name=PATH), dcc.Link("In numbers", href="/critical-path")
    )


def _changes(data: TraceData) -> Component:
    """Links to the remedies, each with the cost that it may remove according to the diagnosis."""
    items: list[Component | str] = []
    for name, remedy in improve.REMEDIES.items():
        items += [" · ", dcc.Link(remedy.title, href=link("/improve", compute=name), title=remedy.meaning)]
        shares = [row["cost_share"] for row in improve.costs(data, remedy) if row["cost_share"]]
        items += [html.Span(f" (up to {quantities.share(share)})", title=_SAVING) for share in shares[:1]]
    return blocks.card("Remedies", html.P(items[1:], id=REMEDIES))


def _limits(data: TraceData, other_pages: Sequence[Page]) -> Component | None:
    """Lines that unfold: what limits the answers, and which pages have nothing to show."""
    lacking, titles = menu.lacking(other_pages, data), {page.path: page.title for page in other_pages}
    reasons = [f"{titles[path]}: {reason}" for path, reason in lacking.items()]
    lines = [
        _unfolding(quantities.plural(len(sentences), noun, plural_noun), sentences)
        for noun, plural_noun, sentences in (
            ("caveat", "caveats", data.caveats()),
            ("page without data", "pages without data", reasons),
        )
        if sentences
    ]
    return html.Section(lines, className="card", id=LIMITS) if lines else None


def _unfolding(line: str, sentences: Sequence[str]) -> Component:
    items = [html.Li(blocks.with_code(sentence)) for sentence in sentences]
    return html.Details([html.Summary(line), html.Ul(items, className="remarks")])


def page_of(other_pages: Sequence[Page]) -> Page:
    """Give the page, which also says which of `other_pages` have nothing to show."""
    return Page(path="/", title="Summary", section="Summary", layout=partial(layout, other_pages))
