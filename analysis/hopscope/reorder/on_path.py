"""What another order could at most save of a run, by the messages on today's critical path."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.reorder.costs import HostCosts
from hopscope.reorder.places import Places
from hopscope.reorder.traffic import Array, Traffic


def most_saved(
    table: Callable[[str], pa.Table], traffic: Traffic, costs: HostCosts, places: Places, place: Array, *, led: Array
) -> float | None:
    """The share of the run's critical path that the new order saves on it; null without a path. led: rows of hops that
    follow the hosts, and so save nothing.

    The same dependencies with other times have no critical path shorter than this one then is, so the run gains no
    more. A message on the path takes less by the share that the pair's mean message costs less, for it may have taken
    longer than it costs; or more by what that costs more. What was not measured takes no time in the new order. Queues
    that get shorter are not foreseen.
    """
    path = table("path_stretches")
    path = path.filter(pc.equal(path["path"], "run"))
    length = float(pc.sum(pc.subtract(path["end_ns"], path["begin_ns"])).as_py() or 0)
    if not length or not costs.fitted:
        return None
    moved = path.filter(pc.and_(pc.is_valid(path["src"]), pc.is_valid(path["dst"])))
    moved = moved.filter(
        pc.invert(
            pc.fill_null(pc.is_in(moved["hop_id"], value_set=table("hops")["hop_id"].filter(pa.array(led))), False)
        )
    )
    took = pc.subtract(moved["end_ns"], moved["begin_ns"]).to_numpy().astype(np.float64)
    order = np.argsort(places.ranks)
    ends = np.stack([moved[end].to_numpy().astype(np.int64) for end in ("src", "dst")])
    pair = np.sort(order[np.searchsorted(places.ranks[order], ends)], axis=0) if len(moved) else ends
    keys = traffic.low * traffic.ranks + traffic.high
    wanted = pair[0] * traffic.ranks + pair[1]
    at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    known = (keys[at] == wanted) if len(keys) else np.zeros(len(wanted), bool)
    pair, took, at = pair[:, known], took[known], at[known]
    size = traffic.bytes[at] / traffic.messages[at]
    link = places.classes()
    least_latency = np.where(costs.rows[link] > 0, costs.latency_ns, 0.0)
    least_per_byte = np.where(costs.several_sizes[link], costs.per_byte_ns, 0.0)
    now, then = ((hosts[pair[0]], hosts[pair[1]]) for hosts in (places.today, place))
    before = costs.latency_ns[now] + size * costs.per_byte_ns[now]
    after = np.where(
        (places.today[pair] == place[pair]).all(axis=0), before, least_latency[then] + size * least_per_byte[then]
    )
    share = np.divide(after, before, out=np.ones_like(after), where=before > 0)
    return float(np.where(after < before, took * (1 - share), before - after).sum()) / length
