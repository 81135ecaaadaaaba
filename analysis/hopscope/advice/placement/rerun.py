"""Replays a run in another rank order, with each message between its new hosts.

The replay is the one that the diagnosis uses. Between their calls, ranks compute as long as in the run. If the new
order reduces a message's cost by a share, the message's time shrinks by this share; if it raises the cost, the time
grows by the added cost. A collective without recorded messages keeps its time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.advice.placement.costs import HostCosts
from hopscope.dataset.path_columns import CAUSAL_TABLES, MISSING, Array, causal_arrays_of, integers, lanes_of
from hopscope.native import _causal
from hopscope.replay.prediction import Model
from hopscope.replay.run.places import Places


def rerun_of(
    table: Callable[[str], pa.Table], costs: HostCosts, places: Places, place: Array, led: Array
) -> tuple[Model, float]:
    """The model (measured and replayed time) of the run in its recorded order, and the time of the run in the new
    order, ns; both without start-up. place: the new host of each rank. led: mask of the hops that keep their hosts."""
    tables = {name: table(name) for name in CAUSAL_TABLES}
    arrays = causal_arrays_of(tables, lanes_of(tables))
    changes: dict[str, Array] = {}
    for name, stays in (("hops", led), ("messages", np.zeros(len(tables["messages"]), bool))):
        saved_ns = np.where(stays, 0, _less_ns(tables[name], costs, places, place))
        changes |= {f"{name}.moved_row": np.flatnonzero(saved_ns), f"{name}.less_ns": saved_ns[saved_ns != 0]}
    run = _causal.Run(arrays)
    times = arrays["calls.enter_ns"], arrays["messages.send_begin_ns"]
    begin_ns = min(int(values[values != MISSING].min(initial=run.recorded_ns)) for values in times)
    (baseline_ns,), (order_ns,) = run.times_with({}, []), run.times_with(changes, [])
    return Model(float(run.recorded_ns - begin_ns), float(baseline_ns - begin_ns)), float(order_ns - begin_ns)


def _less_ns(rows: pa.Table, costs: HostCosts, places: Places, place: Array) -> Array:
    """The time that each message saves in the new order, ns; negative where it takes longer."""
    src, dst = (places.rows_of(integers(rows, end)) for end in ("src", "dst"))
    size = integers(rows, "bytes").astype(np.float64)
    old_ns, new_ns = (costs.message_ns((hosts[src], hosts[dst]), size) for hosts in (places.baseline, place))
    waited = pc.equal(rows["binding"], "none").to_numpy() == 0
    took = np.where(waited, integers(rows, "recv_end_ns") - integers(rows, "send_begin_ns"), old_ns)
    share = np.divide(new_ns, old_ns, out=np.ones_like(new_ns), where=old_ns > 0)
    return np.rint(np.where(new_ns < old_ns, took * (1 - share), old_ns - new_ns)).astype(np.int64)
