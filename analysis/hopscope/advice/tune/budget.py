"""The runs that a budget still allows, and the plan of the rounds that eliminate candidates."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from hopscope.advice.tune.decision import LEAST_PAIRS, SURVIVOR_RATIO
from hopscope.errors import InputError
from hopscope.format.quantities import duration

BASELINE_RUNS: Final = 4
"""Measured runs of the unchanged program at the beginning; one more records the messages inside collectives."""
_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}
_MOST_BLOCKS: Final = 4
"""The largest number of runs of a candidate in one round of the elimination."""


@dataclass(frozen=True)
class Budget:
    """A limit on a tuning: either the time in seconds or the number of runs. The other one is None."""

    seconds: float | None
    runs: int | None = None

    def affordable(self, spent_s: float, measured: int, run_s: float) -> int:
        """The number of runs that are left, if each takes run_s seconds."""
        if self.runs is not None:
            return max(0, self.runs - measured)
        assert self.seconds is not None
        return max(0, int((self.seconds - spent_s) / run_s))


@dataclass(frozen=True)
class Rounds:
    """The plan of an elimination: the number of candidates, and the number of blocks in each round. A block has one run
    of the baseline and one of every candidate that is left."""

    candidates: int
    blocks: tuple[int, ...]


def seconds_of(text: str) -> float:
    """The seconds of a time such as 90s, 10m or 1h. Raises InputError for another text."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text.strip())
    if match is None or float(match[1]) == 0:
        raise InputError(f"--budget {text} is not a time; write for example 90s, 10m or 1h")
    return float(match[1]) * _UNITS[match[2]]


def rounds_for(candidates: int, runs: int) -> Rounds | None:
    """The plan for eliminating `candidates` candidates, or as many as `runs` runs allow; None if the runs are too few
    for one candidate. Each round gets the same share of the runs and keeps one in SURVIVOR_RATIO candidates, until one
    is left."""
    for number in range(candidates, 0, -1):
        costs = [size + 1 for size in _sizes(number)]
        if sum(costs) <= runs:
            return Rounds(number, _blocks(costs, runs))
    return None


def _blocks(costs: list[int], runs: int) -> tuple[int, ...]:
    """The number of blocks in each round. Each round has one; each further block goes to the round with the fewest
    runs so far. costs: the number of runs in a block of each round."""
    blocks = [1] * len(costs)
    runs -= sum(costs)
    while True:
        open_rounds = [number for number, cost in enumerate(costs) if cost <= runs and blocks[number] < _MOST_BLOCKS]
        if not open_rounds:
            return tuple(blocks)
        number = min(open_rounds, key=lambda number: (blocks[number] * costs[number], -number))
        blocks[number] += 1
        runs -= costs[number]


def _sizes(candidates: int) -> list[int]:
    """The number of candidates in each round."""
    sizes = [candidates]
    while (size := math.ceil(sizes[-1] / SURVIVOR_RATIO)) > 1:
        sizes.append(size)
    return sizes


def too_short(budget: Budget, run_s: float) -> InputError:
    """The error for a budget that is too small for a single candidate."""
    least_runs = 1 + BASELINE_RUNS + 2 + 2 * LEAST_PAIRS
    if budget.runs is not None:
        return InputError(f"--runs {budget.runs} is too few: one candidate takes {least_runs} runs; allow more")
    least_s = least_runs * run_s
    return InputError(
        f"the budget is too short: a run takes {duration(int(run_s * 1e9))}, and one candidate takes {least_runs} of "
        f"them; allow --budget {math.ceil(least_s / 60)}m or more, or shorten a run with --iterations N or --short CMD"
    )
