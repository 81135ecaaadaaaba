"""Draws the answer of `analyze diagnose`: the verdict, the conditions that qualify it above, the other causes below."""

from collections.abc import Sequence
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.explain.diagnosis.entry import CONDITIONS, NOTE
from hopscope.format import quantities
from hopscope.vocabulary.words import actions_for

from hopscope_dashboard.components import blocks
from hopscope_dashboard.data.trace import Row, Rows, TraceData
from hopscope_dashboard.navigation.address import link

DIAGNOSIS: Final = "diagnosis"
VERDICT: Final = "verdict"

_OPEN_CAUSES: Final = 1
"""Largest number of problems after the first cause that are not folded."""
_PAGES: Final = {
    "imbalance": ("/by-rank", "By rank"),
    "serial-section": ("/by-rank", "By rank"),
    "rotating-delay": ("/late-ranks", "Late ranks"),
    "noise": ("/noise", "Noise"),
    "late-sender": ("/messages", "Messages"),
    "late-receiver": ("/messages", "Messages"),
    "wrong-order": ("/messages", "Messages"),
    "no-overlap": ("/collectives?order=duration", "Collectives"),
    "crossings": ("/remap", "Other trees"),
    "algorithm": ("/improve?compute=tree", "Trees and algorithms"),
    "placement": ("/improve?compute=order", "Rank order"),
    "slow-link": ("/messages", "Messages"),
    "slow-host": ("/by-rank", "By rank"),
    "latency-bound": ("/collectives?order=duration", "Collectives"),
    "bandwidth-bound": ("/messages", "Messages"),
    "io": ("/places", "Call sites"),
    "other-mpi": ("/places", "Call sites"),
}
"""The page that shows more about each kind of cause, and its name."""


def card(data: TraceData) -> Component:
    """Give the diagnosis of the whole run."""
    rows = actions_for(data.rows("diagnose"), data.path)
    conditions = [row for row in rows if row["kind"] in CONDITIONS]
    causes = [row for row in rows if row["kind"] not in CONDITIONS]
    problems = [row for row in causes[1:] if row["severity"] == "PROBLEM"][:_OPEN_CAUSES]
    rest = [row for row in causes[1:] if row not in problems]
    return html.Section(
        [_framed(conditions), _verdict(causes[0]), _next_causes(problems), _rest(rest)], className="card", id=DIAGNOSIS
    )


def _framed(conditions: Rows) -> Component | None:
    """Give the first sentence of each condition; a click shows its other sentences."""
    items: list[Component] = []
    for row in conditions:
        first, dot, details = row["sentence"].partition(". ")
        items.append(
            html.Details([html.Summary(blocks.with_code(first + dot.strip())), *blocks.with_code(details)])
            if details
            else html.Div(blocks.with_code(first))
        )
    return html.Div(items, className="conditions") if items else None


def _verdict(row: Row) -> Component:
    return html.Div(
        [
            html.H2([_severity(row), " ", *blocks.with_code(row["sentence"])], id=VERDICT),
            html.P(blocks.with_code(row["action"]), className="action") if row["action"] else None,
            html.Details([html.Summary("Evidence"), html.P(blocks.with_code(row["evidence"]))], className="hint")
            if row["evidence"]
            else None,
            _buttons(row),
        ],
        className="verdict",
    )


def _severity(row: Row) -> Component:
    return html.Span(row["severity"], className=f"severity severity-{row['severity'].lower()}")


def _buttons(row: Row) -> Component:
    ranks = ",".join(map(str, row["ranks"]))
    sites: Sequence[Row] = row["call_sites"]
    place = sites[0]["place"] if sites else None
    part = {"place": place} if place else {"ranks": ranks} if ranks else {}
    buttons: list[Component] = []
    if part:
        buttons.append(dcc.Link("Show in timeline", href=link("/timeline", **part), className="button"))
    page = _PAGES.get(row["kind"])
    if page is not None:
        buttons.append(dcc.Link(page[1], href=page[0], className="button"))
    source = next((f"{site['file']}:{site['line']}" for site in sites if site["file"]), None)
    if source is not None:
        buttons.append(html.Span([html.Code(source), dcc.Clipboard(content=source, title="Copy", className="copy")]))
    return html.Div(buttons, className="buttons")


def _next_causes(rows: Rows) -> Component | None:
    """The next causes, each with its remedy folded."""
    if not rows:
        return None
    items = [
        html.Li(
            [
                _severity(row),
                html.Details(
                    [
                        html.Summary(blocks.with_code(row["sentence"])),
                        html.Span(blocks.with_code(row["action"]), className="why"),
                    ]
                ),
                _page(row),
            ]
        )
        for row in rows
    ]
    return html.Ul(items, className="findings")


def _page(row: Row) -> Component:
    page = _PAGES.get(row["kind"])
    return dcc.Link(f"{page[1]} →", href=page[0]) if page is not None else html.Span()


def _rest(rows: Rows) -> Component | None:
    """One line that unfolds: the other causes, each with its remedy."""
    if not rows:
        return None
    is_small = all(row["severity"] == "OK" for row in rows)
    threshold = f" of less than {quantities.share(NOTE)} of the run" if is_small else ""
    line = f"{quantities.plural(len(rows), 'more cause')}{threshold}"
    sentences = [html.Li(blocks.with_code(f"{row['sentence']} {row['action']}".strip())) for row in rows]
    return html.Details([html.Summary(line), html.Ul(sentences, className="remarks")])
