"""Finds nonblocking collectives that make no progress while their ranks compute, so that all messages move in the wait.

The hops show this: a rank sends and receives no message between its call and its wait.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hopscope.dataset.path_columns import MISSING, Array, integers
from hopscope.explain.diagnosis.messages import MessageCause
from hopscope.explain.diagnosis.rerun import Rerun


def no_overlap_cause(rerun: Rerun) -> MessageCause | None:
    """The cause `no-overlap`; None if no collective stalls. Its changes let each stalled collective make progress while
    its ranks compute before the wait."""
    arrays = rerun.arrays
    call = _begun_and_waited_for(rerun)
    if not len(call):
        return None
    begin, wait = arrays["calls.leave_ns"][call], arrays["calls.wait_begin_ns"][call]
    # Nothing can move before the last member has begun.
    last_enter = integers(rerun.tables["collectives"], "last_enter_ns")
    ready = np.maximum(begin, last_enter[arrays["calls.collective"][call]])
    idle = wait - ready
    waited = arrays["calls.complete_ns"][call] - np.maximum(wait, ready)
    savings = np.minimum(idle, waited)
    is_stalled = (savings > 0) & ~_moved(rerun, call)
    if not is_stalled.any():
        return None
    call, savings = call[is_stalled], savings[is_stalled]
    lane, enter = arrays["calls.lane"][call], arrays["calls.enter_ns"][call]
    row, position = _in_flight(rerun, call)
    changes = {
        **rerun.computing(arrays["calls.rank"][call].astype(np.int64), wait[is_stalled], savings),
        "hops.row": row,
        "hops.less_ns": savings[position],
    }
    return MessageCause("no-overlap", changes, (), partial(rerun.sites, lane, enter, savings), len(call))


def _begun_and_waited_for(rerun: Rerun) -> Array:
    """The rows of calls of nonblocking collectives that were waited for, and whose hops are known."""
    arrays = rerun.arrays
    is_whole = (arrays["calls.wait_begin_ns"] != MISSING) & (arrays["calls.complete_ns"] != MISSING)
    return np.flatnonzero(is_whole & (arrays["collectives.has_hops"][arrays["calls.collective"]] != 0))


def _in_flight(rerun: Rerun, call: Array) -> tuple[Array, Array]:
    """The hops to the ranks of these calls that were sent before the rank began to wait. Also returns, for each hop,
    the position of the receiver's call in `call`."""
    arrays = rerun.arrays
    row, position = _hops_of(rerun, call, "dst")
    is_in_flight = arrays["hops.send_begin_ns"][row] < arrays["calls.wait_begin_ns"][call][position]
    return row[is_in_flight], position[is_in_flight]


def _hops_of(rerun: Rerun, call: Array, end: str) -> tuple[Array, Array]:
    """The hops whose sender (end: `src`) or receiver (`dst`) made one of these calls. Also returns, for each hop, the
    position of that call in `call`."""
    arrays = rerun.arrays
    lanes = len(rerun.lanes.rank)
    key = arrays["calls.collective"][call] * lanes + arrays["calls.lane"][call]
    order = np.argsort(key)
    hop_key = arrays["hops.collective"] * lanes + arrays[f"hops.{end}_lane"]
    position = order[np.minimum(np.searchsorted(key[order], hop_key), len(call) - 1)]
    row = np.flatnonzero(key[position] == hop_key)
    return row, position[row]


def _moved(rerun: Rerun, call: Array) -> Array:
    """True for the calls whose rank sent or received a message of the collective between the call and its wait."""
    arrays = rerun.arrays
    moved = np.zeros(len(call), bool)
    for end, time in (("src", "send_begin_ns"), ("dst", "recv_end_ns")):
        row, position = _hops_of(rerun, call, end)
        hop_ns = arrays[f"hops.{time}"][row]
        progress = (arrays["calls.leave_ns"][call][position] < hop_ns) & (
            hop_ns < arrays["calls.wait_begin_ns"][call][position]
        )
        moved[position[progress]] = True
    return moved
