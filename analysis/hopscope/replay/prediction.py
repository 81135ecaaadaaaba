"""How far off a prediction may be, for trees, settings and rank orders alike, and which candidate is suggested.

An interval has three sources: how far the replay of the baseline is from the run, how far apart two runs of one program
are, and, where a candidate uses what the run did not measure, a factor of two. A prediction screens candidates; a
measurement decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hopscope.dataset.path_columns import Array
from hopscope.format.quantities import share
from hopscope.query.resampling import difference, mean_estimate
from hopscope.replay.candidate import Candidate

LEAST_GAIN = 0.01
"""Gains below this share are not suggested however good the replay is."""
LEAST_APART = 0.04
"""Two runs are never taken to be closer than this share: one run does not tell how runs differ from one another. Of 272
runs over emulated links, 95 % were within 3.8 % of the median of the same program's others."""
EXTRAPOLATED = 2.0
"""An extrapolated prediction may be off by this factor."""
MOST_ERROR = 0.2
"""Where the replay of the baseline misses the run by more, it predicts nothing else: a ring was told 518 ms and took
28."""
ALIKE = 0.01
"""Predictions closer than this share count as equal."""


@dataclass(frozen=True)
class Model:
    """What predictions are relative to. measured_ns: an iteration of the run; baseline_ns: its replay; variability: how
    far apart two runs are, as a share."""

    measured_ns: float
    baseline_ns: float
    variability: float

    @property
    def error(self) -> float:
        """How far the replay of the baseline is from the run, as a share."""
        return abs(self.baseline_ns - self.measured_ns) / self.measured_ns if self.measured_ns > 0 else 1.0

    @property
    def reason_unpredicted(self) -> str | None:
        """Why nothing is predicted; None if it is."""
        return f"the replay misses the run by {share(self.error)}" if self.error > MOST_ERROR else None

    def predicted(self, candidate: Candidate, ns: float) -> Candidate:
        """The candidate with its prediction. ns: what its replay takes."""
        factor = EXTRAPOLATED if candidate.extrapolates else 1.0
        reach = self.error + self.variability
        low, high = ns * max(0.0, 1 - reach) / factor, ns * (1 + reach) * factor
        gains = [1 - time / self.baseline_ns if self.baseline_ns > 0 else 0.0 for time in (ns, high, low)]
        return replace(
            candidate,
            predicted_gain=gains[0],
            gain_low=gains[1],
            gain_high=gains[2],
            predicted_ns=ns,
            predicted_low_ns=low,
            predicted_high_ns=high,
        )


def variability_of(iterations: Array) -> float:
    """How far apart the means of two runs of such iterations may be, with 95 %, as a share."""
    if not len(iterations) or not iterations.mean() > 0:
        return LEAST_APART
    mean = mean_estimate(iterations.astype(np.float64))
    if not np.isfinite(mean.variance):
        return LEAST_APART
    return max(LEAST_APART, difference([mean], [mean]).interval(1)[1] / float(iterations.mean()))


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The suggested one first, then by predicted time, of equal ones those with fewer WAN messages; then those without
    a prediction.

    Suggested is the fastest whose whole interval is a gain, one that extrapolates only where no other one gains.
    """
    known = [candidate for candidate in candidates if candidate.predicted_ns is not None]
    least = min((candidate.predicted_ns or 0.0 for candidate in known), default=0.0)

    def key(candidate: Candidate) -> tuple[float, int, int]:
        time = candidate.predicted_ns or 0.0
        return (0.0 if time <= (1 + ALIKE) * least else time, -len(candidate.parts), candidate.structure.wan_messages)

    ordered = sorted(known, key=key)
    gaining = [candidate for candidate in ordered if (candidate.gain_low or 0.0) > LEAST_GAIN]
    suggested = next((candidate for candidate in gaining if not candidate.extrapolates), None) or next(
        iter(gaining), None
    )
    unpredicted = [candidate for candidate in candidates if candidate.predicted_ns is None]
    if suggested is None:
        return [*ordered, *unpredicted]
    others = [candidate for candidate in ordered if candidate is not suggested]
    return [replace(suggested, is_suggested=True), *others, *unpredicted]
