"""The candidates for a selection of a run: the engine's algorithms, and the fastest of them in segments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from hopscope.advice.trees.engine import algorithms, cut
from hopscope.replay.algorithms.algorithm import TREE, Algorithm, longest
from hopscope.replay.run.program import Subject

SEGMENTS = (1 << 14, 1 << 16, 1 << 18)
CUT = 5
"""Number of the fastest trees, and of the fastest other algorithms, that are cut into segments."""


def pool_of(
    subject: Subject, time_of: Callable[[Algorithm], float], only: Collection[str] | None = None
) -> list[Algorithm]:
    """The fastest first. time_of: of an iteration. only: the algorithms that may be suggested, all if None."""
    time: dict[str, float] = {}

    def ranked(candidates: Iterable[Algorithm]) -> list[Algorithm]:
        pool = [candidate for candidate in candidates if only is None or candidate.algorithm in only]
        time.update((candidate.name, time_of(candidate)) for candidate in pool)
        return sorted(pool, key=lambda candidate: time[candidate.name])

    whole = ranked(algorithms(subject))
    trees = [candidate for candidate in whole if candidate.algorithm == TREE]
    rest_algorithms = [candidate for candidate in whole if candidate.algorithm != TREE]
    in_segments = [
        candidate
        for length in SEGMENTS
        if 2 * length <= longest(subject).size
        for candidate in cut(subject, [*trees[:CUT], *rest_algorithms[:CUT]], length)
    ]
    return sorted([*whole, *ranked(in_segments)], key=lambda candidate: time[candidate.name])
