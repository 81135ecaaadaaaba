"""A whole run as the replay takes it: the application's messages as dependencies, and collectives as their messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hopscope import _replay
from hopscope.model.routes import Link, machine
from hopscope.paths.columns import STAYS, Array, arrays_of, integers
from hopscope.remap.candidates.recorded import Recorded
from hopscope.remap.run.events import events_of
from hopscope.remap.run.hops import hops_of
from hopscope.remap.run.program import (
    COLLECTIVE,
    Source,
    Subject,
    Tables,
    carried_of,
    operations_of,
    places_of,
    program_of,
    tables_of,
)


@dataclass(frozen=True)
class WholeRun:
    """program: as `program_of` gives it, with the hops of collectives; the last of its collectives is made up, and all
    lanes enter it at their ends. rows: of the others."""

    program: dict[str, Array]
    rows: Array
    tables: Tables
    arrays: dict[str, Array]

    def times(self, transit: Array, hold: Array) -> tuple[Array, float] | None:
        """The last leave of every collective and the end of the run, given what each message takes and for how long it
        holds the rank that gets it; None where ranks wait for one another."""
        hosts = int(self.program["host"].max()) + 1
        network = machine(np.zeros((hosts, hosts), np.int64), [Link()])
        program = {**self.program, "transit_ns": _whole(transit), "hold_ns": _whole(hold)}
        done = _replay.replay(program, [], network)
        if not done["finished"]:
            return None
        leaves = np.maximum.reduceat(done["leave_ns"], self.program["first_member"][:-1])
        return leaves[:-1].astype(np.float64), float(leaves[-1])


def whole_run(table: Callable[[str], pa.Table]) -> WholeRun:
    """The whole run: the application's messages as dependencies, and collectives as their messages."""
    tables = tables_of(table)
    arrays = arrays_of(tables)
    carried, native = carried_of(tables, arrays)
    source = Source(tables, arrays, places_of(tables["ranks"]), _recorded(tables, carried, native=native))
    program, rows = program_of(source)
    if len(hops_of(source)):
        recorded = Recorded(events_of(source))
        transit = np.zeros(len(recorded.events.hops), np.int64)
        program = recorded.with_transits(recorded.marked(program, rows), rows, transit)
    return WholeRun(_with_ends(program), rows, tables, arrays)


def _recorded(tables: Tables, carried: Array, *, native: bool) -> Subject:
    """All collectives whose messages are known, each communicator and operation a part; no schedules to lay."""
    comm, ops = integers(tables["collectives"], "comm"), operations_of(tables["collectives"])
    kinds: dict[tuple[int, str], list[int]] = {}
    for row in np.flatnonzero(carried).tolist():
        kinds.setdefault((int(comm[row]), str(ops[row])), []).append(row)
    none = np.zeros(0, np.int64)

    def subject(pair: tuple[int, str], rows: Array, parts: tuple[Subject, ...]) -> Subject:
        return Subject(*pair, (), none, rows, (), (), (), (), native, (), none.astype(np.int32), (), parts)

    parts = tuple(subject(pair, np.asarray(rows, np.int64), ()) for pair, rows in kinds.items())
    return subject((-1, ""), np.flatnonzero(carried), parts)


def _with_ends(program: dict[str, Array]) -> dict[str, Array]:
    """With a collective that every lane enters at its end and that takes no time: its enters are the lanes' ends."""
    first, lanes = program["first_op"], len(program["host"])
    number, slots = len(program["schedule"]), len(program["member"]) + np.arange(lanes)
    at_end = {"op": COLLECTIVE, "ref": number, "gap_ns": 0, "hold_ns": 0, "slot": slots}
    changed = {name: np.insert(program[name], first[1:], value) for name, value in at_end.items()}
    last = len(program["member"])
    changed |= {
        "first_op": first + np.arange(lanes + 1),
        "first_member": np.append(program["first_member"], last + lanes),
        "member": np.append(program["member"], np.arange(lanes)),
        "own_time_ns": np.append(program["own_time_ns"], np.zeros(lanes)),
        "schedule": np.append(program["schedule"], -1),
        "leads": np.append(program["leads"], STAYS),
        "root_position": np.append(program["root_position"], -1),
    }
    return {
        name: np.ascontiguousarray(changed.get(name, values), dtype=values.dtype) for name, values in program.items()
    }


def _whole(times: Array) -> Array:
    return np.ascontiguousarray(np.rint(times), np.int64)
