"""Judges the parts of a run together: candidates for each, which of them go together best, and one tree file for all.

Where parts run at the same time, one alone may gain nothing although all of them gain together: among halves of a job
that wait for each other, the slower half decides. So what a part itself takes counts a little where its candidates are
put in order, and a part is dropped only if the others do as well without it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pyarrow as pa

from hopscope.model.costs import Costs
from hopscope.remap.basis import MOST_LATE, Basis, alike_of
from hopscope.remap.candidates import Candidate
from hopscope.remap.combination import Combination, Piece, identity, labels_of
from hopscope.remap.guesses import Measured, measured_of, missing_of
from hopscope.remap.judging import Judge, Screen, screen_of
from hopscope.remap.listing import FINALISTS, SCHEMA, SPREAD_WINDOW, Listing
from hopscope.remap.pool import pool_of
from hopscope.remap.program import Source
from hopscope.remap.search import BETTER
from hopscope.remap.tree_file import text_of, tree_file_of
from hopscope.remap.verdict import LEAST_GAIN, LIBRARY, PartGain, limits_of, of_parts, sentence_of, unknown_of

CHOICES = 5
"""So many of each part's fastest candidates, and of its fastest ones without guesses, are combined."""
LISTED = 10
"""So many of each part's candidates are listed by themselves."""
ROUNDS = 4
SLIGHTLY = 0.01
"""By this factor, what parts take themselves counts beside an iteration's time."""


@dataclass(frozen=True)
class _Beside:
    """Judges candidates for one part while all others go as they went."""

    judge: Judge | Screen
    today: Combination
    place: int

    def iteration_ns(self, candidate: Piece, costs: Costs) -> float:
        """As `_score` has it."""
        return _score(self.judge, self.today.at(self.place, candidate), costs)

    def window(self, iterations: int) -> _Beside:
        """Judges by so many iterations, the part's own among them."""
        assert isinstance(self.judge, Screen)
        return replace(self, judge=self.judge.window(iterations, self.judge.whole.subject.parts[self.place]))


def _score(judge: Judge | Screen, runs: Combination, costs: Costs) -> float:
    """The time of an iteration and a little of what its parts take, ns."""
    time = judge.replayed(runs, costs)
    return time.iteration_ns + SLIGHTLY * float(time.took_ns.sum())


def suggest_together(basis: Basis, today: Combination, tries: int, only: Collection[str] | None) -> pa.Table:
    """See `hopscope.remap.remap`. today: what ran."""
    source, costs = basis.source, basis.fitted[0]
    screen = screen_of(source, basis.whole, today, costs)
    alike = alike_of(basis.error)
    labels, subject = labels_of(source.subject), source.subject
    took = basis.whole.replayed(today, costs).took_ns
    found: list[list[Candidate]] = []
    left_out = False
    for place, part in enumerate(subject.parts):
        beside = _Beside(screen, today, place)
        ran = today.of[place]
        over = [ran] if isinstance(ran, Candidate) else []
        mine = round(tries * took[place] / max(1.0, float(took.sum())))
        pool = pool_of(part, beside, over, costs, tries=mine, alike=alike, only=only)
        left_out |= pool.left_out
        found.append(sorted(pool.candidates, key=lambda one, at=beside: at.iteration_ns(one, costs)))
    choice = _Choice(screen, today, labels, found, costs, measured_of(source, costs), max(basis.error, LEAST_GAIN))
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
    rows, order, guessed = listing.judged(alike, is_known=basis.late <= MOST_LATE)
    best = (today, *combinations)[order[0]]
    ordered = [rows[i] for i in order]
    said = sentence_of(
        ordered, subject.op, guessed, source.places.hosts, ran=LIBRARY if subject.native else "what ran today"
    )
    if basis.late > MOST_LATE:
        said = unknown_of(subject.op, basis.late)
    elif ordered[0]["chosen"]:
        replayed = basis.whole.replayed(best, costs)
        gains: list[PartGain | None] = []
        for place, (one, ran) in enumerate(zip(best.of, today.of, strict=True)):
            without = basis.whole.replayed(best.at(place, ran), costs)
            own = replayed.own_gain(without, place)
            gains.append(None if one is ran else PartGain(without.iteration_ns, own))
        said += " " + of_parts(labels, ordered[0], gains)
    said += limits_of(costs, subject.untold, left_out=left_out)
    metadata = {b"sentence": said.encode(), b"ran": b"native" if subject.native else b"tree"}
    metadata[b"missing"] = json.dumps(missing_of(rows, guessed, source.places)).encode()
    metadata |= _drawing(best, source)
    if ordered[0]["chosen"]:
        metadata[b"tree"] = text_of(_tree_file(best, today, source)).encode()
    return pa.Table.from_pylist(ordered, schema=SCHEMA).replace_schema_metadata(metadata)


@dataclass(frozen=True)
class _Choice:
    """Chooses candidates that go together. found: of each part, the fastest first; least: what a part has to gain."""

    screen: Screen
    today: Combination
    labels: Sequence[str]
    found: Sequence[Sequence[Candidate]]
    costs: Costs
    known: Measured
    least: float

    def offered(self) -> list[Combination]:
        """The best combinations, with and without guesses, and the fastest candidates of each part by themselves."""
        every = [list(found[:CHOICES]) for found in self.found]
        sure = [[*self._sure(place)] for place in range(len(self.found))]
        result: dict[Any, Combination] = {}
        for choices in (sure, [[*a, *b] for a, b in zip(every, sure, strict=True)]):
            best = self._best(choices)
            near = sorted({identity(one): one for one in self._near(best, choices)}.values(), key=self._time)
            for one in (best, *near[:FINALISTS]):
                needed = self._needed(one)
                result.setdefault(identity(needed), needed)
        for place, (found, choices) in enumerate(zip(self.found, sure, strict=True)):
            for one in (*found[:LISTED], *choices):
                alone = self._named(self.today.at(place, one))
                result.setdefault(identity(alone), alone)
        result.pop(identity(self.today), None)
        return list(result.values())

    def _sure(self, place: int) -> Iterator[Candidate]:
        """The fastest candidates of a part that lean on nothing unmeasured."""
        source = self.known.source
        known = replace(self.known, source=replace(source, subject=source.subject.parts[place]))
        return islice((one for one in self.found[place] if not known.guesses(one)), CHOICES)

    def _time(self, runs: Combination) -> float:
        return _score(self.screen, runs, self.costs)

    def _best(self, choices: Sequence[Sequence[Candidate]]) -> Combination:
        """By coordinate descent, from what ran and from each part's own best."""
        own = replace(
            self.today, of=tuple(of[0] if of else ran for of, ran in zip(choices, self.today.of, strict=True))
        )
        return min((self._descended(start, choices) for start in (self.today, own)), key=self._time)

    def _descended(self, best: Combination, choices: Sequence[Sequence[Candidate]]) -> Combination:
        for _ in range(ROUNDS):
            before = best
            for place, candidates in enumerate(choices):
                others = [best.at(place, one) for one in (self.today.of[place], *candidates)]
                fastest = min(others, key=self._time)
                if self._time(fastest) < BETTER * self._time(best):
                    best = fastest
            if best is before:
                break
        return best

    def _near(self, best: Combination, choices: Sequence[Sequence[Candidate]]) -> Iterator[Combination]:
        """The same with another candidate for one part."""
        for place, candidates in enumerate(choices):
            yield from (best.at(place, one) for one in candidates if one is not best.of[place])

    def _needed(self, runs: Combination) -> Combination:
        """Without the parts that gain too little while all others go as they do here."""
        while True:
            gains = {
                place: self._gain(runs, place) for place, one in enumerate(runs.of) if one is not self.today.of[place]
            }
            if not gains or min(gains.values()) > self.least:
                return self._named(runs)
            worst = min(gains, key=lambda place: gains[place])
            runs = runs.at(worst, self.today.of[worst])

    def _gain(self, runs: Combination, place: int) -> float:
        """By which share a part shortens iterations, or its own if these are not bound to the others'."""
        without = runs.at(place, self.today.of[place])
        after, before = (self.screen.replayed(one, self.costs) for one in (runs, without))
        return max(1 - after.iteration_ns / before.iteration_ns, after.own_gain(before, place))

    def _named(self, runs: Combination) -> Combination:
        parts = zip(runs.of, self.today.of, self.labels, strict=True)
        names = [f"{one.name} for {label}" for one, ran, label in parts if one is not ran]
        return replace(runs, name=_in_words(names))


def _in_words(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + [*names[-1:]])


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
