"""The overview: the diagnosis first, then where the run's time went, then what limits these answers."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope import quantities

from hopscope_dashboard import diagnosis, findings, leads
from hopscope_dashboard.address import Query, link
from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.components.run_canvas import RunCanvas
from hopscope_dashboard.data import MESSAGE_CALLS, Row, Rows, TraceData
from hopscope_dashboard.figures import critical_path
from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS

KEY_FIGURES = "key-figures"
WHOLE_RUN = "whole-run"
PATH_BAR = "critical-path-bar"
PATH_TABLE = "critical-path-table"
REGIONS = "regions-table"
BY_OPERATION = "critical-path-by-operation"

_REGIONS: Final = 8
_OPERATIONS: Final = 8
"""So many rows of regions are shown."""


def layout(data: TraceData, query: Query) -> Component:
    """Give the page."""
    del query
    run = data.run
    path = data.rows("critical-path")
    return html.Div(
        [
            blocks.page_head("Overview", _what_ran(data, run)),
            diagnosis.card(data),
            findings.note(data.findings("collectives")),
            _whole_run(data),
            _key_figures(data, run, path),
            _critical_path(data, path, data.rows("critical-path", by="operation")),
            _regions(data),
            _caveats(data),
        ]
    )


def _whole_run(data: TraceData) -> Component:
    canvas = RunCanvas(WHOLE_RUN, data.identity, small=True, selected=asdict(data.bounds))
    links = [dcc.Link("Look closer", href="/timeline")]
    if data.number_of_collectives:
        links += [" · ", dcc.Link("The slowest collectives", href="/collectives?order=duration")]
    return blocks.card(
        "The whole run", canvas, html.Div(links), hint="Drag to select a time for all pages.", css="whole-run"
    )


def _what_ran(data: TraceData, run: Row) -> list[Component | str]:
    told: list[Component | str] = []
    if run["command"]:
        program, _, arguments = run["command"].partition(" ")
        told += [html.Code(f"{program.rpartition('/')[2]} {arguments}".strip(), title=run["command"]), " on "]
    else:
        told.append(f"Recorded by {run['creator']} on " if run["creator"] else "On ")
    threads = f" with {quantities.plural(run['threads'], 'thread')}" if run["threads"] > run["ranks"] else ""
    told.append(
        f"{_ranks(data, run)}{threads}, {quantities.plural(run['hosts'], 'host')}, "
        f"{quantities.plural(run['clusters'], 'cluster')}"
    )
    if run["mpi_library"]:
        told.append(f"; {run['mpi_library'].splitlines()[0].split(',')[0]}")
    return told


def _ranks(data: TraceData, run: Row) -> str:
    """Write how many ranks there are; a rank number of MPI_COMM_WORLD names one only if there is one world."""
    worlds = len({rank["world"] for rank in data.ranks})
    return quantities.plural(run["ranks"], "rank") + (f" of {worlds} worlds" if worlds > 1 else "")


def _key_figures(data: TraceData, run: Row, path: Rows) -> Component:
    share = {row["category"]: row["share"] for row in path}
    collectives = data.number_of_collectives
    between = _between_clusters(data, share)
    figures = [
        ("Run", quantities.duration(run["duration_ns"]), "from the first event to the last"),
        (
            "Collectives",
            quantities.number(collectives),
            f"{_ranks(data, run)} in {quantities.plural(run['clusters'], 'cluster')}",
        ),
        (
            "Between clusters",
            quantities.share(between),
            "not known without hops"
            if between is None and run["clusters"] > 1
            else "of the critical path: messages of collectives",
        ),
        ("Computing", quantities.share(share.get("compute")), "of the critical path: outside all MPI"),
        (
            "Own messages",
            quantities.share(share.get("p2p")),
            "of the critical path: sent by the program itself",
        ),
    ]
    return html.Div(blocks.key_figures(figures), id=KEY_FIGURES)


def _between_clusters(data: TraceData, share: Mapping[str, float | None]) -> float | None:
    """Give the share of hops between clusters. A collective of several clusters without hops may cross unseen."""
    if data.run["clusters"] > 1:
        if not data.has_hops:
            return None
        if not share.get("wan") and share.get("native"):
            return data.rows("wan-share")[0]["share"]
    return share.get("wan")


def _critical_path(data: TraceData, path: Rows, by_operation: Rows) -> Component:
    if not any(row["time_ns"] for row in path):
        return empty.nothing_here(
            "Where the critical path's time went", "This trace has no critical path: see what limits these answers."
        )
    pages = leads.category_pages(has_places=data.has_places)
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
    operations = [
        [_operation(row["operation"]), quantities.duration(row["time_ns"]), quantities.share(row["share"])]
        for row in by_operation[:_OPERATIONS]
    ]
    return blocks.card(
        "Where the critical path's time went",
        blocks.drawing("Critical path by category", critical_path.stacked_bar(path, pages), name=PATH_BAR),
        blocks.columns(
            blocks.table(
                ["category", "", "time", "share", "95 % interval"],
                rows,
                name=PATH_TABLE,
                right=(2, 3, 4),
                full=exports.csv_address("critical-path"),
            ),
            blocks.table(
                ["operation", "time", "share"],
                operations,
                name=BY_OPERATION,
                right=(1, 2),
                full=exports.csv_address("critical-path", by="operation"),
            ),
            widths="minmax(0, 3fr) minmax(0, 2fr)",
        ),
        hint=[
            "The critical path is the chain of work and messages that decided how long the run took. "
            "Anything off it could be slower without making the run slower.",
            f" The first {_OPERATIONS} of {len(by_operation)} operations." if len(by_operation) > _OPERATIONS else "",
            *_left_out(data),
        ],
    )


def _left_out(data: TraceData) -> list[Component | str]:
    """Say what happens once in a run, and lead to the path with it."""
    if not (left_out := data.left_out):
        return []
    taken_in = dict(option.removeprefix("--").split(" ", 1) for option in left_out)
    return [f" Left out: {' and '.join(left_out.values())}. ", dcc.Link("Take it in", href=link("/", **taken_in))]


def _category(name: str, pages: Mapping[str, tuple[str, str]]) -> Component:
    page, what = pages[name]
    return mark(blocks.chip(name, CATEGORY_COLOURS[name]), page, f"see {what}")


def _operation(name: str) -> Component:
    return mark(name, leads.operation(name, of_messages=name in MESSAGE_CALLS), "see its calls")


def _regions(data: TraceData) -> Component | None:
    """What the program or another tool marked; nothing where nothing is marked."""
    found = sorted(data.rows_or_none("regions"), key=lambda row: (-row["time_ns"], row["region"], row["rank"]))
    if not found:
        return None
    rows = [
        [
            mark(row["region"], leads.region(row["region"]), "select the region"),
            mark(str(row["rank"]), leads.rank(row["rank"]), "select the rank"),
            quantities.number(row["visits"]),
            quantities.duration(row["time_ns"]),
            quantities.duration(row["mpi_ns"]),
            quantities.share(row["share"]),
        ]
        for row in found[:_REGIONS]
    ]
    hint: list[Component | str] = [
        f"{'All' if len(found) <= _REGIONS else 'The longest'} {len(rows)}, a row per rank, with all that was called "
        "inside; threads of a rank add up. ",
        html.Code("analyze regions"),
        f" has {'their intervals' if len(found) <= _REGIONS else f'all {quantities.number(len(found))}'}.",
    ]
    return blocks.card(
        "The program's own regions",
        blocks.table(
            ["region", "rank", "visits", "time", "of it in MPI", "of its threads' time"],
            rows,
            name=REGIONS,
            right=range(1, 6),
            full=exports.csv_address("regions"),
        ),
        hint=hint,
    )


def _caveats(data: TraceData) -> Component:
    sentences = data.caveats()
    if not sentences:
        return blocks.card(
            "What limits these answers",
            html.P(
                "Nothing that is known: every event is there, nothing was emulated, and the clocks "
                "carry every verdict.",
                className="hint",
            ),
        )
    return blocks.notes(sentences, "What limits these answers")


PAGE = Page(path="/", title="Overview", icon="overview", layout=layout)
