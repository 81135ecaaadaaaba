"""What a run gains by another rank order: its program is replayed with each message between its new hosts.

Ranks compute what they computed between their calls. Collectives are their recorded messages; those of which none were
recorded take what they took.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hopscope.paths.columns import MISSING, Array, integers
from hopscope.remap.judging.judge import mean_iteration
from hopscope.remap.judging.spread import LEAST_APART
from hopscope.remap.run.program import operations_of
from hopscope.reorder.costs import BLOCKS, DRAWS, HostCosts
from hopscope.reorder.places import Places
from hopscope.reorder.queues import link_byte_ns
from hopscope.reorder.transits import Transits
from hopscope.reorder.whole_run import WholeRun, whole_run

LEAST_ITERATIONS = 5
"""Of fewer calls, a collective does not count iterations."""
LEAST_COVERED = 0.5
"""Share of the run that iterations must cover to stand for it."""
REPLAYED_OPERATIONS = 20_000_000
"""All resamples together replay about so many operations."""
FEWEST, MOST = 5, 100
"""Resamples of the costs that are replayed."""
MOST_ERROR = 0.5
"""A replay that is farther off from the run as it was says nothing."""


@dataclass(frozen=True)
class Rerun:
    """Mean time of an iteration, or where nothing counts those, of the run, from its first message or collective on.

    before_ns, after_ns: replayed, in today's order and in the new one. error: by which share the first of them is off
    from measured_ns. gain: of the run's time; low, high: its 95 % interval.
    """

    iterations: int | None
    measured_ns: float
    before_ns: float
    after_ns: float
    error: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """The share of the time that the new order saves."""
        return 1 - self.after_ns / self.before_ns


def rerun_of(
    table: Callable[[str], pa.Table], costs: HostCosts, places: Places, place: Array, led: Array
) -> Rerun | str:
    """What the run gains in the new order, or why that cannot be told. led: rows of hops that follow the hosts."""
    if not costs.fitted:
        return "no rank waited for a message"
    run = whole_run(table)
    messages = Transits(run, costs, places, (place, led), link_byte_ns(table, places))
    today = run.times(messages.today, messages.hold)
    if today is None:
        return "a replay of the trace never ends: some ranks wait for one another in it"
    counted, measured, iterations = _measure(run, places)
    before = counted(*today)
    error = abs(before.sum() - measured) / measured if measured > 0 else 1.0
    if error > MOST_ERROR:
        return "a replay of the trace does not come near the run's time"
    after = run.times(*messages.moved(None))
    draws = max(FEWEST, min(MOST, REPLAYED_OPERATIONS // max(1, len(run.program["op"]))))
    drawn = [run.times(*messages.moved(at)) for at in np.linspace(0, DRAWS - 1, draws).astype(int).tolist()]
    if after is None or any(one is None for one in drawn):
        return "a replay of the new order never ends: some ranks wait for one another in it"
    gains = _gains(before, [counted(*one) for one in drawn if one is not None])
    # The replay of the new order may be off as far as that of today's is, and two runs differ.
    apart = max(error, LEAST_APART)
    low, high = (
        1 - (1 - float(np.quantile(gains, end))) * (1 + side * apart) for end, side in ((0.025, 1), (0.975, -1))
    )
    each = 1 if iterations is None else iterations
    spent = float(before.sum()), float(counted(*after).sum())
    return Rerun(iterations, measured / each, spent[0] / each, spent[1] / each, error, low, high)


def _gains(before: Array, drawn: list[Array]) -> Array:
    """The gain in resamples of the costs, with blocks of iterations drawn anew for each of the two runs: the other
    order is another run, whose noise falls elsewhere."""
    chance = np.random.default_rng(2)
    blocks = min(BLOCKS, len(before))
    bounds = np.linspace(0, len(before), blocks + 1).astype(int)[:-1]
    old = np.add.reduceat(before, bounds)
    result: list[float] = []
    for one in drawn:
        new = np.add.reduceat(one, bounds)
        for which, other in chance.integers(0, blocks, (DRAWS // len(drawn), 2, blocks)):
            total = old[which].sum()
            result.append(1 - new[other].sum() / total if total > 0 else 0.0)
    return np.asarray(result)


def _measure(run: WholeRun, places: Places) -> tuple[Callable[[Array, float], Array], float, int | None]:
    """How to read a replay: the time of each iteration, or of the run as the only one; their sum in the run; and how
    many iterations these are, None for the run."""
    arrays, collectives = run.arrays, run.tables["collectives"]
    ends = [arrays[name].max(initial=0) for name in ("calls.leave_ns", "messages.recv_end_ns", "messages.send_end_ns")]
    begun = min(
        int(values[values != MISSING].min(initial=np.iinfo(np.int64).max))
        for values in (arrays["calls.enter_ns"], arrays["messages.send_begin_ns"])
    )
    whole = float(max(ends)) - begun
    size, comm = integers(collectives, "comm_size")[run.rows], integers(collectives, "comm")[run.rows]
    ops = operations_of(collectives)[run.rows]
    everyone = np.flatnonzero(size == len(places.movable))
    pairs: dict[tuple[int, str], list[int]] = {}
    for at in everyone.tolist():
        pairs.setdefault((int(comm[at]), str(ops[at])), []).append(at)
    for mine in sorted(pairs.values(), key=len, reverse=True):
        leaves = integers(collectives, "last_leave_ns")[run.rows][mine].astype(np.float64)
        count = len(mine) - 1
        if count >= LEAST_ITERATIONS and mean_iteration(leaves) * count >= LEAST_COVERED * whole:
            return _between(np.asarray(mine)[np.argsort(leaves, kind="stable")]), mean_iteration(leaves) * count, count
    return (lambda at, end: np.asarray([end])), whole, None


def _between(collectives: Array) -> Callable[[Array, float], Array]:
    """Reads the times from each of these collectives to the next."""

    def read(leaves: Array, end: float) -> Array:
        del end
        return np.diff(leaves[collectives])

    return read
