"""Suggests trees and settings: evaluates proposals by the replay, combines the best ones of each knob, and chooses.

A tree or a setting changes the algorithms of selections, so both are `Proposal`s and differ only in their files. A rank
order changes no algorithm: `rank_order` replays it with its own costs, but also returns a `Suggestion`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from hopscope.advice.answer import sentences_of, table_of
from hopscope.format.quantities import in_words
from hopscope.mpi_libraries.offered import Library
from hopscope.mpi_libraries.written import Choice
from hopscope.replay.algorithms.algorithm import Algorithm
from hopscope.replay.algorithms.combination import Runs, bytes_of, label_of, replaced, structure_of
from hopscope.replay.algorithms.tree_file import tree_file_of
from hopscope.replay.basis import Basis
from hopscope.replay.candidate import Candidate, Kind
from hopscope.replay.parts import knobs_of
from hopscope.replay.prediction import LEAST_GAIN, ranked

FINALISTS = 5
"""Combinations are made from this many proposals of each knob, the fastest ones."""
ROUNDS = 2


@dataclass(frozen=True)
class Suggestion:
    """The candidates of one kind for a run, the suggested one first, and the baseline.

    table: the rows of `analyze remap` or `analyze reorder`. sentences: the answer, the next step, then omissions.
    """

    baseline: Candidate
    candidates: tuple[Candidate, ...]
    table: pa.Table
    sentences: tuple[str, ...]

    @property
    def suggested(self) -> Candidate | None:
        """The suggested candidate, if there is one."""
        return next((candidate for candidate in self.candidates if candidate.is_suggested), None)


@dataclass(frozen=True)
class Proposal:
    """Other algorithms for the selections of a knob (selections whose algorithm can only be changed together).

    pieces: one algorithm for each selection; empty if there is no prediction, and `reason` says why. choices, besides:
    as in `Candidate`. places: the numbers of the selections.
    """

    name: str
    pieces: tuple[Algorithm, ...]
    choices: tuple[Choice, ...] = ()
    besides: tuple[tuple[str, str], ...] = ()
    reason: str | None = None
    places: tuple[int, ...] = ()


def suggest(
    basis: Basis,
    kind: Kind,
    proposals: Callable[[tuple[int, ...]], Iterable[Proposal]],
    library: Library | None = None,
) -> Suggestion:
    """Evaluates the proposals of every knob, combines the best, and chooses. proposals: a function that returns the
    proposals of a knob, given the numbers of its selections."""
    selections = basis.source.subject.selections
    knobs = knobs_of(selections, library.flavour if library else None)
    evaluated: dict[str, Candidate] = {}
    runs_of: dict[str, Runs] = {}

    def evaluate(*changes: Proposal) -> Candidate:
        runs = _runs(basis, changes)
        candidate = _candidate(basis, kind, changes, runs)
        evaluated[candidate.name], runs_of[candidate.name] = candidate, runs
        return candidate

    finalists: list[list[Proposal]] = []
    for places in knobs:
        label = f" for {label_of([selections[place] for place in places], selections)}" if len(knobs) > 1 else ""
        knob = [replace(proposal, name=proposal.name + label, places=places) for proposal in proposals(places)]
        knob.sort(key=lambda proposal: _score(basis, (proposal,)) if proposal.pieces else math.inf)
        options = [(proposal, evaluate(proposal)) for proposal in knob]
        predicted = [(proposal, option) for proposal, option in options if option.predicted_ns is not None]
        measured = [(proposal, option) for proposal, option in predicted if not option.extrapolates]
        finalists.append([proposal for proposal, _ in (measured or predicted)[:FINALISTS]])
    combination = _combination(basis, finalists)
    if len(combination) > 1:
        evaluate(*combination)
    candidates = tuple(ranked([*evaluated.values()]))
    names = " and ".join(dict.fromkeys(piece.name.removeprefix("baseline: ") for piece in basis.baseline))
    baseline = Candidate(f"baseline: {names}", kind, structure=structure_of(basis.baseline, selections))
    baseline = basis.model.predicted(baseline, basis.model.baseline_ns)
    first = runs_of[candidates[0].name][0] if candidates else basis.baseline[0]
    drawing = first.drawing(selections[0]) if isinstance(first, Algorithm) and kind == "tree" else None
    table = table_of(basis, baseline, candidates, drawing, library)
    return Suggestion(baseline, candidates, table, tuple(sentences_of(basis, kind, candidates, library)))


def _runs(basis: Basis, changes: Iterable[Proposal]) -> Runs:
    runs = basis.baseline
    for proposal in changes:
        if proposal.pieces:
            runs = replaced(runs, proposal.places, proposal.pieces)
    return runs


def _score(basis: Basis, changes: Iterable[Proposal]) -> float:
    return basis.score(_runs(basis, changes))


def _candidate(basis: Basis, kind: Kind, changes: Sequence[Proposal], runs: Runs) -> Candidate:
    """The candidate that makes these changes together, with its prediction if there is one. runs: the algorithm of
    every selection with the changes."""
    selections = basis.source.subject.selections
    of_change = [[selections[place] for place in proposal.places] for proposal in changes]
    parts = [part for knob in of_change for part in knob]
    reasons = [proposal.reason for proposal in changes]
    reasons += [basis.reason_unpredicted(place) for proposal in changes for place in proposal.places]
    comms = {part.comm for part in parts}
    candidate = Candidate(
        in_words([proposal.name for proposal in changes]),
        kind,
        operations=tuple(dict.fromkeys(part.op for part in parts)),
        reason_unpredicted=next(filter(None, reasons), None),
        choices=tuple(dict.fromkeys(choice for proposal in changes for choice in proposal.choices)),
        besides=tuple(dict.fromkeys(setting for proposal in changes for setting in proposal.besides)),
        comm=parts[0].comm if len(changes) == len(comms) == 1 else None,
        bytes=bytes_of(parts) if len(changes) == 1 else None,
        parts=tuple(label_of(knob, selections) for knob in of_change),
    )
    if all(proposal.pieces for proposal in changes):
        candidate = replace(
            candidate,
            extrapolates=basis.extrapolates(runs, by_library=kind == "setting"),
            structure=structure_of(tuple(piece for proposal in changes for piece in proposal.pieces), parts),
            tree=_tree_file(basis, runs) if kind == "tree" else None,
        )
    return candidate if candidate.reason_unpredicted else basis.model.predicted(candidate, basis.predicted_ns(runs))


def _combination(basis: Basis, knobs: Sequence[Sequence[Proposal]]) -> list[Proposal]:
    """The best combination of at most one proposal of each knob, by coordinate descent from the baseline. Proposals
    that add too little gain are left out."""
    selected: dict[int, Proposal] = {}
    for _ in range(ROUNDS if len(knobs) > 1 else 0):
        for number, knob in enumerate(knobs):
            selected.pop(number, None)
            rest = list(selected.values())
            best = min(knob, key=lambda proposal: _score(basis, (*rest, proposal)), default=None)
            limit = (1 - LEAST_GAIN / len(knobs)) * _score(basis, rest)
            if best is not None and _score(basis, (*rest, best)) < limit:
                selected[number] = best
    return [selected[number] for number in sorted(selected)]


def _tree_file(basis: Basis, runs: Runs) -> str:
    """A tree file with a rule for each changed selection, then the rules of the tree file of the recorded run."""
    source = basis.source
    text = source.tables["run"]["tree_file"].to_pylist()[0]
    pairs = zip(runs, basis.baseline, source.subject.selections, strict=True)
    changed = [
        (piece, part) for piece, baseline, part in pairs if piece is not baseline and isinstance(piece, Algorithm)
    ]
    for piece, part in reversed(changed):
        text = json.dumps(tree_file_of(piece, replace(source, subject=part), text))
    if len(changed) > 1:
        text = json.dumps({**json.loads(text), "name": f"candidate: {len(changed)} rules together"})
    return json.dumps(json.loads(text), indent=2) + "\n"
