"""What remapping found: the verdict with the tree file, before and after side by side, and every candidate."""

import shlex
from typing import Any

from dash import html
from dash.development.base_component import Component

from hopscope_dashboard import units
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.components.tree_graph import is_wide, links_legend, shares_legend, tree_graph
from hopscope_dashboard.data import Row, Suggestion, TraceData
from hopscope_dashboard.figures.candidates import candidate_bars
from hopscope_dashboard.figures.topology_tree import PlacedTree, heaviest, placed_tree
from hopscope_dashboard.pages.remap import ids
from hopscope_dashboard.trees import between_clusters, suggested_parents, trees, weights

_SHOWN = 12


def result(data: TraceData, phase: str) -> Component:
    """Give the page's content. Raises InputError where the trace cannot be replayed."""
    found = data.remap()
    return html.Div(
        [_verdict(data, found), _key_figures(found), _before_and_after(data, found, phase), _candidates(found)]
    )


def _verdict(data: TraceData, found: Suggestion) -> Component:
    if found.tree_file is None:
        return blocks.note(html.Strong(found.sentence))
    button = html.Button([icon("download"), "Download tree.json"], id=ids.DOWNLOAD_BUTTON, className="button primary")
    return blocks.card(
        "Suggestion",
        html.P(found.sentence, className="reason"),
        html.Div(button, style={"margin": "12px 0 4px"}),
        blocks.code(_command(data)),
        hint="Run the same program under it; nothing is compiled again. The prediction holds for the run "
        "that was replayed.",
    )


def _command(data: TraceData) -> str:
    # Without its topology the same run would have its ranks on other hosts and clusters, and no emulated links.
    topology = "" if data.topology_path is None else f"--topology {shlex.quote(data.topology_path)} "
    run = data.run
    return f"hopscope run {topology}--tree tree.json -- mpirun -n {run['ranks']} {run['command'] or './app'}"


def _key_figures(found: Suggestion) -> Component:
    best, today = found.candidates[0], next((row for row in found.candidates if row["today"]), None)
    spread = f"{units.duration(best['predicted_low_ns'])} to {units.duration(best['predicted_high_ns'])}"
    figures = [
        ("Measured today", units.duration(best["measured_ns"]), "per iteration, in the run itself"),
        (
            "Today, replayed",
            units.duration(today["predicted_ns"] if today is not None else None),
            f"by the model, which errs by {units.share(best['model_error'])}",
        ),
        ("Predicted", units.duration(best["predicted_ns"]), f"by the same model; {spread} with the costs' uncertainty"),
        ("Gain", _gain(best["gain"]), "predicted against today, replayed"),
        (
            "WAN in a row",
            f"{_today(today, 'wan_crossings')} → {best['wan_crossings']}",
            "to the root and back, worst way",
        ),
    ]
    return blocks.key_figures(figures)


def _today(today: Row | None, column: str) -> str:
    return units.MISSING if today is None else str(today[column])


def _before_and_after(data: TraceData, found: Suggestion, phase: str) -> Component:
    ran = trees(data)
    before = ran[0].parents.get(phase) if ran else None
    after = suggested_parents(data, found, phase)
    best = found.candidates[0]
    edges = {(row["src"], row["dst"]): row for row in weights(data, ran[0], phase)} if ran else {}
    laid_out = {
        name: placed_tree(ranks=data.ranks, parents=parents, edges=shown, phase=phase)
        for name, parents, shown in ((ids.BEFORE, before, edges), (ids.AFTER, after, {}))
        if parents
    }
    today = f"Today: {ran[0].name}" if ran else "Today"
    return blocks.columns(
        _drawn(data, today, before, laid_out, edges=edges, phase=phase, name=ids.BEFORE),
        _drawn(data, _after(best), after, laid_out, edges={}, phase=phase, name=ids.AFTER),
        widths="minmax(0, 1fr)" if any(map(is_wide, laid_out.values())) else "1fr 1fr",
    )


def _after(best: Row) -> str:
    if best["today"]:
        return "Best of all: today's tree"
    return f"{'Suggested' if best['chosen'] else 'Best candidate'}: {best['name']}"


def _drawn(
    data: TraceData,
    title: str,
    parents: dict[int, int | None] | None,
    laid_out: dict[str, PlacedTree],
    *,
    edges: dict[Any, Row],
    phase: str,
    name: str,
) -> Component:
    if not parents:
        return empty.nothing_here(
            title, "This tree has no drawing: its file names a shape that the collector builds when it runs."
        )
    return blocks.card(
        title,
        links_legend(),
        shares_legend(heaviest(parents, edges, phase)) if edges else html.Div(),
        tree_graph(laid_out[name], name=name, label=title),
        hint=between_clusters(data.ranks, parents),
    )


def _candidates(found: Suggestion) -> Component:
    rows = [
        [
            row["name"] + (" (suggested)" if row["chosen"] else ""),
            units.duration(row["predicted_ns"]),
            f"{units.duration(row['predicted_low_ns'])} to {units.duration(row['predicted_high_ns'])}",
            _gain(row["gain"]),
            row["depth"],
            row["fan_out"],
            row["wan_crossings"],
            row["wan_messages"],
            row["unmeasured_pairs"],
        ]
        for row in found.candidates
    ]
    structure = ["depth", "fan-out", "WAN in a row", "WAN messages", "unmeasured pairs"]
    return blocks.card(
        "Candidates, the best first",
        blocks.drawing(
            "Predicted time per iteration by tree", candidate_bars(found.candidates[:_SHOWN]), name=ids.CHART
        ),
        blocks.table(["tree", "predicted", "spread", "gain", *structure], rows, name=ids.CANDIDATES, right=range(1, 9)),
        hint="The suggested tree comes first, then the fastest. A tree over pairs of hosts that no hop measured is a "
        "guess: its spread is that of the measured links, and such a link may be slower than any of them. The dashed "
        "line is what the run measured over today's tree; gains are against the replay of today's tree, so that "
        "like is compared with like.",
    )


def _gain(value: float) -> str:
    return units.share(value) if value >= 0 else f"{units.share(-value)} slower"
