"""The tree that ran, drawn on hosts and clusters, and the weight of each of its edges."""

from typing import Final

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard import units
from hopscope_dashboard.address import Query, link, one_of
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.tree_graph import tree_graph
from hopscope_dashboard.data import Rows, TraceData
from hopscope_dashboard.figures.topology_tree import crossings, elements
from hopscope_dashboard.findings import most_in_a_row
from hopscope_dashboard.pages.tree import ids
from hopscope_dashboard.palette import LINK_COLOURS, LINK_MEANINGS
from hopscope_dashboard.trees import RanTree, trees

HOW_TO_READ: Final = "Point at an edge to see what it carried."
_PHASES: Final = {"up": "up, to the root", "down": "down, from the root"}
_MOST_TREES: Final = 6


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects `phase` (up or down) and `tree`."""
    edges = data.rows_or_none("tree-edges")
    ran = trees(data)
    if not edges:
        return empty.no_hops("Tree on the topology", _call_level(data))
    if not ran:
        return html.Div(
            [_head(), _edges(edges, "The hops of this trace follow no tree that it names; these are their edges.")]
        )
    chosen = next((tree for tree in ran if tree.key == query.get("tree")), ran[0])
    phase = one_of(query, "phase", tuple(phase for phase in _PHASES if phase in chosen.parents))
    phases = {name: text for name, text in _PHASES.items() if name in chosen.parents}
    controls = [choice("Phase", "/tree", query, "phase", options=phases, current=phase)]
    if len(ran) > 1:
        names = {tree.key: tree.title for tree in ran[:_MOST_TREES]}
        controls.insert(0, choice("Tree", "/tree", query, "tree", options=names, current=chosen.key))
    return html.Div(
        [
            _head(*controls),
            blocks.columns(
                _drawing(data, chosen, phase, edges),
                _edges([row for row in edges if row["phase"] == phase]),
                widths="minmax(0, 1fr) 410px",
            ),
        ]
    )


def _head(*controls: Component) -> Component:
    return blocks.page_head(
        "Tree on the topology",
        "Who sends to whom, on which host and in which cluster, and which edges the run waits for.",
        *controls,
    )


def _drawing(data: TraceData, tree: RanTree, phase: str, edges: Rows) -> Component:
    parents = tree.parents[phase]
    cluster_of = {row["rank"]: row["cluster"] for row in data.ranks}
    weights = {(row["src"], row["dst"]): row for row in edges if row["phase"] == phase}
    drawn = elements(ranks=data.ranks, parents=parents, edges=weights, phase=phase)
    across = crossings(data.ranks, parents)
    return blocks.card(
        tree.title,
        blocks.legend(LINK_COLOURS, LINK_MEANINGS, ("shm", "lan", "wan")),
        tree_graph(
            drawn,
            name=ids.TREE,
            label=f"Tree {tree.title}, phase {phase}",
            width=520,
        ),
        html.Div(HOW_TO_READ, id=ids.EDGE, className="edge-detail"),
        hint=f"{units.plural(across, 'edge')} between clusters, up to {most_in_a_row(parents, cluster_of)} "
        "in a row. The wider an edge, the more of the "
        "critical path runs over it; dashed edges are never on it. The root has the thick ring.",
    )


def _edges(edges: Rows, hint: str = "") -> Component:
    rows = [
        [
            f"{row['src']} → {row['dst']}",
            blocks.chip(row["link"], LINK_COLOURS[row["link"]]),
            units.count(row["hops"]),
            units.duration(row["took_ns"]),
            units.duration(row["time_ns"]),
            units.share(row["share"]),
        ]
        for row in edges
    ]
    return blocks.card(
        "Edges, heaviest first",
        blocks.table(["edge", "link", "hops", "median", "on path", "share"], rows, name=ids.EDGES, right=(2, 3, 4, 5)),
        hint=hint or "Median: of one hop, send to receive. On path and share: of the critical path of the whole run.",
    )


def _call_level(data: TraceData) -> Component:
    rows = [
        [
            dcc.Link(row["collective"], href=link("/collective", comm=row["comm"], seq=row["seq"])),
            row["operation"],
            units.duration(row["duration_ns"]),
            units.duration(row["after_last_enter_ns"]),
            units.MISSING if row["last_rank"] is None else row["last_rank"],
        ]
        for row in data.rows("collectives", order="worst", limit=10)
    ]
    links = [
        dcc.Link(text, href=path, className="button")
        for path, text in (
            ("/last-arrivals", "Last arrivals"),
            ("/noise", "Noise"),
            ("/collectives", "All collectives"),
        )
    ]
    return blocks.card(
        "What is known of whole calls",
        blocks.table(
            ["collective", "operation", "duration", "after last enter", "last in"],
            rows,
            name="call-level",
            right=(2, 3, 4),
        ),
        html.Div(links, className="page-head-aside", style={"marginTop": 14}),
        hint="The ten slowest collectives. Who came last and what it cost is known without hops.",
    )
