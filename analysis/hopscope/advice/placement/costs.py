"""Fits the costs of a message between two hosts to a run's messages and hops, if a rank waited for them.

A message takes latency + bytes * time per byte. The fit is the one that `analyze remap` uses, but without the time of
network interfaces. Both directions between two hosts get the same cost, which also cancels the difference between the
hosts' clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array, integers
from hopscope.machine.costs import LinkCost
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import fit_classes
from hopscope.replay.run.places import Places
from hopscope.vocabulary.links import LINKS, classes_of_hosts

MOST_ROWS = 50_000
"""The largest number of messages and hops to fit, approximately. If there are more, every n-th is fitted."""
STEPS = (0.0, 1.0, 1e3, 1e6)
"""Weights of a message by class of link, in the order of LINKS. They replace costs if no rank waited for a message."""


@dataclass(frozen=True)
class HostCosts:
    """The costs of a message between two hosts: latency_ns, and per_byte_ns in ns per byte. Both are hosts x hosts and
    symmetric; the diagonal is for messages inside a host.

    fitted: True if the values are times; False if they are weights (STEPS). rows: the number of fitted messages of each
    class, in the order of LINKS; 0 for an unmeasured class.
    """

    latency_ns: Array
    per_byte_ns: Array
    fitted: bool
    rows: Array

    def message_ns(self, ends: tuple[Array, Array], size: Array) -> Array:
        """The times, ns, of messages with these sizes in bytes. ends: the source hosts and the destination hosts."""
        return self.latency_ns[ends] + size * self.per_byte_ns[ends]


def costs_of(table: Callable[[str], pa.Table], places: Places) -> HostCosts:
    """The costs of a run. table: returns a table of the run's trace by name."""
    waited, link = _waited(table, places), classes_of_hosts(places.cluster_of_host)
    classes, outlying = fit_classes(waited)
    rows = np.asarray([classes[name].hops if name in classes else 0 for name in LINKS])
    if not rows.any():
        return HostCosts(np.asarray(STEPS)[link], np.zeros(link.shape), False, rows)
    of_class, per_byte = _by_class(classes)
    latency = of_class[link]
    slowest = of_class.copy()
    for a, b in {(min(pair), max(pair)) for pair in outlying if pair[0] != pair[1]}:
        ways = [outlying.get(way, float(latency[way])) for way in ((a, b), (b, a))]
        latency[a, b] = latency[b, a] = sum(ways) / 2
        slowest[link[a, b]] = max(slowest[link[a, b]], latency[a, b])
    measured = np.zeros(link.shape, bool)
    measured[waited.src_host, waited.dst_host] = measured[waited.dst_host, waited.src_host] = True
    # A pair of hosts without a measured message counts as slow as the slowest measured pair of its class.
    return HostCosts(np.where(measured, latency, np.maximum(latency, slowest[link])), per_byte[link], True, rows)


def _waited(table: Callable[[str], pa.Table], places: Places) -> Hops:
    """Hops and messages that a receiver waited for, in the order of sending."""
    messages = table("messages")
    columns = ("send_begin_ns", "recv_end_ns", "bytes", "src", "dst", "clock_error_ns")
    rows = pa.concat_tables(
        hop_rows.filter(pc.equal(hop_rows["binding"], "recv")).select([*columns, "link"])
        for hop_rows in (messages.take(pa.array(_last_of_each_call(messages))), table("hops"))
    )
    rows = rows.filter(pc.not_equal(rows["link"], "self")).sort_by("send_begin_ns")
    rows = rows.take(pa.array(np.arange(0, len(rows), max(1, -(-len(rows) // MOST_ROWS)))))
    sent, received, size, src, dst, error = (integers(rows, name, null=0) for name in columns)
    numbers, binding = np.arange(len(rows)), np.ones(len(rows), bool)
    hosts = places.baseline[places.rows_of(src)], places.baseline[places.rows_of(dst)]
    return Hops(
        numbers, src, dst, *hosts, _links(rows), src < dst, 0 * numbers, size, sent, received, sent, binding, error
    )


def _links(rows: pa.Table) -> Array:
    return pc.index_in(rows["link"], pa.array(LINKS)).to_numpy().astype(np.int64)


def _last_of_each_call(messages: pa.Table) -> Array:
    """The row numbers of the messages whose end is exact. The collector sees a message's end only when the call that
    completes it returns. So if a call completes several messages, only the last one over the farthest link has an exact
    end, and only if it was received."""
    count, link = len(messages), _links(messages)
    lane = np.concatenate([integers(messages, end) for end in ("dst_location", "src_location")])
    wait_begin = np.concatenate([integers(messages, end) for end in ("recv_wait_begin_ns", "send_wait_begin_ns")])
    is_send = np.repeat([False, True], count)
    sent = np.tile(integers(messages, "send_begin_ns"), 2)
    order = np.lexsort((sent, ~is_send, np.tile(link, 2), wait_begin, lane))
    last = np.ones(len(order), bool)
    last[:-1] = (np.diff(lane[order]) != 0) | (np.diff(wait_begin[order]) != 0)
    last = order[last]
    return np.sort(last[~is_send[last]])


def _by_class(classes: Mapping[str, LinkCost]) -> tuple[Array, Array]:
    """Latency and time per byte of each class of links. An unmeasured class gets half of the next slower class's values
    or, if there is none, the next faster class's values. No class gets more time than a farther class."""
    latency, per_byte = np.zeros(len(LINKS)), np.zeros(len(LINKS))
    farthest = max(LINKS.index(name) for name in classes)
    for place in range(len(LINKS) - 1, 0, -1):
        cost = classes.get(LINKS[min(place, farthest)])
        if cost is not None:
            latency[place], per_byte[place] = cost.latency_ns, cost.per_byte_ns
        if place < farthest:
            latency[place] = min(latency[place], latency[place + 1]) if cost else latency[place + 1] / 2
            own, farther = per_byte[place], per_byte[place + 1]
            # If all messages are small, or cores are busy, the fitted time per byte means little, and may be 0.
            per_byte[place] = min(own, farther) if own and farther else own or farther / 2
    return latency, per_byte
