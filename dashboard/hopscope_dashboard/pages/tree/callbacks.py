"""What an edge of the tree carried, said under the drawing."""

from typing import Any

from dash import Dash, Input, Output, State, ctx

from hopscope_dashboard import units
from hopscope_dashboard.address import one_of, parse
from hopscope_dashboard.components import shell
from hopscope_dashboard.components.tree_graph import GRAPH
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages.tree import ids
from hopscope_dashboard.pages.tree.layout import HOW_TO_READ, choose
from hopscope_dashboard.palette import LINK_MEANINGS
from hopscope_dashboard.trees import trees, weights


def register(app: Dash, data: TraceData) -> None:
    """Register the callbacks of this page."""

    @app.callback(
        Output(ids.EDGE, "children"),
        Input({"type": GRAPH, "name": ids.TREE}, "mouseoverEdgeData"),
        Input({"type": GRAPH, "name": ids.TREE}, "tapEdgeData"),
        State(shell.ADDRESS, "search"),
    )
    def say_edge(pointed: dict[str, Any] | None, tapped: dict[str, Any] | None, search: str | None) -> str:
        edge = tapped if any(key.endswith("tapEdgeData") for key in ctx.triggered_prop_ids) else pointed or tapped
        if not edge:
            return HOW_TO_READ
        query = parse(search)
        tree = choose(trees(data), query)
        rows = weights(data, tree, one_of(query, "phase", tuple(tree.parents)))
        found = [row for row in rows if (row["src"], row["dst"]) == (edge["src"], edge["dst"])]
        told = f"Rank {edge['src']} to rank {edge['dst']} ({edge['link']}, {LINK_MEANINGS[edge['link']]})"
        if not found:
            return f"{told}: carried no hop."
        row = found[0]
        return (
            f"{told}: {units.plural(row['hops'], 'hop')} of {units.duration(row['took_ns'])} (median); "
            f"{units.duration(row['time_ns'])} on the critical path, {units.share(row['share'])} of it."
        )

    del say_edge
