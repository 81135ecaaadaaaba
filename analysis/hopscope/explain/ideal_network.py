"""Replays a run on an ideal network: communication takes no time, and a rank waits only for messages that are not sent
yet and for ranks that have not entered a collective yet."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array, codes, integers
from hopscope.machine.routes import Link, machine
from hopscope.native import _paths, _replay

_OPERATIONS = ("send", "wait", "collective", "end")
_COLLECTIVE = 2
_NO_ROOT = -1
_TO_LAST_ENTER = _paths.leads_of("MPI_Barrier")

_AS_OBSERVED = -1
"""The schedule number of a collective that is replayed without a schedule, and so without hops."""


@dataclass(frozen=True)
class Ideal:
    """A run on an ideal network, in ns from its begin: its duration, and the time at which the last rank enters each
    collective."""

    time_ns: float
    collective_id: Array
    """The numbers of the collectives, in ascending order."""
    last_enter_ns: Array


def ideal_run(operations: pa.Table, rules: pa.Table) -> Ideal | None:
    """Replays the operations of `efficiency_input` without a network; None if ranks wait for one another for ever.
    `operations` are in order of rank and time, `rules` in order of collective."""
    of_rank = operations["rank"].value_counts().field("counts").to_numpy()
    first_op = np.append(0, np.cumsum(of_rank)).astype(np.int64)
    gap = np.diff(integers(operations, "ns"), prepend=0)
    gap[first_op[:-1]] = operations["ns"].take(pa.array(first_op[:-1])).to_numpy()
    np.maximum(gap, 0, out=gap)

    # The end of the run counts as one more collective, of all ranks.
    code = codes(operations, "what", _OPERATIONS)
    ref = integers(operations, "ref", null=-1)
    entering = np.flatnonzero(code >= _COLLECTIVE)
    called = code[entering] == _COLLECTIVE
    ids, number = np.unique(ref[entering[called]], return_inverse=True)
    operand = np.full(len(code), len(ids), np.int64)
    operand[entering[called]] = number
    of_messages = np.flatnonzero(code < _COLLECTIVE)
    messages, operand[of_messages] = np.unique(ref[of_messages], return_inverse=True)
    del ref, of_messages, number, called
    place = integers(operations, "place", "int32", -1)[entering]
    by_collective = entering[np.lexsort((place, operand[entering]))]
    slot = np.zeros(len(code), np.int64)
    slot[by_collective] = np.arange(len(by_collective))
    leads, root = _rules(rules, ids)
    count = len(ids) + 1
    program = {
        "first_op": first_op,
        "op": np.minimum(code, _COLLECTIVE),
        "ref": operand,
        "gap_ns": gap,
        "hold_ns": np.zeros(len(code), np.int64),
        "slot": slot,
        "host": np.zeros(len(of_rank), np.int32),
        "transit_ns": np.zeros(len(messages), np.int64),
        "first_member": np.searchsorted(operand[by_collective], np.arange(count + 1)).astype(np.int64),
        "member": (np.searchsorted(first_op, by_collective, side="right") - 1).astype(np.int32),
        "own_time_ns": np.zeros(len(by_collective), np.int64),
        "schedule": np.full(count, _AS_OBSERVED, np.int32),
        "leads": leads,
        "root_position": root,
    }
    arrays = {name: np.ascontiguousarray(values) for name, values in program.items()}
    done = _replay.replay(arrays, [], machine(np.zeros((1, 1), np.int32), [Link()]))
    entered = np.maximum.reduceat(done["enter_ns"], arrays["first_member"][:-1])
    return Ideal(float(entered[-1]), ids, entered[:-1]) if done["finished"] else None


def _rules(rules: pa.Table, ids: Array) -> tuple[Array, Array]:
    """For each collective, the code that says for whom its members wait, and the root's position. The end of the run
    comes last."""
    rules = rules.take(pa.array(np.searchsorted(rules["ref"].to_numpy(), ids)))
    ops = rules["text"].unique()
    leads = np.array([_paths.leads_of(op) for op in ops.to_pylist()], np.int8)
    collective_leads = leads[pc.index_in(rules["text"], value_set=ops).to_numpy()]
    root = integers(rules, "place", "int32", _NO_ROOT)
    return np.append(collective_leads, np.int8(_TO_LAST_ENTER)), np.append(root, np.int32(_NO_ROOT))
