"""Page Algorithms and trees: a tree or another algorithm that ran, drawn on hosts and clusters, and its edges'
weights."""

from collections.abc import Sequence
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import ROLES

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.graph import graph, is_wide, links_legend, shares_legend
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import InputError, Rows, TraceData, meanings
from hopscope_dashboard.figures.graphs.graph import Graph
from hopscope_dashboard.figures.graphs.tree import Fold, placed_tree
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, allowed_word, link
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.communication import algorithms, what_ran
from hopscope_dashboard.pages.communication.trees import RanTree, between_clusters, trees, weights
from hopscope_dashboard.sentences.algorithms import of_algorithms, of_settings
from hopscope_dashboard.sentences.sentence import lead

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
        return empty.no_collectives(_TITLE, "There is no collective.", data.scope)
    edges = data.rows_or_none("tree-edges")
    if not edges:
        return empty.no_hops(_TITLE, _call_level(data), data.run["native_off"])
    ran_trees, rows = trees(data), algorithms.algorithm_rows(data)
    if "collective" in query or not ran_trees:
        return _algorithm_page(data, rows, edges, query, trees_too=bool(ran_trees))
    chosen_tree = choose(ran_trees, query)
    exchanged = [row for row in edges if row["role"] == "exchange"]
    role_words = {*chosen_tree.parents, *(("exchange",) if exchanged else ())}
    roles = {word: f"{word}, {meaning}" for word, meaning in ROLES.items() if word in role_words}
    role = allowed_word(query, "role", tuple(roles))
    controls = choice("Role", "/tree", query, "role", options=roles, current=role)
    if role == "exchange":
        hint = "These hops run between peers and follow no tree. The edges are those of all communicators."
        return html.Div([_head(data, rows, controls), _edges(exchanged, hint), what_ran.table(rows)])
    weighed = weights(data, chosen_tree, role)
    by_edge = {(row["src"], row["dst"]): row for row in weighed}
    parents = chosen_tree.parents[role]
    placed = placed_tree(ranks=data.ranks, parents=parents, edges=by_edge, role=role, fold=Fold.from_query(query))
    return html.Div(
        [
            _head(data, rows, controls, *_algorithm_link(chosen_tree, rows)),
            _tree_lists(ran_trees, chosen_tree, query),
            blocks.columns(
                _drawing(data, chosen_tree, role, placed),
                _edges(weighed),
                widths="minmax(0, 1fr)" if is_wide(placed) else what_ran.WIDTHS,
            ),
            what_ran.table(rows),
        ]
    )


def _algorithm_page(data: TraceData, rows: Rows, edges: Rows, query: Query, *, trees_too: bool) -> Component:
    """The page with an algorithm instead of a tree."""
    algorithm = algorithms.choose(data, rows, query)
    hint = "Of all collectives of the trace."
    if algorithm is None:
        return html.Div([_head(data, rows), _edges(edges, hint)])
    tree_link = [dcc.Link("trees that ran", href="/tree", className="button")] if trees_too else []
    return html.Div(
        [
            _head(data, rows, *what_ran.role_choice(algorithm, query), *tree_link),
            what_ran.selects(data, rows, algorithm, query),
            what_ran.picture(data, algorithm, query),
            what_ran.table(rows),
            _edges(edges, hint),
        ]
    )


def choose(ran_trees: Sequence[RanTree], query: Query) -> RanTree:
    """Give the first tree that matches the address.

    Raises InputError if the address names a tree that did not run.
    """
    matches = [
        tree
        for tree in ran_trees
        if query.get("comm", str(tree.comm)) == str(tree.comm)
        and query.get("tree", tree.name) == tree.name
        and query.get("root", str(tree.root)) == str(tree.root)
    ]
    if not matches:
        address_words = ", ".join(f"{name}={query[name]}" for name in ("comm", "tree", "root") if name in query)
        raise InputError(
            f"No tree that ran matches the address ({address_words}). The page Algorithms and trees lists "
            f"the {quantities.plural(len(ran_trees), 'tree')} that ran"
        )
    return matches[0]


def _tree_lists(ran_trees: Sequence[RanTree], chosen_tree: RanTree, query: Query) -> Component:
    """Lists in which the user can choose any tree that ran; empty if only one ran."""
    if len(ran_trees) == 1:
        return html.Div()
    on_comm = [tree for tree in ran_trees if tree.comm == chosen_tree.comm]
    named_trees = [tree for tree in on_comm if tree.name == chosen_tree.name]
    tree_key = {"comm": str(chosen_tree.comm), "tree": chosen_tree.name, "root": str(chosen_tree.root)}
    parameters = {**{name: value for name, value in query.items() if name not in tree_key}, **tree_key}
    comms = {str(tree.comm): tree.comm_name for tree in ran_trees}
    names = {tree.name: tree.name for tree in on_comm}
    roots = {str(tree.root): f"rank {tree.root}" for tree in named_trees}
    return html.Div(
        [
            select(
                "Communicator",
                parameters,
                "comm",
                options=comms,
                current=tree_key["comm"],
                dependents=("tree", "root", "role"),
            ),
            select("Tree", parameters, "tree", options=names, current=tree_key["tree"], dependents=("root", "role")),
            select("Root", parameters, "root", options=roots, current=tree_key["root"]),
            html.Span(
                f"Tree {ran_trees.index(chosen_tree) + 1} of {quantities.number(len(ran_trees))} that ran.",
                className="hint",
                id=COUNT,
            ),
        ],
        className="selects",
    )


def _algorithm_link(tree: RanTree, rows: Rows) -> list[Component]:
    """If the MPI library ran the tree, a link to its most frequent algorithm, which need not be a tree."""
    most_frequent = [row for row in rows if row["ranks"] > 1][:1] if tree.is_native else []
    return [
        dcc.Link("algorithms that ran", href=link("/tree", collective=row["first"]), className="button")
        for row in most_frequent
    ]


def _head(data: TraceData, rows: Rows, *controls: Component) -> Component:
    """The page's head, whose lead names the settings that the MPI library ignored, then the main algorithm."""
    return blocks.page_head(_TITLE, lead(of_settings(rows), of_algorithms(rows, data.run["clusters"])), *controls)


def _drawing(data: TraceData, tree: RanTree, role: str, placed: Graph) -> Component:
    return blocks.card(
        tree.title,
        links_legend(),
        shares_legend(placed.largest_share),
        graph(
            placed,
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
