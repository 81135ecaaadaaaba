"""The overview: findings first, then where the run's time went, then what limits these answers."""

from collections.abc import Sequence
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard import findings, units
from hopscope_dashboard.address import Query
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.data import Row, Rows, TraceData
from hopscope_dashboard.figures import critical_path
from hopscope_dashboard.pages.overview import ids
from hopscope_dashboard.palette import CATEGORY_COLOURS, CATEGORY_MEANINGS
from hopscope_dashboard.trees import in_a_row

_REGIONS: Final = 8
"""So many rows of regions are shown."""

_NEXT: Final = (
    ("/collectives?order=worst", "The slowest collectives", "and, one click further, what happened inside each"),
    ("/tree", "The tree on the topology", "which edges the run waits for"),
    ("/remap", "A better tree", "what other trees would have taken, replayed"),
)
_NEXT_WITHOUT_HOPS: Final = (
    ("/collectives?order=worst", "The slowest collectives", "who entered last, and how long each rank was inside"),
    ("/last-arrivals", "Last arrivals", "whom the others waited for"),
    ("/tree", "How to get hops", "for the way through a collective, and a better tree"),
)


def layout(data: TraceData, query: Query) -> Component:
    """Give the page."""
    del query
    run, path = data.run, data.rows("critical-path")
    return html.Div(
        [
            blocks.page_head("Overview", _what_ran(data, run)),
            _key_figures(data, run, path),
            blocks.card("What this trace says", _findings(data, path)),
            _critical_path(path, data.rows("critical-path", by="operation")),
            _regions(data),
            blocks.columns(_caveats(data), _next(data), widths="minmax(0, 3fr) minmax(0, 2fr)")
            if data.number_of_collectives
            else _caveats(data),
        ]
    )


def _what_ran(data: TraceData, run: Row) -> list[Component | str]:
    told: list[Component | str] = []
    if run["command"]:
        program, _, arguments = run["command"].partition(" ")
        told += [html.Code(f"{program.rpartition('/')[2]} {arguments}".strip(), title=run["command"]), " on "]
    else:
        told.append(f"Recorded by {run['creator']} on " if run["creator"] else "On ")
    threads = f" with {units.plural(run['threads'], 'thread')}" if run["threads"] > run["ranks"] else ""
    told.append(
        f"{_ranks(data, run)}{threads}, {units.plural(run['hosts'], 'host')}, "
        f"{units.plural(run['clusters'], 'cluster')}"
    )
    if run["mpi_library"]:
        told.append(f"; {run['mpi_library'].splitlines()[0].split(',')[0]}")
    return told


def _ranks(data: TraceData, run: Row) -> str:
    """Write how many ranks there are; a rank number of MPI_COMM_WORLD names one only if there is one world."""
    worlds = len({rank["world"] for rank in data.ranks})
    return units.plural(run["ranks"], "rank") + (f" of {worlds} worlds" if worlds > 1 else "")


def _key_figures(data: TraceData, run: Row, path: Rows) -> Component:
    share = {row["category"]: row["share"] for row in path}
    collectives = data.number_of_collectives
    # Of several clusters a collective without hops may cross between them unseen.
    between = data.has_hops or run["clusters"] < 2
    figures = [
        ("Run", units.duration(run["duration_ns"]), "from the first event to the last"),
        (
            "Collectives",
            units.count(collectives),
            f"{_ranks(data, run)} in {units.plural(run['clusters'], 'cluster')}",
        ),
        (
            "Between clusters",
            units.share(share.get("wan") if between else None),
            "of the critical path: messages of collectives" if between else "not known without hops",
        ),
        ("Computing", units.share(share.get("compute")), "of the critical path: outside all MPI"),
        (
            "Own messages",
            units.share(share.get("p2p")),
            "of the critical path: sent by the program itself",
        ),
    ]
    return html.Div(blocks.key_figures(figures), id=ids.KEY_FIGURES)


def _findings(data: TraceData, path: Rows) -> Component:
    edges = data.rows_or_none("tree-edges")
    share = {row["category"]: row["share"] for row in path}
    if not data.number_of_collectives:
        # Links lead to pages about collectives.
        return _listed([findings.without_collectives()])
    found = [
        findings.of_critical_path(path),
        findings.of_arrivals(data.rows_or_none("last-arrivals"), share.get("compute")),
        findings.of_noise(data.rows_or_none("noise"), sum(row["time_ns"] for row in path)),
        findings.of_tree(edges, in_a_row(data), data.run["clusters"], share.get("wan"))
        if edges
        else findings.without_hops(),
    ]
    return _listed(found)


def _listed(found: Sequence[findings.Finding | None]) -> Component:
    items = [
        html.Li(
            [
                html.Span(className="mark", style={"background": finding.colour}),
                html.Div([html.Strong(finding.text), html.Span(finding.why, className="why")]),
                dcc.Link(f"{finding.link} →", href=finding.path) if finding.path else html.Span(),
            ]
        )
        for finding in found
        if finding is not None
    ]
    return html.Ul(items, className="findings", id=ids.FINDINGS)


def _critical_path(path: Rows, by_operation: Rows) -> Component:
    if not any(row["time_ns"] for row in path):
        return empty.nothing_here(
            "Where the critical path's time went", "This trace has no critical path: see what limits these answers."
        )
    rows = [
        [
            blocks.chip(row["category"], CATEGORY_COLOURS[row["category"]]),
            CATEGORY_MEANINGS[row["category"]],
            units.duration(row["time_ns"]),
            units.share(row["share"]),
            units.interval(row["share_low"], row["share_high"]),
        ]
        for row in path
    ]
    operations = [
        [row["operation"], units.duration(row["time_ns"]), units.share(row["share"])] for row in by_operation[:8]
    ]
    return blocks.card(
        "Where the critical path's time went",
        blocks.drawing("Critical path by category", critical_path.stacked_bar(path), name=ids.PATH_BAR),
        blocks.columns(
            blocks.table(
                ["category", "", "time", "share", "95 % interval"], rows, name=ids.PATH_TABLE, right=(2, 3, 4)
            ),
            blocks.table(["operation", "time", "share"], operations, name=ids.BY_OPERATION, right=(1, 2)),
            widths="minmax(0, 3fr) minmax(0, 2fr)",
        ),
        hint="The critical path is the chain of work and messages that decided how long the run took. What "
        "is not on it could be slower without making the run slower.",
    )


def _regions(data: TraceData) -> Component | None:
    """What the program or another tool marked; nothing where nothing is marked."""
    found = sorted(data.rows_or_none("regions"), key=lambda row: (-row["time_ns"], row["region"], row["rank"]))
    if not found:
        return None
    rows = [
        [
            row["region"],
            row["rank"],
            units.count(row["visits"]),
            units.duration(row["time_ns"]),
            units.duration(row["mpi_ns"]),
            units.share(row["share"]),
        ]
        for row in found[:_REGIONS]
    ]
    hint: list[Component | str] = [
        f"{'All' if len(found) <= _REGIONS else 'The longest'} {len(rows)}, a row per rank, with all that was called "
        "inside; threads of a rank add up. ",
        html.Code("analyze regions"),
        f" has {'their intervals' if len(found) <= _REGIONS else f'all {units.count(len(found))}'}.",
    ]
    return blocks.card(
        "The program's own regions",
        blocks.table(
            ["region", "rank", "visits", "time", "of it in MPI", "of the rank's time"],
            rows,
            name=ids.REGIONS,
            right=range(1, 6),
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


def _next(data: TraceData) -> Component:
    links = [
        html.Li([dcc.Link(title, href=path), html.Span(f" {what}", className="hint")])
        for path, title, what in (_NEXT if data.has_hops else _NEXT_WITHOUT_HOPS)
    ]
    return blocks.card("Where to look next", html.Ul(links, className="remarks next"))
