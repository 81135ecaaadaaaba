"""Medians with intervals, and measuring until the interval is narrow enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import binom, t

CONFIDENCE = 0.95
FIRST = 6
"""The fewest values for which order statistics give a 95 % interval of the median: from the smallest to the largest."""
PRECISION = 0.05
"""A median is settled if its interval extends by at most this share of the median to either side."""
POINT_SECONDS = 1.0
"""The time for one median. If it is not settled after this time, it keeps its interval."""


@dataclass(frozen=True)
class Value:
    """A median, its 95 % interval, and the number of measurements."""

    value: float
    low: float
    high: float
    count: int

    @property
    def is_settled(self) -> bool:
        """True if the interval is narrow enough."""
        return max(self.high - self.value, self.value - self.low) <= PRECISION * abs(self.value)


def median_of(values: Sequence[float]) -> Value:
    """The median and its interval. Raises ValueError for fewer than two values.

    From FIRST values on, the ends of the interval are two of the sorted values. Such an interval is right for every
    distribution: the probability that the k-th of n values is above the true median is that of fewer than k heads in n
    tosses of a coin (H. A. David, H. N. Nagaraja, "Order Statistics", 3rd ed., 2003, section 7.1). With fewer values it
    is Student's t interval, which is wide.
    """
    count = len(values)
    if count < 2:
        raise ValueError(f"{count} values have no interval")
    ordered = np.sort(np.asarray(values, np.float64))
    middle = float(np.median(ordered))
    if count < FIRST:
        half = float(t.ppf((1 + CONFIDENCE) / 2, count - 1) * ordered.std(ddof=1) / np.sqrt(count))
        return Value(middle, middle - half, middle + half, count)
    lower_index = max(0, int(binom.ppf((1 - CONFIDENCE) / 2, count, 0.5)) - 1)
    return Value(middle, float(ordered[lower_index]), float(ordered[count - 1 - lower_index]), count)


@dataclass
class Budget:
    """The time in seconds that a probe may take. clock: returns the current time in seconds; tests replace it."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    begin: float = field(init=False)

    def __post_init__(self) -> None:
        self.begin = self.clock()

    @property
    def spent(self) -> float:
        """Seconds since the budget was made."""
        return self.clock() - self.begin

    @property
    def left(self) -> float:
        """Seconds that are left; below 0 if the budget is exceeded."""
        return self.seconds - self.spent


def settle(measure: Callable[[int], Sequence[float]], budget: Budget, each_seconds: float = 0.0) -> Value | None:
    """Measure until the median is settled, POINT_SECONDS have passed or the budget is used up. Returns the median; None
    for fewer than two values.

    measure: takes a number of values to measure, and returns at most this number of values. each_seconds: the estimated
    time of one value. Batches grow, so that few requests are needed.
    """
    values: list[float] = []
    begin = budget.clock()
    batch = FIRST if each_seconds <= 0 else max(2, min(FIRST, int(POINT_SECONDS / each_seconds)))
    while budget.left > batch * each_seconds:
        sample = measure(batch)
        values += sample
        spent = budget.clock() - begin
        if not sample or (len(values) >= 2 and (spent >= POINT_SECONDS or median_of(values).is_settled)):
            break
        # Request no more values than the remaining time allows, by the mean time of the values so far.
        each_seconds = spent / len(values)
        fits = int(min(POINT_SECONDS - spent, budget.left) / max(each_seconds, 1e-9))
        batch = max(1, min(2 * len(values), fits))
    return median_of(values) if len(values) >= 2 else None
