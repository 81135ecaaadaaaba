"""The run's timeline in a report: a row for each rank, or for each host of many ranks, as SVG."""

from html import escape
from typing import Any, Final

import numpy as np
from hopscope.format import quantities
from hopscope.vocabulary.words import CATEGORIES

from hopscope_dashboard.data.trace import Trace
from hopscope_dashboard.palette import CATEGORY_COLOURS, PATH_LINE_COLOUR

_MOST_ROWS: Final = 64
_COLUMNS: Final = 300
_WIDTH: Final = 1000
_LEFT: Final = 90
"""Left end of the time axis; names are left of it."""
_TICKS: Final = 5
_TALL: Final = 22
_LOW: Final = 9
_TALL_ROWS: Final = 24
"""Largest number of rows that are drawn tall, each with its name."""


def timeline(trace: Trace) -> str:
    """Give the drawing with its legend."""
    run_ns = trace.timeline.duration_ns
    if run_ns <= 0:
        return "<p>The run has no time.</p>"
    grouping = "rank" if trace.run_facts["ranks"] <= _MOST_ROWS else "host"
    grid = trace.timeline.columns(0, run_ns, _COLUMNS, by=grouping)
    rows = grid.rows[:_MOST_ROWS]
    tall = _TALL if len(rows) <= _TALL_ROWS else _LOW
    scale = (_WIDTH - _LEFT) / run_ns
    starts = np.minimum(grid.begin_ns + np.arange(grid.time_ns.shape[2] + 1) * grid.width_ns, run_ns)
    edges = _LEFT + np.maximum(starts, 0) * scale
    main_categories = np.where(grid.time_ns.any(axis=0), grid.time_ns.argmax(axis=0), -1)
    on_path = 2 * grid.path_ns.sum(axis=0) >= grid.width_ns
    words = list(CATEGORIES)
    shapes: list[str] = []
    for index, row in enumerate(rows):
        top = index * tall
        if tall == _TALL or index % 4 == 0:
            name = f"rank {row['rank']}" if grouping == "rank" else row["host"]
            shapes.append(
                f'<text x="{_LEFT - 8}" y="{top + tall * 0.7:.0f}" class="name">{escape(str(name)[:14])}</text>'
            )
        for category, first, end in _stretches(main_categories[index]):
            colour = CATEGORY_COLOURS[words[category]]
            shapes.append(_box(edges[first], edges[end], top + 1, tall - 2, colour))
        for path_flag, first, end in _stretches(on_path[index].astype(int) - 1):
            shapes.append(_box(edges[first], edges[end], top + tall - 3, 3, PATH_LINE_COLOUR) if path_flag == 0 else "")
    bottom = len(rows) * tall
    shapes += _axis(run_ns, scale, bottom)
    used = [word for number, word in enumerate(words) if (main_categories[: len(rows)] == number).any()]
    unit = "rank" if grouping == "rank" else "host"
    remainder = (
        f" The first {len(rows)} of {quantities.plural(len(grid.rows), unit)}." if len(grid.rows) > len(rows) else ""
    )
    return (
        f'<svg class="timeline" viewBox="0 0 {_WIDTH} {bottom + 22}" role="img" aria-label="Timeline of the run">'
        f'{"".join(shapes)}</svg><p class="legend">{_legend(used)}{remainder}</p>'
    )


def _stretches(values: Any) -> list[tuple[int, int, int]]:
    """Stretches of equal values, as (value, first index, end). Values below 0 are left out."""
    cuts = np.flatnonzero(np.diff(values)) + 1
    firsts, ends = [0, *cuts.tolist()], [*cuts.tolist(), len(values)]
    return [(int(values[first]), first, end) for first, end in zip(firsts, ends, strict=True) if values[first] >= 0]


def _box(left: float, right: float, top: float, height: float, colour: str) -> str:
    return f'<rect x="{left:.1f}" y="{top}" width="{max(right - left, 0.3):.1f}" height="{height}" fill="{colour}"/>'


def _axis(run_ns: int, scale: float, bottom: int) -> list[str]:
    places = [run_ns * tick // _TICKS for tick in range(_TICKS + 1)]
    texts = quantities.alike("ns", *places)
    ends = {0: "start", _TICKS: "end"}
    return [
        f'<text x="{_LEFT + place * scale:.0f}" y="{bottom + 16}" text-anchor="{ends.get(tick, "middle")}">'
        f"{text}</text>"
        for tick, (place, text) in enumerate(zip(places, texts, strict=True))
    ]


def _legend(used: list[str]) -> str:
    colours = {**{word: CATEGORY_COLOURS[word] for word in used}, "critical path": PATH_LINE_COLOUR}
    return "".join(
        f'<span class="key"><i style="background:{colour}"></i>{word}</span>' for word, colour in colours.items()
    )
