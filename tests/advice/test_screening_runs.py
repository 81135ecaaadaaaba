"""Runs that screen candidates are cut short if that saves enough time."""

from pathlib import Path

import hopscope
import pytest
from hopscope.advice.tune.ending import LEFT_OUT_SCREENING, screening
from hopscope.advice.tune.iteration import iteration_time

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def test_a_long_run_is_screened_by_its_first_two_seconds() -> None:
    trace = hopscope.open(SAMPLES / "demo" / "trace")  # 40 iterations
    short = screening(trace, run_s=9.0, iteration_ns=130e6)
    assert short is not None
    assert short.iterations == 16
    # 23 iterations less, and one second until the run's end is noticed.
    assert short.run_s == pytest.approx(9.0 - 23 * 0.13 + 1.0)


def test_a_run_with_longer_iterations_keeps_ten_of_them() -> None:
    short = screening(hopscope.open(SAMPLES / "demo" / "trace"), run_s=45.0, iteration_ns=1e9)
    assert short is not None
    assert short.iterations == 10


@pytest.mark.parametrize(
    ("name", "run_s", "iteration_ns"),
    [("late_rank", 2.0, 9e6), ("demo", 100.0, 130e6), ("native_collectives", 2.0, 1e6)],
)
def test_a_run_that_would_save_little_or_has_no_iterations_is_not_cut(
    name: str, run_s: float, iteration_ns: float
) -> None:
    assert screening(hopscope.open(SAMPLES / name / "trace"), run_s, iteration_ns) is None


def test_the_first_half_of_a_screening_run_does_not_count() -> None:
    trace = hopscope.open(SAMPLES / "demo" / "trace")
    assert iteration_time(trace, 10, LEFT_OUT_SCREENING).iterations == 5
    assert iteration_time(trace, 10).iterations == 9
