"""The runs of a tuning with a budget: runs for the confirmation are reserved, and each round of the elimination gets an
equal share of the others."""

import pytest
from hopscope.advice.tune.budget import Budget, rounds_for, seconds_of, too_short
from hopscope.errors import InputError


def test_rounds_keep_a_third_of_the_candidates() -> None:
    rounds = rounds_for(12, 88)
    assert rounds is not None
    assert rounds.candidates == 12
    # Blocks of 13, 5 and 3 runs: one of each takes 21 of the 88 runs; further blocks go to the round that has spent the
    # fewest.
    assert rounds.blocks == (4, 4, 4)
    tight_rounds = rounds_for(12, 60)
    assert tight_rounds is not None
    assert tight_rounds.blocks == (2, 4, 4)


@pytest.mark.parametrize("runs", range(2, 48))
def test_what_the_budget_does_not_allow_is_left_out_from_the_end(runs: int) -> None:
    rounds = rounds_for(12, runs)
    assert rounds is not None
    left, total = rounds.candidates, 0
    for blocks in rounds.blocks:
        total += blocks * (left + 1)
        left = -(-left // 3)
    assert total <= runs
    assert 1 <= rounds.candidates <= 12


def test_without_room_for_one_candidate_there_are_no_rounds() -> None:
    assert rounds_for(12, 1) is None
    sentence = str(too_short(Budget(60.0), 10.0))
    assert "a run takes 10.0 s" in sentence
    assert "--budget 4m" in sentence  # 19 runs of 10 s


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("10m", 600), ("1.5h", 5400)])
def test_a_budget_is_a_number_with_its_unit(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["10", "m", "0s", "-3m", "1d", ""])
def test_another_budget_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match="write for example"):
        seconds_of(text)


def test_a_budget_of_runs_counts_runs() -> None:
    assert Budget(None, 20).affordable(1e9, 7, 100.0) == 13
    assert Budget(100.0).affordable(40.0, 7, 25.0) == 2
