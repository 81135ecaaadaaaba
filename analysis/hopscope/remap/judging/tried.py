"""What a run over a tree measured: its gain over the MPI library, and what the engine spends on a message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from hopscope.errors import InputError
from hopscope.model.costs import Costs
from hopscope.paths.columns import Array, integers
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.today import today_of
from hopscope.remap.fitting.fit import fit
from hopscope.remap.run.program import Source, Subject, Tables, source_of
from hopscope.resampling import Estimate, difference, mean_estimate


@dataclass(frozen=True)
class Tried:
    """The run over a tree beside that over the MPI library; times are per iteration, gains shares of the library's."""

    candidate: Candidate
    costs: tuple[Costs, Costs, Costs]  # as `fit` gives them
    time_ns: float
    library_ns: float
    took_ns: float  # median of the collective itself, from the last enter to the last leave
    library_took_ns: float
    gain_low: float
    gain_high: float
    algorithm: str | None  # of the run over the tree; None where it is unknown or varies
    library_algorithm: str | None  # of the run over the library, likewise

    @property
    def tree(self) -> str:
        """The tree's name."""
        return self.candidate.name.removeprefix("tried: ")

    @property
    def gain(self) -> float:
        """Part of the library's time that the tree saved."""
        return 1 - self.time_ns / self.library_ns

    @property
    def gains(self) -> bool:
        """Whether the two runs' own variation leaves no doubt that the tree is faster."""
        return self.gain_low > 0

    @property
    def loses(self) -> bool:
        """Whether it leaves no doubt that it is slower."""
        return self.gain_high < 0

    @property
    def has_same_algorithm(self) -> bool:
        """True if the library ran the same algorithm: the runs then differ by the engine alone."""
        return self.algorithm is not None and self.algorithm == self.library_algorithm


def tried_of(table: Callable[[str], pa.Table], library: Source) -> Tried:
    """Measures another run of the same program against a run over the library. Raises InputError where the two have no
    such pair or cannot be compared."""
    subject = library.subject
    if not subject.native:
        raise InputError(
            f"{subject.op} ran over a tree in the trace that is judged, so there is no time of the MPI library to "
            "measure against; judge the run over the library, and give the one over a tree with --tried. `analyze "
            "compare` compares two trees"
        )
    try:
        source = source_of(table, (subject.comm, subject.op))
    except InputError:
        raise InputError(
            f"{subject.op} on communicator {subject.comm} is judged, and the run of --tried shows no hops of it; "
            "`analyze summary` of both traces shows what ran"
        ) from None
    other = source.subject
    _check(source, library)
    today = today_of(source)
    candidate = replace(today, name=today.name.replace("today: ", "tried: ", 1))
    before, after = (iterations_of(run) for run in (library, source))
    apart = difference(*([mean_estimate(times)] for times in (before, after))).interval(1)
    took, library_took = (
        float(np.median(last("last_leave_ns") - last("last_enter_ns")))
        for last in (_column(source, other), _column(library, subject))
    )
    return Tried(
        candidate,
        fit(source),
        float(after.mean()),
        float(before.mean()),
        took,
        library_took,
        min(1.0, -apart[1] / float(before.mean())),
        min(1.0, -apart[0] / float(before.mean())),
        *(algorithm_of(run.tables, run.subject) for run in (source, library)),
    )


def algorithm_of(tables: Tables, subject: Subject) -> str | None:
    """The algorithm that all collectives of a subject ran by; None where it is unknown or varies."""
    names = dict(zip(*(tables["kinds"][name].to_pylist() for name in ("kind", "algorithm")), strict=True))
    kinds = tables["collectives"]["kind"].take(pa.array(subject.collectives)).to_pylist()
    algorithms = {names.get(kind) for kind in kinds}
    return algorithms.pop() if len(algorithms) == 1 else None


def _check(source: Source, library: Source) -> None:
    other, subject = source.subject, library.subject
    if source.tables["run"]["emulated"].to_pylist()[0]:
        raise InputError(
            "the run over a tree emulated links, which delay only collectives over a tree, so its times cannot be "
            "compared with the MPI library's; run it again without them"
        )
    if other.native:
        raise InputError(
            f"{subject.op} did not run over a tree in the other run, so there is nothing to measure; "
            "`analyze summary --by engine` of its trace says what ran instead"
        )
    places = [
        (len(s.members), [run.places.hosts[host] for host in s.hosts])
        for run, s in ((source, other), (library, subject))
    ]
    if places[0] != places[1] or other.roots != subject.roots:
        raise InputError(
            f"the two runs of {subject.op} differ in their ranks, their hosts or their roots, so their times cannot be "
            "compared"
        )


def iterations_of(source: Source) -> Array:
    """Times from one collective of the subject to the next, by their last leaves."""
    return np.diff(np.sort(_column(source, source.subject)("last_leave_ns"))).astype(np.float64)


def _column(source: Source, subject: Subject) -> Callable[[str], Array]:
    return lambda name: integers(source.tables["collectives"], name)[subject.collectives]


def measured_interval(source: Source) -> tuple[float, float]:
    """Ends between which the mean time per iteration lies within this run, ns."""
    times = iterations_of(source)
    mean, least = mean_estimate(times), max(1.0, float(times.min()))
    if not np.isfinite(mean.variance):
        return least, float(times.max())
    low, high = difference([Estimate(0.0, 0.0, mean.blocks)], [mean]).interval(1)
    return max(least, low), high


def with_engine(library: Costs, engine: Costs) -> Costs:
    """What candidates cost: links and ranks as the engine measured them, and as the library did where it used no such
    link."""
    links = {name: cost if cost.hops else library.links[name] for name, cost in engine.links.items()}
    return replace(
        engine,
        links=links,
        interface_message_ns=(engine if engine.measured else library).interface_message_ns,
        interface_per_byte_ns=(engine if engine.measured else library).interface_per_byte_ns,
        pairs=library.pairs | engine.pairs,
        measured=library.measured | engine.measured,
        at_most_ns=library.at_most_ns | engine.at_most_ns,
    )
