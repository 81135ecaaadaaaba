"""Synthetic runs for periods of noise, as the values that `analyze noise --by period` reads. A run consists of the
computing of each rank in each iteration; an iteration ends when the slowest rank is done."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

GAP = 20e6
"""Computing of a rank in an iteration, in ns. The collective after it takes a twentieth of that."""
Random = np.random.Generator


def noise_gaps(begins: np.ndarray, computing: np.ndarray) -> pa.Table:
    """The noise of iterations x ranks, as noise_gaps defines it: the excess over the rank's median, less the excess
    that most ranks share."""
    iterations, ranks = computing.shape
    excess = np.maximum(computing - np.median(computing, 0), 0)
    shared = np.sort(excess, 1)[:, (ranks + 1) // 2 - 1]
    noise = np.maximum(excess - shared[:, None], 0).T.ravel()
    return pa.table(
        {
            "rank": np.repeat(np.arange(ranks), iterations),
            "at_ns": np.tile(begins, ranks),
            "noise_ns": noise,
            "iterations": np.ones(len(noise), int),
            "noisy": (noise > 0).astype(int),
        }
    )


def run_of(extra: np.ndarray, work: np.ndarray | None = None, *, absorbed: bool) -> pa.Table:
    """A run in which a rank computes `extra` (iterations x ranks) longer, and all ranks compute `work` longer.
    absorbed: the last rank always takes longest, so the other ranks' noise does not lengthen the run; otherwise it
    does."""
    computing = GAP + extra + (0 if work is None else work[:, None])
    computing[:, -1] += 3 * GAP * absorbed
    released = np.cumsum(computing.max(1) + GAP / 20)
    return noise_gaps(np.concatenate([[0], released[:-1]]), computing)


def without_period(
    random: Random, jitter: float, *, absorbed: bool, iterations: int = 60, ranks: int = 3
) -> Iterator[pa.Table]:
    """A run of each kind without a period: jitter alone, jitter with one spike, with several, with a heavy tail, and
    with work that varies for all ranks."""

    def noise() -> np.ndarray:
        return random.normal(0, jitter, (iterations, ranks))

    yield run_of(noise(), absorbed=absorbed)
    for spikes in (1, int(random.integers(2, 8))):
        spiked = noise()
        for _ in range(spikes):
            spiked[random.integers(iterations), random.integers(ranks)] += GAP * random.uniform(0.02, 2)
        yield run_of(spiked, absorbed=absorbed)
    tail = np.where(random.random((iterations, ranks)) < 0.1, random.pareto(1.5, (iterations, ranks)) * jitter * 5, 0)
    yield run_of(noise() + tail, absorbed=absorbed)
    yield run_of(noise(), GAP * 0.2 * random.random(iterations), absorbed=absorbed)


def with_period(
    random: Random, *, period: float, duty: float, amplitude: float, jitter: float, iterations: int, ranks: int = 3
) -> pa.Table:
    """A run whose rank 0 is disturbed once every `period` (ns) and then computes `amplitude` longer. A disturbance
    lasts for the share `duty` of the period; if `duty` is 0 it meets a single iteration."""
    due, clock = random.random() * period, 0.0
    begins, computing = np.empty(iterations), np.empty((iterations, ranks))
    for i in range(iterations):
        begins[i], computing[i] = clock, GAP + random.normal(0, jitter, ranks)
        if duty:
            computing[i, 0] += amplitude * ((clock + due) % period < duty * period)
        while not duty and due < clock + computing[i].max():
            computing[i, 0] += amplitude
            due += period
        clock += computing[i].max() * 1.05
    return noise_gaps(begins, computing)
