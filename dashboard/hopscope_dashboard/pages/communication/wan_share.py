"""Page WAN share: how much of the critical path, and of each cluster's paths in the collectives, is spent on WAN
hops."""

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import share_bars, time_bars
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.palette import CATEGORY_COLOURS
from hopscope_dashboard.sentences.hops import of_wan_share
from hopscope_dashboard.sentences.sentence import lead

SHARES = "wan-shares"
TABLE = "wan-table"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page."""
    del query
    rows = data.rows("wan-share")
    has_shares = data.run["clusters"] > 1 and data.has_hops
    head = blocks.page_head("WAN share", lead(of_wan_share(rows) if has_shares else None))
    if data.run["clusters"] < 2:
        reason = (
            "All ranks are in one cluster, so no hop runs between clusters. A topology file names "
            "clusters: hopscope run --topology FILE ..."
        )
        hops = _table(data, rows) if data.has_hops else _without_hops()
        return html.Div([head, empty.nothing_to_draw("One cluster", reason), hops])
    if not data.has_hops:
        return html.Div([head, _without_hops()])
    return html.Div([head, blocks.columns(_shares(data, rows), _times(data, rows)), _table(data, rows)])


def _without_hops() -> Component:
    """Say why there is no table: its zeros would read as if nothing had run between clusters."""
    return empty.nothing_to_draw(
        "No hops",
        [
            "What ran between clusters is known only with hops: ",
            dcc.Link("Algorithms and trees", href="/tree"),
            " says how to get them.",
        ],
    )


def _scope(name: str) -> str:
    return "critical path" if name == "critical_path" else name


def _label(row: Row, suffix: str = "") -> str:
    """The label of a bar: its scope, with `unknown` if the share is not known, so that there is no bar."""
    return f"{_scope(row['scope'])}{suffix}{'' if row['share'] is not None else ', unknown'}"


def _leads(data: TraceData, rows: Rows) -> leads.Leads:
    """The leads of the bars: a cluster's bars select its ranks, those of the critical path lead to the summary."""
    scopes = [row["scope"] for row in rows]
    addresses = ["/" if scope == "critical_path" else leads.of_place(data.ranks, "cluster", scope) for scope in scopes]
    return leads.Leads(addresses, "see more of it")


def _shares(data: TraceData, rows: Rows) -> Component:
    figure = share_bars(
        [_label(row) for row in rows],
        [("wan", CATEGORY_COLOURS["wan"], rows, "share")],
        title="share of the path spent on wan hops (%)",
        heading="scope",
        leads=_leads(data, rows),
    )
    return blocks.card(
        "Share",
        blocks.drawing("WAN share by scope", figure, name=SHARES),
        meaning="For a cluster in a tree: the ways of its ranks' contributions to the root and of the results back. "
        "Otherwise: the hops that its last rank waited for. Waiting for late ranks is excluded.",
    )


def _times(data: TraceData, rows: Rows) -> Component:
    figure = time_bars(
        [_label(row, "" if row["scope"] == "critical_path" else ", all ways") for row in rows],
        [
            ("wan hops", CATEGORY_COLOURS["wan"], [row["wan_ns"] for row in rows]),
            (
                "rest of the way",
                CATEGORY_COLOURS["local"],
                [None if row["wan_ns"] is None else max(0, row["path_ns"] - row["wan_ns"]) for row in rows],
            ),
            ("waiting for others", CATEGORY_COLOURS["native"], [row["waiting_ns"] for row in rows]),
        ],
        title="time",
        heading="scope",
        stacked=True,
        leads=_leads(data, rows),
    )
    return blocks.card(
        "Time",
        blocks.drawing("Time on WAN hops, on the rest of the way and waiting", figure, name="wan-times"),
        meaning="The critical path is one way through the run. A cluster's row adds up several: in a tree the ways of "
        "all its ranks, otherwise that of its last rank. Waiting is time in the collective off these ways.",
    )


def _table(data: TraceData, rows: Rows) -> Component:
    row_leads = _leads(data, rows)
    body = [
        [
            mark(_scope(row["scope"]), address, row_leads.action),
            quantities.share(row["share"]),
            quantities.number(row["hops"]),
            quantities.number(row["crossings"]),
            quantities.size(row["bytes"]),
            quantities.duration(row["path_ns"]),
            quantities.duration(row["wan_ns"]),
            quantities.duration(row["waiting_ns"]),
            quantities.number(row["collectives"]),
        ]
        for row, address in zip(rows, row_leads.addresses, strict=True)
    ]
    columns = ["", "wan share", "hops", "crossings", "bytes across", "path", "of it wan", "waiting", "collectives"]
    tooltips = meanings(
        "wan-share", "scope", "share", "hops", "crossings", "bytes", "path_ns", "wan_ns", "waiting_ns", "collectives"
    )
    full = exports.csv_address("wan-share")
    return blocks.card(
        "In numbers",
        blocks.table(columns, body, name=TABLE, right=range(1, 9), full=full, meanings=tooltips),
        hint="Hops, crossings and bytes are per collective.",
    )


PAGE = Page(path="/wan-share", title="WAN share", section="Communication", layout=layout, lacks=missing.clusters)
