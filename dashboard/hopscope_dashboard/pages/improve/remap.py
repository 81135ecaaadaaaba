"""Page Other trees: the gain of each candidate, and the file of the suggested tree."""

from typing import Any

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import tune_command

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.graph import graph, is_wide, links_legend, shares_legend
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.data.trace import Row, Suggestion, TraceData
from hopscope_dashboard.figures.candidates import candidate_bars
from hopscope_dashboard.figures.graphs.graph import Graph
from hopscope_dashboard.figures.graphs.tree import Fold, placed_tree
from hopscope_dashboard.navigation import frame
from hopscope_dashboard.navigation.address import Query, allowed_word, parse
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.communication.trees import between_clusters, suggested_parents, trees, weights

CANDIDATES = "remap-candidates"
CHART = "remap-chart"
DOWNLOAD = "remap-download"
DOWNLOAD_BUTTON = "remap-download-button"
BASELINE = "remap-before"
SUGGESTED_TREE = "remap-after"

_ROLES = {"up": "up", "down": "down"}
_CANDIDATE = "remap-candidate"
"""Prefix of the id of a candidate's name in the table; the candidate's number follows."""
_CHART_LIMIT = 12
_NO_DRAWING = "No drawing: the collector builds the tree when it runs."
_NO_SHAPE = "This algorithm is not a tree."
_NO_TREE = "The MPI library's own algorithm ran: "


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects the `role` of the trees that are drawn."""
    if not data.has_hops:
        return html.Div(
            [
                blocks.page_head("Other trees", None),
                empty.nothing_to_draw(
                    "No hops",
                    [
                        "Without hops, nothing is known of what a message costs on each link: ",
                        dcc.Link("Algorithms and trees", href="/tree"),
                        " says how to get them.",
                    ],
                ),
            ]
        )
    role = allowed_word(query, "role", tuple(_ROLES))
    suggestion = data.remap()
    first, dot, rest = suggestion.sentence.partition(". ")
    return html.Div(
        [
            blocks.page_head(
                "Other trees",
                html.Strong(blocks.with_code(first + dot.strip())),
                choice("Trees drawn", "/remap", query, "role", options=_ROLES, current=role),
            ),
            dcc.Download(id=DOWNLOAD),
            _file(data, suggestion, rest),
            _comparison(data, suggestion, role, Fold.from_query(query)),
            _candidates(data, suggestion),
        ]
    )


def _file(data: TraceData, suggestion: Suggestion, rest: str) -> Component | None:
    """The command and file of the suggestion, with remarks folded."""
    if suggestion.tree_file is None:
        return blocks.card(None, meaning=blocks.with_code(rest)) if rest else None
    button = html.Button([icon("download"), "Download tree.json"], id=DOWNLOAD_BUTTON, className="button primary")
    return blocks.card(
        None,
        html.Div(button, style={"margin": "12px 0 4px"}),
        blocks.code(data.suggested_tree().command or ""),
        meaning=[*blocks.with_code(rest), " Run the same program with this tree; do not recompile."],
    )


def _number(value: int | None) -> str:
    return quantities.MISSING if value is None else str(value)


def _comparison(data: TraceData, suggestion: Suggestion, role: str, fold: Fold) -> Component:
    ran_trees = [] if suggestion.is_native else trees(data)
    baseline_parents = ran_trees[0].parents.get(role) if ran_trees else None
    new_parents = suggested_parents(data, suggestion, role)
    best = suggestion.candidates[0]
    edges = {(row["src"], row["dst"]): row for row in weights(data, ran_trees[0], role)} if ran_trees else {}
    placed_trees = {
        name: placed_tree(ranks=data.ranks, parents=parents, edges=tree_edges, role=role, fold=fold)
        for name, parents, tree_edges in ((BASELINE, baseline_parents, edges), (SUGGESTED_TREE, new_parents, {}))
        if parents
    }
    title = (
        f"Baseline: {ran_trees[0].name}"
        if ran_trees
        else "Baseline: the MPI library"
        if suggestion.is_native
        else "Baseline"
    )
    missing = (
        [_NO_TREE, dcc.Link("Algorithms and trees", href="/tree"), " shows who sent to whom."]
        if suggestion.is_native
        else _NO_DRAWING
    )
    instead = missing if best["baseline"] else _NO_SHAPE
    return blocks.columns(
        _tree_card(data, title, baseline_parents, placed_trees, edges=edges, name=BASELINE, missing=missing),
        _tree_card(
            data,
            _suggestion_title(best, suggestion),
            new_parents,
            placed_trees,
            edges={},
            name=SUGGESTED_TREE,
            missing=instead,
        ),
        widths="minmax(0, 1fr)" if any(map(is_wide, placed_trees.values())) else "1fr 1fr",
    )


def _suggestion_title(best: Row, suggestion: Suggestion) -> str:
    if best["baseline"]:
        return "Best of all: the baseline"
    return f"{'Suggested' if best['chosen'] else 'Best candidate'}: {best['name']}"


def _tree_card(
    data: TraceData,
    title: str,
    parents: dict[int, int | None] | None,
    placed_trees: dict[str, Graph],
    *,
    edges: dict[Any, Row],
    name: str,
    missing: blocks.Content,
) -> Component:
    if not parents:
        return empty.nothing_to_draw(title, missing)
    return blocks.card(
        title,
        links_legend(),
        shares_legend(placed_trees[name].largest_share) if edges else html.Div(),
        graph(placed_trees[name], name=name, label=title, has_run=name == BASELINE),
        hint=between_clusters(data.ranks, parents),
    )


def _candidates(data: TraceData, suggestion: Suggestion) -> Component:
    rows = [
        [
            html.Span(_candidate_name(row), id=f"{_CANDIDATE}-{position}"),
            *_times(row),
            *(_number(row[name]) for name in ("depth", "wan_crossings", "wan_messages")),
        ]
        for position, row in enumerate(suggestion.candidates)
    ]
    predicted = [row for row in suggestion.candidates if row["predicted_ns"] is not None][:_CHART_LIMIT]
    places = [suggestion.candidates.index(row) for row in predicted]
    bars = candidate_bars(predicted, [f"#{_CANDIDATE}-{position}" for position in places])
    titles = ["candidate", "predicted", "interval", "gain", "depth", "WAN in a row", "WAN messages"]
    return blocks.card(
        "Candidates",
        blocks.drawing("Predicted time per iteration by candidate", bars, name=CHART),
        blocks.table(titles, rows, name=CANDIDATES, right=range(1, 7)),
        hint=blocks.with_code(
            f"A measurement decides: run `{tune_command(data.run, '--engine')}`. "
            "The dashed line is the run itself."
            + (f" The picture shows the first {len(predicted)} of {len(rows)}." if len(rows) > len(predicted) else "")
        ),
    )


def _times(row: Row) -> list[str]:
    """The prediction, its interval and the gain, or words for a missing prediction."""
    if row["predicted_ns"] is None:
        return ["not predicted", quantities.MISSING, quantities.MISSING]
    interval = quantities.interval(row["predicted_low_ns"], row["predicted_high_ns"], "ns")
    return [quantities.duration(row["predicted_ns"]), interval, quantities.share(row["gain"])]


def _candidate_name(row: Row) -> blocks.Content:
    """A candidate's name, with what its prediction extrapolates, or why it has no prediction."""
    name = row["name"] + (" (suggested)" if row["chosen"] else "")
    remark = row["not_predicted"] or (f"not measured: {row['extrapolates']}" if row["extrapolates"] else None)
    return [name, html.Small(f", {remark}")] if remark else name


def register(app: Dash, traces: Traces) -> None:
    """Register the callback that sends the tree file."""

    @app.callback(
        Output(DOWNLOAD, "data"),
        Input(DOWNLOAD_BUTTON, "n_clicks"),
        State(frame.ADDRESS, "search"),
        prevent_initial_call=True,
    )
    def download(clicks: int | None, search: str | None) -> Any:
        text = traces.named_trace(parse(search)).remap().tree_file if clicks else None
        return no_update if text is None else dcc.send_string(text, "tree.json")

    del download


PAGE = Page(
    path="/remap",
    title="Other trees",
    section="Improve",
    layout=layout,
    is_drawn_ahead=False,
    register=register,
    follows_selection=False,
    lacks=missing.hops,
)
