"""Page Compare: two of the traces served, side by side: the verdict of `analyze compare`, both critical paths, what ran
differently, who sends to whom, and one collective of each."""

from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import Compared, InputError, Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.path_pair import RUNS, path_pair
from hopscope_dashboard.navigation import selection
from hopscope_dashboard.navigation.address import Query, allowed_word, link
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.compare import compared_collective, compared_leads, compared_trees, compared_verdict
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS

PATHS = "compare-paths"
CATEGORIES = "compare-categories"
PARTS = "compare-parts"
STRUCTURE = "compare-structure"

_PARTS: Final = {
    "operation": "operation",
    "place": "place",
    "edge": "edge",
    "host": "host",
    "rank": "rank",
}
_COLUMNS: Final = (
    "name", "base_ns", "new_ns", "base_share", "new_share", "difference_ns change", "change_low change_high", "verdict",
)  # fmt: skip
"""The columns of the analysis that the tables of critical paths show."""
_ROW_LIMIT: Final = 25
"""Largest number of rows shown of a table."""
_TIMES: Final = "Times of the selected part are counted from the start of each run."


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The trace shown is the base.

    In the address, `with` selects the other trace and `by` the grouping of the critical path's table. The modules
    `compared_trees` and `compared_collective` describe further parameters. Raises InputError if a trace lacks the part
    of the run that the address selects.
    """
    if not data.other_traces:
        return _one_trace(data)
    partner = next(
        (neighbour for neighbour in data.other_traces if neighbour.identity == query.get(selection.COMPARISON)),
        data.other_traces[0],
    )
    new = partner.part(selection.options(query))
    sections: list[Component] = [_partner_list(data, partner, query)]
    if query.get("from") or query.get("to"):
        sections.append(blocks.note(_TIMES))
    if query.get(selection.COMPARISON) == data.identity:
        sections.append(blocks.note("The address compares a run with itself; another run is shown."))
    elif query.get(selection.COMPARISON, partner.identity) != partner.identity:
        sections.append(blocks.note("The run that the address compares with is not served; another run is shown."))
    try:
        whole, times, paths = (data.compared_with(new, grouping) for grouping in ("activity", "operation", "path"))
    except InputError as error:
        answer = "These runs cannot be compared."
        sections += [compared_verdict.not_comparable(str(error)), *compared_trees.cards(data, new, query)]
    else:
        answer = whole.rows[0]["sentence"] if whole.rows else "Neither run has a critical path."
        sections += [
            compared_verdict.card(data, new, whole),
            compared_verdict.operations(data, new, times, page_notes=whole.notes),
            _paths(data, new, paths, query),
            _structure(data.compared_with(new, "structure").rows, new),
            *compared_trees.cards(data, new, query),
            compared_collective.card(data, new, query),
        ]
    lead = [html.Strong(answer, id=compared_verdict.VERDICT_SENTENCE), f" Base: {data.name}, new: {new.name}."]
    return html.Div([blocks.page_head("Compare", lead, _swap(data, new, query)), *sections])


def _one_trace(data: TraceData) -> Component:
    return html.Div(
        [
            blocks.page_head("Compare", "One trace is served; give a second one to see the two side by side."),
            blocks.card(
                None,
                blocks.code(f"hopscope dashboard {data.path} OTHER"),
                css="how-to",
            ),
        ]
    )


def _partner_list(data: TraceData, partner: TraceData, query: Query) -> Component:
    """The list of the traces to compare with; empty if there is only one."""
    if len(data.other_traces) == 1:
        return html.Div()
    options = {neighbour.identity: neighbour.name for neighbour in data.other_traces}
    menu = select("Compare with", query, selection.COMPARISON, options=options, current=partner.identity)
    return html.Div(menu, className="selects")


def _swap(data: TraceData, new: TraceData, query: Query) -> Component:
    parameters = {**query, selection.TRACE: new.identity, selection.COMPARISON: data.identity}
    return dcc.Link("Swap base and new", href=link("/compare", **parameters), className="button")


def _paths(data: TraceData, new: TraceData, comparison: Compared, query: Query) -> Component:
    rows = comparison.rows
    if not rows:
        return empty.nothing_to_draw("Critical paths", "Neither run has a critical path.")
    categories = [row for row in rows if row["part"] == "category"]
    legend_words = [word for word in CATEGORY_MEANINGS if any(row["name"] == word for row in categories)]
    part = allowed_word(query, "by", tuple(_PARTS))
    parts = [row for row in rows if row["part"] == part]
    remainder = f" The first {_ROW_LIMIT} of {quantities.number(len(parts))}." if len(parts) > _ROW_LIMIT else ""
    figure = path_pair(categories, [compared_leads.categories(run) for run in (data, new)])
    return blocks.card(
        "Critical paths",
        blocks.legend(CATEGORY_COLOURS, CATEGORY_MEANINGS, legend_words),
        blocks.drawing("The critical paths of both runs by category", figure, name=PATHS),
        _table(
            [(blocks.chip(row["name"], CATEGORY_COLOURS[row["name"]]), row) for row in categories],
            CATEGORIES,
            (data, new),
        ),
        html.Div(
            choice("By", "/compare", query, "by", options=_PARTS, current=part),
            style={"margin": "18px 0 8px"},
        ),
        _table([(_name(row), row) for row in parts[:_ROW_LIMIT]], PARTS, (data, new), _PARTS[part]),
        hint=remainder.strip(),
        meaning=f"Each time has its 95 % interval. With 95 % certainty, all {quantities.number(len(rows))} changes lie "
        "in their intervals at once. Click a time to see it in its run.",
    )


def _table(
    rows: list[tuple[Any, Row]], name: str, runs: tuple[TraceData, TraceData], kind: str = "category"
) -> Component:
    body = [
        [
            label,
            *(_time(row, run, data) for run, data in zip(RUNS, runs, strict=True)),
            *(quantities.share(row[f"{run}_share"]) for run in RUNS),
            quantities.changes(row["difference_ns"], row["change"]),
            quantities.interval(row["change_low"], row["change_high"]),
            row["verdict"],
        ]
        for label, row in rows
    ]
    columns = [kind, "base", "new", "base share", "new share", "change", "95 % interval", "verdict"]
    full = compared_leads.csv_address(runs[1], grouping="path")
    tooltips = meanings("compare", *_COLUMNS, by="path")
    return blocks.table(columns, body, name=name, right=range(1, 7), full=full, meanings=tooltips)


def _time(row: Row, run: str, data: TraceData) -> Any:
    """One run's time in a row, as a link to that run's page about it, with the time's interval below."""
    time, low, high = (row[f"{run}{end}"] for end in ("_ns", "_low_ns", "_high_ns"))
    if not time:
        return quantities.duration(time)
    name = row["base_name"] if run == "base" else row["name"]
    cell = compared_leads.part_of_path(quantities.duration(time), data, row["part"], name)
    return cell if low is None else [cell, html.Br(), html.Small(quantities.interval(low, high, "ns"))]


def _name(row: Row) -> Any:
    if row["aligned"] == "function":
        return compared_verdict.moved(row["name"], row["base_name"])
    return html.Span(row["name"], className="broken") if row["part"] == "place" else row["name"]


def _structure(rows: Rows, new: TraceData) -> Component:
    changed = [row for row in rows if row["changed"]]
    title = "What ran differently"
    if not changed:
        return empty.nothing_to_draw(
            title, f"Nothing: all {quantities.number(len(rows))} counted properties are the same."
        )
    body = [
        [
            compared_verdict.site(row),
            row["property"],
            quantities.MISSING if row["base"] is None else row["base"],
            quantities.MISSING if row["new"] is None else row["new"],
        ]
        for row in changed[:_ROW_LIMIT]
    ]
    remainder = f" The first {_ROW_LIMIT}." if len(changed) > _ROW_LIMIT else ""
    return blocks.card(
        title,
        blocks.table(
            ["operation", "property", "base", "new"],
            body,
            name=STRUCTURE,
            full=compared_leads.csv_address(new, grouping="structure"),
            meanings=meanings("compare", "operation place", "property", "base", "new", by="structure"),
        ),
        hint=f"{quantities.number(len(changed))} of {quantities.number(len(rows))} properties.{remainder}",
    )


PAGE = Page(
    path="/compare",
    title="Compare",
    section="Compare",
    layout=layout,
    is_drawn_ahead=False,
    lacks=missing.another_trace,
)
