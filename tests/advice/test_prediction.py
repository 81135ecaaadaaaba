"""Intervals of predictions, from their three sources, and the candidate that is suggested."""

from __future__ import annotations

import pytest
from hopscope.replay.candidate import Candidate, Structure
from hopscope.replay.prediction import EXTRAPOLATED, Model, ranked


def candidate(name: str, ns: float | None, error: float = 0.01, wan: int = 0, extrapolates: str = "") -> Candidate:
    """A candidate for a baseline of 100 ns."""
    unpredicted = Candidate(
        name, "tree", structure=Structure(wan_messages=wan), extrapolates=(extrapolates,) * bool(extrapolates)
    )
    model = Model(100.0 * (1 + error), 100.0)
    return unpredicted if ns is None else model.predicted(unpredicted, ns)


def test_an_interval_has_the_replay_s_error_the_variability_and_a_factor_for_extrapolation() -> None:
    model = Model(measured_ns=110.0, baseline_ns=99.0)
    assert model.error == pytest.approx(0.1)
    sure = model.predicted(Candidate("sure", "tree"), 60.0)
    assert (sure.predicted_low_ns, sure.predicted_high_ns) == pytest.approx((60 * 0.86, 60 * 1.14))
    assert (sure.predicted_gain, sure.gain_low) == pytest.approx((1 - 60 / 99, 1 - 60 * 1.14 / 99))
    open_end = model.predicted(Candidate("open", "tree", extrapolates=("lan links",)), 60.0)
    assert open_end.predicted_low_ns == pytest.approx(60 * 0.86 / EXTRAPOLATED)
    assert open_end.predicted_high_ns == pytest.approx(60 * 1.14 * EXTRAPOLATED)


def test_a_replay_that_misses_the_run_predicts_nothing() -> None:
    assert Model(100.0, 70.0).reason_unpredicted == "the replay misses the run by 30.0 %"
    assert Model(100.0, 90.0).reason_unpredicted is None


@pytest.mark.parametrize(("error", "suggested"), [(0.03, True), (0.08, False)])
def test_a_gain_within_the_interval_is_no_suggestion(error: float, suggested: bool) -> None:
    # The candidate takes 10 % less than the baseline; two runs differ by 4 %.
    (row,) = ranked([candidate("other", 90.0, error)])
    assert row.is_suggested == suggested


def test_what_extrapolates_is_suggested_only_where_nothing_else_gains() -> None:
    fast, sure, slow = candidate("fast", 20.0, extrapolates="a-b"), candidate("sure", 60.0), candidate("slow", 120.0)
    assert [row.name for row in ranked([slow, fast, sure])] == ["sure", "fast", "slow"]
    first, second = ranked([slow, fast])
    assert first.is_suggested and first.name == "fast" and not second.is_suggested
    # If it took twice its prediction, it would gain nothing.
    assert not any(row.is_suggested for row in ranked([candidate("fast", 48.0, extrapolates="a-b")]))


def test_equal_predictions_are_ordered_by_wan_messages_and_what_is_not_predicted_comes_last() -> None:
    rows = ranked([candidate("none", None), candidate("many", 50.0, wan=9), candidate("few", 50.3, wan=1)])
    assert [row.name for row in rows] == ["few", "many", "none"]
