"""What a run takes in another rank order: its program is replayed with each message between its new hosts.

Ranks compute what they computed between their calls. Collectives are their recorded messages; those of which none were
recorded take what they took. A message between other hosts takes less by the share that it costs less there, or more by
what it costs more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope import _replay
from hopscope.model.routes import Link, machine
from hopscope.paths.columns import MISSING, STAYS, Array, arrays_of, integers
from hopscope.remap.algorithms.recorded import Recorded
from hopscope.remap.orders.costs import HostCosts
from hopscope.remap.orders.leaders import roles
from hopscope.remap.orders.places import Places
from hopscope.remap.prediction import Model, variability_of
from hopscope.remap.replay.replayer import mean_iteration
from hopscope.remap.run.events import events_of
from hopscope.remap.run.hops import hops_of
from hopscope.remap.run.program import (
    COLLECTIVE,
    WAIT,
    Source,
    Subject,
    carried_of,
    operations_of,
    places_of,
    tables_of,
)
from hopscope.remap.run.program import program_of as recorded_program

LEAST_ITERATIONS = 5
"""Of fewer calls, a collective does not count iterations."""
LEAST_COVERED = 0.5
"""Share of the run that iterations must cover to stand for it."""
_BOTH = "messages", "hops"


@dataclass(frozen=True)
class Rerun:
    """Mean time of an iteration, or where nothing counts those, of the run. model: of the order that ran; after_ns:
    replayed in the new one."""

    model: Model
    after_ns: float
    iterations: int | None


@dataclass(frozen=True)
class _Run:
    """The whole run as the replay takes it, with the hops of collectives. The last of its collectives is made up: all
    lanes enter it at their ends. rows: of the others."""

    source: Source
    program: dict[str, Array]
    rows: Array

    def times(self, transit: Array, hold: Array) -> tuple[Array, float] | None:
        """The last leave of every collective and the end of the run, given what each message takes and for how long it
        holds the rank that receives it; None where ranks wait for one another."""
        hosts = int(self.program["host"].max()) + 1
        program = {**self.program, "transit_ns": _whole(transit), "hold_ns": _whole(hold)}
        done = _replay.replay(program, [], machine(np.zeros((hosts, hosts), np.int64), [Link()]))
        if not done["finished"]:
            return None
        leaves = np.maximum.reduceat(done["leave_ns"], self.program["first_member"][:-1])
        return leaves[:-1].astype(np.float64), float(leaves[-1])


def rerun_of(
    table: Callable[[str], pa.Table], costs: HostCosts, places: Places, place: Array, led: Array
) -> Rerun | str:
    """What the run takes in the new order, or why that cannot be told. led: rows of hops that follow the hosts."""
    if not costs.fitted:
        return "no rank waited for a message"
    run = _run(table)
    (transit, hold), moved = _transits(run, costs, places, place, led)
    ran, then = run.times(transit, hold), run.times(*moved)
    if ran is None or then is None:
        return "a replay of the trace never ends: some ranks wait for one another in it"
    read, measured, iterations = _measure(run, places)
    before, after = read(*ran), read(*then)
    count = 1 if iterations is None else iterations
    model = Model(measured / count, float(before.sum()) / count, variability_of(before))
    return model.reason_unpredicted or Rerun(model, float(after.sum()) / count, iterations)


def _transits(
    run: _Run, costs: HostCosts, places: Places, place: Array, led: Array
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """What each message took and for how long it held its receiver; and both in the new order."""
    program, tables, arrays = run.program, run.source.tables, run.source.arrays
    row = program["message"]
    is_hop = row < 0
    of_message, of_hop = row[~is_hop], -1 - row[is_hop]

    def joined(message: Array, hop: Array) -> Array:
        result = np.zeros(len(row), np.result_type(message, hop))
        result[~is_hop], result[is_hop] = message[of_message], hop[of_hop]
        return result

    order = np.argsort(places.ranks)
    src, dst = (
        order[np.searchsorted(places.ranks[order], joined(*(integers(tables[name], end) for name in _BOTH)))]
        for end in ("src", "dst")
    )
    size = joined(*(arrays[f"{name}.bytes"] for name in _BOTH)).astype(np.float64)
    follows, role = joined(np.zeros(len(tables["messages"]), bool), led), roles(places, place)
    now = places.baseline[src], places.baseline[dst]
    then = tuple(np.where(follows, role[host], place[rank]) for host, rank in zip(now, (src, dst), strict=True))
    before, after = costs.message_ns(now, size), costs.message_ns((then[0], then[1]), size)
    transit = program["transit_ns"].astype(np.float64)
    waited = pc.equal(tables["hops"]["binding"], "recv").to_numpy()[of_hop]
    took = (arrays["hops.recv_end_ns"] - arrays["hops.send_begin_ns"])[of_hop]
    transit[is_hop] = np.maximum(0, np.where(waited, took, before[is_hop]))
    share = np.divide(after, before, out=np.ones_like(after), where=before > 0)

    def moved(times: Array, rows: Array | slice) -> Array:
        less = after[rows] < before[rows]
        return np.where(less, times * share[rows], times + after[rows] - before[rows])

    # A message that moves only when its receive is posted holds the receiver while it does.
    late = joined(*(pc.equal(tables[name]["binding"], "send").to_numpy() for name in _BOTH))
    waits = np.flatnonzero(program["op"] == WAIT)
    lane = np.repeat(np.arange(len(program["host"])), np.diff(program["first_op"]))[waits]
    receiver = order[np.searchsorted(places.ranks[order], arrays["lanes.rank"][lane])]
    holding = waits[late[program["ref"][waits]] & (receiver == dst[program["ref"][waits]])]
    held_for = program["ref"][holding]
    hold = program["hold_ns"].astype(np.float64)
    hold[holding] = np.where(is_hop[held_for], transit[held_for], hold[holding])
    hold_then = hold.copy()
    hold_then[holding] = np.where(hold[holding] > 0, moved(hold[holding], held_for), 0)
    return (transit, hold), (moved(transit, slice(None)), hold_then)


def _run(table: Callable[[str], pa.Table]) -> _Run:
    tables = tables_of(table)
    arrays = arrays_of(tables)
    carried, native = carried_of(tables, arrays)
    comm, ops = integers(tables["collectives"], "comm"), operations_of(tables["collectives"])
    kinds: dict[tuple[int, str], list[int]] = {}
    for row in np.flatnonzero(carried).tolist():
        kinds.setdefault((int(comm[row]), str(ops[row])), []).append(row)
    none = np.zeros(0, np.int64)

    def subject(pair: tuple[int, str], rows: Array) -> Subject:
        return Subject(*pair, (), none, rows, (), (), (), (), native, (), none.astype(np.int32))

    parts = tuple(subject(pair, np.asarray(rows, np.int64)) for pair, rows in kinds.items())
    whole = replace(subject((-1, ""), np.flatnonzero(carried)), parts=parts)
    source = Source(tables, arrays, places_of(tables["ranks"]), whole)
    program, rows = recorded_program(source)
    if len(hops_of(source)):
        recorded = Recorded(events_of(source))
        transit = np.zeros(len(recorded.events.hops), np.int64)
        program = recorded.with_transits(recorded.marked(program, rows), rows, transit)
    return _Run(source, _with_ends(program), rows)


def _with_ends(program: dict[str, Array]) -> dict[str, Array]:
    """With a collective that every lane enters at its end and that takes no time: its enters are the lanes' ends."""
    first, lanes, last = program["first_op"], len(program["host"]), len(program["member"])
    at_end = {"op": COLLECTIVE, "ref": len(program["schedule"]), "gap_ns": 0, "hold_ns": 0}
    changed = {name: np.insert(program[name], first[1:], value) for name, value in at_end.items()}
    changed |= {
        "slot": np.insert(program["slot"], first[1:], last + np.arange(lanes)),
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


def _measure(run: _Run, places: Places) -> tuple[Callable[[Array, float], Array], float, int | None]:
    """How to read a replay: the time of each iteration, or of the run as the only one; their sum in the run; and how
    many iterations these are, None for the run."""
    arrays, collectives = run.source.arrays, run.source.tables["collectives"]
    ends = [arrays[name].max(initial=0) for name in ("calls.leave_ns", "messages.recv_end_ns", "messages.send_end_ns")]
    begun = min(
        int(values[values != MISSING].min(initial=np.iinfo(np.int64).max))
        for values in (arrays["calls.enter_ns"], arrays["messages.send_begin_ns"])
    )
    whole = float(max(ends)) - begun
    size, comm = (integers(collectives, name)[run.rows] for name in ("comm_size", "comm"))
    ops = operations_of(collectives)[run.rows]
    pairs: dict[tuple[int, str], list[int]] = {}
    for place in np.flatnonzero(size == len(places.movable)).tolist():
        pairs.setdefault((int(comm[place]), str(ops[place])), []).append(place)
    for mine in sorted(pairs.values(), key=len, reverse=True):
        leaves = integers(collectives, "last_leave_ns")[run.rows][mine].astype(np.float64)
        count = len(mine) - 1
        if count >= LEAST_ITERATIONS and mean_iteration(leaves) * count >= LEAST_COVERED * whole:
            ordered = np.asarray(mine)[np.argsort(leaves, kind="stable")]
            return _between(ordered), mean_iteration(leaves) * count, count
    return (lambda leaves, end: np.asarray([end])), whole, None


def _between(collectives: Array) -> Callable[[Array, float], Array]:
    """Reads the times from each of these collectives to the next."""
    return lambda leaves, end: np.diff(leaves[collectives])


def _whole(times: Array) -> Array:
    return np.ascontiguousarray(np.rint(times), np.int64)
