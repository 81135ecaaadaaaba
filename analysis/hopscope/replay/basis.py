"""The run that candidates are compared with: what its messages cost, what ran, and how well the replay has that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import integers
from hopscope.errors import InputError
from hopscope.format.quantities import exact_size, in_words, share
from hopscope.machine.costs import SMALL, Costs
from hopscope.replay.algorithms.algorithm import Algorithm
from hopscope.replay.algorithms.baseline import baseline_of
from hopscope.replay.algorithms.combination import Runs
from hopscope.replay.algorithms.recorded import Recorded
from hopscope.replay.fitting.fit import fit
from hopscope.replay.fitting.rendezvous import ends_of, limits_of
from hopscope.replay.parts import with_parts
from hopscope.replay.prediction import Model, variability_of
from hopscope.replay.replayer import Replayer, mean_iteration, replayer_of, window_of
from hopscope.replay.run.events import NO_LIMITS, Events, events_of, parts_of
from hopscope.replay.run.hops import hops_of, model_hops
from hopscope.replay.run.program import Source, source_of
from hopscope.vocabulary.links import LINKS, classes_of_hosts

FAR_OFF = 0.5
"""Costs with which the replay is off by more are given up for plainer ones with which it is off by less."""
MOST_LATE = 0.1
"""Where more of the library's messages wait for their receives, its costs do not tell how another algorithm does."""
SCREENED, SEARCHED = 200, 15
"""Of a long run, so many iterations are replayed for every candidate, and for every tree of the search."""
NAMED = 4
"""So many pairs of hosts or sizes are named before the rest is counted."""


Recost = Callable[[Costs, Sequence[str]], Costs]
"""The costs to replay with, from those that the hops show and the names of the hosts."""


@dataclass(frozen=True)
class Basis:
    """The run that candidates are compared with. late: of each selection, the share of the library's messages that
    waited for their receives."""

    source: Source
    costs: Costs
    baseline: Runs
    whole: Replayer
    model: Model
    late: tuple[float, ...]

    @cached_property
    def screen(self) -> Replayer:
        """Replays part of a long run."""
        return window_of(self.source, self.whole, SCREENED)

    @cached_property
    def searching(self) -> Replayer:
        """Replays the few iterations that the search looks at."""
        return window_of(self.source, self.whole, SEARCHED)

    def score(self, runs: Runs) -> float:
        """What orders candidates, by the part of the run that is screened."""
        return self.screen.score(runs, self.baseline)

    def search_score(self, runs: Runs) -> float:
        """What orders the trees of the search; infinite for one that extrapolates."""
        return math.inf if self.extrapolates(runs) else self.searching.score(runs, self.baseline)

    @cached_property
    def _used(self) -> set[tuple[int, int]]:
        """The pairs of hosts between which the run sent messages, whichever way."""
        pairs = model_hops(self.source, hops_of(self.source)).host_pairs()
        return {(min(pair), max(pair)) for pair in (*pairs, *self.costs.measured)}

    def reason_unpredicted(self, place: int) -> str | None:
        """Why this run does not show what another algorithm takes for a selection; None if it does."""
        if self.late[place] > MOST_LATE:
            return f"{share(self.late[place])} of its messages waited for their receives to be posted"
        return self.model.reason_unpredicted

    def predicted_ns(self, runs: Runs) -> float:
        """What an iteration takes, by the part of the run that is screened."""
        return self.model.baseline_ns * self.screen.iteration_ns(runs) / self.screen.iteration_ns(self.baseline)

    def extrapolates(self, runs: Runs, *, by_library: bool = False) -> tuple[str, ...]:
        """What algorithms use that no hop measured: links, pairs of hosts, sizes, and in which order an MPI library
        sends long messages. Of an emulated machine the topology file tells."""
        if self.costs.machine.emulated:
            return ()
        of_hosts, links = classes_of_hosts(self.source.places.cluster_of_host), self.costs.links
        eager = np.asarray([links[name].eager_bytes for name in LINKS])
        pairs, others, sizes = set[tuple[int, int]](), set[str](), dict[str, set[int]]()
        for piece, part in zip(runs, self.source.subject.each, strict=True):
            for sent in piece.messages(part):
                ends = np.asarray(part.hosts)[np.stack([sent.src, sent.dst])]
                pairs |= {(a, b) for a, b in np.unique(np.sort(ends, axis=0), axis=1).T.tolist() if a != b} - self._used
                link = of_hosts[ends[0], ends[1]]
                if by_library and np.bincount(sent.src[sent.size > eager[link]], minlength=1).max() > 1:
                    others.add("the order of messages by rendezvous")
                for place in np.unique(link).tolist():
                    name, size = LINKS[place], np.unique(sent.size[link == place])
                    far = size[(size > SMALL) & ~links[name].is_near(size)].tolist()
                    # A class without hops is as slow as the next slower one, if there is one.
                    if not links[name].hops and not any(links[slower].hops for slower in LINKS[place:]):
                        others.add(f"{name} links")
                    elif links[name].hops and far:
                        sizes.setdefault(name, set()).update(far)
        hosts = self.source.places.hosts
        named = [f"{hosts[a]}-{hosts[b]}" for a, b in sorted(pairs)]
        return (
            *sorted(others),
            *([f"hosts {_first(named)}"] if named else []),
            *(f"{_first([exact_size(size) for size in sorted(of)])} over {name}" for name, of in sorted(sizes.items())),
        )


def _first(names: list[str]) -> str:
    rest = len(names) - NAMED
    return in_words(names) if rest <= 0 else f"{', '.join(names[:NAMED])} and {rest} more"


def basis_of(table: Callable[[str], pa.Table], flavour: str | None = None, recost: Recost | None = None) -> Basis:
    """flavour: of the library whose settings are looked for; None for trees. recost: what replaces the fitted costs.
    Raises InputError where the run cannot be replayed."""
    source = with_parts(_source(table), flavour)
    subject = source.subject
    leaves = integers(source.tables["collectives"], "last_leave_ns")[subject.collectives]
    measured = mean_iteration(leaves)
    variants: list[tuple[float, Runs, Costs, Replayer]] = []
    limits = limits_of(ends_of(source))
    for rendezvous in (limits, NO_LIMITS) if limits else (NO_LIMITS,):
        events = events_of(source, rendezvous) if subject.native else None
        baseline, fitted = _baseline(source, events), fit(source, rendezvous, events)
        costs = fitted if recost is None else recost(fitted, source.places.hosts)
        replayer = replayer_of(source, baseline, costs)
        variants.append((_error(replayer, baseline, measured), baseline, costs, replayer))
    # What the hops show directly counts, unless the replay of the baseline is far off with it and less so without.
    best = variants[0] if variants[0][0] <= FAR_OFF else min(variants, key=lambda variant: variant[0])
    _, baseline, costs, whole = best
    iterations = np.diff(np.sort(leaves)).astype(np.float64)
    model = Model(measured, whole.iteration_ns(baseline), variability_of(iterations))
    recorded = baseline[0]
    late = _late(recorded.events) if isinstance(recorded, Recorded) else (0.0,) * len(baseline)
    return Basis(source, costs, baseline, whole, model, late)


def _error(replayer: Replayer, baseline: Runs, measured: float) -> float:
    """How far the replay is off; infinite where ranks wait for one another."""
    try:
        return abs(replayer.iteration_ns(baseline) - measured) / measured
    except InputError:
        return math.inf


def _baseline(source: Source, events: Events | None) -> Runs:
    if events is not None:
        return (Recorded(events),) * len(source.subject.each)
    pieces: list[Algorithm] = [baseline_of(replace(source, subject=part)) for part in source.subject.each]
    return tuple(pieces)


def _late(events: Events) -> tuple[float, ...]:
    """Of each selection the share of the library's messages that waited for their receives, not by rendezvous."""
    source = events.source
    number = parts_of(source)[source.arrays["hops.collective"][events.hops]]
    late = events.late & ~events.announced
    return tuple(float(late[number == place].mean()) for place in range(len(source.subject.each)))


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
