"""The basis of predictions for a run: its fitted costs, the algorithms that it ran, and the error of its replay."""

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
from hopscope.replay.prediction import Model
from hopscope.replay.replayer import Replayer, mean_iteration, replayer_of, window_of
from hopscope.replay.run.events import NO_LIMITS, Events, events_of, parts_of
from hopscope.replay.run.hops import hops_of, model_hops
from hopscope.replay.run.subject import Source, source_of
from hopscope.vocabulary.links import LINKS, classes_of_hosts

FAR_OFF = 0.5
"""If the replay's error is larger than this share, costs fitted without rendezvous are used, provided that they have
the smaller error."""
MOST_LATE_SHARE = 0.1
"""If a larger share of the library's messages waited for receives to be posted, the fitted costs cannot predict another
algorithm."""
SCREENED = 200
"""The number of iterations of a long run that are replayed for each candidate, to save time."""
LISTED_NAMES = 4
"""The most pairs of hosts, or sizes, that a sentence lists. It only counts the rest."""


Recost = Callable[[Costs, Sequence[str]], Costs]
"""A function that takes the costs fitted to the hops, and the names of the hosts, and returns the costs to use."""


@dataclass(frozen=True)
class Basis:
    """The run that candidates are compared with. baseline: the algorithm that each selection ran. whole: the replayer
    of the whole run. late_shares: for each selection, the share of the library's messages that waited for their
    receives to be posted."""

    source: Source
    costs: Costs
    baseline: Runs
    whole: Replayer
    model: Model
    late_shares: tuple[float, ...]

    @cached_property
    def screen(self) -> Replayer:
        """The replayer that predicts candidates. It replays only SCREENED iterations of a long run."""
        return window_of(self.source, self.whole, SCREENED)

    def score(self, runs: Runs) -> float:
        """The score, ns, that orders candidates: Replayer.score of the replayer `screen`."""
        return self.screen.score(runs, self.baseline)

    @cached_property
    def _used(self) -> set[tuple[int, int]]:
        """The pairs of hosts between which the run sent messages, in either direction."""
        pairs = model_hops(self.source, hops_of(self.source)).host_pairs()
        return {(min(pair), max(pair)) for pair in (*pairs, *self.costs.measured)}

    def reason_unpredicted(self, place: int) -> str | None:
        """The reason why this run cannot predict another algorithm for the selection with the number `place`; None if
        it can."""
        if self.late_shares[place] > MOST_LATE_SHARE:
            return f"{share(self.late_shares[place])} of its messages waited for their receives to be posted"
        return self.model.reason_unpredicted

    def predicted_ns(self, runs: Runs) -> float:
        """The predicted time of an iteration with these algorithms, ns: the baseline's time, scaled by the ratio of
        their replays by `screen`."""
        return self.model.baseline_ns * self.screen.iteration_ns(runs) / self.screen.iteration_ns(self.baseline)

    def extrapolates(self, runs: Runs, *, by_library: bool = False) -> tuple[str, ...]:
        """Everything that these algorithms use and no hop measured: classes of links, pairs of hosts, sizes and, if
        `by_library`, an MPI library's send order of long messages. Empty for an emulated machine, because its topology
        file gives all costs."""
        if self.costs.machine.emulated:
            return ()
        of_hosts, links = classes_of_hosts(self.source.places.cluster_of_host), self.costs.links
        eager = np.asarray([links[name].eager_bytes for name in LINKS])
        pairs, unmeasured, sizes = set[tuple[int, int]](), set[str](), dict[str, set[int]]()
        for piece, part in zip(runs, self.source.subject.selections, strict=True):
            for sent in piece.messages(part):
                ends = np.asarray(part.hosts)[np.stack([sent.src, sent.dst])]
                pairs |= {(a, b) for a, b in np.unique(np.sort(ends, axis=0), axis=1).T.tolist() if a != b} - self._used
                link = of_hosts[ends[0], ends[1]]
                if by_library and np.bincount(sent.src[sent.size > eager[link]], minlength=1).max() > 1:
                    unmeasured.add("the order of messages by rendezvous")
                for place in np.unique(link).tolist():
                    name, size = LINKS[place], np.unique(sent.size[link == place])
                    far = size[(size > SMALL) & ~links[name].is_measured_size(size)].tolist()
                    # A class of links without hops gets the costs of the next slower class that has hops.
                    if not links[name].hops and not any(links[slower].hops for slower in LINKS[place:]):
                        unmeasured.add(f"{name} links")
                    elif links[name].hops and far:
                        sizes.setdefault(name, set()).update(far)
        hosts = self.source.places.hosts
        host_pairs = [f"{hosts[a]}-{hosts[b]}" for a, b in sorted(pairs)]
        return (
            *sorted(unmeasured),
            *([f"hosts {_first(host_pairs)}"] if host_pairs else []),
            *(
                f"{_first([exact_size(size) for size in sorted(class_sizes)])} over {name}"
                for name, class_sizes in sorted(sizes.items())
            ),
        )


def _first(names: list[str]) -> str:
    rest = len(names) - LISTED_NAMES
    return in_words(names) if rest <= 0 else f"{', '.join(names[:LISTED_NAMES])} and {rest} more"


def basis_of(table: Callable[[str], pa.Table], flavour: str | None = None, recost: Recost | None = None) -> Basis:
    """Fits and replays the run. flavour: the library whose settings are candidates; None for trees. recost: replaces
    the fitted costs. Raises InputError if the run cannot be replayed."""
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
    # The fit uses the rendezvous limits that the hops show, unless its error is above FAR_OFF and larger than without.
    best = variants[0] if variants[0][0] <= FAR_OFF else min(variants, key=lambda variant: variant[0])
    _, baseline, costs, whole = best
    model = Model(measured, whole.iteration_ns(baseline))
    recorded = baseline[0]
    late_shares = _late_shares(recorded.events) if isinstance(recorded, Recorded) else (0.0,) * len(baseline)
    return Basis(source, costs, baseline, whole, model, late_shares)


def _error(replayer: Replayer, baseline: Runs, measured: float) -> float:
    """Error of the baseline's replay, as a share of the measured time; infinite if ranks wait for one another in the
    replay, so that it cannot end."""
    try:
        return abs(replayer.iteration_ns(baseline) - measured) / measured
    except InputError:
        return math.inf


def _baseline(source: Source, events: Events | None) -> Runs:
    if events is not None:
        return (Recorded(events),) * len(source.subject.selections)
    pieces: list[Algorithm] = [baseline_of(replace(source, subject=part)) for part in source.subject.selections]
    return tuple(pieces)


def _late_shares(events: Events) -> tuple[float, ...]:
    """For each selection, the share of the library's messages that waited for their receives although they were short
    enough to be sent eagerly."""
    source = events.source
    number = parts_of(source)[source.arrays["hops.collective"][events.hops]]
    late_receives = events.late_receives & ~events.rendezvous
    return tuple(float(late_receives[number == place].mean()) for place in range(len(source.subject.selections)))


def _source(table: Callable[[str], pa.Table]) -> Source:
    """The run and its subject. Raises InputError if the run allows no prediction."""
    source = source_of(table)
    subject = source.subject
    if len(subject.collectives) < 2:
        raise InputError(
            f"{subject.op} ran only once with all its hops, but an iteration reaches from one call to the next; remap "
            "a longer run"
        )
    if subject.native and source.tables["run"]["emulated"].to_pylist()[0]:
        raise InputError(
            "the run emulated links, which do not delay the MPI library's own messages, so its hops say nothing about "
            "the emulated machine; run the program again with `hopscope run --tree binomial -- ...` and remap that "
            "trace"
        )
    return source
