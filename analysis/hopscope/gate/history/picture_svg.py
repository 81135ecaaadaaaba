"""Writes a history as one HTML file without scripts. It shows the time of an iteration with its interval, the shares,
and a table."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, Final

from hopscope.format.quantities import alike, changes, duration, interval, plural, share
from hopscope.render.static_page import static_page

Row = Mapping[str, Any]
Place = Callable[[float], float]

_WIDTH: Final = 960
_LEFT: Final = 80
_HEIGHT: Final = 190
_TOP: Final = 14
_LABELS: Final = 12
"""The largest number of commits named below a picture."""
_TICKS: Final = 4
_STYLE: Final = """
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 17px; margin: 24px 0 4px; }
p { color: var(--muted); margin: 0; }
svg { width: 100%; font-size: 12px; } svg text { fill: var(--muted); } .grid { stroke: var(--line); }
.time { stroke: #3574bf; fill: none; stroke-width: 2; } .dot { fill: #3574bf; } .dot.failed { fill: #b3261e; }
.efficiency { stroke: #29815c; fill: none; stroke-width: 2; } .cost { stroke: #c94724; fill: none; stroke-width: 2; }
.changed { stroke: #976b0c; stroke-dasharray: 4 4; }
.frame { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; margin-top: 10px; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
"""


def page(rows: Sequence[Row]) -> str:
    """The text of the HTML file. rows: as `folder.rows` returns them, the oldest first."""
    body = (
        f"<h1>{plural(len(rows), 'commit')}</h1><p>{escape(_last(rows))}</p>"
        f"<h2>Time per {escape(rows[-1]['per'])}</h2><p>With its interval of 95 %. Red: a gate failed. "
        f"Dashed: the structure or the machine changed.</p>{_times(rows)}"
        f"<h2>Shares</h2><p>Green: parallel efficiency. Red: cost of the costliest problem.</p>"
        f"{_shares(rows)}{_table(rows)}"
    )
    return static_page("History", _STYLE, body)


def _last(rows: Sequence[Row]) -> str:
    new, base = rows[-1], rows[-2] if len(rows) > 1 else None
    if base is None or new["change"] is None:
        return f"{new['commit']}: {duration(new['iteration_ns'])} per {new['per']}."
    base_text, new_text = alike("ns", base["iteration_ns"], new["iteration_ns"])
    difference = changes(new["iteration_ns"] - base["iteration_ns"], new["change"])
    return f"From {base['commit']} to {new['commit']}, {base_text} per {new['per']} became {new_text} ({difference})."


def _times(rows: Sequence[Row]) -> str:
    timed_rows = [row for row in rows if row["iteration_ns"] is not None]
    ends = [row[name] for row in timed_rows for name in ("iteration_ns", "iteration_high_ns") if row[name] is not None]
    scale = 1.08 * max(ends, default=0) or 1.0

    def up(value: float) -> float:
        return _TOP + _HEIGHT * (1 - max(value, 0) / scale)

    texts = alike("ns", *(scale * tick / _TICKS for tick in range(_TICKS + 1)))
    marks = _grid(rows, texts)
    marks += _line("time", rows, "iteration_ns", up)
    for index, row in enumerate(rows):
        if row["iteration_ns"] is None:
            continue
        x = _column_x(index, len(rows))
        if row["iteration_low_ns"] is not None:
            low, high = up(row["iteration_low_ns"]), up(row["iteration_high_ns"])
            marks.append(f'<path class="time" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
        look = "dot failed" if row["outcome"] == "failed" else "dot"
        title = f"{row['commit']}: {duration(row['iteration_ns'])}, {row['outcome']}"
        marks.append(
            f'<circle class="{look}" cx="{x:.1f}" cy="{up(row["iteration_ns"]):.1f}" r="4.5">'
            f"<title>{escape(title)}</title></circle>"
        )
    return _svg("Time per commit", marks)


def _shares(rows: Sequence[Row]) -> str:
    def up(value: float) -> float:
        return _TOP + _HEIGHT * (1 - min(max(value, 0), 1))

    marks = _grid(rows, [share(tick / _TICKS) for tick in range(_TICKS + 1)])
    marks += _line("efficiency", rows, "efficiency", up) + _line("cost", rows, "cost_share", up)
    return _svg("Shares per commit", marks)


def _svg(title: str, marks: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {_TOP + _HEIGHT + 24}" role="img" aria-label="{title}">{"".join(marks)}</svg>'


def _column_x(index: int, count: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - 40) * (index + 0.5) / count


def _grid(rows: Sequence[Row], texts: Sequence[str]) -> list[str]:
    """The grid lines with their values, the commits below, and a vertical line where the structure or the machine
    changed."""
    marks: list[str] = []
    for tick, text in enumerate(texts):
        y = _TOP + _HEIGHT * (1 - tick / (len(texts) - 1))
        marks.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH}"/>')
        marks.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>')
    step = -(-len(rows) // _LABELS)
    for index, row in enumerate(rows):
        x = _column_x(index, len(rows))
        if row["changed"]:
            edge = x - (_WIDTH - _LEFT - 40) / len(rows) / 2
            marks.append(f'<path class="changed" d="M{edge:.1f} {_TOP}V{_TOP + _HEIGHT}"/>')
        if index % step == 0:
            marks.append(
                f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{escape(row["commit"][:7])}</text>'
            )
    return marks


def _line(look: str, rows: Sequence[Row], column: str, up: Place) -> list[str]:
    points = [(index, row[column]) for index, row in enumerate(rows) if row[column] is not None]
    path = " ".join(f"{_column_x(index, len(rows)):.1f},{up(value):.1f}" for index, value in points)
    return [f'<polyline class="{look}" points="{path}"/>'] if points else []


def _table(rows: Sequence[Row]) -> str:
    head = ["commit", "date", "outcome", "time", "95 % interval", "change", "problem", "cost", "efficiency", "changed"]
    lines = [
        [
            row["commit"],
            row["date"].replace("T", " "),
            row["outcome"],
            duration(row["iteration_ns"]),
            interval(row["iteration_low_ns"], row["iteration_high_ns"], "ns"),
            share(row["change"]),
            row["problem"] or "none",
            share(row["cost_share"]),
            share(row["efficiency"]),
            row["changed"],
        ]
        for row in reversed(rows)
    ]
    cells = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    heads = "".join(f"<th>{name}</th>" for name in head)
    return f'<div class="frame"><table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table></div>'
