"""Chooses what runs the parts of a run so that all of them together go best.

Where parts run at the same time, one alone may gain nothing although all of them gain together: among halves of a job
that wait for each other, the slower half decides. So what a part itself takes counts a little where its candidates are
put in order, and a part is dropped only if the others do as well without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from hopscope.model.costs import Costs
from hopscope.quantities import in_words
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.combination import Combination, Piece, identity
from hopscope.remap.candidates.search import BETTER
from hopscope.remap.judging.guesses import Measured
from hopscope.remap.judging.judge import LEAST_OFTEN, Judge, Screen
from hopscope.remap.judging.listing import FINALISTS
from hopscope.remap.judging.verdict import PartGain

CHOICES = 5
"""So many of each lever's fastest options, and of its fastest ones without guesses, are combined."""
ROUNDS = 4
SLIGHTLY = 0.01
"""By this factor, what parts take themselves counts beside an iteration's time."""


@dataclass(frozen=True)
class Option:
    """What may run the parts of a lever: one candidate for each."""

    name: str
    of: tuple[Candidate, ...]


@dataclass(frozen=True)
class Lever:
    """Parts that change together or stay as they are, by their places, and what may run them, the fastest first."""

    places: tuple[int, ...]
    label: str
    options: Sequence[Option]

    def of(self, runs: Combination) -> tuple[Piece, ...]:
        """What runs its parts."""
        return tuple(runs.of[place] for place in self.places)


def score(judge: Judge | Screen, runs: Combination, costs: Costs) -> float:
    """The time of an iteration and a little of what its parts take, ns."""
    time = judge.replayed(runs, costs)
    return time.iteration_ns + SLIGHTLY * float(time.took_ns.sum())


@dataclass(frozen=True)
class Choice:
    """Chooses options that go together. today: what ran; least: what a lever has to gain; listed: so many options of
    each are offered by themselves, all if None."""

    screen: Screen
    today: Combination
    levers: Sequence[Lever]
    costs: Costs
    known: Measured
    least: float
    listed: int | None = None

    def offered(self) -> list[Combination]:
        """The best combinations, with and without guesses, and the fastest options of each lever by themselves."""
        every = [list(lever.options[:CHOICES]) for lever in self.levers]
        sure = [[*self._sure(lever)] for lever in self.levers]
        result: dict[Any, Combination] = {}
        for choices in (sure, [[*a, *b] for a, b in zip(every, sure, strict=True)]):
            best = self._best(choices)
            near = sorted({identity(one): one for one in self._near(best, choices)}.values(), key=self._time)
            for one in (best, *near[:FINALISTS]):
                needed = self._needed(one)
                result.setdefault(identity(needed), needed)
        for lever, choices in zip(self.levers, sure, strict=True):
            for option in (*lever.options[: self.listed], *choices):
                alone = self._named(self.today.at(lever.places, option.of))
                result.setdefault(identity(alone), alone)
        result.pop(identity(self.today), None)
        return list(result.values())

    def gains(self, whole: Judge, runs: Combination) -> list[PartGain | None]:
        """What each lever is good for in the whole run; None of one that stays as it is."""
        replayed = whole.replayed(runs, self.costs)
        result: list[PartGain | None] = []
        for lever in self.levers:
            ran = lever.of(self.today)
            if _same(lever.of(runs), ran):
                result.append(None)
                continue
            without = whole.replayed(runs.at(lever.places, ran), self.costs)
            own = max(replayed.own_gain(without, place) for place in lever.places)
            result.append(PartGain(without.iteration_ns, own))
        return result

    def _sure(self, lever: Lever) -> Iterator[Option]:
        """The fastest options of a lever that lean on nothing unmeasured."""
        source = self.known.source
        parts = [source.subject.parts[place] for place in lever.places]
        known = [replace(self.known, source=replace(source, subject=part)) for part in parts]

        def is_sure(option: Option) -> bool:
            return not any(of.guesses(one) for of, one in zip(known, option.of, strict=True))

        return islice((option for option in lever.options if is_sure(option)), CHOICES)

    def _time(self, runs: Combination) -> float:
        return score(self.screen, runs, self.costs)

    def _best(self, choices: Sequence[Sequence[Option]]) -> Combination:
        """By coordinate descent, from what ran and from each lever's own best."""
        own = self.today
        for lever, options in zip(self.levers, choices, strict=True):
            own = own.at(lever.places, options[0].of) if options else own
        return min((self._descended(start, choices) for start in (self.today, own)), key=self._time)

    def _descended(self, best: Combination, choices: Sequence[Sequence[Option]]) -> Combination:
        for _ in range(ROUNDS):
            before = best
            for lever, options in zip(self.levers, choices, strict=True):
                pieces = (lever.of(self.today), *(option.of for option in options))
                fastest = min((best.at(lever.places, one) for one in pieces), key=self._time)
                if self._time(fastest) < BETTER * self._time(best):
                    best = fastest
            if best is before:
                break
        return best

    def _near(self, best: Combination, choices: Sequence[Sequence[Option]]) -> Iterator[Combination]:
        """The same with another option for one lever."""
        for lever, options in zip(self.levers, choices, strict=True):
            yield from (best.at(lever.places, one.of) for one in options if not _same(one.of, lever.of(best)))

    def _needed(self, runs: Combination) -> Combination:
        """Without the levers that gain too little while all others go as they do here."""
        while True:
            changed = [lever for lever in self.levers if not _same(lever.of(runs), lever.of(self.today))]
            gains = [self._gain(runs, lever) for lever in changed]
            if not gains or min(gains) > self.least:
                return self._named(runs)
            worst = changed[gains.index(min(gains))]
            runs = runs.at(worst.places, worst.of(self.today))

    def _gain(self, runs: Combination, lever: Lever) -> float:
        """By which share a lever shortens iterations, or those of a part of it if they are not bound to the others'."""
        without = runs.at(lever.places, lever.of(self.today))
        after, before = (self.screen.replayed(one, self.costs) for one in (runs, without))
        parts = self.screen.whole.subject.each
        often = [place for place in lever.places if len(parts[place].simulated) >= LEAST_OFTEN]
        own = max((after.own_gain(before, place) for place in often), default=0.0)
        return max(1 - after.iteration_ns / before.iteration_ns, own)

    def _named(self, runs: Combination) -> Combination:
        chosen = [(lever.of(runs), lever.options) for lever in self.levers]
        names = [option.name for of, options in chosen for option in options if _same(option.of, of)]
        return replace(runs, name=in_words(names))


def _same(some: Sequence[Piece], others: Sequence[Piece]) -> bool:
    return all(one is other for one, other in zip(some, others, strict=True))
