"""Verdicts on the gain that a tuning stated, from fresh pairs of runs."""

from pathlib import Path

import pytest
from hopscope.advice.tune.journal import Journal
from hopscope.advice.tune.verify import verdict

RESULT = {"candidate": "ring", "gain": 0.3, "gain_low": 0.25, "gain_high": 0.35}


@pytest.mark.parametrize(
    ("ratios", "code", "sentence"),
    [
        ((0.7, 0.71, 0.69, 0.7), 0, "ring still saves 30.0 %"),
        ((0.9, 0.91, 0.89, 0.9), 0, "ring still saves 10.0 %"),  # less, but still a gain
        ((1.0, 1.01, 0.99, 1.0), 1, "ring no longer saves what it did: "),
        ((0.5, 1.6, 0.9, 1.2), 2, "Undecided, because runs differ too much"),
    ],
)
def test_a_gain_holds_is_gone_or_is_hidden_by_noise(ratios: tuple[float, ...], code: int, sentence: str) -> None:
    journal = Journal(Path(), {}, result=dict(RESULT))
    verified = verdict(journal, [(1.0, ratio) for ratio in ratios])
    assert verified.code == code
    assert verified.sentence.startswith(sentence)
    assert verified.sentence.endswith("it was 30.0 %.")
