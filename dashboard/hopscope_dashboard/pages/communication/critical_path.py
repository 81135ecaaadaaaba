"""Page Critical path: the path by category and by operation."""

from collections.abc import Mapping
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import MESSAGE_CALLS, Rows, TraceData, meanings
from hopscope_dashboard.figures import critical_path
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, link
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS

BAR = "critical-path-bar"
TABLE = "critical-path-table"
BY_OPERATION = "critical-path-by-operation"

_TITLE: Final = "Critical path"
_OPERATIONS: Final = 8
"""Largest number of operations shown."""


def layout(data: TraceData, query: Query) -> Component:
    """Give the page."""
    del query
    path = data.rows("critical-path")
    if not any(row["time_ns"] for row in path):
        lead = "The chain of work and messages that decided how long the run took."
        reason = "This trace has no critical path: the summary says what limits its answers."
        return html.Div([blocks.page_head(_TITLE, lead), empty.nothing_to_draw("No critical path", reason)])
    pages = leads.category_pages(has_places=data.has_places)
    return html.Div(
        [
            blocks.page_head(_TITLE, _answer(path)),
            blocks.card(
                None,
                bar(data, name=BAR),
                blocks.columns(
                    _categories(path, pages),
                    operations(data, _OPERATIONS, name=BY_OPERATION),
                    widths="minmax(0, 3fr) minmax(0, 2fr)",
                ),
                hint=["Work off the path could be slower without making the run slower.", *_left_out(data)],
            ),
            _between_clusters(data, path),
        ]
    )


def _answer(path: Rows) -> str:
    first = max(path, key=lambda row: row["time_ns"] or 0)
    return (
        f"{quantities.share(first['share'])} of the critical path is {first['category']}: "
        f"{CATEGORY_MEANINGS[first['category']]}."
    )


def _categories(path: Rows, pages: Mapping[str, tuple[str, str]]) -> Component:
    rows = [
        [
            _category(row["category"], pages),
            CATEGORY_MEANINGS[row["category"]],
            quantities.duration(row["time_ns"]),
            quantities.share(row["share"]),
            quantities.interval(row["share_low"], row["share_high"]),
        ]
        for row in path
    ]
    columns = ["category", "", "time", "share", "95 % interval"]
    full = exports.csv_address("critical-path")
    tooltips = meanings("critical-path", "category", None, "time_ns", "share", "share_low share_high")
    return blocks.table(columns, rows, name=TABLE, right=(2, 3, 4), full=full, meanings=tooltips)


def _category(name: str, pages: Mapping[str, tuple[str, str]]) -> Component:
    page, subject = pages[name]
    return mark(blocks.chip(name, CATEGORY_COLOURS[name]), page, f"see {subject}")


def bar(data: TraceData, *, name: str) -> Component:
    """Give the path as one bar; `name` is its id."""
    pages = leads.category_pages(has_places=data.has_places)
    figure = critical_path.stacked_bar(data.rows("critical-path"), pages)
    return blocks.drawing("Critical path by category", figure, name=name)


def operations(data: TraceData, limit: int, *, name: str, time: str = "time") -> Component:
    """Give the table of the operations that take most of the path; `name` is its id, `time` the heading of times."""
    rows = [
        [_operation(row["operation"]), quantities.duration(row["time_ns"]), quantities.share(row["share"])]
        for row in data.rows("critical-path", by="operation")[:limit]
    ]
    columns = ["operation", time, "share"]
    full = exports.csv_address("critical-path", by="operation")
    tooltips = meanings("critical-path", "operation", "time_ns", "share", by="operation")
    return blocks.table(columns, rows, name=name, right=(1, 2), full=full, meanings=tooltips)


def _operation(name: str) -> Component:
    return mark(name, leads.operation(name, of_messages=name in MESSAGE_CALLS), "see its calls")


def _left_out(data: TraceData) -> list[Component | str]:
    """Say which phases that happen once in a run are left out, and link to the path that includes them."""
    if not (left_out := data.left_out):
        return []
    phase_options = dict(option.removeprefix("--").split(" ", 1) for option in left_out)
    return [
        f" Excluded: {' and '.join(left_out.values())}. ",
        dcc.Link("Include it", href=link("/critical-path", **phase_options)),
    ]


def _between_clusters(data: TraceData, path: Rows) -> Component | None:
    """Say how much of the path runs between clusters. Without hops it is unknown, because the messages inside
    collectives are unknown."""
    if data.run["clusters"] < 2:
        return None
    share = {row["category"]: row["share"] for row in path}
    if not data.has_hops:
        return blocks.note("How much of it runs between clusters is not known without hops.")
    wan_share = share.get("wan")
    if not wan_share and share.get("native"):
        wan_share = data.rows("wan-share")[0]["share"]
    return blocks.note(
        f"Messages of collectives between clusters: {quantities.share(wan_share)}. ",
        dcc.Link("WAN share", href="/wan-share"),
    )


PAGE = Page(path="/critical-path", title=_TITLE, section="Communication", layout=layout, lacks=missing.communication)
