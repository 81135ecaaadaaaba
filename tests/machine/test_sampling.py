"""Intervals of medians, and the condition for a sufficiently measured point."""

import random
from collections.abc import Sequence

import pytest
from hopscope.machine.probe.sampling import FIRST, POINT_SECONDS, Budget, median_of, settle


class Clock:
    """A clock on which only measurements take time."""

    def __init__(self) -> None:
        self.time_s = 100.0

    def __call__(self) -> float:
        return self.time_s


def measuring(clock: Clock, each_seconds: float, values: Sequence[float]) -> tuple[list[int], object]:
    counts: list[int] = []

    def measure(count: int) -> list[float]:
        counts.append(count)
        clock.time_s += count * each_seconds
        return [values[(sum(counts) + i) % len(values)] for i in range(count)]

    return counts, measure


@pytest.mark.parametrize("count", [6, 7, 12, 25, 100])
def test_the_interval_contains_the_median_of_a_skewed_distribution_as_often_as_it_says(count: int) -> None:
    """The distribution is exponential, with median ln 2."""
    chance = random.Random(count)
    hits = 0
    for _ in range(1000):
        value = median_of([chance.expovariate(1.0) for _ in range(count)])
        hits += value.low <= 0.693147 <= value.high
    assert hits >= 935


def test_few_values_have_a_wide_interval() -> None:
    """Regression: two values that happened to agree within 1 % counted as sufficient."""
    value = median_of([100.0, 101.0])
    assert value.high - value.low > 10
    assert not value.is_settled


def test_one_value_has_no_interval() -> None:
    with pytest.raises(ValueError, match="no interval"):
        median_of([1.0])


def test_a_point_stops_when_its_interval_is_narrow() -> None:
    clock = Clock()
    counts, measure = measuring(clock, 0.001, [100.0, 101.0, 99.0])
    value = settle(measure, Budget(10, clock))
    assert counts == [FIRST]
    assert value is not None and value.is_settled


def test_a_point_that_does_not_settle_stops_after_its_time() -> None:
    clock = Clock()
    counts, measure = measuring(clock, 0.01, [1.0, 100.0, 1000.0, 10.0])
    value = settle(measure, Budget(10, clock))
    assert value is not None and not value.is_settled
    assert POINT_SECONDS - 0.05 <= clock.time_s - 100 <= POINT_SECONDS + 0.05
    assert sum(counts) == value.count


def test_a_slow_point_is_measured_at_least_twice() -> None:
    clock = Clock()
    counts, measure = measuring(clock, 2.0, [5.0, 6.0])
    value = settle(measure, Budget(10, clock), each_seconds=2.0)
    assert counts == [2]
    assert value is not None and value.count == 2


def test_nothing_is_begun_that_the_budget_does_not_suffice_for() -> None:
    clock = Clock()
    counts, measure = measuring(clock, 2.0, [5.0])
    assert settle(measure, Budget(3, clock), each_seconds=2.0) is None
    clock.time_s += 4
    assert settle(measure, Budget(-1, clock)) is None
    assert counts == []
