"""Intervals of predictions for trees, settings and rank orders, and the selection of the suggested candidate.

The width of an interval comes from the error of the baseline's replay, the variability between two runs of one program
and, for a candidate that extrapolates, a factor of two. Predictions only select candidates for measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopscope.format.quantities import share
from hopscope.replay.candidate import Candidate

LEAST_GAIN = 0.01
"""Smaller gains are not suggested, even if the replay is exact."""
VARIABILITY = 0.04
"""The assumed difference between two runs of one program, as a share, because a single run does not show it. Of 272
runs over emulated links, 95 % were within 3.8 % of the median of the other runs of the same program."""
EXTRAPOLATED = 2.0
"""An extrapolated prediction may be off by this factor."""
MOST_ERROR = 0.2
"""If the error of the baseline's replay is larger than this share, nothing is predicted. With such an error, 518 ms
were once predicted for a ring that took 28 ms."""
ALIKE = 0.01
"""Predictions closer than this share count as equal."""


@dataclass(frozen=True)
class Model:
    """The reference of predictions: the mean time of an iteration, in the run (measured_ns) and in the replay of the
    baseline (baseline_ns)."""

    measured_ns: float
    baseline_ns: float

    @property
    def error(self) -> float:
        """The difference between the baseline's replay and the run, as a share of the run's time."""
        return abs(self.baseline_ns - self.measured_ns) / self.measured_ns if self.measured_ns > 0 else 1.0

    @property
    def reason_unpredicted(self) -> str | None:
        """The reason why nothing can be predicted; None if predictions are possible."""
        return f"the replay misses the run by {share(self.error)}" if self.error > MOST_ERROR else None

    def predicted(self, candidate: Candidate, ns: float) -> Candidate:
        """The candidate with its prediction. ns: the time of an iteration in the candidate's replay."""
        factor = EXTRAPOLATED if candidate.extrapolates else 1.0
        margin = self.error + VARIABILITY
        low, high = ns * max(0.0, 1 - margin) / factor, ns * (1 + margin) * factor
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


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sorts candidates: first the suggested one, then the others by predicted time, then those without a prediction.
    Among the candidates that are about as fast as the fastest, those that change more selections come first, then those
    with fewer WAN messages.

    The suggested candidate is the first one whose whole interval of the gain lies above LEAST_GAIN. A candidate that
    extrapolates is suggested only if there is none without extrapolation.
    """
    predicted = [candidate for candidate in candidates if candidate.predicted_ns is not None]
    fastest = min((candidate.predicted_ns or 0.0 for candidate in predicted), default=0.0)

    def key(candidate: Candidate) -> tuple[float, int, int]:
        time = candidate.predicted_ns or 0.0
        return (0.0 if time <= (1 + ALIKE) * fastest else time, -len(candidate.parts), candidate.structure.wan_messages)

    ordered = sorted(predicted, key=key)
    gaining = [candidate for candidate in ordered if (candidate.gain_low or 0.0) > LEAST_GAIN]
    suggested = next((candidate for candidate in gaining if not candidate.extrapolates), None) or next(
        iter(gaining), None
    )
    unpredicted = [candidate for candidate in candidates if candidate.predicted_ns is None]
    if suggested is None:
        return [*ordered, *unpredicted]
    remaining = [candidate for candidate in ordered if candidate is not suggested]
    return [replace(suggested, is_suggested=True), *remaining, *unpredicted]
