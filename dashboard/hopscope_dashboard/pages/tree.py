"""The tree that ran, drawn on hosts and clusters, and the weight of each of its edges; or what the MPI library did."""

from collections.abc import Sequence
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import ROLES

from hopscope_dashboard import algorithms, leads
from hopscope_dashboard.address import Query, link, one_of
from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.select import select
from hopscope_dashboard.components.tree_graph import is_wide, links_legend, shares_legend, tree_graph
from hopscope_dashboard.data import InputError, Rows, TraceData, meanings
from hopscope_dashboard.figures.folded_tree import Fold, drawn_tree
from hopscope_dashboard.figures.topology_tree import PlacedTree
from hopscope_dashboard.pages import missing, what_ran
from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.sentences.algorithms import of_algorithms, of_settings
from hopscope_dashboard.sentences.sentence import lead
from hopscope_dashboard.trees import RanTree, between_clusters, trees, weights

_TITLE: Final = "Algorithms and trees"
TREE = "tree-graph"
EDGES = "tree-edges-table"
COUNT = "tree-count"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page.

    The address selects `comm`, `tree` and `root` of a tree that ran, or the `collective` (COMM:SEQ) whose algorithm is
    drawn, and `role` (up, down or exchange). If it selects nothing, trees come before algorithms.
    """
    if not data.number_of_collectives:
        return empty.no_collectives(_TITLE, "There is no collective.", data.shown)
    edges = data.rows_or_none("tree-edges")
    if not edges:
        return empty.no_hops(_TITLE, _call_level(data), data.run["native_off"])
    ran, rows = trees(data), algorithms.ran(data)
    if "collective" in query or not ran:
        return _what_ran(data, rows, edges, query, trees_too=bool(ran))
    chosen = choose(ran, query)
    exchanged = [row for row in edges if row["role"] == "exchange"]
    there = {*chosen.parents, *(("exchange",) if exchanged else ())}
    roles = {word: f"{word}, {meaning}" for word, meaning in ROLES.items() if word in there}
    role = one_of(query, "role", tuple(roles))
    controls = choice("Role", "/tree", query, "role", options=roles, current=role)
    if role == "exchange":
        hint = "These hops run between peers and follow no tree; their edges over all communicators."
        return html.Div([_head(data, rows, controls), _edges(exchanged, hint), what_ran.table(rows)])
    weighed = weights(data, chosen, role)
    by_edge = {(row["src"], row["dst"]): row for row in weighed}
    parents = chosen.parents[role]
    drawn = drawn_tree(ranks=data.ranks, parents=parents, edges=by_edge, role=role, fold=Fold.of(query))
    return html.Div(
        [
            _head(data, rows, controls, *_often(chosen, rows)),
            _which(ran, chosen, query),
            blocks.columns(
                _drawing(data, chosen, role, drawn),
                _edges(weighed),
                widths="minmax(0, 1fr)" if is_wide(drawn) else what_ran.BESIDE,
            ),
            what_ran.table(rows),
        ]
    )


def _what_ran(data: TraceData, rows: Rows, edges: Rows, query: Query, *, trees_too: bool) -> Component:
    """What ran inside the collectives, whoever chose it."""
    chosen = algorithms.choose(data, rows, query)
    hint = "Of all collectives of the trace."
    if chosen is None:
        return html.Div([_head(data, rows), _edges(edges, hint)])
    back = [dcc.Link("trees that ran", href="/tree", className="button")] if trees_too else []
    return html.Div(
        [
            _head(data, rows, *what_ran.role_choice(chosen, query), *back),
            what_ran.selects(data, rows, chosen, query),
            what_ran.picture(data, chosen, query),
            what_ran.table(rows),
            _edges(edges, hint),
        ]
    )


def choose(ran: Sequence[RanTree], query: Query) -> RanTree:
    """Give the tree that the address names; what it leaves open is the first that there is.

    Raises InputError where it names one that did not run.
    """
    found = [
        tree
        for tree in ran
        if query.get("comm", str(tree.comm)) == str(tree.comm)
        and query.get("tree", tree.name) == tree.name
        and query.get("root", str(tree.root)) == str(tree.root)
    ]
    if not found:
        named = ", ".join(f"{name}={query[name]}" for name in ("comm", "tree", "root") if name in query)
        raise InputError(
            f"No tree of this trace is the one of the address ({named}). The page Algorithms and trees lists "
            f"the {quantities.plural(len(ran), 'tree')} that ran"
        )
    return found[0]


def _which(ran: Sequence[RanTree], chosen: RanTree, query: Query) -> Component:
    """Lists by which every tree that ran can be reached; nothing where there is only one."""
    if len(ran) == 1:
        return html.Div()
    on_comm = [tree for tree in ran if tree.comm == chosen.comm]
    named = [tree for tree in on_comm if tree.name == chosen.name]
    given = {"comm": str(chosen.comm), "tree": chosen.name, "root": str(chosen.root)}
    asked = {**{name: value for name, value in query.items() if name not in given}, **given}
    comms = {str(tree.comm): tree.comm_name for tree in ran}
    names = {tree.name: tree.name for tree in on_comm}
    roots = {str(tree.root): f"rank {tree.root}" for tree in named}
    return html.Div(
        [
            select(
                "Communicator", asked, "comm", options=comms, current=given["comm"], without=("tree", "root", "role")
            ),
            select("Tree", asked, "tree", options=names, current=given["tree"], without=("root", "role")),
            select("Root", asked, "root", options=roots, current=given["root"]),
            html.Span(
                f"Tree {ran.index(chosen) + 1} of {quantities.number(len(ran))} that ran.",
                className="hint",
                id=COUNT,
            ),
        ],
        className="selects",
    )


def _often(tree: RanTree, rows: Rows) -> list[Component]:
    """Lead to the algorithm that ran most often where the MPI library chose: it need not run along a tree."""
    often = [row for row in rows if row["ranks"] > 1][:1] if tree.is_native else []
    return [
        dcc.Link("algorithms that ran", href=link("/tree", collective=row["first"]), className="button")
        for row in often
    ]


def _head(data: TraceData, rows: Rows, *controls: Component) -> Component:
    """What ran in one sentence, after what of the user's settings the MPI library ignored."""
    return blocks.page_head(_TITLE, lead(of_settings(rows), of_algorithms(rows, data.run["clusters"])), *controls)


def _drawing(data: TraceData, tree: RanTree, role: str, drawn: PlacedTree) -> Component:
    return blocks.card(
        tree.title,
        links_legend(),
        shares_legend(drawn.most),
        tree_graph(
            drawn,
            name=TREE,
            label=f"Tree {tree.title}, role {role}",
        ),
        hint=f"{between_clusters(data.ranks, tree.parents[role])} The root has the thick ring.",
    )


def _edges(edges: Rows, hint: str = "") -> Component:
    return what_ran.edges_table(
        edges,
        name=EDGES,
        hint=hint,
        rest="analyze tree-edges",
        full=exports.csv_address("tree-edges"),
    )


def _call_level(data: TraceData) -> Component:
    rows = [
        [
            dcc.Link(row["collective"], href=leads.collective(row["collective"])),
            row["operation"],
            quantities.duration(row["duration_ns"]),
            quantities.duration(row["after_last_enter_ns"]),
            quantities.MISSING if row["last_rank"] is None else row["last_rank"],
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
            full=exports.csv_address("collectives"),
            meanings=meanings(
                "collectives", "collective", "operation", "duration_ns", "after_last_enter_ns", "last_rank"
            ),
        ),
        html.Div(links, className="page-head-aside", style={"marginTop": 14}),
        hint="The ten slowest collectives.",
    )


PAGE = Page(path="/tree", title="Algorithms and trees", section="Communication", layout=layout, lacks=missing.hops)
