"""Page Last arrivals: by rank, host or cluster, and among the children of one node of the tree."""

from typing import Any, Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.mark import mark, rank
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import share_bars, time_bars
from hopscope_dashboard.figures.many_places import MOST_BARS, MOST_ROWS, largest_rows, left_out
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, allowed_word, number
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.communication.trees import trees
from hopscope_dashboard.palette import CATEGORY_COLOURS
from hopscope_dashboard.sentences.arrivals import of_arrivals
from hopscope_dashboard.sentences.sentence import lead

SHARES = "arrival-shares"
WAITING = "arrival-waiting"
TABLE = "arrivals-table"
AT_NODE = "arrivals-at-node"

_CAUSE: Final = "its computing led to the last arrival"
_COLUMNS: Final = (
    "share", "share_low share_high", "late", "cause_share", "cause", "cost_share", "released_share", "undecided",
    "margin_ns", "waiting_ns", "collectives",
)  # fmt: skip
"""The columns of the analysis that the table shows, after the first."""
_GROUPINGS: Final = {"rank": "rank", "host": "host", "cluster": "cluster"}


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects `by` (rank, host or cluster) and `at`, a node of the tree."""
    grouping = allowed_word(query, "by", tuple(_GROUPINGS))
    rows = data.rows("last-arrivals", by=None if grouping == "rank" else grouping)
    head = blocks.page_head(
        "Last arrivals",
        lead(of_arrivals(data.rows("last-arrivals"))),
        choice("By", "/last-arrivals", query, "by", options=_GROUPINGS, current=grouping),
    )
    if not any(row["collectives"] for row in rows):
        reason = f"{data.scope} has no complete collective of two ranks or more."
        return html.Div([head, empty.nothing_to_draw("No arrivals", reason)])
    return html.Div(
        [
            head,
            blocks.columns(
                _shares(data, rows, grouping), _waiting(data, rows, grouping), widths="minmax(0, 3fr) minmax(0, 2fr)"
            ),
            _table(data, rows, grouping),
            _at_node(data, query),
        ]
    )


def _leads(data: TraceData, rows: Rows, grouping: str) -> leads.Leads:
    return leads.of_places(data.ranks, grouping, [row[grouping] for row in rows])


def _shares(data: TraceData, all_rows: Rows, grouping: str) -> Component:
    rows = largest_rows(all_rows, _largest_share, MOST_BARS)
    labels = [str(row[grouping]) for row in rows]
    limits = {
        "entered last": [row["chance"] for row in rows],
        _CAUSE: [row["cause_chance"] for row in rows],
    }
    series: list[tuple[str, str, Rows, str]] = [("entered last", CATEGORY_COLOURS["compute"], rows, "share")]
    if "cause_share" in rows[0]:
        series.append((_CAUSE, CATEGORY_COLOURS["p2p"], rows, "cause_share"))
    if "released_share" in rows[0]:
        series.append(("released last by the previous collective", CATEGORY_COLOURS["native"], rows, "released_share"))
    figure = share_bars(
        labels,
        series,
        title="share of the collectives (%)",
        heading=grouping,
        limits=limits,
        limit="by chance",
        leads=_leads(data, rows, grouping),
    )
    return blocks.card(
        "Who is last, and whose computing is behind it",
        blocks.drawing("Shares of last arrivals", figure, name=SHARES),
        hint=left_out(rows, all_rows, f"{grouping}s with the largest shares").strip(),
        meaning=f"A {grouping} is late, or the cause, only if its whole whisker (95 %) lies right of its mark, "
        "which is what chance would give. The last to enter is often a neighbour that had to wait itself; the cause is "
        "the rank whose computing led there.",
    )


def _largest_share(row: Row) -> float:
    return max(row.get(name) or 0 for name in ("share", "cause_share", "released_share"))


def _waiting(data: TraceData, all_rows: Rows, grouping: str) -> Component:
    rows = largest_rows(all_rows, lambda row: row["waiting_ns"], MOST_BARS)
    labels = [str(row[grouping]) for row in rows]
    figure = time_bars(
        labels,
        [("waiting", CATEGORY_COLOURS["native"], [row["waiting_ns"] for row in rows])],
        title="time the others waited for it",
        heading=grouping,
        leads=_leads(data, rows, grouping),
    )
    return blocks.card(
        "What it cost the others",
        blocks.drawing("Waiting by last arrival", figure, name=WAITING),
        hint=left_out(rows, all_rows, f"{grouping}s that others waited for most").strip(),
        meaning="The sum over all ranks and collectives: parallel waiting counts for each rank that waits.",
    )


def _table(data: TraceData, all_rows: Rows, grouping: str) -> Component:
    rows = largest_rows(all_rows, _largest_share, MOST_ROWS)

    def verdict(row: Row, name: str) -> str:
        return quantities.MISSING if row.get(name) is None else "yes" if row[name] else "no"

    row_leads = _leads(data, rows, grouping)
    body: list[list[Any]] = [
        [
            mark(row[grouping], address, row_leads.action),
            quantities.share(row["share"]),
            quantities.interval(row.get("share_low"), row.get("share_high")),
            verdict(row, "late"),
            quantities.share(row.get("cause_share")),
            verdict(row, "cause"),
            quantities.share(row.get("cost_share")),
            quantities.share(row.get("released_share")),
            quantities.share(row["undecided"]),
            quantities.duration(row["margin_ns"]),
            quantities.duration(row["waiting_ns"]),
            quantities.number(row["collectives"]),
        ]
        for row, address in zip(rows, row_leads.addresses, strict=True)
    ]
    columns = [
        grouping,
        "last",
        "95 % interval",
        "late?",
        "cause",
        "cause?",
        "costs",
        "released last",
        "undecided",
        "margin (median)",
        "others waited",
        "collectives",
    ]
    return blocks.card(
        "In numbers",
        blocks.table(
            columns,
            body,
            name=TABLE,
            right=(*((0,) if grouping == "rank" else ()), 1, 2, 4, *range(6, 12)),
            last=(7, 11),
            full=exports.csv_address("last-arrivals", by=None if grouping == "rank" else grouping),
            meanings=meanings("last-arrivals", grouping, *_COLUMNS, by=grouping),
        ),
        hint=left_out(rows, all_rows, f"{grouping}s with the largest shares").strip(),
    )


def _at_node(data: TraceData, query: Query) -> Component:
    parents = {parent for tree in trees(data) for parent in tree.parents.get("up", {}).values() if parent is not None}
    if not parents:
        return html.Div()
    nodes = sorted(parents)
    parent_rank = number(query, "at")
    parent_rank = parent_rank if parent_rank in parents else nodes[0]
    rows = data.rows_or_none("last-arrivals", at=parent_rank)
    title = "Which child of a node comes last"
    if not rows:
        return empty.nothing_to_draw(title, f"Rank {parent_rank} received no hop towards the root.")
    body = [
        [
            rank(row["child"]),
            quantities.share(row["share"]),
            quantities.share(row["binding_share"]),
            quantities.share(row["undecided"]),
            quantities.duration(row["margin_ns"]),
            quantities.number(row["collectives"]),
        ]
        for row in rows
    ]
    return blocks.card(
        title,
        html.Div(
            select("Rank", query, "at", options={str(node): str(node) for node in nodes}, current=str(parent_rank)),
            className="selects",
        ),
        blocks.table(
            ["child", "last of the children", "and waited for", "undecided", "margin (median)", "collectives"],
            body,
            name=AT_NODE,
            right=(0, 1, 2, 3, 4, 5),
            full=exports.csv_address("last-arrivals", at=parent_rank),
            meanings=meanings(
                "last-arrivals",
                "child",
                "share",
                "binding_share",
                "undecided",
                "margin_ns",
                "collectives",
                at=parent_rank,
            ),
        ),
    )


PAGE = Page(
    path="/last-arrivals",
    title="Last arrivals",
    section="Imbalance",
    layout=layout,
    lacks=missing.arrivals,
)
