"""Page Remedies: another rank order, another setting of the MPI library, another tree.

A remedy is computed only when the user clicks its button, because computing it replays the run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from hopscope.format.quantities import in_words

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.data.trace import InputError, Remedy, Row, TraceData
from hopscope_dashboard.navigation import frame
from hopscope_dashboard.navigation.address import Query, link, parse
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages import missing


@dataclass(frozen=True)
class Kind:
    """A kind of remedy."""

    title: str
    meaning: str
    causes: tuple[str, ...]
    """The causes of a diagnosis that it may remove."""
    compute: Callable[[TraceData], Remedy]


REMEDIES: Final[Mapping[str, Kind]] = {
    "order": Kind(
        "Rank order", "Ranks reordered on the same hosts.", ("placement", "slow-link"), TraceData.rank_order
    ),
    "setting": Kind(
        "Library setting", "Other algorithms of the MPI library.", ("algorithm",), TraceData.library_setting
    ),
    "tree": Kind(
        "Tree", "A tree that Hopscope runs instead of the library.", ("crossings", "algorithm"),
        TraceData.suggested_tree,
    ),
}  # fmt: skip


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The parameter `compute` of the address names the remedies to compute, with commas."""
    names = [name for name in (query.get("compute") or "").split(",") if name in REMEDIES]
    remedies = {name: _computed(data, kind) for name, kind in REMEDIES.items() if name in names}
    cards = [_card(name, kind, remedies) for name, kind in REMEDIES.items()]
    widths = "repeat(auto-fit, minmax(300px, 1fr))"
    return html.Div([blocks.page_head("Remedies", _answer(data, remedies)), blocks.columns(*cards, widths=widths)])


def costs(data: TraceData, *kinds: Kind) -> list[Row]:
    """Give the entries of the diagnosis whose cause these kinds of remedies may remove, in the diagnosis's order."""
    causes = {cause for kind in kinds for cause in kind.causes}
    return [row for row in data.rows("diagnose") if row["kind"] in causes and row["severity"] in ("PROBLEM", "NOTE")]


def _computed(data: TraceData, kind: Kind) -> Remedy | str:
    """A remedy, or the reason why there can be none."""
    try:
        return kind.compute(data)
    except InputError as error:
        return str(error)


def _answer(data: TraceData, remedies: Mapping[str, Remedy | str]) -> str:
    """Say in one sentence which remedies help: by the replays or, as long as no remedy is computed, by the
    diagnosis."""
    computed = {REMEDIES[name].title.lower(): remedy for name, remedy in remedies.items() if isinstance(remedy, Remedy)}
    suggested = [title for title, remedy in computed.items() if remedy.file is not None]
    if suggested:
        return f"A replay of this run suggests another {in_words(suggested)}; a new run decides."
    if computed:
        return f"A replay of this run finds nothing to gain from another {in_words([*computed])}."
    rows = costs(data, *REMEDIES.values())
    return rows[0]["sentence"] if rows else "The diagnosis names no cost that one of these remedies would remove."


def _card(name: str, kind: Kind, remedies: Mapping[str, Remedy | str]) -> Component:
    if name not in remedies:
        href = link("/improve", compute=",".join([*remedies, name]))
        return blocks.card(kind.title, dcc.Link("Compute", href=href, className="button primary"), hint=kind.meaning)
    remedy = remedies[name]
    if isinstance(remedy, str):
        return blocks.card(kind.title, html.P(empty.sentence(remedy), className="reason"), hint=kind.meaning)
    return blocks.card(
        kind.title,
        html.P(blocks.with_code(remedy.sentence), className="reason"),
        *_file(name, remedy),
        *([dcc.Link("All candidates", href="/remap")] if name == "tree" else []),
        hint=kind.meaning,
    )


def _file(name: str, remedy: Remedy) -> list[Component]:
    if remedy.file is None:
        return []
    button = html.Button(
        [icon("download"), f"Download {remedy.file_name}"], id=f"{name}-button", className="button primary"
    )
    return [
        html.Div(button, style={"margin": "12px 0 4px"}),
        blocks.code(remedy.command or ""),
        dcc.Download(id=f"{name}-download"),
    ]


def register(app: Dash, traces: Traces) -> None:
    """Register the callbacks that send the remedies' files."""
    for name, kind in REMEDIES.items():
        _register(app, traces, name, kind)


def _register(app: Dash, traces: Traces, name: str, kind: Kind) -> None:
    @app.callback(
        Output(f"{name}-download", "data"),
        Input(f"{name}-button", "n_clicks"),
        State(frame.ADDRESS, "search"),
        prevent_initial_call=True,
    )
    def download(clicks: int | None, search: str | None) -> Any:
        remedy = kind.compute(traces.named_trace(parse(search))) if clicks else None
        if remedy is None or remedy.file is None:
            return no_update
        return dcc.send_string(remedy.file, remedy.file_name)

    del download


PAGE = Page(
    path="/improve",
    title="Remedies",
    section="Improve",
    layout=layout,
    register=register,
    is_drawn_ahead=False,
    follows_selection=False,
    lacks=missing.communication,
)
