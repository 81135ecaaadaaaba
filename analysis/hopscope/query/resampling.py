"""Resampling for values whose neighbours resemble one another: quantiles of a run's times over blocks of its
collectives, and sums over given blocks. Blocks are drawn at random with a fixed seed, so that an answer repeats. Shares
are resampled in SQL (share_draws.sql).

The method is a block bootstrap (Künsch 1989; circular: Politis and Romano 1992). Each draw takes as many blocks as the
run has, with replacement, and computes the figure from them. The standard error is the standard deviation over the
draws.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hopscope.query.bootstrap import CONFIDENCE, DRAWS, ENDS, LEAST_BLOCKS

LEAST_TAIL = 10

_SEED = 1

Floats = NDArray[np.float64]


def student_quantile(freedom: float, probability: float) -> float:
    """Quantile of Student's t distribution."""
    # Imported late: loading scipy takes longer than evaluating a short trace, and scipy.stats takes ten times as long
    # as this part.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


@dataclass(frozen=True)
class Difference:
    """A difference of two estimates: its value, its standard error and the degrees of freedom of that error."""

    value: float
    error: float
    freedom: float

    def interval(self, rows: int) -> tuple[float, float]:
        """The interval of the difference. rows: the number of differences in the answer. The intervals of all of them
        are right together with a probability of 95 %."""
        half_width = student_quantile(self.freedom, 1 - (1 - CONFIDENCE) / rows / 2) * self.error
        return self.value - half_width, self.value + half_width

    def p_value(self, rows: int) -> float:
        """The probability that chance shows so large a difference in any of `rows` rows; at most 1."""
        if self.error == 0:
            return 1.0 if self.value == 0 else 0.0
        from scipy.special import stdtr

        return min(1.0, rows * 2 * float(stdtr(self.freedom, -abs(self.value) / self.error)))


@dataclass(frozen=True)
class Estimate:
    """One figure of a run: its value, the variance of that value, and the number of blocks behind it."""

    value: float
    variance: float
    blocks: int


def has_too_few_runs(base: Sequence[object], new: Sequence[object]) -> bool:
    """Tell if base and new have too few runs to show how runs of one program differ."""
    return len(base) + len(new) < 3


def difference(base: Sequence[Estimate], new: Sequence[Estimate], *, relative: bool = False) -> Difference:
    """new - base, each the mean over one run or more.

    The error is the larger one of two: the error of the estimates within their runs, and the error from differences
    between runs of one side. With a single run on each side, only the first is known. Differences between runs are
    pooled over both sides, as in a two-sample t-test; `relative` divides them by the mean of their side first.
    """
    within_runs = _independent_difference(_mean(base), _mean(new))
    freedom = len(base) + len(new) - 2
    if freedom < 1:
        return within_runs
    scales = [(abs(_mean(side).value) if relative else 1.0) for side in (base, new)]
    deviation = sum(
        ((estimate.value - _mean(side).value) / scale) ** 2
        for side, scale in zip((base, new), scales, strict=True)
        if scale
        for estimate in side
    )
    weight = sum(scale**2 / len(side) for side, scale in zip((base, new), scales, strict=True))
    between_runs = Difference(within_runs.value, math.sqrt(deviation / freedom * weight), freedom)
    return max(within_runs, between_runs, key=lambda candidate: candidate.interval(1)[1])


def mean_of_runs(runs: Sequence[Estimate]) -> Difference:
    """The mean over runs of one program. Its error is the larger one of two: the error within the runs, and the error
    from the differences between the runs."""
    mean = _mean(runs)
    within_runs = _independent_difference(Estimate(0.0, 0.0, mean.blocks), mean)
    if len(runs) < 2:
        return within_runs
    variance = sum((run.value - mean.value) ** 2 for run in runs) / (len(runs) - 1)
    between_runs = Difference(mean.value, math.sqrt(variance / len(runs)), len(runs) - 1)
    return max(within_runs, between_runs, key=lambda candidate: candidate.interval(1)[1])


def _mean(runs: Sequence[Estimate]) -> Estimate:
    n = len(runs)
    return Estimate(sum(r.value for r in runs) / n, sum(r.variance for r in runs) / n**2, sum(r.blocks for r in runs))


def _independent_difference(base: Estimate, new: Estimate) -> Difference:
    """new - base, for independent estimates (degrees of freedom of Welch and Satterthwaite)."""
    whole = base.variance + new.variance
    if whole == 0:
        return Difference(new.value - base.value, 0.0, max(1, min(base.blocks, new.blocks) - 1))
    terms = sum(estimate.variance**2 / max(1, estimate.blocks - 1) for estimate in (base, new))
    return Difference(new.value - base.value, math.sqrt(whole), whole * whole / terms)


@dataclass(frozen=True)
class Blocks:
    """The blocks of a series of values. length: values per block. count: the number of blocks. stretch: the factor by
    which the variance must be increased because the blocks are shorter than they should be."""

    length: int
    count: int
    stretch: float


def blocks_of(values: Floats) -> Blocks:
    """The blocks of a run of values in the order of time.

    A block has as many values as the cube root of n or, if that is more, four times the distance over which values
    resemble their neighbours. This distance is the integrated autocorrelation time of the values' ranks, with Sokal's
    window; in the values themselves, single spikes could hide it. Blocks are shortened if fewer than LEAST_BLOCKS would
    be left, but not below the cube root of n.
    """
    n = len(values)
    shortest = max(1, math.ceil(n ** (1 / 3)))
    ideal_length = max(shortest, math.ceil(4 * _likeness(values)))
    length = min(ideal_length, max(shortest, n // LEAST_BLOCKS))
    return Blocks(length, n // length, ideal_length / length)


def _likeness(values: Floats) -> float:
    n = len(values)
    low, high = (pc.rank(pa.array(values), tiebreaker=end).to_numpy() for end in ("min", "max"))
    ranks = (low + high) / 2
    ranks -= ranks.mean()
    energy = float(ranks @ ranks)
    if n < 4 or energy == 0:
        return 1.0
    spectrum = np.fft.rfft(ranks, 2 * n)
    correlation = np.fft.irfft(spectrum * np.conj(spectrum))[: n // 2] / energy
    lasts = 1 + 2 * np.cumsum(correlation[1:])
    windows = np.flatnonzero(np.arange(1, len(lasts) + 1) >= 5 * lasts)
    return float(lasts[windows[0]]) if len(windows) else float(lasts.max(initial=1.0))


def block_draws(*values: Floats) -> list[Floats]:
    """The sums of each row in resampled runs, for each array of rows x blocks: arrays of rows x DRAWS. The same blocks
    are drawn for all arrays."""
    times = _times_drawn(values[0].shape[1])
    return [rows @ times for rows in values]


@cache
def _times_drawn(blocks: int) -> Floats:
    """An array of blocks x DRAWS: how often each block is drawn."""
    times = np.random.default_rng(_SEED).multinomial(blocks, np.full(blocks, 1 / blocks), DRAWS)
    return np.ascontiguousarray(times.T, np.float64)


def interval_of(draws: Floats, value: float) -> tuple[float, float]:
    """The interval of the middle 95 % of the draws, extended to contain the run's own value. That value may lie
    outside: the largest of many ranks' sums, for example, is larger in nearly every resampled run than in the run
    itself."""
    low, high = np.quantile(draws, ENDS)
    return min(float(low), value), max(float(high), value)


def mean_estimate(values: Floats) -> Estimate:
    """The mean of a run of values in the order of time. Its variance comes from the means of the blocks, and is
    infinite if there is only one block."""
    blocks = blocks_of(values)
    means = values[: blocks.count * blocks.length].reshape(blocks.count, blocks.length).mean(axis=1)
    variance = float(means.var(ddof=1)) / blocks.count * blocks.stretch if blocks.count > 1 else math.inf
    return Estimate(float(values.mean()), variance, blocks.count)


def quantile_estimates(values: Floats, quantiles: tuple[float, ...], seed: int) -> list[Estimate]:
    """The quantiles of a run of values in the order of time, with variances from the bootstrap."""
    blocks = blocks_of(values)
    draws = _quantile_draws(values, quantiles, blocks, seed)
    figures = np.quantile(values, quantiles)
    return [
        Estimate(float(value), float(np.var(sample)) * blocks.stretch, blocks.count)
        for value, sample in zip(figures, draws.T, strict=True)
    ]


def _quantile_draws(values: Floats, quantiles: tuple[float, ...], blocks: Blocks, seed: int) -> Floats:
    """The quantiles of each resampled run (DRAWS x quantiles). A block that reaches beyond the last value continues
    with the first values."""
    n, length = len(values), blocks.length
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    random = np.random.default_rng(seed)
    draws = np.empty((DRAWS, len(quantiles)))
    for draw in range(DRAWS):
        starts = random.integers(0, n, size=max(1, round(n / length)))
        # Count the draws of each value: +1 where a block begins, -1 behind its end, around the circle.
        steps = np.bincount(starts, minlength=2 * n + 1)
        steps -= np.bincount(starts + length, minlength=2 * n + 1)
        covered = np.cumsum(steps)
        weights = (covered[:n] + covered[n : 2 * n])[order]
        cumulative_weights = np.cumsum(weights)
        places = np.searchsorted(cumulative_weights, np.array(quantiles) * cumulative_weights[-1])
        draws[draw] = ordered[np.minimum(places, n - 1)]
    return draws
