"""A run on an ideal network: communication takes no time, and everybody waits only for what is not sent or entered."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope import _paths

Array = np.ndarray[Any, Any]

_OPERATIONS = ("send", "wait", "collective", "end")
"""Of those at one time of a rank, in this order: what is sent there is never waited for before."""
_COLLECTIVE = 2
_END = 3
_NO_ROOT = -1
_TO_LAST_ENTER = _paths.leads_of("MPI_Barrier")

_NO_TREES: dict[str, Any] = {
    **{name: np.zeros(1, np.int64) for name in ("first_rank", "up_first_child", "down_first_child")},
    **{name: np.zeros(0, np.int32) for name in ("up_parent", "down_parent", "up_children", "down_children")},
    "segment_bytes": 0,
}
_NO_COSTS: dict[str, Any] = {
    **{name: np.zeros(1) for name in ("latency_ns", "per_byte_ns")},
    **dict.fromkeys(("enter_ns", "handle_up_ns", "combine_per_byte_ns", "handle_down_ns", "send_ns", "leave_ns"), 0.0),
    **dict.fromkeys(("interface_message_ns", "interface_per_byte_ns", "rank_message_ns", "rank_per_byte_ns"), 0.0),
    "cut_through": False,
    "hosts": 1,
    "clusters": 0,
    "cluster": np.zeros(1, np.int32),
    "shared_per_byte_ns": np.zeros(0),
    "gateway_from": np.zeros(0, np.int32),
    "gateway_to": np.zeros(0, np.int32),
}
"""Every collective is replayed as it was observed, so neither trees nor costs of hops are asked for."""


@dataclass(frozen=True)
class Ideal:
    """A run on an ideal network, in ns from its begin: how long it takes, and when the last rank entered each
    collective."""

    time_ns: float
    last_enter_ns: dict[int, float]
    """By collective_id."""


def ideal_run(rows: pa.Table) -> Ideal | None:
    """The operations of `efficiency_input` without a network; None if ranks wait for one another for ever."""
    rows = rows.filter(pc.is_in(rows["what"], pa.array(_OPERATIONS)))
    code = pc.index_in(rows["what"], pa.array(_OPERATIONS)).to_numpy().astype(np.int8)
    rank, at, kept = (rows[name].to_numpy() for name in ("rank", "at_ns", "kept_ns"))
    ref, comm_rank = (pc.fill_null(rows[name], -1).to_numpy().astype(np.int64) for name in ("ref", "comm_rank"))
    ranks, lane = np.unique(rank, return_inverse=True)
    order = np.lexsort((ref, code, at, lane))
    lane, code, kept, ref, comm_rank = (values[order] for values in (lane, code, kept, ref, comm_rank))
    first_op = np.searchsorted(lane, np.arange(len(ranks) + 1)).astype(np.int64)
    gap = np.diff(kept, prepend=0)
    gap[first_op[:-1]] = kept[first_op[:-1]]

    # A collective of all ranks comes after everything else.
    collective = code >= _COLLECTIVE
    ids = np.unique(ref[code == _COLLECTIVE])
    number = np.where(code == _END, len(ids), np.searchsorted(ids, ref))
    entering = np.flatnonzero(collective)
    by_collective = entering[np.lexsort((comm_rank[entering], number[entering]))]
    slot = np.zeros(len(code), np.int64)
    slot[by_collective] = np.arange(len(by_collective))
    leads, root = _rules(rows, ids)

    messages, message = np.unique(ref[~collective], return_inverse=True)
    operand = number.copy()
    operand[~collective] = message
    count = len(ids) + 1
    program = {
        "first_op": first_op,
        "op": np.minimum(code, _COLLECTIVE).astype(np.int8),
        "ref": operand.astype(np.int64),
        "gap_ns": np.maximum(0, gap).astype(np.int64),
        "hold_ns": np.zeros(len(code), np.int64),
        "slot": slot,
        "host": np.zeros(len(ranks), np.int32),
        "transit_ns": np.zeros(len(messages), np.int64),
        "first_member": np.searchsorted(number[by_collective], np.arange(count + 1)).astype(np.int64),
        "member": lane[by_collective].astype(np.int32),
        "own_time_ns": np.zeros(len(by_collective), np.int64),
        "mode": np.zeros(count, np.int8),
        "leads": leads,
        "root_position": root,
        "plan": np.zeros(count, np.int32),
        "bytes": np.zeros(count, np.int64),
    }
    arrays = {name: np.ascontiguousarray(values) for name, values in program.items()}
    entered, _, finished = _paths.replay(arrays, _NO_TREES, _NO_COSTS)
    return Ideal(float(entered[-1]), dict(zip(ids.tolist(), entered.tolist(), strict=False))) if finished else None


def _rules(rows: pa.Table, ids: Array) -> tuple[Array, Array]:
    """Whom the ranks of each collective wait for, and its root's place; the end comes last."""
    called = rows.filter(pc.equal(rows["what"], "collective"))
    _, first = np.unique(called["ref"].to_numpy(), return_index=True)
    one_each = called.take(pa.array(first))
    assert one_each.num_rows == len(ids)
    rule = {op: _paths.leads_of(op) for op in one_each["op"].unique().to_pylist()}
    leads = [*(rule[op] for op in one_each["op"].to_pylist()), _TO_LAST_ENTER]
    root = np.append(pc.fill_null(one_each["root"], _NO_ROOT).to_numpy(), _NO_ROOT)
    return np.asarray(leads, np.int8), root.astype(np.int32)
