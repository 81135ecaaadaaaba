"""A run that candidates are judged against: what its messages cost, what ran, and how well the replay has that."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Any

import pyarrow as pa

from hopscope.errors import InputError
from hopscope.links import LINKS
from hopscope.model.costs import INSIDE, Costs
from hopscope.paths.columns import integers
from hopscope.quantities import share
from hopscope.remap.candidates.combination import Combination, Runs, each_piece
from hopscope.remap.candidates.recorded import Recorded
from hopscope.remap.candidates.today import is_known, today_of
from hopscope.remap.fitting.announced import ends_of, limits_of
from hopscope.remap.fitting.fit import fits
from hopscope.remap.fitting.probed import with_what_fits
from hopscope.remap.judging.judge import Judge, judge_of, mean_iteration
from hopscope.remap.judging.spread import Spread, spread_of
from hopscope.remap.run.events import Events, events_of, parts_of
from hopscope.remap.run.parts import together, with_parts
from hopscope.remap.run.program import Source, source_of

LEAST_ALIKE, MOST_ALIKE = 0.01, 0.05
"""Predictions closer than the model's error, kept within these shares, are taken to be equal."""
FAR_OFF = 0.5
"""A model that errs by more is given up for a plainer one that errs less."""
MOST_LATE = 0.1
"""Where more of the library's messages wait for their receives, its costs do not tell how the engine would do."""
MOST_ERROR = 0.2
"""Where the replay of what ran misses the run by more, it predicts nothing else: a ring was told 518 ms and took 28,
and silence cost 45 to 60 % on 7 of 14 networks."""


@dataclass(frozen=True)
class Basis:
    """A run that candidates are judged against: what its messages cost, what ran, and how well the replay has that."""

    source: Source
    fitted: tuple[Costs, Costs, Costs]  # as `fit` gives them
    today: Runs
    whole: Judge
    measured_ns: float
    error: float
    spread: Spread
    long: tuple[float, ...] = ()
    """Of each part the share of the library's messages that go between hosts and are announced, if their senders show
    it."""
    long_error: float = 0.0
    """How far the replay of what ran is off if they are."""

    @property
    def late(self) -> float:
        """The share of the library's messages that waited for their receives."""
        return max((one.late for one in each_piece(self.today) if isinstance(one, Recorded)), default=0.0)

    @property
    def why_unpredictable(self) -> str | None:
        """Why this run does not show what another tree or algorithm takes; None if it does."""
        if self.late > MOST_LATE:
            return (
                f"{share(self.late)} of the library's messages in {self.source.subject.op} waited for their receives "
                "to be posted, and Hopscope's engine moves such messages in another way"
            )
        return self.why_missed

    @property
    def why_missed(self) -> str | None:
        """That the replay of what ran is too far off to predict anything; None if it is not."""
        return f"the replay misses the run by {share(self.error)}" if self.error > MOST_ERROR else None

    @property
    def late_by_part(self) -> list[float]:
        """The same of each part."""
        of = each_piece(self.today)
        return _late_by_part(of[0].events) if isinstance(of[0], Recorded) else [0.0] * len(of)


def basis_of(
    table: Callable[[str], pa.Table],
    machine: Mapping[str, Any] | None = None,
    divided: Callable[[Source], Source] | None = None,
    *,
    announced: bool = False,
) -> Basis:
    """machine: the content of a machine file. divided: gives the run the parts that are judged together, if it has
    several. announced: the library's long messages are known as such, where their senders show it. Raises InputError
    where no prediction could be made of the run."""
    source = _source(table)
    if divided is not None:
        source = divided(source)
    subject = source.subject
    leaves = integers(source.tables["collectives"], "last_leave_ns")[subject.collectives]
    measured = mean_iteration(leaves)
    found: list[tuple[Runs, tuple[Costs, Costs, Costs], Judge]] = []
    for events in _views(source, announced=announced):
        today: Runs = _ran(source) if events is None else Recorded(events)
        if isinstance(today, Recorded) and subject.parts:
            today = Combination((today,) * len(subject.parts), today.name)
        every = list(fits(source, events))
        whole = judge_of(source, today, every[0][0])
        if machine is not None:
            error = partial(_error, whole, today, measured=measured, is_last=False)
            every = [with_what_fits(costs, source, machine, error) for costs in every]
        found += [(today, costs, whole) for costs in every]
    errors = [
        _error(whole, today, costs[0], measured, is_last=at + 1 == len(found))
        for at, (today, costs, whole) in enumerate(found)
    ]
    # What the hops show directly counts, unless the replay of what ran is far off with it and less so without.
    error = errors[0] if errors[0] <= FAR_OFF else min(errors)
    today, fitted, whole = found[errors.index(error)]
    spread = spread_of(leaves, whole.leaves(today, fitted[0]))
    first = each_piece(found[0][0])[0]
    long = _long_by_part(first.events) if isinstance(first, Recorded) else ()
    return Basis(source, fitted, today, whole, measured, error, spread, long, errors[0])


def _error(whole: Judge, today: Runs, costs: Costs, measured: float, *, is_last: bool) -> float:
    """How far the replay is off; beyond all measure where ranks wait for one another, unless nothing else is left."""
    try:
        replayed = whole.iteration_ns(today, costs)
    except InputError:
        if is_last:
            raise
        return math.inf
    return abs(replayed - measured) / measured


def _long_by_part(events: Events) -> tuple[float, ...]:
    arrays = events.source.arrays
    number = parts_of(events.source)[arrays["hops.collective"][events.hops]]
    long = events.announced & (arrays["hops.link"][events.hops] > LINKS.index(INSIDE))
    return tuple(float(long[number == part].mean()) for part in range(len(events.source.subject.each)))


def _views(source: Source, *, announced: bool) -> list[Events | None]:
    """What the MPI library did, if it ran: with long messages that are announced, if there are, and without."""
    if not source.subject.native:
        return [None]
    limits = limits_of(ends_of(source)) if announced else {}
    return [*([events_of(source, limits)] if limits else []), events_of(source)]


def alike_of(error: float) -> float:
    """The share by which predictions may differ and count as equal, from the model's error."""
    return min(MOST_ALIKE, max(LEAST_ALIKE, error))


def with_known_parts(source: Source) -> Source:
    """The run with those of its parts as the subject that can be replayed over other trees: the tree that ran is known
    or, of the library's algorithms, few messages waited for their receives. As it is if these are not several."""
    divided = with_parts(source)
    subject = divided.subject
    if not subject.parts:
        return source
    if subject.native:
        are_known = [late <= MOST_LATE for late in _late_by_part(events_of(divided))]
    else:
        are_known = [is_known(replace(source, subject=part)) for part in subject.parts]
    known = tuple(compress(subject.parts, are_known))
    several = len(known) > 1 and known[0] is subject.parts[0]
    return replace(source, subject=together(known, subject.collectives)) if several else source


def _late_by_part(events: Events) -> list[float]:
    """Of each part that the library ran, the share of its messages that waited for their receives and are not known to
    be announced."""
    source = events.source
    number = parts_of(source)[source.arrays["hops.collective"][events.hops]]
    late = events.late & ~events.announced
    return [float(late[number == part].mean()) for part in range(len(source.subject.each))]


def _ran(source: Source) -> Runs:
    """What ran by rules of a tree file."""
    if not source.subject.parts:
        return today_of(source)
    of = tuple(today_of(replace(source, subject=part)) for part in source.subject.parts)
    names = dict.fromkeys(one.name.removeprefix("today: ") for one in of)
    return Combination(of, f"today: {' and '.join(names)}")


def _source(table: Callable[[str], pa.Table]) -> Source:
    """The run. Raises InputError where no prediction could be made of it."""
    source = source_of(table)
    subject = source.subject
    if len(subject.collectives) < 2:
        raise InputError(
            f"{subject.op} ran only once with all its hops, but an iteration reaches from one call to the next; remap "
            "a longer run"
        )
    if subject.native and source.tables["run"]["emulated"].to_pylist()[0]:
        raise InputError(
            "the run emulated links, which do not delay the MPI library's own messages, so its hops say nothing of the "
            "emulated machine; run the program again with `hopscope run --tree binomial -- ...` and remap that trace"
        )
    return source
