"""How the diagnosis is drawn: the verdict first, what frames it above, the other causes below. What it says is `analyze
diagnose`."""

from collections.abc import Sequence
from typing import Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope import quantities
from hopscope.diagnosis.entry import CONDITIONS, NOTE
from hopscope.words import for_trace

from hopscope_dashboard.address import link
from hopscope_dashboard.components import blocks
from hopscope_dashboard.data import Row, Rows, TraceData

DIAGNOSIS: Final = "diagnosis"
VERDICT: Final = "verdict"

_PAGES: Final = {
    "imbalance": ("/by-rank", "By rank"),
    "serial-section": ("/by-rank", "By rank"),
    "rotating-delay": ("/late-ranks", "Late ranks"),
    "noise": ("/noise", "Noise"),
    "late-sender": ("/messages", "Messages"),
    "late-receiver": ("/messages", "Messages"),
    "wrong-order": ("/messages", "Messages"),
    "crossings": ("/remap", "Other trees"),
    "placement": ("/improve?compute=order", "Rank order"),
    "slow-link": ("/messages", "Messages"),
    "slow-host": ("/by-rank", "By rank"),
    "latency-bound": ("/collectives?order=duration", "Collectives"),
    "bandwidth-bound": ("/messages", "Messages"),
    "io": ("/places", "Call sites"),
    "other-mpi": ("/places", "Call sites"),
}
"""The page that shows more of a kind, and its name."""


def card(data: TraceData) -> Component:
    """Give the diagnosis of the whole run."""
    rows = [{**row, "action": for_trace(row["action"] or "", data.path)} for row in data.rows("diagnose")]
    conditions = [row for row in rows if row["kind"] in CONDITIONS]
    causes = [row for row in rows if row["kind"] not in CONDITIONS]
    shown = [row for row in causes[1:] if row["severity"] != "OK"]
    small = [row for row in causes[1:] if row["severity"] == "OK"]
    return html.Section(
        [_framed(conditions), _verdict(causes[0]), _others(shown), _small(small)], className="card", id=DIAGNOSIS
    )


def _framed(conditions: Rows) -> Component | None:
    if not conditions:
        return None
    return html.Ul([html.Li(blocks.with_code(row["sentence"])) for row in conditions], className="conditions")


def _verdict(row: Row) -> Component:
    return html.Div(
        [
            html.H2([_severity(row), " ", *blocks.with_code(row["sentence"])], id=VERDICT),
            html.P(blocks.with_code(row["evidence"]), className="hint") if row["evidence"] else None,
            html.P(blocks.with_code(row["action"]), className="action") if row["action"] else None,
            _buttons(row),
        ],
        className="verdict",
    )


def _severity(row: Row) -> Component:
    return html.Span(row["severity"], className=f"severity {row['severity'].lower()}")


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


def _others(rows: Rows) -> Component | None:
    if not rows:
        return None
    items = [
        html.Li(
            [
                _severity(row),
                html.Div(
                    [
                        html.Strong(blocks.with_code(row["sentence"])),
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


def _small(rows: Rows) -> Component | None:
    """One line that unfolds: what was examined and costs little."""
    if not rows:
        return None
    line = f"{quantities.plural(len(rows), 'cause')} of less than {quantities.share(NOTE)} of the run"
    return html.Details(
        [html.Summary(line), html.Ul([html.Li(blocks.with_code(row["sentence"])) for row in rows], className="remarks")]
    )
