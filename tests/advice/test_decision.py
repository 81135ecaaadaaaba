"""Pairs of runs that prove a gain, and pairs that do not, worked out by hand."""

import math

import pytest
from hopscope.advice.tune.decision import deviation_of, gain_of, planned_pairs, survivors


def test_a_gain_is_the_mean_of_the_log_ratios_with_student_s_interval() -> None:
    # Ratios 0.8, 0.9, 0.8, 0.9: their mean log is ln(0.8485), the logs' deviation 0.0680, t(3) for 97.5 % is 3.182. So
    # the half width is 3.182 * 0.0680 / 2 = 0.1082, and the gain lies between 1 - 0.8485 * e^0.1082 = 5.45 % and 1 -
    # 0.8485 / e^0.1082 = 23.85 %.
    gain = gain_of([(100.0, 80.0), (100.0, 90.0), (200.0, 160.0), (50.0, 45.0)])
    assert gain.gain == pytest.approx(1 - math.sqrt(0.72))
    assert (gain.low, gain.high) == (pytest.approx(0.0545, abs=5e-4), pytest.approx(0.2385, abs=5e-4))
    assert gain.pairs == 4
    assert gain.verdict == "gain"


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((0.95, 0.951, 0.949, 0.95, 0.95, 0.951), "gain"),
        ((0.995, 0.994, 0.996, 0.995, 0.995, 0.994), "no gain"),  # certainly faster, but by less than 1 %
        ((0.5, 1.4, 0.7, 1.1, 0.6, 1.3), "no gain"),
        ((1.05, 1.051, 1.049, 1.05, 1.05, 1.051), "loss"),
    ],
)
def test_a_gain_counts_only_where_its_whole_interval_lies_above_one_per_cent(
    ratios: tuple[float, ...], verdict: str
) -> None:
    assert gain_of([(100.0, 100.0 * ratio) for ratio in ratios]).verdict == verdict


def test_a_single_pair_has_no_interval() -> None:
    with pytest.raises(ValueError, match="1 pairs"):
        gain_of([(100.0, 50.0)])


def test_a_small_gain_takes_more_pairs_than_a_large_one_but_never_fewer_than_six() -> None:
    numbers = [planned_pairs(gain, 0.05, 100) for gain in (0.5, 0.08, 0.05, 0.011)]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (6, 20)
    assert planned_pairs(0.011, 0.05, 9) == 9  # no more than the budget allows


def test_the_better_half_goes_on_and_what_is_surely_slower_does_not() -> None:
    ratios = {
        "a": [0.9, 0.92],
        "b": [0.99, 1.01],
        "c": [1.5, 1.51, 1.49],
        "d": [2.0, 2.01, 1.99],
    }
    assert survivors(ratios) == ["a", "b"]
    assert survivors({"c": ratios["c"], "d": ratios["d"]}) == []
    assert survivors({"b": [1.02], "failed": []}) == ["b"]  # one run proves nothing


def test_runs_of_one_command_differ_by_the_deviation_of_their_ratio() -> None:
    # The logs are 0 and ln 1.1, so their deviation is ln 1.1 / sqrt 2. A ratio of two runs has sqrt 2 times that
    # deviation.
    assert deviation_of([100.0, 110.0]) == pytest.approx(math.log(1.1))
