"""A tuning whose candidates change nothing keeps the baseline, whatever the machine does meanwhile.

Runs are drawn from recorded_runs.json: the figures of whole runs of one command in the order in which they ran
(record_runs.py), so that they contain the machine's drift. The decisions are the product's own code.
"""

import json
import random
from pathlib import Path
from typing import Final

import hopscope
import pytest
from hopscope.advice.tune.bench import Bench
from hopscope.advice.tune.budget import BASELINE_RUNS, Budget
from hopscope.advice.tune.candidate import Candidate
from hopscope.advice.tune.job import Job, Run
from hopscope.advice.tune.journal import Journal, Measurement, Phase
from hopscope.advice.tune.session import choose

RECORDED: Final[dict[str, list[int]]] = json.loads(Path(__file__).with_name("recorded_runs.json").read_text())
TUNINGS: Final = 1000
FAILS: Final = -1.0
CANDIDATES: Final = [Candidate(f"candidate {number}", "parameter") for number in range(12)]


class _DrawnJournal(Journal):
    def write(self) -> None:
        """Keeps nothing."""


class _DrawnBench(Bench):
    """A bench whose runs take recorded figures one after another, from a position on. gains: the true gain of each
    candidate, which changes the figures of its runs."""

    def __init__(self, figures: list[int], begin: int, runs: int, gains: dict[str, float]) -> None:
        journal = _DrawnJournal(Path(), {}, decisions={"seed": begin}, baseline={"run_s": 1.0, "iteration_ns": 1.0})
        super().__init__(Job(("true",), hopscope.open), journal, Budget(None, runs))
        self._figures, self._position, self._gains = figures, begin, gains

    def measure(self, phase: Phase, block: int, candidate: Candidate) -> Run:
        """Returns the figure of the next recorded run."""
        gain = self._gains.get(candidate.name, 0.0)
        figure = self._figures[self._position % len(self._figures)] * (1 - gain)
        self._position += 1
        run = Run("failed", 1.0) if gain < FAILS else Run("measured", 1.0, figure, "iteration")
        self.journal.add(Measurement(phase, block, candidate.name, run))
        return run


def choice_of(figures: list[int], begin: int, runs: int, gains: dict[str, float] | None = None) -> str | None:
    """The choice of a tuning that begins at this position of the recorded runs."""
    bench = _DrawnBench(figures, begin, runs, gains or {})
    baseline = Candidate("baseline", "baseline")
    times = [bench.measure("baseline", number, baseline).figure or 0.0 for number in range(BASELINE_RUNS)]
    choose(bench, CANDIDATES, times, lambda _line: None)
    assert bench.journal.result is not None
    return bench.journal.result["candidate"]


@pytest.mark.parametrize("name", RECORDED)
def test_of_a_thousand_tunings_without_a_difference_at_most_one_in_twenty_changes_anything(name: str) -> None:
    figures = RECORDED[name]
    assert len(figures) >= 60
    chance = random.Random(7)
    places = [(chance.randrange(len(figures)), chance.randrange(30, 100)) for _ in range(TUNINGS)]
    changed = sum(choice_of(figures, begin, runs) is not None for begin, runs in places)
    assert changed <= TUNINGS // 20


def test_a_candidate_that_halves_the_time_is_found() -> None:
    figures = RECORDED["eight ranks, two sites"]
    assert choice_of(figures, 0, 60, {"candidate 7": 0.5}) == "candidate 7"


def test_where_the_first_ones_fail_the_rest_of_the_budget_goes_to_those_it_had_no_room_for() -> None:
    # 30 runs: 4 of the baseline and 12 for the confirmation leave 14, in which 8 candidates get two rounds.
    gains = {candidate.name: 2 * FAILS for candidate in CANDIDATES[:8]}
    figures = RECORDED["eight ranks, two sites"]
    assert choice_of(figures, 0, 30, {**gains, "candidate 9": 0.5}) == "candidate 9"
