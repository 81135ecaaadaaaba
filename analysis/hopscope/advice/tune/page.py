"""The report of a tuning: one HTML file without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from hopscope.advice.tune.candidates_table import CandidateRow, candidate_rows
from hopscope.advice.tune.gains_svg import picture
from hopscope.advice.tune.journal import Journal
from hopscope.advice.tune.outcome import sentence
from hopscope.format.quantities import duration, interval, plural, share
from hopscope.query.opened import Open
from hopscope.render.static_page import static_page

_STYLE: Final = """
h1 { font-size: 22px; margin: 0 0 8px; } h2 { font-size: 17px; margin: 26px 0 6px; }
p { margin: 4px 0; } .muted { color: var(--muted); } pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.frame { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--line); }
svg { display: block; } .zero { stroke: var(--muted); } .faster { stroke: #29815c; fill: #29815c; }
.slower { stroke: #b3261e; fill: #b3261e; } .predicted { stroke: var(--muted); fill: none; }
"""


def page(journal: Journal, command: str, open_trace: Open) -> str:
    """The report as HTML. command: the new command line. open_trace: `hopscope.open`."""
    rows = candidate_rows(journal)
    result = journal.result or {}
    target = journal.target
    hosts = len(set(target["hosts"]))
    body = f"<h1>{escape(sentence(journal))}</h1><pre>{escape(command)}</pre>"
    body += f"<p>{escape(journal.baseline['diagnosis'])}</p>"
    body += (
        f'<p class="muted">{plural(target["ranks"], "rank")} on {plural(hosts, "host")}, '
        f"{escape(str(target['mpi_library']).split(',')[0])}. {plural(len(journal.measurements), 'run')} in "
        f"{duration(journal.spent_s * 1e9)}; runs of the baseline differ by {share(journal.baseline.get('noise'))}.</p>"
    )
    if rows:
        body += "<h2>Candidates</h2><p>Dot and line: the measured gain with its interval of 95 %. "
        body += f"Circle: the prediction.</p>{_table(rows)}"
    if result.get("candidate"):
        body += f"<h2>What runs now</h2>{_algorithms(journal, open_trace)}"
    return static_page("Tuning", _STYLE, body)


def _table(rows: Sequence[CandidateRow]) -> str:
    ends = [abs(value) for row in rows for value in (row.gain, row.low, row.high, row.predicted) if value is not None]
    limit = min(max([*ends, 0.05]), 1.0)
    heads = ["candidate", "gain", "", "95 % interval", "predicted", "runs", "outcome"]
    lines: list[str] = []
    for row in rows:
        cells = [
            escape(row.name),
            share(row.gain),
            picture(row, limit),
            interval(row.low, row.high, "share"),
            share(row.predicted),
            str(row.runs),
            escape(row.outcome),
        ]
        lines.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f'<div class="frame"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def _algorithms(journal: Journal, open_trace: Open) -> str:
    """The algorithms of the baseline and of the winner, from the two runs whose messages were recorded."""
    lines: list[str] = []
    for title, name in (("baseline", "recorded-baseline"), ("now", "recorded-result")):
        place = journal.folder / name / "trace"
        for row in open_trace(place).run("algorithms").to_pylist() if place.is_dir() else []:
            cells = (title, row["op"], row["algorithm"], str(row["collectives"]), str(row["messages"]))
            lines.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("run", "operation", "algorithm", "collectives", "messages"))
    return f'<div class="frame"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
