"""Finds a collective for which another algorithm would take less time, by the replay of `analyze remap`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from hopscope.advice.tree import suggest_trees
from hopscope.errors import InputError
from hopscope.explain.diagnosis.entry import Cost, Site
from hopscope.explain.diagnosis.rerun import Rerun
from hopscope.replay.algorithms.combination import label_of
from hopscope.replay.basis import Basis, basis_of
from hopscope.replay.candidate import Candidate
from hopscope.replay.prediction import LEAST_GAIN
from hopscope.replay.run.subject import Subject, algorithms_of

_MOST_RANKS: Final = 64
"""The largest number of ranks for which a diagnosis looks for a better algorithm, because the search takes long.
`analyze remap` has no such limit."""


@dataclass(frozen=True)
class SlowAlgorithm:
    """A collective for which another algorithm is better. cost: the time that the better algorithm would save. sites:
    the calls of the collective. recorded, better: the names of both algorithms."""

    cost: Cost
    sites: tuple[Site, ...]
    recorded: str
    better: str


def slow_algorithm(read: Callable[[str], pa.Table], rerun: Rerun) -> SlowAlgorithm | None:
    """The collective for which another algorithm would save most. None if no algorithm of Hopscope's engine surely
    takes less time, or if the run cannot be replayed."""
    if not rerun.tables["hops"].num_rows or rerun.tables["ranks"].num_rows > _MOST_RANKS or not read("run").num_rows:
        return None
    try:
        basis = basis_of(read)
        suggestion = suggest_trees(basis)
    except InputError:
        return None
    better = next((candidate for candidate in suggestion.candidates if _surely_gains(candidate)), None)
    if better is None:
        return None
    targets = basis.source.subject.selections
    part = next(part for part in targets if label_of([part], targets) == better.parts[0])
    name = better.name.removesuffix(f" for {better.parts[0]}")
    recorded = _recorded(basis, part)
    if name == recorded:  # most calls already ran the better algorithm
        return None
    cost = _cost(basis, suggestion.baseline, better)
    return SlowAlgorithm(cost, rerun.sites_of_collectives(part.simulated), recorded, name)


def _surely_gains(candidate: Candidate) -> bool:
    return len(candidate.parts) == 1 and (candidate.gain_low or 0.0) > LEAST_GAIN


def _cost(basis: Basis, baseline: Candidate, better: Candidate) -> Cost:
    """The saving per iteration times the number of iterations. An iteration of the replay lasts from the end of one
    collective to the end of the next."""
    iterations = len(basis.source.subject.collectives) - 1
    baseline_ns = baseline.predicted_ns or 0.0
    times = (better.predicted_ns, better.predicted_high_ns, better.predicted_low_ns)
    ns, low, high = (max(0, round((baseline_ns - (time or 0.0)) * iterations)) for time in times)
    return Cost(ns, low, high)


def _recorded(basis: Basis, part: Subject) -> str:
    """The name of the algorithm that most collectives of this part of the run used."""
    (name, _), *_ = Counter(algorithms_of(basis.source.tables, part)).most_common(1)
    return name or "an algorithm without a known name"
