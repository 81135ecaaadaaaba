"""What settings of an MPI library can change in a run of several parts, and by which algorithms of the library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hopscope.model.costs import Costs
from hopscope.quantities import in_words
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.combination import Combination
from hopscope.remap.candidates.recorded import Recorded
from hopscope.remap.judging.choosing import Lever, Option, score
from hopscope.remap.judging.judge import Screen
from hopscope.remap.judging.verdict import LEAST_GAIN
from hopscope.remap.run.program import Subject
from hopscope.remap.settings.forced import Judged, NotJudged, spans_hosts
from hopscope.remap.settings.reach import Places
from hopscope.tuning.offered import Library, operation_name


@dataclass(frozen=True)
class Reached:
    """The parts that one setting reaches. why: what keeps it from being judged, if something does."""

    places: Places
    label: str
    parts: Sequence[Subject]
    judged: Judged
    why: str | None

    @property
    def others(self) -> Iterator[NotJudged]:
        """The algorithms that are not judged where all parts are judged together."""
        if self.why:
            yield from (NotJudged(of[0].name, self.why) for of in self.judged.candidates)
        yield from self.judged.others


def levers_of(
    reached: Sequence[Reached], screen: Screen, today: Combination, costs: Costs, library: Library
) -> tuple[list[Reached], list[Lever]]:
    """The levers, and what is reached with the reasons that these add."""
    result: list[Reached] = []
    levers: list[Lever] = []
    for group in _bound(reached, library):
        is_alone = len(group) == 1 and not group[0].why
        bound = [_changing(one, screen, today, costs) for one in group] if is_alone else group
        checked = [replace(one, why=one.why or _kept_by(bound, one)) for one in bound]
        options = [[] if one.why else _options(one, screen, today, costs) for one in checked]
        places = tuple(sorted(place for one in bound for place in one.places))
        levers.append(Lever(places, in_words([one.label for one in bound]), _together(bound, options, places)))
        result += checked
    return result, levers


def _bound(reached: Sequence[Reached], library: Library) -> list[list[Reached]]:
    """What can be set only together: all that Open MPI's `han` ran of an operation, which leaves `han` as a whole."""
    result: list[list[Reached]] = []
    by_operation: dict[str, list[Reached]] = {}
    for one in reached:
        operation = one.parts[0].op
        leaves = library.flavour == "openmpi" and operation_name(operation) in library.besides
        if not leaves or not any(spans_hosts(part) for part in one.parts):
            result.append([one])
        elif operation in by_operation:
            by_operation[operation].append(one)
        else:
            result.append(by_operation.setdefault(operation, [one]))
    return result


def _changing(one: Reached, screen: Screen, today: Combination, costs: Costs) -> Reached:
    """The same without the algorithm that ran: the same messages, in the same time while all else goes as it went.

    Beside others that change, its schedule may seem faster than its record, in which messages that used to be there
    before they were needed are waited for.
    """
    ran = screen.iteration_ns(today, costs)
    judged = Judged(others=list(one.judged.others))
    for of in one.judged.candidates:
        time = screen.iteration_ns(today.at(one.places, of), costs)
        sends_the_same = all(
            isinstance(before, Recorded) and before.last_messages(part) == candidate.last_messages(part)
            for before, candidate, part in zip((today.of[place] for place in one.places), of, one.parts, strict=True)
        )
        if sends_the_same and abs(time - ran) < LEAST_GAIN * ran:
            judged.others.append(NotJudged(of[0].name, "it is what ran"))
        else:
            judged.candidates.append(of)
    return replace(one, judged=judged)


def _kept_by(bound: Sequence[Reached], one: Reached) -> str | None:
    """Why it cannot be set for what else would change."""
    for other in bound:
        if other is not one and (other.why or not other.judged.candidates):
            why = other.why or "nothing that the library has for it can be predicted"
            return f"the words that make Open MPI read its rule change {other.label} too: {why}"
    return None


def _options(one: Reached, screen: Screen, today: Combination, costs: Costs) -> list[Option]:
    """What may run it, the fastest first."""
    found = [Option(f"{of[0].name} for {one.label}", of) for of in one.judged.candidates]
    return sorted(found, key=lambda option: score(screen, today.at(one.places, option.of), costs))


def _together(bound: Sequence[Reached], options: Sequence[Sequence[Option]], places: Places) -> list[Option]:
    """The best of each, and the same with another one in a place."""
    if not all(options):
        return []

    def joined(chosen: Sequence[Option]) -> Option:
        piece: dict[int, Candidate] = {}
        for one, option in zip(bound, chosen, strict=True):
            piece |= zip(one.places, option.of, strict=True)
        return Option(in_words([option.name for option in chosen]), tuple(piece[place] for place in places))

    best = [of[0] for of in options]
    others = [[*best[:at], one, *best[at + 1 :]] for at, of in enumerate(options) for one in of[1:]]
    return [joined(one) for one in (best, *others)]
