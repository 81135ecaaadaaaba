"""Alternates engine and MPI library within one run, so that drift of the machine affects both."""

from __future__ import annotations

import json
import statistics
from typing import Final

from hopscope.query.opened import OpenedTrace

_LEAST_IN_TURN: Final = 5
"""The fewest iterations in a turn, which is a block that one side (engine or library) runs. Two of them may not count:
the first, and one of which each side ran a part."""
_MOST_IN_TURN: Final = 20
_TURNS: Final = 8
_LEAST_ITERATIONS: Final = 6
"""Number of counted iterations that each side needs for a comparison."""
_CALLS_OF_ITERATION = """
with loop as (select min(begin_ns) as begin_ns, max(begin_ns) as end_ns from iteration_cuts)
select count(*) as calls
from collectives, loop
where last_enter_ns between loop.begin_ns and loop.end_ns
group by comm
order by calls desc
limit 1
"""
_ITERATIONS = """
with cuts as (
    select iteration, begin_ns, lead(begin_ns) over (order by iteration) as end_ns from iteration_calls
),
sides as (
    select
        iteration,
        end_ns - begin_ns as time_ns,
        bool_or(engine = 'tree') as by_engine,
        bool_or(engine = 'native:turn of the MPI library') as by_library
    from cuts join calls on enter_ns >= begin_ns and enter_ns < end_ns
    where end_ns is not null and rank = (select min(rank) from ranks)
    group by all
),
turns as (
    select
        *,
        by_engine is distinct from lag(by_engine) over (order by iteration)
        or by_library is distinct from lag(by_library) over (order by iteration) as is_first
    from sides
)
select by_engine, time_ns from turns where by_engine <> by_library and not is_first
"""


def turn_of(trace: OpenedTrace, limit: int | None) -> int | None:
    """The number of collectives after which engine and library alternate, for a run like the recorded one; None if it
    has too few iterations to alternate.

    limit: the number of iterations after which the run is ended.
    """
    iterations = trace.sql("from iteration_cuts").num_rows - 1
    in_turn = min(_MOST_IN_TURN, min(iterations, limit or iterations) // _TURNS)
    calls = trace.sql(_CALLS_OF_ITERATION).to_pylist()
    if in_turn < _LEAST_IN_TURN or not calls:
        return None
    return in_turn * max(1, round(calls[0]["calls"] / iterations))


def in_turns(tree: str, turn: int) -> str:
    """A tree file's text, changed so that engine and library alternate after every `turn` collectives."""
    return json.dumps({**json.loads(tree), "alternate": turn})


def times_of_turns(trace: OpenedTrace) -> tuple[float, float] | None:
    """The mean times of an iteration by the engine and by the library, ns; None where either has too few iterations.

    An iteration counts if one side ran all its collectives, and also those of the iteration before. Iterations are
    those of the first rank, cut at its own calls, because another rank may still be in the iteration before.
    """
    rows = trace.sql(_ITERATIONS).to_pylist()
    engine = [row["time_ns"] for row in rows if row["by_engine"]]
    library = [row["time_ns"] for row in rows if not row["by_engine"]]
    if min(len(engine), len(library)) < _LEAST_ITERATIONS:
        return None
    return statistics.fmean(engine), statistics.fmean(library)
