"""Page Delayed hops: how much of the longest delays moved the end of the collective, and where the rest was
absorbed."""

import re
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.graph import graph, is_wide, links_legend
from hopscope_dashboard.components.mark import mark, rank
from hopscope_dashboard.components.reveal import reveal
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import InputError, Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.delayed_hops import delays, hop_address, hop_name
from hopscope_dashboard.figures.edge_hops import over_time
from hopscope_dashboard.figures.graphs.graph import Graph, with_delay
from hopscope_dashboard.figures.graphs.tree import Fold, placed_tree
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, allowed_word, number
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.communication.trees import RanTree, trees
from hopscope_dashboard.palette import CATEGORY_COLOURS, LINK_COLOURS
from hopscope_dashboard.sentences.hops import of_delayed_hops
from hopscope_dashboard.sentences.sentence import lead

OVER_TIME = "edge-over-time"
DELAYS = "delayed-hops"
TREE = "delayed-hop-tree"
HOP_CARD = "delayed-hop-chosen"
TABLE = "delayed-hops-table"

_LIMITS: Final = {"20": "20", "10": "10", "50": "50"}
"""Numbers of hops to choose from; the first is the command's default."""
_COLUMNS: Final = (
    "src dst role", "link", "collective", "took_ns", "usual_ns", "delay_ns", "moved_ns", "amplification", "ranks",
    "absorbed_ns absorbed_at", "behind",
)  # fmt: skip
"""The columns of the analysis that the table shows."""
_MARKS: Final = {
    "the delayed hop": CATEGORY_COLOURS["wan"],
    "where most was absorbed, and behind what": CATEGORY_COLOURS["compute"],
}


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects how many hops (`limit`), which of them is drawn (`hop`), and an `edge` whose
    hops are shown over time."""
    limit = allowed_word(query, "limit", tuple(_LIMITS))
    options = {value: _LIMITS[value] for value in sorted(_LIMITS, key=int)}
    rows = data.rows_or_none("delayed-hops", limit=int(limit))
    head = blocks.page_head(
        "Delayed hops",
        lead(of_delayed_hops(rows)),
        choice("Longest", "/delayed-hops", query, "limit", options=options, current=limit),
    )
    if not rows:
        return html.Div([head, *_over_time(data, query), _no_hop_card(data)])
    hop_id = number(query, "hop")
    hop = next((row for row in rows if row["hop_id"] == hop_id), rows[0])
    tree = _tree_of(data, hop)
    marked = None if tree is None else _marked(data, tree, hop, query)
    widths = "minmax(0, 1fr)" if marked is not None and is_wide(marked) else "minmax(0, 1fr) minmax(0, 1fr)"
    return html.Div(
        [
            head,
            *_over_time(data, query),
            blocks.columns(_delays(rows), _hop_card(query, rows, hop, marked), widths=widths),
            _table(rows, limit),
        ]
    )


def _over_time(data: TraceData, query: Query) -> list[Component]:
    """A card with all hops of the edge that the address names, such as `edge=3-2`; empty if it names no edge."""
    if "edge" not in query:
        return []
    ends = re.fullmatch(r"(\d{1,9})-(\d{1,9})", query["edge"])
    if ends is None:
        raise InputError(f"edge is {query['edge']!r}; it takes the ranks of the two ends, as edge=3-2")
    rows = data.rows("edge-hops", src=int(ends[1]), dst=int(ends[2]))
    hops = sum(row["hops"] for row in rows)
    remark = "" if hops == len(rows) else " A dot is the longest hop of its time."
    title = f"Hops from rank {ends[1]} to rank {ends[2]} over time"
    return [
        blocks.card(
            title,
            blocks.drawing(title, over_time(rows), name=OVER_TIME),
            dcc.Link("See the longest delays of all edges", href="/delayed-hops"),
            hint=f"{quantities.plural(hops, 'hop')} over {rows[0]['link']}, each at its send time.{remark} "
            "Drag to select a time, double-click to clear it.",
        )
    ]


def _no_hop_card(data: TraceData) -> Component:
    if not data.has_hops:
        words: list[Any] = [
            "Without hops, nothing is known of what a message took: ",
            dcc.Link("Algorithms and trees", href="/tree"),
            " says how to get them.",
        ]
        return empty.nothing_to_draw("No hops", words)
    return empty.nothing_to_draw(
        "No delayed hop",
        f"{data.scope} has no edge on which ranks waited for 5 hops, one of them slower than the median.",
    )


def _delays(rows: Rows) -> Component:
    return blocks.card(
        "What became of the delays",
        blocks.drawing("Delay of each hop, moved on and absorbed", delays(rows), name=DELAYS),
        meaning="A delay is the time beyond the median of the edge. Moved the end: how much earlier the last rank "
        "would have left without the delay, in a replay.",
    )


def _hop_card(query: Query, rows: Rows, hop: Row, marked: Graph | None) -> Component:
    options = {str(row["hop_id"]): hop_name(row) for row in rows}
    hop_list = html.Div(select("Hop", query, "hop", options=options, current=str(hop["hop_id"])), className="selects")
    description = html.P(_words(hop), className="reason")
    if marked is None:
        hint = html.P("This hop follows no tree that the trace names.", className="hint")
        card = blocks.card("One of them", hop_list, description, hint)
    else:
        card = blocks.card(
            "One of them, on its tree",
            hop_list,
            description,
            links_legend(),
            blocks.legend(_MARKS, {}),
            graph(marked, name=TREE, label=f"Hop {hop_name(hop)} on its tree"),
        )
    hop_id = str(hop["hop_id"])
    return reveal(card, name=HOP_CARD, subject_key=hop_id, is_selected=query.get("hop") == hop_id)


def _marked(data: TraceData, tree: RanTree, hop: Row, query: Query) -> Graph:
    delayed, absorber, delaying_edge = (hop["src"], hop["dst"]), hop["absorbed_at"], _edge(hop["behind"])
    placed = placed_tree(
        ranks=data.ranks,
        parents=tree.parents[hop["role"]],
        edges={},
        role=hop["role"],
        fold=Fold.from_query(query, separate_ranks={*delayed, absorber, *(delaying_edge or ())}),
    )
    return with_delay(placed, delayed=delayed, absorber=absorber, delaying_edge=delaying_edge)


def _tree_of(data: TraceData, hop: Row) -> RanTree | None:
    """The tree that the hop's collective ran over and that has the hop as an edge; None if there is none."""
    comm = int(hop["collective"].partition(":")[0])
    child, parent = (hop["src"], hop["dst"]) if hop["role"] == "up" else (hop["dst"], hop["src"])
    return next(
        (
            tree
            for tree in trees(data)
            if tree.comm == comm and tree.name == hop["tree"] and tree.parents.get(hop["role"], {}).get(child) == parent
        ),
        None,
    )


def _edge(cause: str | None) -> tuple[int, int] | None:
    """The sender and the receiver in a name of the analysis such as `hop 4->0`; None if the name is not that of a
    hop."""
    match = re.fullmatch(r"hop (\d+)->(\d+)", cause or "")
    return None if match is None else (int(match[1]), int(match[2]))


def _words(row: Row) -> str:
    absorbed = (
        f"Rank {row['absorbed_at']} absorbed {quantities.duration(row['absorbed_ns'])} behind {row['behind']}."
        if row["absorbed_at"] is not None
        else ""
        if row["moved_ns"] == row["delay_ns"]
        else "The rest was absorbed."
    )
    took, usual, moved = quantities.alike("ns", row["took_ns"], row["usual_ns"], row["moved_ns"])
    return f"{took} instead of {usual}; delayed the collective by {moved}. {absorbed}"


def _table(rows: Rows, limit: str) -> Component:
    body = [
        [
            [
                mark(f"{row['src']} → {row['dst']}", hop_address(row), "draw it on its tree"),
                html.Small(f" {row['role'] or ''}"),
            ],
            blocks.chip(row["link"], LINK_COLOURS[row["link"]]),
            dcc.Link(row["collective"], href=leads.collective(row["collective"])),
            quantities.duration(row["took_ns"]),
            quantities.duration(row["usual_ns"]),
            quantities.duration(row["delay_ns"]),
            quantities.duration(row["moved_ns"]),
            quantities.number(row["amplification"]),
            row["ranks"],
            quantities.MISSING
            if row["absorbed_at"] is None
            else [f"{quantities.duration(row['absorbed_ns'])} at ", rank(row["absorbed_at"])],
            html.Span((row["behind"] or quantities.MISSING).replace("->", " → "), className="whole"),
        ]
        for row in rows
    ]
    columns = [
        "hop", "link", "collective", "took", "usually", "delay", "moved the end", "amplifi\u00adcation",
        "ranks earlier", "most absorbed", "behind",
    ]  # fmt: skip
    return blocks.card(
        "In numbers",
        blocks.table(
            columns,
            body,
            name=TABLE,
            right=range(3, 10),
            last=(4, 8),
            full=exports.csv_address("delayed-hops", limit=limit),
            meanings=meanings("delayed-hops", *_COLUMNS),
        ),
    )


PAGE = Page(path="/delayed-hops", title="Delayed hops", section="Communication", layout=layout, lacks=missing.hops)
