"""What remapping found: the verdict with the tree file, before and after side by side, and every candidate."""

from typing import Any

from dash import html
from dash.development.base_component import Component

from hopscope_dashboard import units
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.components.tree_graph import tree_graph
from hopscope_dashboard.data import Row, Suggestion, TraceData
from hopscope_dashboard.figures.candidates import candidate_bars
from hopscope_dashboard.figures.topology_tree import crossings, elements
from hopscope_dashboard.findings import most_in_a_row
from hopscope_dashboard.pages.remap import ids
from hopscope_dashboard.palette import LINK_COLOURS, LINK_MEANINGS
from hopscope_dashboard.trees import suggested_parents, trees

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
        blocks.code(f"hopscope run --tree tree.json -- mpirun -n {data.run['ranks']} {data.run['command'] or './app'}"),
        hint="Run the same program under it; nothing is compiled again. The prediction holds for the run "
        "that was replayed.",
    )


def _key_figures(found: Suggestion) -> Component:
    best, today = found.candidates[0], next((row for row in found.candidates if row["today"]), None)
    spread = f"{units.duration(best['predicted_low_ns'])} to {units.duration(best['predicted_high_ns'])}"
    figures = [
        ("Measured today", units.duration(best["measured_ns"]), "per iteration"),
        ("Predicted", units.duration(best["predicted_ns"]), f"{spread} with the costs' uncertainty"),
        ("Gain", units.share(best["gain"]), "of today's time per iteration"),
        ("Model's error", units.share(best["model_error"]), "replaying today's tree against today's run"),
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
    edges = {(row["src"], row["dst"]): row for row in data.rows("tree-edges") if row["phase"] == phase}
    drawn = [
        _drawn(data, f"Today: {ran[0].name}" if ran else "Today", before, edges=edges, phase=phase, name=ids.BEFORE),
        _drawn(
            data,
            f"{'Suggested' if best['chosen'] else 'Best candidate'}: {best['name']}",
            after,
            edges={},
            phase=phase,
            name=ids.AFTER,
        ),
    ]
    return blocks.columns(*drawn)


def _drawn(
    data: TraceData,
    title: str,
    parents: dict[int, int | None] | None,
    *,
    edges: dict[Any, Row],
    phase: str,
    name: str,
) -> Component:
    if not parents:
        return empty.nothing_here(
            title, "This tree has no drawing: its file names a shape that the collector builds when it runs."
        )
    drawn = elements(ranks=data.ranks, parents=parents, edges=edges, phase=phase)
    cluster_of = {row["rank"]: row["cluster"] for row in data.ranks}
    across = crossings(data.ranks, parents)
    return blocks.card(
        title,
        blocks.legend(LINK_COLOURS, LINK_MEANINGS, ("shm", "lan", "wan")),
        tree_graph(drawn, name=name, label=title, width=440),
        hint=f"{units.plural(across, 'edge')} between clusters, up to {most_in_a_row(parents, cluster_of)} in a row.",
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
        ]
        for row in found.candidates
    ]
    columns = ["tree", "predicted", "spread", "gain", "depth", "fan-out", "WAN in a row", "WAN messages"]
    return blocks.card(
        "Candidates, the best first",
        blocks.drawing(
            "Predicted time per iteration by tree", candidate_bars(found.candidates[:_SHOWN]), name=ids.CHART
        ),
        blocks.table(columns, rows, name=ids.CANDIDATES, right=range(1, 8)),
        hint="Of trees that the model cannot tell apart, the one with the fewest WAN messages comes first. The "
        "dashed line is what today's tree measured.",
    )


def _gain(value: float) -> str:
    return units.share(value) if value >= 0 else f"{units.share(-value)} slower"
