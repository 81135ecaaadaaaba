"""A row for each candidate: what it would take, how sure that is, and what it looks like."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from hopscope.model.costs import EXPECTED, HIGHEST, Costs
from hopscope.paths.columns import integers
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.combination import Combination, Runs, bytes_of, each_piece
from hopscope.remap.judging.guesses import Guesses, Measured, measured_of
from hopscope.remap.judging.judge import LEAST_OFTEN, Judge, Replayed, Screen, mean_iteration
from hopscope.remap.judging.spread import Spread
from hopscope.remap.judging.tried import Tried, measured_interval
from hopscope.remap.judging.verdict import LEAST_GAIN, judge
from hopscope.remap.run.program import Source, Subject

FINALISTS = 5
"""So many of the fastest candidates are replayed over the whole of a long run."""
SPREAD_WINDOW = 100
"""Iterations from which the spread of a prediction is taken."""
Row = dict[str, Any]

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("today", pa.bool_()),
        ("predicted_ns", pa.float64()),
        ("predicted_low_ns", pa.float64()),
        ("predicted_high_ns", pa.float64()),
        ("measured_ns", pa.float64()),
        ("gain", pa.float64()),
        ("model_error", pa.float64()),
        ("tried_ns", pa.float64()),
        ("tried_gain", pa.float64()),
        ("depth", pa.int32()),
        ("fan_out", pa.int32()),
        ("wan_crossings", pa.int32()),
        ("wan_messages", pa.int32()),
        ("unmeasured_pairs", pa.int32()),
        ("unmeasured_interfaces", pa.int32()),
        ("unmeasured_links", pa.int32()),
        ("unmeasured_sizes", pa.int32()),
        ("chosen", pa.bool_()),
        ("comm", pa.int32()),
        ("operation", pa.string()),
        ("bytes_min", pa.int64()),
        ("bytes_max", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Listing:
    """What ran and the candidates; fitted and engine: their costs and both ends of these."""

    source: Source
    screen: Screen
    part: Judge  # from which the spread of a prediction is taken
    today: Runs
    candidates: Sequence[Candidate] | Sequence[Combination]
    fitted: tuple[Costs, Costs, Costs]
    engine: tuple[Costs, Costs, Costs]
    measured_ns: float
    model_error: float
    spread: Spread
    tried: Tried | None
    apart: Sequence[Sequence[int]] = ()  # places of the parts that change only together; each by itself if none
    least_gain: float = LEAST_GAIN

    def judged(self, alike: float, *, is_known: bool) -> tuple[list[Row], list[int], dict[str, Guesses]]:
        """The rows, their order, and by name what each candidate guesses. alike, is_known: as `judge` takes them."""
        finalists, every = self._finalists(), (self.today, *self.candidates)
        gains = self.tried is not None and self.tried.gains
        while True:
            rows = [self._row(place, is_finalist=place in finalists) for place in range(len(every))]
            order = judge(rows, alike, tried_gains=gains, is_known=is_known)
            if order[0] in finalists:
                return rows, order, {row["name"]: one for row, one in zip(rows, self._guesses, strict=True)}
            finalists.add(order[0])  # what is suggested is replayed over the whole run

    @cached_property
    def _known(self) -> Measured:
        return measured_of(self.source, self.engine[0])

    @cached_property
    def _measured_low_ns(self) -> float:
        """What a rerun of what ran is expected to take at least: one run does not tell how runs differ."""
        return min((1 - self.spread.least) * self.measured_ns, measured_interval(self.source)[0])

    @cached_property
    def _guesses(self) -> list[Guesses]:
        """Of every row; what ran guesses nothing."""
        return [Guesses(), *(self._known.guesses(candidate) for candidate in self.candidates)]

    @cached_property
    def _structures(self) -> list[dict[str, int | None]]:
        return [one.structure(self.source.subject) for one in (self.today, *self.candidates)]

    def _finalists(self) -> set[int]:
        """The rows of the fastest, with and without guesses, and of one that was tried; what ran has row 0."""
        ran = self.engine[0]
        times = [self.screen.iteration_ns(candidate, ran) for candidate in self.candidates]
        by_time = sorted(range(1, len(times) + 1), key=lambda row: times[row - 1])
        sure = [row for row in by_time if not self._guesses[row]]
        tried = [row for row in by_time if self._is_tried(self.candidates[row - 1])]
        return {0, *by_time[:FINALISTS], *sure[:FINALISTS], *tried}

    def _is_tried(self, candidate: Runs) -> bool:
        return self.tried is not None and candidate is self.tried.candidate

    def _row(self, place: int, *, is_finalist: bool) -> Row:
        candidate = self.candidates[place - 1] if place else self.today
        costs, guesses = self.engine if place else self.fitted, self._guesses[place]
        typical, low, high = costs
        typical = self._known.probed(guesses, typical, EXPECTED)
        replayed = self.screen.last(candidate, typical, is_finalist=is_finalist)
        predicted = replayed.iteration_ns
        ends = (
            typical,
            self._known.fastest(guesses, low),
            self._known.probed(guesses, high, HIGHEST),
            *([self._known.slowest(guesses, high)] if guesses else []),
        )
        lowest, *highest = (predicted * end for end in self._ends(candidate, ends))
        spread = self.spread.of_a_probe() if guesses.lean_on_a_probe else self.spread
        least = spread.around(lowest, highest[0])[0]
        most = [spread.around(lowest, end)[1] for end in highest]
        is_tried = self._is_tried(candidate)
        return {
            "name": candidate.name,
            "today": place == 0,
            "predicted_ns": predicted,
            "predicted_low_ns": least,
            "predicted_high_ns": most[-1],
            "alike_high_ns": most[0],  # if what is guessed is like what was measured
            "measured_ns": self.measured_ns,
            "measured_low_ns": self._measured_low_ns,
            "gain": 1 - predicted / self.screen.whole.iteration_ns(self.today, self.fitted[0]),
            "model_error": self.model_error,
            "tried_ns": self.tried.time_ns if self.tried and is_tried else None,
            "tried_gain": self.tried.gain if self.tried and is_tried else None,
            **self._structures[place],
            "unmeasured_pairs": len({frozenset(pair) for pair in guesses.pairs}),
            "unmeasured_interfaces": len({one.name for one in guesses.interfaces}),
            "unmeasured_links": guesses.links,
            "unmeasured_sizes": len(guesses.bytes),
            "chosen": False,
            **self._part_of(candidate),
            "own_gain": self._own_gain(candidate, replayed),
            "least_gain": self.least_gain,
        }

    def _own_gain(self, candidate: Runs, replayed: Replayed) -> float | None:
        """The least by which a part that changes shortens its own iterations, which need not be bound to the others'.
        None where the replay of what ran errs by as much in these, or a part ran too seldom to tell."""
        before = self.screen.whole.replayed(self.today, self.fitted[0])
        parts = self.source.subject.each
        found = {place: replayed.own_gain(before, place) for place in self._changed(candidate)}
        if any(len(parts[place].simulated) < LEAST_OFTEN for place in found):
            return None
        is_sure = all(gain > self._own_errors[place] for place, gain in found.items())
        return min(found.values()) if found and is_sure and isinstance(candidate, Combination) else None

    @cached_property
    def _own_errors(self) -> list[float]:
        """How far the replay of what ran is from the run in each part's own iterations."""
        leaves = integers(self.source.tables["collectives"], "last_leave_ns")
        replayed = self.screen.whole.replayed(self.today, self.fitted[0]).paces_ns
        ran = [leaves[part.simulated] for part in self.source.subject.each]
        measured = [mean_iteration(of) if len(of) > 1 else math.nan for of in ran]
        pairs = zip(replayed.tolist(), measured, strict=True)
        return [abs(again - once) / once if once > 0 and again > 0 else math.inf for again, once in pairs]

    def _changed(self, candidate: Runs) -> list[int]:
        """The places of the parts that do not go as they went."""
        pairs = zip(each_piece(candidate), each_piece(self.today), strict=True)
        return [place for place, (one, before) in enumerate(pairs) if one is not before]

    def _part_of(self, candidate: Runs) -> Row:
        """What the candidate is for, where that is one part, or parts that change only together."""
        subject, changed = self.source.subject, self._changed(candidate)
        places = self.apart or [(place,) for place in range(len(subject.each))]
        apart = [of for of in places if {*of} & {*changed}]
        found = columns_of([subject.each[place] for place in changed] if len(apart) == 1 else [])
        if isinstance(candidate, Candidate):
            found["operation"] = ", ".join(candidate.operations) or None
        new = [one for place, one in enumerate(each_piece(candidate)) if place in changed]
        named = sum(one.named for one in new if isinstance(one, Candidate))
        return {"parts": len(apart) if subject.parts else 0, "named": named, **found}

    def _ends(self, candidate: Runs, costs: tuple[Costs, ...]) -> tuple[float, ...]:
        """The lower end and the upper ends that the costs' own ends give a prediction, as shares of it."""
        typical, *ends = costs
        middle = self.part.iteration_ns(candidate, typical)
        low, high, *higher = (self.part.iteration_ns(candidate, end) / middle for end in ends)
        most = max(1.0, low, high)
        return min(1.0, low, high), most, *(max(most, end) for end in higher)


def columns_of(parts: Sequence[Subject]) -> Row:
    """The columns that say which parts a candidate is for."""
    least, most = bytes_of(parts) or (None, None)
    comms = {part.comm for part in parts}
    return {
        "comm": comms.pop() if len(comms) == 1 else None,
        "operation": ", ".join(sorted({part.op for part in parts})) or None,
        "bytes_min": least,
        "bytes_max": most,
    }
