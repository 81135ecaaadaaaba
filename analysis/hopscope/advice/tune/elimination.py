"""Elimination of candidates in rounds of interleaved runs: successive halving (Karnin, Koren and Somekh, Almost optimal
exploration in multi-armed bandits, ICML 2013). Each round has the same share of the runs and keeps the best third.
The rest of the budget goes to candidates for which the rounds had no room: they are compared with the best one."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from hopscope.advice.tune.bench import Bench, figure_of
from hopscope.advice.tune.budget import rounds_for, too_short
from hopscope.advice.tune.candidate import Candidate, combined
from hopscope.advice.tune.decision import LEAST_GAIN, survivors
from hopscope.format.quantities import plural


def eliminate(
    bench: Bench, candidates: Sequence[Candidate], say: Callable[[str], None]
) -> tuple[Candidate, float] | None:
    """The best candidate and its estimated gain; None where none was faster than the baseline. Raises InputError where
    the budget allows not even one candidate."""
    plan: dict[str, Any] | None = bench.journal.decided("rounds", lambda: _plan(bench, len(candidates)))
    if plan is None:
        raise too_short(bench.budget, bench.journal.baseline["run_s"])
    left = list(candidates[: plan["candidates"]])
    ratios: dict[str, list[float]] = {candidate.name: [] for candidate in left}
    block = 0
    for number, blocks in enumerate(plan["blocks"], 1):
        say(f"round {number} of {len(plan['blocks'])}: {plural(len(left), 'candidate')}, {bench.left()} left")
        for _ in range(blocks):
            if block > 0 and not _is_affordable(bench, block, len(left) + 1):
                break
            left = _block(bench, block, left, ratios)
            block += 1
        names = survivors({candidate.name: ratios[candidate.name] for candidate in left})
        left = [candidate for name in names for candidate in left if candidate.name == name]
        if number == 1 and (combination := _combination(bench, left, ratios)):
            left.append(combination)
            ratios[combination.name] = []
        if len(left) < 2:
            break
    best = _with_rest(bench, _best(left, ratios), candidates[plan["candidates"] :], ratios, (block, say))
    if best is None:
        return None
    gains = {name: _gain(values) for name, values in ratios.items() if values}
    # A combination must gain LEAST_GAIN more than the better of its parts; otherwise this part is the best candidate.
    part = max(best.parts, key=lambda name: gains.get(name, -1.0), default=best.name)
    name = best.name if gains[best.name] - gains.get(part, -1.0) > LEAST_GAIN else part
    return next(candidate for candidate in (*candidates, best) if candidate.name == name), gains[name]


def _with_rest(
    bench: Bench,
    best: Candidate | None,
    rest: Sequence[Candidate],
    ratios: dict[str, list[float]],
    progress: tuple[int, Callable[[str], None]],
) -> Candidate | None:
    """The best candidate after a comparison of `best` with `rest`, the candidates for which the rounds had no room.
    progress: the number of the next block, and a function that prints a line about the progress."""
    block, say = progress
    while rest and (room := _room(bench, block, best)) > 0:
        say(f"{plural(len(rest[:room]), 'more candidate')}, {bench.left()} left")
        ratios |= {candidate.name: [] for candidate in rest[:room]}
        reference = [] if best is None else [best]
        best = _best([*reference, *_block(bench, block, [*reference, *rest[:room]], ratios)], ratios)
        rest, block = rest[room:], block + 1
    return best


def _best(candidates: Sequence[Candidate], ratios: dict[str, list[float]]) -> Candidate | None:
    """The candidate with the largest gain; None where none was faster than the baseline."""
    return max(_faster(candidates, ratios), key=lambda candidate: _gain(ratios[candidate.name]), default=None)


def _room(bench: Bench, block: int, best: Candidate | None) -> int:
    """The number of further candidates that a block can have beside the best one and the baseline within the budget."""
    reserved = 1 if best is None else 2
    return bench.journal.decided(f"room {block}", lambda: max(0, bench.affordable_screening(best) - reserved))


def _plan(bench: Bench, candidates: int) -> dict[str, Any] | None:
    plan = rounds_for(candidates, bench.affordable_screening())
    return None if plan is None else asdict(plan)


def _is_affordable(bench: Bench, block: int, runs: int) -> bool:
    """True if the budget has room for a block of `runs` runs and the confirmation after it. Asked again for each block,
    because candidates may run longer than the baseline."""
    return bench.journal.decided(f"block {block}", lambda: bench.affordable_screening() >= runs)


def _block(
    bench: Bench, number: int, candidates: Sequence[Candidate], ratios: dict[str, list[float]]
) -> list[Candidate]:
    """Runs the baseline and each candidate once, and adds to `ratios` each candidate's time divided by the baseline's.
    If engine and library alternated in the candidate's run, the library's time in this run is the baseline's time.
    Returns the candidates that did not fail."""
    baseline, runs = bench.block("elimination", number, candidates)
    base = figure_of(baseline)
    for name, run in runs.items():
        if run.figure is not None:
            ratios[name].append(run.figure / (run.library or base))
    return [candidate for candidate in candidates if runs[candidate.name].figure is not None]


def _combination(bench: Bench, candidates: Sequence[Candidate], ratios: dict[str, list[float]]) -> Candidate | None:
    """A candidate with the changes of the two best candidates that were faster than the baseline and do not exclude
    each other; None if there are no two."""
    faster = _faster(candidates, ratios)
    for place, candidate in enumerate(faster):
        for partner in faster[place + 1 :]:
            if (combination := combined(candidate, partner)) is not None:
                bench.journal.add_candidate(combination)
                return combination
    return None


def _faster(candidates: Sequence[Candidate], ratios: dict[str, list[float]]) -> list[Candidate]:
    return [candidate for candidate in candidates if (runs := ratios[candidate.name]) and _gain(runs) > 0]


def _gain(ratios: Sequence[float]) -> float:
    return 1 - statistics.geometric_mean(ratios)
