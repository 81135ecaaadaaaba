"""The candidates for a selection of a run: the engine's algorithms, the fastest in segments, and the search's tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable

from hopscope.advice.trees.engine import algorithms, cut
from hopscope.advice.trees.search import search
from hopscope.replay.algorithms.algorithm import TREE, Algorithm, longest
from hopscope.replay.run.program import Subject

SEGMENTS = (1 << 14, 1 << 16, 1 << 18)
CUT = 5
"""Number of the fastest trees, and of the fastest other algorithms, that are cut into segments."""
STARTS = 3
"""Number of the fastest trees from which the search starts."""
LEAST_BETTER = 0.01
"""A tree of the search has to be better than every other candidate by this share, for shapes are easier to read."""

Time = Callable[[Algorithm], float]


def pool_of(
    subject: Subject, time_of: Time, search_time_of: Time, *, tries: int, only: Collection[str] | None = None
) -> list[Algorithm]:
    """The fastest first. time_of: of an iteration; search_time_of: the same by few iterations, infinite for a tree that
    extrapolates. only: the algorithms that may be suggested, all if None."""
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
    pool = sorted([*whole, *ranked(in_segments)], key=lambda candidate: time[candidate.name])
    if only is not None and TREE not in only:
        return pool
    measured = [candidate for candidate in pool if tries and search_time_of(candidate) < math.inf]
    starts = [candidate for candidate in measured if candidate.algorithm == TREE][:STARTS]
    searched = search(subject, starts, search_time_of, tries)
    is_better = searched is not None and time_of(searched) < (1 - LEAST_BETTER) * time[measured[0].name]
    return [searched, *pool] if searched is not None and is_better else pool
