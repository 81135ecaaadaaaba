"""Which tree would be better, by how much, and its file."""

from typing import Any

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from hopscope import quantities

from hopscope_dashboard.address import Query, one_of, parse
from hopscope_dashboard.components import blocks, empty, shell
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.components.tree_graph import is_wide, links_legend, shares_legend, tree_graph
from hopscope_dashboard.data import Row, Suggestion, TraceData
from hopscope_dashboard.figures.candidates import candidate_bars
from hopscope_dashboard.figures.folded_tree import Fold, drawn_tree
from hopscope_dashboard.figures.topology_tree import PlacedTree
from hopscope_dashboard.pages import missing
from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.traces import Traces
from hopscope_dashboard.trees import between_clusters, suggested_parents, trees, weights

CANDIDATES = "remap-candidates"
CHART = "remap-chart"
DOWNLOAD = "remap-download"
DOWNLOAD_BUTTON = "remap-download-button"
BEFORE = "remap-before"
AFTER = "remap-after"

_ROLES = {"up": "up", "down": "down"}
_CANDIDATE = "remap-candidate"
"""Begins the id of a candidate's name in the table, which its place follows."""
_SHOWN = 12
_NO_DRAWING = "This has no drawing: its file names an algorithm, or a shape that the collector builds when it runs."
_NO_SHAPE = "This algorithm is no tree, so there is none to draw."
_NO_TREE = "The MPI library's own algorithm ran, which need not be a tree: the page "


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects the `role` of the trees that are drawn."""
    lead = (
        "What other trees and algorithms would have taken: the whole run replayed over each, "
        "with every rank's own computing."
    )
    if not data.has_hops:
        return html.Div(
            [
                blocks.page_head("Other trees", lead),
                empty.nothing_here(
                    "No hops",
                    [
                        "Without hops, nothing is known of what a message costs on each link: the page ",
                        dcc.Link("Algorithms and trees", href="/tree"),
                        " says how to get them.",
                    ],
                ),
            ]
        )
    role = one_of(query, "role", tuple(_ROLES))
    return html.Div(
        [
            blocks.page_head(
                "Other trees", lead, choice("Trees drawn", "/remap", query, "role", options=_ROLES, current=role)
            ),
            dcc.Download(id=DOWNLOAD),
            result(data, role, Fold.of(query)),
        ]
    )


def result(data: TraceData, role: str, fold: Fold) -> Component:
    """Give the page's content. Raises InputError where the trace cannot be replayed."""
    found = data.remap()
    return html.Div(
        [_verdict(data, found), _key_figures(found), _before_and_after(data, found, role, fold), _candidates(found)]
    )


def _verdict(data: TraceData, found: Suggestion) -> Component:
    if found.tree_file is None:
        return blocks.note(html.Strong(blocks.with_code(found.sentence)))
    button = html.Button([icon("download"), "Download tree.json"], id=DOWNLOAD_BUTTON, className="button primary")
    return blocks.card(
        "Suggestion",
        html.P(blocks.with_code(found.sentence), className="reason"),
        html.Div(button, style={"margin": "12px 0 4px"}),
        blocks.code(data.suggested_tree().command or ""),
        hint="Run the same program under it; nothing is compiled again. The prediction holds for the run "
        "that was replayed.",
    )


def _key_figures(found: Suggestion) -> Component:
    best, today = found.candidates[0], next((row for row in found.candidates if row["today"]), None)
    spread = quantities.interval(best["predicted_low_ns"], best["predicted_high_ns"], "ns")
    measured, replayed, predicted = quantities.alike(
        "ns", best["measured_ns"], None if today is None else today["predicted_ns"], best["predicted_ns"]
    )
    figures = [
        ("Measured today", measured, "per iteration, in the run itself"),
        (
            "Today, replayed",
            replayed,
            f"by the model, which errs by {quantities.share(best['model_error'])}",
        ),
        ("Predicted", predicted, f"by the same model; {spread} with the costs' uncertainty"),
        ("Gain", quantities.share(best["gain"]), "predicted against today, replayed"),
        (
            "WAN in a row",
            f"{_today(today, 'wan_crossings')} → {best['wan_crossings']}",
            "to the root and back, worst way",
        ),
    ]
    return blocks.key_figures(figures)


def _today(today: Row | None, column: str) -> str:
    return quantities.MISSING if today is None else str(today[column])


def _before_and_after(data: TraceData, found: Suggestion, role: str, fold: Fold) -> Component:
    ran = [] if found.is_native else trees(data)
    before = ran[0].parents.get(role) if ran else None
    after = suggested_parents(data, found, role)
    best = found.candidates[0]
    edges = {(row["src"], row["dst"]): row for row in weights(data, ran[0], role)} if ran else {}
    laid_out = {
        name: drawn_tree(ranks=data.ranks, parents=parents, edges=shown, role=role, fold=fold)
        for name, parents, shown in ((BEFORE, before, edges), (AFTER, after, {}))
        if parents
    }
    today = f"Today: {ran[0].name}" if ran else "Today: the MPI library" if found.is_native else "Today"
    missing = (
        [_NO_TREE, dcc.Link("Algorithms and trees", href="/tree"), " shows who sent to whom."]
        if found.is_native
        else _NO_DRAWING
    )
    instead = missing if best["today"] else _NO_SHAPE
    return blocks.columns(
        _drawn(data, today, before, laid_out, edges=edges, name=BEFORE, missing=missing),
        _drawn(data, _after(best, found), after, laid_out, edges={}, name=AFTER, missing=instead),
        widths="minmax(0, 1fr)" if any(map(is_wide, laid_out.values())) else "1fr 1fr",
    )


def _after(best: Row, found: Suggestion) -> str:
    if best["today"]:
        return "Best of all: the MPI library's algorithm" if found.is_native else "Best of all: today's tree"
    return f"{'Suggested' if best['chosen'] else 'Best candidate'}: {best['name']}"


def _drawn(
    data: TraceData,
    title: str,
    parents: dict[int, int | None] | None,
    laid_out: dict[str, PlacedTree],
    *,
    edges: dict[Any, Row],
    name: str,
    missing: blocks.Content,
) -> Component:
    if not parents:
        return empty.nothing_here(title, missing)
    return blocks.card(
        title,
        links_legend(),
        shares_legend(laid_out[name].most) if edges else html.Div(),
        tree_graph(laid_out[name], name=name, label=title, ran=name == BEFORE),
        hint=between_clusters(data.ranks, parents),
    )


def _candidates(found: Suggestion) -> Component:
    rows = [
        [
            html.Span(_named(row), id=f"{_CANDIDATE}-{at}"),
            quantities.duration(row["predicted_ns"]),
            quantities.interval(row["predicted_low_ns"], row["predicted_high_ns"], "ns"),
            quantities.share(row["gain"]),
            row["depth"],
            quantities.MISSING if row["fan_out"] is None else row["fan_out"],
            row["wan_crossings"],
            row["wan_messages"],
        ]
        for at, row in enumerate(found.candidates)
    ]
    bars = candidate_bars(found.candidates[:_SHOWN], [f"#{_CANDIDATE}-{at}" for at in range(len(rows))][:_SHOWN])
    structure = ["depth", "fan-out", "WAN in a row", "WAN messages"]
    return blocks.card(
        "Candidates, the best first",
        blocks.drawing("Predicted time per iteration by tree", bars, name=CHART),
        blocks.table(["tree", "predicted", "spread", "gain", *structure], rows, name=CANDIDATES, right=range(1, 8)),
        hint="The suggested tree comes first, then the fastest. What no hop measured is named beside a candidate, and "
        "its spread contains how slow that may be. The dashed line is what the run itself measured; gains are against "
        "the replay of what ran, so that like is compared with like."
        + (f" The picture shows the first {_SHOWN} of {len(rows)}." if len(rows) > _SHOWN else ""),
    )


_KINDS = {"pairs": "pair", "interfaces": "interface", "links": "link", "sizes": "size"}


def _named(row: Row) -> blocks.Content:
    """A candidate's name, with what makes its prediction a guess because no hop measured it."""
    name = row["name"] + (" (suggested)" if row["chosen"] else "")
    guessed = [
        quantities.plural(row[f"unmeasured_{kind}"], one) for kind, one in _KINDS.items() if row[f"unmeasured_{kind}"]
    ]
    return [name, html.Small(f", unmeasured: {quantities.in_words(guessed)}")] if guessed else name


def register(app: Dash, traces: Traces) -> None:
    """Register the callback that hands the tree file over."""

    @app.callback(
        Output(DOWNLOAD, "data"),
        Input(DOWNLOAD_BUTTON, "n_clicks"),
        State(shell.ADDRESS, "search"),
        prevent_initial_call=True,
    )
    def download(clicks: int | None, search: str | None) -> Any:
        text = traces.shown(parse(search)).remap().tree_file if clicks else None
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
