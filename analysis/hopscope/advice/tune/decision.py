"""Decisions from paired runs: survivors of a round, number of confirming pairs, and the proof of a gain.

The unit is the run. A pair is one run of the candidate and one of the baseline, close in time and in random order, so
that drift of the machine affects both. All times are ns, all gains shares of the baseline's time: 0.2 is 20 % less.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hopscope.query.resampling import student_quantile

LEAST_GAIN: Final = 0.01
"""A gain counts only if its whole interval lies above this share."""
LEAST_PAIRS: Final = 6
SURVIVOR_RATIO: Final = 3
"""After a round, one in this many candidates goes on to the next round."""
MOST_PAIRS: Final = 20
_CONFIDENCE: Final = 0.95
_POWER: Final = 0.9
"""Probability with which the planned number of pairs proves a gain as large as the estimated one."""

Pair = tuple[float, float]
"""The times of the baseline's run and of the candidate's run, ns."""
Verdict = Literal["gain", "no gain", "loss"]


@dataclass(frozen=True)
class Gain:
    """The gain over pairs of runs and its interval of 95 %, as shares of the baseline's time; negative: slower."""

    gain: float
    low: float
    high: float
    pairs: int

    @property
    def verdict(self) -> Verdict:
        """`gain` where the whole interval lies above LEAST_GAIN, `loss` where the whole interval lies below zero."""
        if self.low > LEAST_GAIN:
            return "gain"
        return "loss" if self.high < 0 else "no gain"


def gain_of(pairs: Sequence[Pair]) -> Gain:
    """The gain with a t interval, from the log ratios of the pairs. Raises ValueError for fewer than two pairs."""
    if len(pairs) < 2:
        raise ValueError(f"{len(pairs)} pairs of runs have no interval")
    logs = [math.log(candidate / baseline) for baseline, candidate in pairs]
    mean = statistics.fmean(logs)
    half = student_quantile(len(logs) - 1, (1 + _CONFIDENCE) / 2) * statistics.stdev(logs) / math.sqrt(len(logs))
    return Gain(1 - math.exp(mean), 1 - math.exp(mean + half), 1 - math.exp(mean - half), len(logs))


def planned_pairs(estimate: float, deviation: float, affordable: int) -> int:
    """The number of pairs that would prove a gain of the size `estimate`: at least LEAST_PAIRS, and at most MOST_PAIRS
    and `affordable`.

    deviation: standard deviation of the log ratio of two runs. affordable: LEAST_PAIRS or more.
    """
    distance = math.log(1 - LEAST_GAIN) - math.log(1 - min(estimate, 0.99))
    limit = min(affordable, MOST_PAIRS)
    if distance <= 0:
        return limit
    for pairs in range(LEAST_PAIRS, limit):
        quantiles = student_quantile(pairs - 1, (1 + _CONFIDENCE) / 2) + student_quantile(pairs - 1, _POWER)
        if quantiles * deviation / math.sqrt(pairs) <= distance:
            return pairs
    return limit


def survivors(ratios: Mapping[str, Sequence[float]]) -> list[str]:
    """The names of the best third of the candidates (rounded up), the best first, except candidates that are surely
    slower than the baseline.

    ratios: for each candidate, the time of each run divided by the time of the baseline's run in the same block; empty
    if the candidate failed.
    """
    means = {name: statistics.fmean(map(math.log, values)) for name, values in ratios.items() if values}
    ranked = sorted(means, key=lambda name: means[name])
    best = ranked[: math.ceil(len(ratios) / SURVIVOR_RATIO)]
    return [name for name in best if means[name] <= 0 or not _is_surely_slower(ratios[name])]


def deviation_of(times: Sequence[float]) -> float:
    """Standard deviation of the log ratio of two runs, from at least two runs of one command."""
    return math.sqrt(2) * statistics.stdev(map(math.log, times))


def _is_surely_slower(ratios: Sequence[float]) -> bool:
    if len(ratios) < 2:
        return False
    return gain_of([(1.0, ratio) for ratio in ratios]).high < 0
