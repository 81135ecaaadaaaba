"""What an edge of the tree carried, said under the drawing."""

from typing import Any

from dash import Dash, Input, Output

from hopscope_dashboard import units
from hopscope_dashboard.components.tree_graph import GRAPH
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages.tree import ids
from hopscope_dashboard.pages.tree.layout import HOW_TO_READ
from hopscope_dashboard.palette import LINK_MEANINGS


def register(app: Dash, data: TraceData) -> None:
    """Register the callbacks of this page."""

    @app.callback(Output(ids.EDGE, "children"), Input({"type": GRAPH, "name": ids.TREE}, "mouseoverEdgeData"))
    def say_edge(edge: dict[str, Any] | None) -> str:
        if not edge:
            return HOW_TO_READ
        found = [row for row in data.rows("tree-edges") if (row["src"], row["dst"]) == (edge["src"], edge["dst"])]
        told = f"Rank {edge['src']} to rank {edge['dst']} ({edge['link']}, {LINK_MEANINGS[edge['link']]})"
        if not found:
            return f"{told}: carried no hop."
        row = found[0]
        return (
            f"{told}: {units.plural(row['hops'], 'hop')} of {units.duration(row['took_ns'])} (median); "
            f"{units.duration(row['time_ns'])} on the critical path, {units.share(row['share'])} of it."
        )

    del say_edge
