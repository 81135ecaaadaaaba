"""The time of a run's iteration: the figure by which runs are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hopscope.errors import InputError
from hopscope.query.opened import OpenedTrace

LEFT_OUT: Final = 10
"""The first 1/LEFT_OUT of the iterations, and at least one iteration, does not count, because it contains set-up."""
_LEAST_ITERATIONS: Final = 3
_WHOLE_RUN = """
select
    max(end_ns) filter (where region in ('MPI_Init', 'MPI_Init_thread')) as begin_ns,
    min(begin_ns) filter (where region = 'MPI_Finalize') as end_ns
from intervals
"""


@dataclass(frozen=True)
class IterationTime:
    """The mean time of an iteration in ns, over `iterations` iterations. unit: `iteration`; or `run` where the run has
    no iterations, and then the time is from the last end of MPI_Init to the first begin of MPI_Finalize."""

    time_ns: float
    iterations: int
    unit: str


def iteration_time(trace: OpenedTrace, limit: int | None = None, left_out: int = LEFT_OUT) -> IterationTime:
    """The time of the counted iterations of a run divided by their number. limit: iterations after
    this number do not count; None: all count. left_out: the first 1/left_out of the iterations does not count.

    Raises InputError where the run has neither iterations nor a time from MPI_Init to MPI_Finalize.
    """
    begins = [row["begin_ns"] for row in trace.sql("from iteration_cuts order by iteration").to_pylist()]
    if limit is not None:
        begins = begins[: limit + 1]
    starts = begins[max(1, (len(begins) - 1) // left_out) :]
    if len(starts) > _LEAST_ITERATIONS:
        return IterationTime((starts[-1] - starts[0]) / (len(starts) - 1), len(starts) - 1, "iteration")
    ends = trace.sql(_WHOLE_RUN).to_pylist()[0]
    if ends["begin_ns"] is None or ends["end_ns"] is None or ends["end_ns"] <= ends["begin_ns"]:
        raise InputError(f"{trace.path} has neither iterations nor a time from MPI_Init to MPI_Finalize")
    return IterationTime(float(ends["end_ns"] - ends["begin_ns"]), 1, "run")
