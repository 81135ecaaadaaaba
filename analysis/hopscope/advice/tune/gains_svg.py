"""A candidate's gain as a picture: dot and line for what was measured, a circle for the prediction."""

from __future__ import annotations

from html import escape
from typing import Final

from hopscope.advice.tune.candidates_table import Tried
from hopscope.format.quantities import share

_WIDTH: Final = 360
_HEIGHT: Final = 18
_MARGIN: Final = 0.02


def picture(row: Tried, most: float) -> str:
    """An SVG element; most: the gain, as a share, at its right end. Zero is in the middle."""

    def across(value: float) -> float:
        inside = 1 - 2 * _MARGIN
        return _WIDTH * (0.5 + inside * max(-1.0, min(1.0, value / most)) / 2)

    middle = _HEIGHT / 2
    drawn = [f'<path class="zero" d="M{across(0):.1f} 0V{_HEIGHT}"/>']
    if row.predicted is not None:
        drawn.append(f'<circle class="predicted" cx="{across(row.predicted):.1f}" cy="{middle}" r="5"/>')
    if row.gain is not None:
        look = "faster" if row.gain > 0 else "slower"
        if row.low is not None and row.high is not None:
            drawn.append(
                f'<path class="{look}" stroke-width="2" d="M{across(row.low):.1f} {middle}H{across(row.high):.1f}"/>'
            )
        drawn.append(f'<circle class="{look}" cx="{across(row.gain):.1f}" cy="{middle}" r="3.5"/>')
    name = escape(f"{row.name}: {share(row.gain)}")
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{name}">{"".join(drawn)}</svg>'
