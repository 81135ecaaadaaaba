"""The pipeline: candidates of a run, their times by the replay, and the suggested one."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from hopscope.advice.settings.library import Form, forms
from hopscope.advice.settings.unfitted import unfitted_settings
from hopscope.advice.trees.pool import pool_of
from hopscope.errors import InputError
from hopscope.format.quantities import in_words
from hopscope.mpi_libraries.installed import installed
from hopscope.mpi_libraries.offered import Library, operation_name
from hopscope.mpi_libraries.planned import messages_name
from hopscope.replay.algorithms.algorithm import Algorithm, longest
from hopscope.replay.algorithms.combination import Runs, bytes_of, label_of, replaced, structure_of
from hopscope.replay.algorithms.schedule import fingerprint
from hopscope.replay.algorithms.tree_file import tree_file_of
from hopscope.replay.basis import Basis, Recost, basis_of
from hopscope.replay.candidate import Candidate, Kind
from hopscope.replay.parts import knobs_of
from hopscope.replay.prediction import LEAST_GAIN, ranked
from hopscope.replay.run.program import NothingToFitError, Subject, algorithms_of

FINALISTS = 5
"""Number of the fastest options of each knob that are combined."""
ROUNDS = 2
RECORDING_ADVICE = {
    "openmpi": "run the program again with HOPSCOPE_NATIVE=1, the default, which records Open MPI's own messages",
    "mpich": "run the program again with HOPSCOPE_NATIVE=mpich, which records MPICH's own messages",
}
"""Ways to record a library's own messages."""


@dataclass(frozen=True)
class Option:
    """A candidate for the selections of a knob, by their places. ns: of an iteration with it, for the order."""

    candidate: Candidate
    places: tuple[int, ...]
    pieces: tuple[Algorithm, ...]
    ns: float


@dataclass(frozen=True)
class Suggestion:
    """The candidates for a run, the suggested one first, beside its baseline. drawing: the parents of each rank in the
    trees of the first one, up and down."""

    basis: Basis
    kind: Kind
    baseline: Candidate
    candidates: tuple[Candidate, ...]
    drawing: dict[str, list[int | None]] | None = None
    library: Library | None = None

    @property
    def suggested(self) -> Candidate | None:
        """The suggested one, if there is one."""
        return next((candidate for candidate in self.candidates if candidate.is_suggested), None)


def suggest_trees(
    table: Callable[[str], pa.Table],
    only: Collection[str] | None = None,
    recost: Recost | None = None,
) -> Suggestion:
    """Trees and the other algorithms of Hopscope's engine. only: those that may be suggested, all if None. recost: as
    in `basis_of`."""
    basis = basis_of(table, recost=recost)
    parts = basis.source.subject.selections

    def options(places: tuple[int, ...], label: str) -> list[Option]:
        (place,) = places
        pool = pool_of(
            parts[place],
            lambda algorithm: basis.score(replaced(basis.baseline, places, (algorithm,))),
            only,
        )
        part, baseline = parts[place], basis.baseline[place]
        if isinstance(baseline, Algorithm):
            sends = fingerprint(baseline.schedules(part, longest(part)))
            pool = [form for form in pool if fingerprint(form.schedules(part, longest(part))) != sends]
        pairs = ((Candidate(_label(algorithm.name, label), "tree"), algorithm) for algorithm in pool)
        return [_option(basis, candidate, places, (algorithm,)) for candidate, algorithm in pairs]

    return _suggestion(basis, "tree", None, options)


def suggest_settings(
    table: Callable[[str], pa.Table], flavour: str, launcher: str | None = None, recost: Recost | None = None
) -> Suggestion:
    """Settings of the MPI library. recost: as in `basis_of`. Raises InputError where the library cannot be asked for
    its algorithms."""
    run = table("run").to_pylist()[0]
    if run["emulated"]:
        raise InputError(
            "the run emulated links, which do not delay an MPI library's own messages, so no setting would gain what "
            "the replay says; trace the program on the machine itself or on `hopscope run --net`"
        )
    library = installed(flavour, run["mpi_library"], launcher)
    try:
        basis = basis_of(table, flavour, recost)
    except NothingToFitError as problem:
        raise UnfittedError(problem.lack, RECORDING_ADVICE[flavour]) from None

    def options(places: tuple[int, ...], label: str) -> list[Option]:
        parts = [basis.source.subject.selections[place] for place in places]
        result: list[Option] = []
        fingerprints: set[tuple[bytes, ...]] = set()
        for form in forms(library, parts):
            reason = form.reason or _baseline_reason(basis, form, parts) or _repeated(form, parts, fingerprints)
            candidate = Candidate(
                _label(form.name, label), "setting", reason_unpredicted=reason, choices=form.choices,
                besides=tuple(form.extra_settings),
            )  # fmt: skip
            result.append(_option(basis, candidate, places, () if reason else form.pieces))
        return sorted(result, key=lambda option: option.ns)

    return _suggestion(basis, "setting", library, options)


def settings_of(
    table: Callable[[str], pa.Table], flavour: str, launcher: str | None = None, recost: Recost | None = None
) -> tuple[Candidate, ...]:
    """The candidates of `suggest_settings`; of a run without the library's messages, all without a prediction."""
    try:
        return suggest_settings(table, flavour, launcher, recost).candidates
    except UnfittedError as problem:
        library = installed(flavour, table("run")["mpi_library"].to_pylist()[0], launcher)
        return unfitted_settings(table("collectives"), library, problem.reason)


class UnfittedError(InputError):
    """A run whose trace lacks the library's messages. reason: the gap, without the remedy."""

    def __init__(self, reason: str, advice: str) -> None:
        self.reason = reason
        super().__init__(f"{reason}; {advice}, and ask again")


def _label(name: str, label: str) -> str:
    return f"{name} for {label}" if label else name


def _repeated(form: Form, parts: Sequence[Subject], fingerprints: set[tuple[bytes, ...]]) -> str | None:
    """The reason why it is no separate candidate or has no schedule; None for a candidate."""
    pairs = zip(form.pieces, parts, strict=True)
    try:
        key = tuple(fingerprint(piece.schedules(part, longest(part))) for piece, part in pairs)
    except ValueError as problem:
        return f"the plan has no schedule for it here: {problem}"
    if key in fingerprints:
        return "here it sends the messages of another one"
    fingerprints.add(key)
    return None


def _baseline_reason(basis: Basis, form: Form, parts: Sequence[Subject]) -> str | None:
    """The reason that it is the baseline's algorithm; None if it is another one."""
    (choice, *further) = form.choices
    for part in parts:
        recorded = {*algorithms_of(basis.source.tables, part)}
        is_single_choice = (
            not further and choice.algorithm.operation == operation_name(part.op) and not choice.segment_bytes
        )
        if not is_single_choice or None in recorded or recorded != {messages_name(choice.algorithm, len(part.members))}:
            return None
    return "it is what ran"


def _option(basis: Basis, candidate: Candidate, places: tuple[int, ...], pieces: tuple[Algorithm, ...]) -> Option:
    """A candidate for the selections of a knob, with its changes."""
    parts = [basis.source.subject.selections[place] for place in places]
    comms = {part.comm for part in parts}
    reasons = [reason for place in places if (reason := basis.reason_unpredicted(place))]
    candidate = replace(
        candidate,
        operations=(parts[0].op,),
        comm=comms.pop() if len(comms) == 1 else None,
        bytes=bytes_of(parts),
        parts=(label_of(parts, basis.source.subject.selections),),
        reason_unpredicted=candidate.reason_unpredicted or next(iter(reasons), None),
    )
    if not pieces:
        return Option(candidate, places, pieces, float("inf"))
    runs = replaced(basis.baseline, places, pieces)
    extrapolates = basis.extrapolates(runs, by_library=candidate.kind == "setting")
    candidate = replace(candidate, extrapolates=extrapolates, structure=structure_of(pieces, parts))
    if candidate.kind == "tree":
        candidate = replace(candidate, tree=_tree_file(basis, runs))
    return Option(candidate, places, pieces, basis.score(runs))


def _suggestion(
    basis: Basis, kind: Kind, library: Library | None, options: Callable[[tuple[int, ...], str], list[Option]]
) -> Suggestion:
    """Evaluates the options of every knob, combines the best, and chooses."""
    subject = basis.source.subject
    places = knobs_of(subject.selections, library.flavour if library else None)
    labels = [label_of([subject.selections[place] for place in knob], subject.selections) for knob in places]
    knobs = [options(knob, label if len(places) > 1 else "") for knob, label in zip(places, labels, strict=True)]
    evaluated = [_evaluated(basis, option) for knob in knobs for option in knob]
    runs_of = {
        option.candidate.name: replaced(basis.baseline, option.places, option.pieces)
        for knob in knobs
        for option in knob
        if option.pieces
    }
    combination = _combined(basis, knobs)
    if len(combination) > 1:
        runs = basis.baseline
        for option in combination:
            runs = replaced(runs, option.places, option.pieces)
        candidate = _joined(basis, kind, combination, runs)
        runs_of[candidate.name] = runs
        evaluated.append(basis.model.predicted(candidate, basis.predicted_ns(runs)))
    candidates = tuple(ranked(evaluated))
    names = " and ".join(dict.fromkeys(piece.name.removeprefix("baseline: ") for piece in basis.baseline))
    baseline = Candidate(f"baseline: {names}", kind, structure=structure_of(basis.baseline, subject.selections))
    baseline = basis.model.predicted(baseline, basis.model.baseline_ns)
    first = runs_of.get(candidates[0].name, basis.baseline)[0] if candidates else basis.baseline[0]
    drawing = first.drawing(subject.selections[0]) if isinstance(first, Algorithm) and kind == "tree" else None
    return Suggestion(basis, kind, baseline, candidates, drawing, library)


def _evaluated(basis: Basis, option: Option) -> Candidate:
    """An option's candidate with its prediction, if there is one."""
    if option.candidate.reason_unpredicted:
        return option.candidate
    runs = replaced(basis.baseline, option.places, option.pieces)
    return basis.model.predicted(option.candidate, basis.predicted_ns(runs))


def _combined(basis: Basis, knobs: Sequence[Sequence[Option]]) -> list[Option]:
    """The best combination of options, by coordinate descent from the baseline; without those that gain too little in
    it."""
    selected: dict[int, Option] = {}

    def runs_with(options: Collection[Option]) -> Runs:
        runs = basis.baseline
        for option in options:
            runs = replaced(runs, option.places, option.pieces)
        return runs

    for _ in range(ROUNDS):
        for number, knob in enumerate(knobs):
            predicted = [option for option in knob if not option.candidate.reason_unpredicted]
            measured = [option for option in predicted if not option.candidate.extrapolates]
            rest_options = [option for place, option in selected.items() if place != number]
            best = min(
                (measured or predicted)[:FINALISTS],
                key=lambda option: basis.score(runs_with([*rest_options, option])),
                default=None,
            )
            other_score = basis.score(runs_with(rest_options))
            selected.pop(number, None)
            if (
                best is not None
                and basis.score(runs_with([*rest_options, best])) < (1 - LEAST_GAIN / len(knobs)) * other_score
            ):
                selected[number] = best
    return [selected[number] for number in sorted(selected)]


def _joined(basis: Basis, kind: Kind, options: Sequence[Option], runs: Runs) -> Candidate:
    """Several options as one candidate."""
    candidates = [option.candidate for option in options]
    places = [place for option in options for place in option.places]
    pieces = tuple(runs[place] for place in places)
    return Candidate(
        in_words([candidate.name for candidate in candidates]),
        kind,
        operations=tuple(dict.fromkeys(op for candidate in candidates for op in candidate.operations)),
        extrapolates=tuple(dict.fromkeys(link for candidate in candidates for link in candidate.extrapolates)),
        tree=_tree_file(basis, runs) if kind == "tree" else None,
        choices=tuple(dict.fromkeys(choice for candidate in candidates for choice in candidate.choices)),
        besides=tuple(dict.fromkeys(setting for candidate in candidates for setting in candidate.besides)),
        parts=tuple(label for candidate in candidates for label in candidate.parts),
        structure=structure_of(pieces, [basis.source.subject.selections[place] for place in places]),
    )


def _tree_file(basis: Basis, runs: Runs) -> str:
    """A tree file with a rule for each selection that changes, in front of the rules of the file that ran."""
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
