"""Judges the parts of a run together: candidates for each, which of them go together best, and one tree file."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from hopscope.model.costs import Costs
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.combination import Combination, Piece, labels_of
from hopscope.remap.candidates.pool import pool_of
from hopscope.remap.candidates.tree_file import text_of, tree_file_of, words_of
from hopscope.remap.judging.basis import Basis, alike_of
from hopscope.remap.judging.choosing import Choice, Lever, Option, score
from hopscope.remap.judging.guesses import measured_of
from hopscope.remap.judging.judge import Judge, Screen, screen_of
from hopscope.remap.judging.listing import SCHEMA, SPREAD_WINDOW, Listing
from hopscope.remap.judging.missing import missing_of
from hopscope.remap.judging.verdict import (
    LEAST_GAIN,
    LIBRARY,
    limits_of,
    of_parts,
    over_trees,
    rounding_of,
    sentence_of,
)
from hopscope.remap.run.program import Source, Subject
from hopscope.remap.run.unseen import unseen_sentences

LISTED = 10
"""So many of each part's candidates are listed by themselves."""


@dataclass(frozen=True)
class _Beside:
    """Judges candidates for one part while all others go as they went."""

    judge: Judge | Screen
    today: Combination
    place: int

    def iteration_ns(self, candidate: Piece, costs: Costs) -> float:
        """As `score` has it."""
        return score(self.judge, self.today.at([self.place], [candidate]), costs)

    def window(self, iterations: int) -> _Beside:
        """Judges by so many iterations, the part's own among them."""
        assert isinstance(self.judge, Screen)
        return replace(self, judge=self.judge.window(iterations, self.judge.whole.subject.parts[self.place]))


def suggest_together(basis: Basis, today: Combination, tries: int, only: Collection[str] | None) -> pa.Table:
    """See `hopscope.remap.remap`. today: what ran."""
    source, costs = basis.source, basis.fitted[0]
    screen = screen_of(source, basis.whole, today, costs)
    alike = alike_of(basis.error)
    labels, subject = labels_of(source.subject), source.subject
    took = basis.whole.replayed(today, costs).took_ns
    levers: list[Lever] = []
    left_out = False
    for place, part in enumerate(subject.parts):
        beside = _Beside(screen, today, place)
        ran = today.of[place]
        over = [ran] if isinstance(ran, Candidate) else []
        mine = round(tries * took[place] / max(1.0, float(took.sum())))
        pool = pool_of(part, beside, over, costs, tries=mine, alike=alike, only=only)
        left_out |= pool.left_out
        found = sorted(pool.candidates, key=lambda one, at=beside: at.iteration_ns(one, costs))
        label = labels[place]
        levers.append(Lever((place,), label, [Option(f"{one.name} for {label}", (one,)) for one in found]))
    least = max(basis.error, LEAST_GAIN)
    choice = Choice(screen, today, levers, costs, measured_of(source, costs), least, LISTED)
    combinations = choice.offered()
    listing = Listing(
        source,
        screen,
        screen.window(SPREAD_WINDOW),
        today,
        combinations,
        basis.fitted,
        basis.fitted,
        basis.measured_ns,
        basis.error,
        basis.spread,
        None,
    )
    rows, order, guessed = listing.judged(alike, is_known=basis.why_unpredictable is None)
    best = (today, *combinations)[order[0]]
    ordered = [rows[i] for i in order]
    ran = LIBRARY if subject.native else "what ran today"
    said = sentence_of(ordered, subject.op, guessed, source.places.hosts, ran=ran)
    if basis.why_unpredictable:
        of_main = [option.of[0] for option in levers[0].options]
        said = over_trees(subject.op, basis.why_unpredictable, words_of(of_main), ran=ran)
    elif ordered[0]["chosen"]:
        said += " " + of_parts(labels, ordered[0], choice.gains(basis.whole, best))
    new = subject.parts if basis.why_unpredictable else _changed(best, today, source) if ordered[0]["chosen"] else ()
    said += rounding_of(part.op for part in new)
    said += limits_of(costs, subject.untold, left_out=left_out) + unseen_sentences(source)
    metadata = {b"sentence": said.encode(), b"ran": b"native" if subject.native else b"tree"}
    metadata[b"missing"] = json.dumps(missing_of(rows, guessed, source.places, costs)).encode()
    metadata |= _drawing(best, source)
    if ordered[0]["chosen"]:
        metadata[b"tree"] = text_of(_tree_file(best, today, source)).encode()
    return pa.Table.from_pylist(ordered, schema=SCHEMA).replace_schema_metadata(metadata)


def _changed(best: Combination, today: Combination, source: Source) -> list[Subject]:
    """The parts that do not go as they went."""
    pairs = zip(best.of, today.of, source.subject.parts, strict=True)
    return [part for one, ran, part in pairs if one is not ran]


def _drawing(best: Combination, source: Source) -> dict[bytes, bytes]:
    """The trees of the part with the most time, if it has any."""
    part, one = source.subject.parts[0], best.of[0]
    drawing = one.drawing(part) if isinstance(one, Candidate) else None
    return {b"parents": json.dumps({"comm": part.comm, **drawing}).encode()} if drawing else {}


def _tree_file(best: Combination, today: Combination, source: Source) -> dict[str, Any]:
    """A tree file with rules for each part that does not go as it went, in front of the rules of the file that ran."""
    text = source.tables["run"]["tree_file"].to_pylist()[0]
    file: dict[str, Any] = json.loads(text) if text else {}
    number = 0
    for one, ran, part in reversed(list(zip(best.of, today.of, source.subject.parts, strict=True))):
        if one is not ran and isinstance(one, Candidate):
            file = tree_file_of(one, replace(source, subject=part), json.dumps(file))
            number += 1
    return file if number == 1 else {**file, "name": f"suggested: {number} rules together"}
