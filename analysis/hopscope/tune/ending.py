"""When a run has done enough: after so many iterations."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import hopscope
from hopscope.errors import InputError
from hopscope.launch.job import assemble, inspect
from hopscope.trace import Trace

Ending = Callable[[Path], bool]
"""Whether the run that records into a trace directory has done enough."""
_FIRST_LOOK_S: Final = 2.0
_LATER: Final = 2.0
"""Each look at a run of unknown iterations comes after so many times the time before: assembling takes a core."""
_LOOK_S: Final = 1.0


def first_run(iterations: int) -> Ending:
    """Whether a run has had so many iterations and one more, by assembling what it recorded so far."""
    begin = time.monotonic()
    following = _FIRST_LOOK_S

    def is_done(trace: Path) -> bool:
        nonlocal following
        if time.monotonic() - begin < following or not any((trace / "spool").glob("*.defs")):
            return False
        try:
            assemble(trace)
            rows = hopscope.open(trace).sql("select iteration from iteration_cuts").num_rows
        except InputError:
            rows = 0
        following = (time.monotonic() - begin) * _LATER
        return rows > iterations + 1

    return is_done


def after_collective(trace: Trace, iterations: int) -> Ending:
    """Whether every rank has left the collective that ends so many iterations and one more. trace: of an earlier run.

    Raises InputError where a collective of all ranks does not end its iterations, or it has fewer.
    """
    rows = trace.sql(
        "select comm, seq, comm_size from iteration_calls join collectives using (collective_id) "
        "where iteration = $last",
        {"last": iterations},
    ).to_pylist()
    ranks = trace.run_facts["ranks"]
    if not rows:
        return lambda _trace: False  # the program ends by itself
    row = rows[0]
    if row["comm_size"] != ranks:
        raise InputError("--iterations needs a collective of all ranks in each iteration; use --short CMD instead")
    following = time.monotonic() + _LOOK_S

    def is_done(running: Path) -> bool:
        nonlocal following
        if time.monotonic() < following:
            return False
        following = time.monotonic() + _LOOK_S
        try:
            states = inspect(running)["ranks"]
        except InputError:
            return False
        passed = [
            any(c["comm"] == row["comm"] and c["seq"] > row["seq"] for c in state["collectives"]) for state in states
        ]
        return len(passed) == ranks and all(passed)

    return is_done
