"""Ends a run early, after a number of iterations."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopscope.errors import InputError
from hopscope.launch.job import assemble, inspect
from hopscope.query.opened import Open, OpenedTrace

Ending = Callable[[Path], bool]
"""A function of a run's trace directory that returns True once the run may be ended."""
_FIRST_LOOK_S: Final = 2.0
_LOOK_FACTOR: Final = 2.0
"""If no earlier run shows the iterations, the time from the run's start to a look at its iterations is this multiple of
the time to the look before. Looks become rarer because each one assembles the trace, which takes a core."""
_LOOK_S: Final = 1.0
_SCREENING_S: Final = 2.0
_LEAST_SCREENING: Final = 10
LEFT_OUT_SCREENING: Final = 2
"""The first 1/LEFT_OUT_SCREENING of the iterations does not count, because TCP windows are still growing."""
_LEAST_SAVED: Final = 0.15


def first_run(iterations: int, open_trace: Open) -> Ending:
    """A function that ends the first run of a program: it assembles the trace recorded so far, and returns True once
    the trace has `iterations` + 1 iterations."""
    begin = time.monotonic()
    following = _FIRST_LOOK_S

    def is_done(trace: Path) -> bool:
        nonlocal following
        if time.monotonic() - begin < following or not any((trace / "spool").glob("*.defs")):
            return False
        try:
            assemble(trace)
            rows = open_trace(trace).sql("select iteration from iteration_cuts").num_rows
        except InputError:
            rows = 0
        following = (time.monotonic() - begin) * _LOOK_FACTOR
        return rows > iterations + 1

    return is_done


@dataclass(frozen=True)
class Screening:
    """A run that is ended after `iterations` iterations, because it only screens a candidate. It takes about run_s
    seconds."""

    iterations: int
    is_done: Ending
    run_s: float


def screening(trace: OpenedTrace, run_s: float, iteration_ns: float) -> Screening | None:
    """The short form of a run that takes run_s seconds, with iterations of iteration_ns; None if it would save too
    little time, or if no collective of all ranks ends an iteration. trace: the trace of an earlier run."""
    iterations = max(_LEAST_SCREENING, math.ceil(_SCREENING_S * 1e9 / iteration_ns))
    left_out = trace.sql("from iteration_cuts").num_rows - 2 - iterations
    saved_s = left_out * iteration_ns / 1e9 - _LOOK_S
    if saved_s < _LEAST_SAVED * run_s:
        return None
    try:
        return Screening(iterations, after_collective(trace, iterations), run_s - saved_s)
    except InputError:
        return None


def after_collective(trace: OpenedTrace, iterations: int) -> Ending:
    """A function that ends a run like an earlier one: it returns True once every rank has passed the collective with
    which `iterations` + 1 iterations are complete; never if the earlier run had fewer. trace: of the earlier run.

    Raises InputError if not all ranks take part in that collective.
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
