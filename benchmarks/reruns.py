"""Predictions against reruns: a run over emulated links, or on a network of namespaces, is recorded and remapped, and
what was suggested runs again.

The truth is what the program's own clock says of the rerun.
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
"""The second where messages are long."""
LONG = 262_144
ALIKE = 0.05
"""A suggestion this close to the best of all that were tried counts as the best."""


@dataclass(frozen=True)
class Outcome:
    """What was predicted and what came; times of an iteration in ns."""

    case: Case
    name: str
    suggested: bool
    predicted: float
    low: float
    high: float
    reruns: tuple[float, ...]
    today: tuple[float, ...]
    model_error: float
    extrapolates: str | None
    """What the prediction uses that the run did not measure."""
    best: tuple[str, float] | None = None
    """Of an exhaustive trial."""

    @property
    def rerun(self) -> float:
        """The median rerun."""
        return statistics.median(self.reruns)

    @property
    def holds(self) -> bool:
        """Whether the interval contains the median rerun."""
        return self.low <= self.rerun <= self.high

    @property
    def half_width(self) -> float:
        """Of the interval, as a share of the prediction."""
        return (self.high - self.low) / 2 / self.predicted

    @property
    def off(self) -> float:
        """By which share of the prediction the median rerun was slower."""
        return self.rerun / self.predicted - 1

    @property
    def is_slower(self) -> bool:
        """Whether it is slower than today's by more than either varies and the interval allows."""
        spread = max(self.reruns) - min(self.reruns) + max(self.today) - min(self.today)
        worst = max(statistics.median(self.today), self.high)
        return self.suggested and self.rerun > worst and self.rerun > statistics.median(self.today) + spread

    @property
    def behind(self) -> float | None:
        """By which share the median rerun was slower than the best of an exhaustive trial."""
        return None if self.best is None else max(0.0, self.rerun / self.best[1] - 1)


def rerun_case(case: Case, folder: Path, *, is_exhaustive: bool = False, network: bool = False) -> Outcome:
    """Records, remaps and runs again; is_exhaustive: and runs every other candidate once. network: over namespaces."""
    topology, ran = case.write(folder, network=network)
    is_long = max(size for _, size in case.calls) >= LONG
    words = [str(LONG_ITERATIONS if is_long else ITERATIONS), str(case.work_us)]
    words += [word for operation, size in case.calls for word in (operation, str(size))]

    def run(tree: Path, name: str) -> float:
        where = {"network" if network else "topology": topology}
        program = PROGRAMS / "mix.c"
        return figures(program, len(case.host_of), words, trace=folder / name, tree=str(tree), **where)[0]["ns"]

    today = [run(ran, "recorded")]
    trace = hopscope.open(folder / "recorded")
    suggestion = folder / "suggested.json"
    first = remap(trace, suggestion).to_pylist()[0]
    tree = suggestion if first["chosen"] else ran
    reruns: list[float] = []
    for number in range(RERUNS):
        reruns.append(run(tree, "rerun"))
        if first["chosen"] and number == 0:
            today.append(run(ran, "today"))
    best = _best_of(trace, run, folder, (first["name"], statistics.median(reruns))) if is_exhaustive else None
    return Outcome(
        case,
        first["name"],
        first["chosen"],
        first["predicted_ns"],
        first["predicted_low_ns"],
        first["predicted_high_ns"],
        tuple(reruns),
        tuple(today),
        first["model_error"],
        first["extrapolates"],
        best,
    )


def _best_of(
    trace: Any, run: Callable[[Path, str], float], folder: Path, suggested: tuple[str, float]
) -> tuple[str, float]:
    """The fastest of all shapes and algorithms with whole messages, each run once, and of what was suggested."""
    file, best = folder / "candidate.json", suggested
    for candidate in candidates_of(trace, "tree"):
        if candidate.name == suggested[0] or "segments" in candidate.name or candidate.tree is None:
            continue  # it ran three times, or is cut
        file.write_text(candidate.tree)
        time = run(file, "tried")
        if time < best[1]:
            # Once more, for the fastest of many is also the luckiest.
            time = max(time, run(file, "tried"))
        best = min(best, (candidate.name, time), key=lambda outcome: outcome[1])
    return best


def rows_of(outcomes: list[Outcome]) -> list[tuple[str, str]]:
    """The distribution, for the report."""
    count = len(outcomes)
    if not count:
        return []
    reruns = [(one, time) for one in outcomes for time in one.reruns]
    measured = [one for one in outcomes if not one.extrapolates]
    single = sum(one.low <= time <= one.high for one, time in reruns)
    off = sorted(abs(one.off) for one in outcomes)
    behind = [one.behind for one in outcomes if one.behind is not None]
    gains = [1 - one.rerun / statistics.median(one.today) for one in outcomes if one.suggested]
    rows = [
        ("median rerun in the predicted interval", f"{sum(one.holds for one in outcomes)} of {count}"),
        ("  each rerun by itself", f"{single} of {len(reruns)}"),
        ("half-width of the interval, median", _share(statistics.median(one.half_width for one in outcomes))),
        (f"  where everything was measured ({len(measured)})", _median([one.half_width for one in measured])),
        (
            "prediction off the median rerun: median, 90 %, most",
            ", ".join(map(_share, (_quantile(off, 0.5), _quantile(off, 0.9), off[-1]))),
        ),
        ("reruns slower than today beyond the interval", f"{sum(one.is_slower for one in outcomes)} of {count}"),
        ("something was suggested", f"{len(gains)} of {count}, median gain {_median(gains)}"),
    ]
    if behind:
        near = sum(one <= ALIKE for one in behind)
        best = f"within {_share(ALIKE)} of the best of an exhaustive trial"
        rows.append((best, f"{near} of {len(behind)}, most {_share(max(behind))} behind"))
    return rows


def line_of(one: Outcome) -> str:
    """One case, for whoever wants to see why."""
    reruns = "/".join(f"{time / 1e6:.2f}" for time in one.reruns)
    today = "/".join(f"{time / 1e6:.2f}" for time in one.today)
    words = [
        f"{'  ' if one.holds else '! '}{one.case.words}: {one.name if one.suggested else 'nothing suggested'}",
        f"predicted {one.predicted / 1e6:.2f} ({one.low / 1e6:.2f} to {one.high / 1e6:.2f}) ms, reruns {reruns}",
        f"today {today}, model error {one.model_error:.1%}, extrapolates {one.extrapolates or 'nothing'}",
    ]
    return "; ".join(words + ([f"best {one.best[0]} {one.best[1] / 1e6:.2f}"] if one.best else []))


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _share(value: float) -> str:
    return f"{value:.1%}"


def _median(values: list[float]) -> str:
    return _share(statistics.median(values)) if values else "none"
