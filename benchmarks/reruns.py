"""Compares predictions with reruns: a run over emulated links, or on a network of namespaces, is recorded and remapped,
and the program runs again with the suggestion.

The time of the rerun by the program's own clock is the truth.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hopscope
from hopscope.advice.remap import candidates as candidates_of
from hopscope.advice.remap import remap
from measure import PROGRAMS, figures
from random_cases import Case

RERUNS = 3
ITERATIONS, LONG_ITERATIONS = 23, 11
"""Iterations of a run: the first number, or the second if messages are long."""
LONG = 262_144
ALIKE = 0.05
"""A suggestion this close to the best of all candidates counts as the best."""


@dataclass(frozen=True)
class Outcome:
    """A prediction and its reruns; times of an iteration in ns."""

    case: Case
    name: str
    suggested: bool
    predicted: float
    low: float
    high: float
    reruns: tuple[float, ...]
    baseline: tuple[float, ...]
    model_error: float
    extrapolates: str | None
    """Inputs of the prediction that the run did not measure."""
    best: tuple[str, float] | None = None
    """The best candidate of an exhaustive trial."""

    @property
    def rerun(self) -> float:
        """The median rerun."""
        return statistics.median(self.reruns)

    @property
    def holds(self) -> bool:
        """Tells whether the interval contains the median rerun."""
        return self.low <= self.rerun <= self.high

    @property
    def half_width(self) -> float:
        """Half the interval's width, as a share of the prediction."""
        return (self.high - self.low) / 2 / self.predicted

    @property
    def deviation(self) -> float:
        """The median rerun's excess over the prediction, as a share of the prediction."""
        return self.rerun / self.predicted - 1

    @property
    def is_slower(self) -> bool:
        """Tells whether a suggestion made the run slower: the median rerun is longer than the interval's upper end, and
        longer than the baseline by more than reruns and baseline vary together."""
        variability = max(self.reruns) - min(self.reruns) + max(self.baseline) - min(self.baseline)
        worst = max(statistics.median(self.baseline), self.high)
        return self.suggested and self.rerun > worst and self.rerun > statistics.median(self.baseline) + variability

    @property
    def shortfall(self) -> float | None:
        """The median rerun's excess over the best of an exhaustive trial, as a share."""
        return None if self.best is None else max(0.0, self.rerun / self.best[1] - 1)


def rerun_case(case: Case, folder: Path, *, is_exhaustive: bool = False, network: bool = False) -> Outcome:
    """Records a case, remaps it and runs it again. is_exhaustive: True to run every other candidate once, too. network:
    True to run on a network of namespaces."""
    topology, tree_file = case.write(folder, network=network)
    is_long = max(size for _, size in case.calls) >= LONG
    words = [str(LONG_ITERATIONS if is_long else ITERATIONS), str(case.work_us)]
    words += [word for operation, size in case.calls for word in (operation, str(size))]

    def run(tree: Path, name: str) -> float:
        link_options = {"network" if network else "topology": topology}
        program = PROGRAMS / "mix.c"
        return figures(program, len(case.host_of), words, trace=folder / name, tree=str(tree), **link_options)[0]["ns"]

    baseline = [run(tree_file, "recorded")]
    trace = hopscope.open(folder / "recorded")
    suggestion = folder / "suggested.json"
    first = remap(trace, suggestion).to_pylist()[0]
    tree = suggestion if first["chosen"] else tree_file
    reruns: list[float] = []
    for number in range(RERUNS):
        reruns.append(run(tree, "rerun"))
        if first["chosen"] and number == 0:
            baseline.append(run(tree_file, "today"))
    best = _best_of(trace, run, folder, (first["name"], statistics.median(reruns))) if is_exhaustive else None
    return Outcome(
        case,
        first["name"],
        first["chosen"],
        first["predicted_ns"],
        first["predicted_low_ns"],
        first["predicted_high_ns"],
        tuple(reruns),
        tuple(baseline),
        first["model_error"],
        first["extrapolates"],
        best,
    )


def _best_of(
    trace: Any, run: Callable[[Path, str], float], folder: Path, suggested: tuple[str, float]
) -> tuple[str, float]:
    """The fastest candidate and its time, among the suggestion and all shapes and algorithms with whole messages. Each
    of the latter runs once."""
    file, best = folder / "candidate.json", suggested
    for candidate in candidates_of(trace, "tree"):
        if candidate.name == suggested[0] or "segments" in candidate.name or candidate.tree is None:
            continue  # the suggestion, which has run three times, or a candidate with segments
        file.write_text(candidate.tree)
        time = run(file, "tried")
        if time < best[1]:
            # # Run it once more, because the fastest of many is also the luckiest.
            time = max(time, run(file, "tried"))
        best = min(best, (candidate.name, time), key=lambda outcome: outcome[1])
    return best


def rows_of(outcomes: list[Outcome]) -> list[tuple[str, str]]:
    """The rows of the report: the distribution of the outcomes."""
    count = len(outcomes)
    if not count:
        return []
    reruns = [(outcome, time) for outcome in outcomes for time in outcome.reruns]
    measured = [outcome for outcome in outcomes if not outcome.extrapolates]
    single = sum(outcome.low <= time <= outcome.high for outcome, time in reruns)
    deviations = sorted(abs(outcome.deviation) for outcome in outcomes)
    shortfalls = [outcome.shortfall for outcome in outcomes if outcome.shortfall is not None]
    gains = [1 - outcome.rerun / statistics.median(outcome.baseline) for outcome in outcomes if outcome.suggested]
    rows = [
        ("median rerun in the predicted interval", f"{sum(outcome.holds for outcome in outcomes)} of {count}"),
        ("  each rerun by itself", f"{single} of {len(reruns)}"),
        ("half-width of the interval, median", _share(statistics.median(outcome.half_width for outcome in outcomes))),
        (f"  where everything was measured ({len(measured)})", _median([outcome.half_width for outcome in measured])),
        (
            "median rerun against prediction, difference: median, 90th percentile, largest",
            ", ".join(map(_share, (_quantile(deviations, 0.5), _quantile(deviations, 0.9), deviations[-1]))),
        ),
        (
            "reruns slower than the baseline beyond the interval",
            f"{sum(outcome.is_slower for outcome in outcomes)} of {count}",
        ),
        ("something was suggested", f"{len(gains)} of {count}, median gain {_median(gains)}"),
    ]
    if shortfalls:
        good = sum(shortfall <= ALIKE for shortfall in shortfalls)
        best = f"within {_share(ALIKE)} of the best of an exhaustive trial"
        rows.append((best, f"{good} of {len(shortfalls)}, at worst {_share(max(shortfalls))} behind"))
    return rows


def line_of(outcome: Outcome) -> str:
    """A line for the report on one case: suggestion, prediction, reruns, baseline and the model's error."""
    reruns = "/".join(f"{time / 1e6:.2f}" for time in outcome.reruns)
    baseline = "/".join(f"{time / 1e6:.2f}" for time in outcome.baseline)
    suggestion = outcome.name if outcome.suggested else "nothing suggested"
    words = [
        f"{'  ' if outcome.holds else '! '}{outcome.case.words}: {suggestion}",
        f"predicted {outcome.predicted / 1e6:.2f} ({outcome.low / 1e6:.2f} to {outcome.high / 1e6:.2f}) ms, "
        f"reruns {reruns}",
        f"baseline {baseline}, model error {outcome.model_error:.1%}, extrapolates {outcome.extrapolates or 'nothing'}",
    ]
    return "; ".join(words + ([f"best {outcome.best[0]} {outcome.best[1] / 1e6:.2f}"] if outcome.best else []))


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _share(value: float) -> str:
    return f"{value:.1%}"


def _median(values: list[float]) -> str:
    return _share(statistics.median(values)) if values else "none"
