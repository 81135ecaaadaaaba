"""Trees and other algorithms of Hopscope's engine as candidates: each with whole messages, the fastest also with
segments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from hopscope.advice.engine import algorithms, cut
from hopscope.advice.pipeline import Proposal, Suggestion, suggest
from hopscope.replay.algorithms.algorithm import SEGMENTS, TREE, Algorithm, longest
from hopscope.replay.algorithms.combination import replaced
from hopscope.replay.algorithms.schedule import fingerprint
from hopscope.replay.basis import Basis

CUT = 5
"""Number of the fastest trees, and of the fastest other algorithms, that are tried with segments too."""


def suggest_trees(basis: Basis, only: Collection[str] | None = None) -> Suggestion:
    """Evaluates trees and other algorithms for a run and suggests one. only: the names of the allowed algorithms; None
    for all."""

    def proposals(places: tuple[int, ...]) -> Iterator[Proposal]:
        (place,) = places
        return _proposals(basis, place, only)

    return suggest(basis, "tree", proposals)


def _proposals(basis: Basis, place: int, only: Collection[str] | None) -> Iterator[Proposal]:
    """Proposals of every algorithm for one selection, except algorithms with the baseline's messages. place: the
    selection's number."""
    subject, baseline = basis.source.subject.selections[place], basis.baseline[place]
    call = longest(subject)
    sends = fingerprint(baseline.schedules(subject, call)) if isinstance(baseline, Algorithm) else None
    whole = _ranked(basis, place, (row for row in algorithms(subject) if only is None or row.algorithm in only))
    fastest = [
        algorithm
        for is_tree in (True, False)
        for algorithm in [row for row in whole if (row.algorithm == TREE) == is_tree][:CUT]
    ]
    segmented = [
        algorithm
        for length in SEGMENTS
        if 2 * length <= call.size
        for algorithm in cut(subject, fastest, length)
        if only is None or algorithm.algorithm in only
    ]
    for algorithm in (*whole, *segmented):
        if fingerprint(algorithm.schedules(subject, call)) != sends:
            yield Proposal(algorithm.name, (algorithm,))


def _ranked(basis: Basis, place: int, pool: Iterable[Algorithm]) -> list[Algorithm]:
    return sorted(pool, key=lambda algorithm: basis.score(replaced(basis.baseline, (place,), (algorithm,))))
