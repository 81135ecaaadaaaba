"""Puts the file together: the pages one under another, with what they need to look and behave as in the dashboard."""

import json
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope import quantities
from plotly.offline import get_plotlyjs

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.data import InputError, Machine, Trace, TraceData
from hopscope_dashboard.figures.folded_tree import Fold
from hopscope_dashboard.figures.style import CONFIG
from hopscope_dashboard.pages import PAGES, collective, collectives, compare, improve, remap, sql, timeline
from hopscope_dashboard.pages import machine as machine_page
from hopscope_dashboard.pages.routing import content
from hopscope_dashboard.palette import FONT, MONO_FONT
from hopscope_dashboard.report.static import Renderer

Progress = Callable[[str, int, int], None]

_ASSETS: Final = Path(__file__).parents[1] / "assets"
_WORST: Final = 15
_OWN_STYLE: Final = """
:root { --mantine-font-family-monospace: %s; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 26px; font-family: %s; line-height: 1.5; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 10px 0 22px; border-bottom: 1px solid var(--line); }
section.page-of-report { padding-top: 30px; }
.figure { width: 100%%; min-width: 0; }
footer { color: var(--muted); font-size: 13px; padding-top: 24px; }
@media print { body { background: white; padding: 0; } nav { display: none; } .card { break-inside: avoid; }
  .table-frame, .graph-frame { max-height: none; } .tree { min-width: 0 !important; }
  .told, .exports { display: none; } }
"""
_POLICY: Final = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
"""All that the file needs is in it: a browser that keeps to this asks nobody, whatever is clicked."""
_DRAW: Final = f"""
for (const described of document.querySelectorAll("script[data-figure]")) {{
  const figure = JSON.parse(described.textContent);
  Plotly.newPlot(described.dataset.figure, figure.data, figure.layout, {json.dumps(CONFIG)});
}}
"""

_Section = tuple[str, str, str, Callable[[TraceData], Component]]
"""Address of its page, its id in the file, its title, and what gives it."""

_Drawn = tuple[str, str, Callable[[], str]]
"""Id of a section, its title, and what gives its markup."""


def document(trace: Trace, version: str, progress: Progress | None = None) -> str:
    """Give the report of a trace as one HTML document. `version` is that of the program.

    Every number on it is the dashboard's, which is the command line's. What the trace cannot answer is said in its
    place. Raises InputError if the dataset says nothing of the run.
    """
    data = TraceData(trace)
    sections = _sections()
    renderer = Renderer({address: name for address, name, _, _ in sections})
    drawn = [(name, title, partial(_markup, renderer, give, data)) for _, name, title, give in sections]
    started = f", started {data.run['started_at']}" if data.run["started_at"] else ""
    from_what = f"from {quantities.number(data.run['events'])} events"
    return _file(data.name, drawn, f"{data.name}{started}. Made by Hopscope {version} {from_what}.", progress)


def _markup(renderer: Renderer, give: Callable[[TraceData], Component], data: TraceData) -> str:
    return renderer.markup(give(data))


def machine_document(machine: Machine, version: str) -> str:
    """Give the report of a machine file, which has the only page of its dashboard."""
    markup = Renderer({}).markup
    sections: list[_Drawn] = [("machine", machine_page.TITLE, lambda: markup(machine_page.layout(machine)))]
    return _file(machine.name, sections, f"{machine.name}. Made by Hopscope {version}.")


def _file(name: str, sections: Sequence[_Drawn], footer: str, progress: Progress | None = None) -> str:
    drawn: list[str] = []
    for done, (section, title, markup) in enumerate(sections):
        if progress:
            progress("writing the report", done, len(sections))
        drawn.append(f'<section class="page-of-report" id="{section}" aria-label="{title}">{markup()}</section>')
    if progress:
        progress("writing the report", len(sections), len(sections))
    links = "".join(f'<a href="#{section}">{title}</a>' for section, title, _ in sections)
    style = (_ASSETS / "hopscope.css").read_text(encoding="utf-8") + _OWN_STYLE % (MONO_FONT, FONT)
    own = [(_ASSETS / name).read_text(encoding="utf-8") for name in ("drawing.js", "exports.js")]
    scripts = "".join(f"<script>{script}</script>" for script in (_DRAW, *own))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(name)} · Hopscope</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style><script>{get_plotlyjs()}</script></head><body>"
        f'<nav aria-label="Sections">{links}</nav><main>{"".join(drawn)}</main>'
        f"<footer>{escape(footer)}</footer>{scripts}</body></html>\n"
    )


def _sections() -> list[_Section]:
    """Every page, some in a form that needs nobody to choose, and what only a file has."""
    titles = {collective.PAGE.path: "The slowest collective"}
    instead = {collectives.PAGE.path: _collectives, remap.PAGE.path: _remap}
    drawn: list[_Section] = [
        (
            page.path,
            page.path.strip("/") or "overview",
            titles.get(page.path, page.title),
            instead.get(page.path, lambda data, page=page: content(page, data, "")),
        )
        for page in PAGES
        # The first three ask a server for what they show, the last needs another trace.
        if page not in (timeline.PAGE, sql.PAGE, improve.PAGE, compare.PAGE)
    ]
    return [*drawn, ("/honesty", "honesty", "Honesty", _honesty)]


def _collectives(data: TraceData) -> Component:
    rows = data.rows("collectives", order="worst", limit=_WORST)
    head = blocks.page_head("Collectives", "The slowest of all executions of a collective operation.")
    if not rows:
        return html.Div([head, empty.nothing_here("No collectives", empty.NO_COLLECTIVES.format("This trace"))])
    body = [
        [
            row["collective"],
            row["operation"],
            quantities.size(row["bytes"]),
            quantities.moment(row["first_enter_ns"]),
            quantities.duration(row["duration_ns"]),
            quantities.duration(row["after_last_enter_ns"]),
            quantities.duration(row["spread_ns"]),
            quantities.MISSING if row["last_rank"] is None else row["last_rank"],
            row["engine"],
        ]
        for row in rows
    ]
    columns = [
        "collective", "operation", "size", "began at", "duration", "after last enter", "spread", "last in", "run by",
    ]  # fmt: skip
    hint = (
        f"The worst {quantities.number(len(rows))} of {quantities.number(data.number_of_collectives)}. Duration runs "
        "from the first enter to the last leave; a tree can change only the time after the last enter."
    )
    return html.Div(
        [head, blocks.card(None, blocks.table(columns, body, name="collectives-table", right=range(2, 8)), hint=hint)]
    )


def _honesty(data: TraceData) -> Component:
    lead: list[Component | str] = [
        "How far this trace can be trusted, as listed by ",
        html.Code("analyze honesty"),
        ".",
    ]
    body = [
        [row["kind"], row["item"], quantities.quantity(row["value"], row["unit"]), blocks.with_code(row["sentence"])]
        for row in data.rows("honesty")
    ]
    table = blocks.table(["kind", "what", "value", "to know"], body, name="honesty-table", right=range(2, 3))
    return html.Div([blocks.page_head("Honesty", lead), blocks.card(None, table)])


def _remap(data: TraceData) -> Component:
    lead: list[Component | str] = [
        "Predictions for other trees: the whole run, replayed over each. ",
        html.Code(f"analyze remap {shlex.quote(data.path)} -o tree.json"),
        " writes the suggested one.",
    ]
    head = blocks.page_head("Other trees", lead)
    if not data.has_hops:
        return html.Div([head, empty.nothing_here("No hops", "Without hops, other trees cannot be judged.")])
    try:
        return html.Div([head, remap.result(data, "up", Fold())])
    except InputError as error:
        return html.Div([head, empty.nothing_here("This trace cannot show how other trees would do", str(error))])
