"""A candidate's gain as a picture: dot and line for the measurement, a circle for the prediction."""

from __future__ import annotations

from html import escape
from typing import Final

from hopscope.advice.tune.candidates_table import CandidateRow
from hopscope.format.quantities import share

_WIDTH: Final = 360
_HEIGHT: Final = 18
_MARGIN: Final = 0.02


def picture(row: CandidateRow, limit: float) -> str:
    """The picture as an SVG element. limit: the gain, as a share, at its right end; zero is in the middle."""

    def position(value: float) -> float:
        width = 1 - 2 * _MARGIN
        return _WIDTH * (0.5 + width * max(-1.0, min(1.0, value / limit)) / 2)

    middle = _HEIGHT / 2
    elements = [f'<path class="zero" d="M{position(0):.1f} 0V{_HEIGHT}"/>']
    if row.predicted is not None:
        elements.append(f'<circle class="predicted" cx="{position(row.predicted):.1f}" cy="{middle}" r="5"/>')
    if row.gain is not None:
        look = "faster" if row.gain > 0 else "slower"
        if row.low is not None and row.high is not None:
            elements.append(
                f'<path class="{look}" stroke-width="2" '
                f'd="M{position(row.low):.1f} {middle}H{position(row.high):.1f}"/>'
            )
        elements.append(f'<circle class="{look}" cx="{position(row.gain):.1f}" cy="{middle}" r="3.5"/>')
    name = escape(f"{row.name}: {share(row.gain)}")
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{name}">{"".join(elements)}</svg>'
