"""Maps one clock to another by a robust straight line, fitted to moments that both recorded.

The slope is the median of the slopes between pairs of moments (Theil 1950, Sen 1968). Least squares over the moments
that lie close to that line then give the result, which is more precise and ignores moments that only one recorder saw
as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_SLOPE_POINTS: Final = 256
"""The largest number of moments between which slopes are computed."""
_ROUNDS: Final = 4
_CLOSE: Final = 4.0
"""A moment is close to the line within this multiple of the median distance."""
_LEAST_NS: Final = 100.0
"""Distances below this are noise of the recorders, so a moment within it is always close."""
_LARGEST_DRIFT: Final = 1e-3
"""Clocks of computers differ by less than this share of the elapsed time."""


@dataclass(frozen=True)
class ClockLine:
    """The line `mapped = time + offset_ns + drift * (time - origin_ns)` from one clock to another, in ns.

    drift: ns gained in a ns. residual_ns, worst_ns: the median and the 95 % quantile of the distance between the line
    and the `moments` that it rests on.
    """

    origin_ns: int
    offset_ns: float
    drift: float
    residual_ns: float = 0.0
    worst_ns: float = 0.0
    moments: int = 0

    def mapped(self, times_ns: Ints) -> Ints:
        """These times in the other clock."""
        elapsed = (times_ns - self.origin_ns).astype(np.float64)
        whole = int(np.floor(self.offset_ns))
        return times_ns + whole + np.rint(self.offset_ns - whole + self.drift * elapsed).astype(np.int64)


def line_between(from_ns: Ints, to_ns: Ints) -> ClockLine:
    """The line from one clock to another. from_ns, to_ns: at least one moment, as each clock recorded it."""
    origin = int(np.median(from_ns))
    gain = to_ns - from_ns
    base = int(np.median(gain))
    elapsed, rest = (from_ns - origin).astype(np.float64), (gain - base).astype(np.float64)
    drift = _median_slope(elapsed, rest)
    offset = float(np.median(rest - drift * elapsed))
    close = np.ones(len(rest), bool)
    for _ in range(_ROUNDS):
        distance = np.abs(rest - offset - drift * elapsed)
        close = distance <= max(_LEAST_NS, _CLOSE * float(np.median(distance)))
        if np.ptp(elapsed[close]) <= 0 or close.sum() < 3:
            offset = float(np.mean(rest[close] - drift * elapsed[close]))
            break
        slope, offset = np.polynomial.polynomial.polyfit(elapsed[close], rest[close], 1)[::-1].tolist()
        drift = float(np.clip(slope, -_LARGEST_DRIFT, _LARGEST_DRIFT))
    distance = np.abs(rest - offset - drift * elapsed)[close]
    return ClockLine(
        origin,
        base + offset,
        drift,
        float(np.median(distance)),
        float(np.quantile(distance, 0.95)),
        int(close.sum()),
    )


def _median_slope(elapsed: Floats, rest: Floats) -> float:
    """The median slope between pairs of moments; 0 for fewer than three moments."""
    rows = np.unique(np.linspace(0, len(rest) - 1, _SLOPE_POINTS).astype(int))
    left, right = np.triu_indices(len(rows), 1)
    run = elapsed[rows[right]] - elapsed[rows[left]]
    rise = rest[rows[right]] - rest[rows[left]]
    differs = run != 0
    if len(rows) < 3 or not differs.any():
        return 0.0
    return float(np.clip(np.median(rise[differs] / run[differs]), -_LARGEST_DRIFT, _LARGEST_DRIFT))
