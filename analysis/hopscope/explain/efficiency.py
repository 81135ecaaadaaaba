"""`analyze efficiency`: computes the POP project's factors of parallel efficiency, two of them by a replay on an ideal
network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.explain.ideal_network import Ideal, ideal_run
from hopscope.format.quantities import duration, plural
from hopscope.query.bootstrap import LEAST_BLOCKS
from hopscope.query.header import Scalar
from hopscope.query.resampling import Floats, block_draws, interval_of
from hopscope.vocabulary.words import ONE_TIME_CATEGORIES

_ROUNDING = 1.0
"""The time in ns by which rounding may make the ideal run longer than the recorded one."""

FEW_COLLECTIVES = "no intervals: too few collectives"
"""The note of a factor without interval, because nothing can be resampled."""


@dataclass(frozen=True)
class Measured:
    """One run's times in ns. ideal_ns: the time on an ideal network; None if unknown, and `reason` says why."""

    ranks: int
    time_ns: int
    mean_ns: float
    largest_ns: int
    startup_ns: int
    shutdown_ns: int
    ideal_ns: float | None
    reason: str | None
    useful_ns: Floats
    """Useful time of each rank in each block of the communication."""
    block_ns: Floats
    """Duration of each block."""
    ideal_block_ns: Floats | None
    """Duration of each block on an ideal network."""


def measured(rows: pa.Table) -> Measured | None:
    """The times of one run, from its `efficiency_input`; None if the run has neither communication nor a time from
    MPI_Init to MPI_Finalize."""
    # The rows of operations come first. Only they have a rank, so the count of ranks splits the table.
    count = rows.num_rows - rows["rank"].null_count
    operations, facts = rows.slice(0, count), rows.slice(count)

    def only(word: str) -> pa.Table:
        return facts.filter(pc.equal(facts["what"], word))

    marks = {word: only(word)["ns"].to_pylist() for word in ("begin", "finish", "startup", "shutdown")}
    if not marks["begin"]:
        return None
    begin, finish, startup, shutdown = (times[0] for times in marks.values())
    blocks = only("block").sort_by("place")
    useful = _useful(only("cut"), blocks.num_rows)
    obstacles = only("obstacle")["text"].to_pylist()
    ideal, reason = None, "; ".join(obstacles) or None
    if reason is None:
        ideal = ideal_run(operations, only("rule"))
        if ideal is None:
            reason = "ranks wait for one another in the replay, so the trace lacks calls or messages"
        elif ideal.time_ns > finish - begin + _ROUNDING:
            ideal, reason = None, "messages arrive before they were sent, so the clocks do not allow a replay"
    return Measured(
        ranks=len(useful),
        time_ns=finish - begin,
        mean_ns=float(np.mean(useful.sum(1))),
        largest_ns=int(np.max(useful.sum(1))),
        startup_ns=startup,
        shutdown_ns=shutdown,
        ideal_ns=None if ideal is None else ideal.time_ns,
        reason=reason,
        useful_ns=useful,
        block_ns=np.diff(blocks["ns"].to_numpy(), append=finish).astype(np.float64),
        ideal_block_ns=None if ideal is None else _ideal_blocks(blocks, ideal),
    )


def _useful(cuts: pa.Table, blocks: int) -> Floats:
    # A rank's last cut ends its last block. It has no block number of its own, and nulls are sorted last.
    cut_ns = cuts.sort_by([("ref", "ascending"), ("place", "ascending")])["ns"].to_numpy()
    return np.diff(cut_ns.reshape(-1, blocks + 1)).astype(np.float64)


def _ideal_blocks(blocks: pa.Table, ideal: Ideal) -> Floats:
    """Durations of the blocks on an ideal network. A block ends where the last rank enters the first collective of the
    next one."""
    firsts = np.searchsorted(ideal.collective_id, blocks["ref"].slice(1).to_numpy())
    cuts = np.concatenate([[0.0], ideal.last_enter_ns[firsts], [ideal.time_ns]])
    # On an ideal network, collectives of different communicators may come in another order.
    return np.diff(np.minimum(np.maximum.accumulate(cuts), ideal.time_ns))


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per efficiency; each product comes before its two factors."""
    del base, parameters
    run = measured(rows)
    if run is None:
        return []
    phases = ((ONE_TIME_CATEGORIES["startup"], run.startup_ns), (ONE_TIME_CATEGORIES["shutdown"], run.shutdown_ns))
    phase_text = " and ".join(f"{duration(time_ns)} of {name}" for name, time_ns in phases if time_ns)
    left_out = f"; left out: {phase_text}" if phase_text else ""
    unknown = None if run.reason is None else f"cannot be replayed: {run.reason}"
    imbalance = (
        f"the largest of {plural(run.ranks, 'rank')} computes {duration(run.largest_ns - run.mean_ns)} above the mean"
    )
    factors: list[tuple[str, float | None, float | None, str | None]] = [
        ("parallel efficiency", run.mean_ns, run.time_ns, f"load balance x communication efficiency{left_out}"),
        ("load balance", run.mean_ns, run.largest_ns, imbalance),
        ("communication efficiency", run.largest_ns, run.time_ns, "serialisation x transfer"),
        ("serialisation", run.largest_ns, run.ideal_ns, unknown or "waiting that no network can shorten"),
        ("transfer", run.ideal_ns, run.time_ns, unknown or "what messages and the MPI library take"),
    ]
    is_short = len(run.block_ns) < LEAST_BLOCKS
    values = {name: ratio(part, whole) for name, part, whole, _ in factors}
    intervals = {} if is_short else _intervals(run, values)
    return [
        {
            "factor": name,
            "efficiency": values[name],
            "efficiency_low": intervals.get(name, (None, None))[0],
            "efficiency_high": intervals.get(name, (None, None))[1],
            "part_ns": part,
            "whole_ns": whole,
            "note": f"{note}; {FEW_COLLECTIVES}" if is_short and values[name] is not None else note,
        }
        for name, part, whole, note in factors
    ]


def _intervals(run: Measured, values: Mapping[str, float | None]) -> dict[str, tuple[float, float]]:
    """The interval of each known factor. Its ends come from resampled runs, which are sums of blocks."""
    useful, time = block_draws(run.useful_ns, run.block_ns[None, :])
    mean, largest, whole = useful.mean(0), useful.max(0), time[0]
    samples = {
        "parallel efficiency": (mean, whole),
        "load balance": (mean, largest),
        "communication efficiency": (largest, whole),
    }
    if run.ideal_block_ns is not None:
        ideal = block_draws(run.ideal_block_ns[None, :])[0][0]
        samples |= {"serialisation": (largest, ideal), "transfer": (ideal, whole)}
    # Blocks are cut at one time for all ranks, so in a resampled run useful time may slightly exceed the ideal time.
    return {
        name: interval_of(np.minimum(part[total > 0] / total[total > 0], 1), value)
        for name, (part, total) in samples.items()
        if np.any(total > 0) and (value := values[name]) is not None
    }


def ratio(part: float | None, whole: float | None) -> float | None:
    """A part divided by a whole; None if either is unknown, or if the whole is 0."""
    return None if part is None or not whole else part / whole
