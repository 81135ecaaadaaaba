"""`analyze efficiency`: POP's factors of parallel efficiency, two of them by a replay without a network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.header import Scalar
from hopscope.quantities import duration, plural
from hopscope.verdicts.ideal_network import ideal_time

_ROUNDING = 1.0
"""How far, in ns, the time on an ideal network may lie above the run's."""


@dataclass(frozen=True)
class Measured:
    """One run's times in ns. ideal_ns: on an ideal network; None where `reason` says why it is not known."""

    ranks: int
    time_ns: int
    mean_ns: float
    largest_ns: int
    startup_ns: int
    shutdown_ns: int
    ideal_ns: float | None
    reason: str | None


def measured(rows: pa.Table) -> Measured | None:
    """What one run's `efficiency_input` says; None if nobody communicates."""
    what = rows["what"]

    def only(word: str) -> pa.Table:
        return rows.filter(pc.equal(what, word))

    at = {word: only(word)["at_ns"].to_pylist() for word in ("begin", "finish", "mpi begin", "mpi finish")}
    if not at["begin"]:
        return None
    begin, finish, first, last = (times[0] for times in at.values())
    useful = only("rank")["useful_ns"].to_numpy()
    obstacles = sorted(only("obstacle")["obstacle"].to_pylist())
    ideal, reason = None, "; ".join(obstacles) or None
    if reason is None:
        ideal = ideal_time(rows)
        if ideal is None:
            reason = "ranks wait for one another in the replay, so the trace lacks calls or messages"
        elif ideal > finish - begin + _ROUNDING:
            ideal, reason = None, "messages arrive before they were sent, so the clocks do not allow a replay"
    return Measured(
        ranks=len(useful),
        time_ns=finish - begin,
        mean_ns=float(np.mean(useful)),
        largest_ns=int(np.max(useful)),
        startup_ns=max(0, begin - first),
        shutdown_ns=max(0, last - finish),
        ideal_ns=ideal,
        reason=reason,
    )


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per factor, a product before its factors."""
    del base, parameters
    run = measured(rows)
    if run is None:
        return []
    left_out = f"start-up of {duration(run.startup_ns)} and shutdown of {duration(run.shutdown_ns)} are left out"
    unknown = None if run.reason is None else f"cannot be replayed: {run.reason}"
    lost = (
        f"the largest of {plural(run.ranks, 'rank')} computes {duration(run.largest_ns - run.mean_ns)} above the mean"
    )
    factors: list[tuple[str, float | None, float | None, str | None]] = [
        ("parallel efficiency", run.mean_ns, run.time_ns, f"load balance x communication efficiency; {left_out}"),
        ("load balance", run.mean_ns, run.largest_ns, lost),
        ("communication efficiency", run.largest_ns, run.time_ns, "serialisation x transfer"),
        ("serialisation", run.largest_ns, run.ideal_ns, unknown or "waiting that no network can shorten"),
        ("transfer", run.ideal_ns, run.time_ns, unknown or "what messages and the MPI library take"),
    ]
    return [
        {
            "factor": name,
            "efficiency": ratio(part, whole),
            "part_ns": part,
            "whole_ns": whole,
            "note": note,
        }
        for name, part, whole, note in factors
    ]


def ratio(part: float | None, whole: float | None) -> float | None:
    """A part of a whole; None where either is not known or there is no whole."""
    return None if part is None or not whole else part / whole
