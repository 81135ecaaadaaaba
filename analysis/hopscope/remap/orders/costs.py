"""What a message costs between two hosts, from the messages and hops of a run that a rank waited for.

A message of so many bytes takes latency + bytes * time per byte. Ends of messages are seen when a call returns, so of
those that one call completed, sends included, only the last receive over the farthest link counts. Both directions of a
pair of hosts count alike, which also cancels what two clocks differ by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.links import LINKS
from hopscope.model.link_fit import OUTLYING, OUTLYING_HOPS, line_of
from hopscope.remap.orders.places import Places
from hopscope.remap.orders.traffic import Array

MOST_ROWS = 50_000
"""Of more rows, evenly chosen ones are fitted."""
LARGE = 0.25
"""A class's time per byte is measured if messages of this share of the size that most bytes travel in were."""
STEPS = (0.0, 1.0, 1e3, 1e6)
"""What a message counts by its class of link, from near to far, where no message was waited for."""


@dataclass(frozen=True)
class HostCosts:
    """latency_ns and per_byte_ns: hosts x hosts, symmetric, a host's own inside on the diagonal. ns, and ns a byte.

    fitted: whether they are times; else they only count, by STEPS. rows: messages that each class was fitted from, 0
    for one that was not measured. several_sizes: classes whose time per byte was measured. measured: hosts x hosts,
    pairs over which a message was waited for. Classes are in the order of LINKS.
    """

    latency_ns: Array
    per_byte_ns: Array
    fitted: bool
    rows: Array
    several_sizes: Array
    measured: Array

    def message_ns(self, ends: tuple[Array, Array], size: Array) -> Array:
        """What messages of so many bytes take from hosts to hosts."""
        return self.latency_ns[ends] + size * self.per_byte_ns[ends]


def costs_of(table: Callable[[str], pa.Table], places: Places) -> HostCosts:
    """The costs of a run, given its `table` function."""
    waited = _waited(table, places)
    link = places.classes()
    classes = _fit_classes(waited, LARGE * _typical_size(table))
    own = classes.rows, classes.several_sizes
    if not classes.rows.any():
        return HostCosts(np.asarray(STEPS)[link], np.zeros(link.shape), False, *own, np.zeros(link.shape, bool))
    latency, measured = _pairs(waited, classes, link)
    return HostCosts(latency, classes.per_byte_ns[link], True, *own, measured)


def _waited(table: Callable[[str], pa.Table], places: Places) -> dict[str, Array]:
    """Rows that a receiver waited for: link, bytes, transit_ns and the two hosts, in the order of sending."""
    messages, hops = table("messages"), table("hops")
    rows = [messages.take(pa.array(_last_of_each_call(messages))), hops]
    rows = [each.filter(pc.equal(each["binding"], "recv")) for each in rows]
    sent, received, size, src, dst = (
        np.concatenate([_integers(each, column) for each in rows])
        for column in ("send_begin_ns", "recv_end_ns", "bytes", "src", "dst")
    )
    link = np.concatenate([_links(each) for each in rows])
    order = np.argsort(sent, kind="stable")
    order = order[link[order] > 0]
    order = order[:: max(1, -(-len(order) // MOST_ROWS))]
    return {
        "link": link[order],
        "bytes": size[order].astype(np.float64),
        "transit_ns": (received - sent)[order].astype(np.float64),
        "src_host": places.hosts_of(src[order]),
        "dst_host": places.hosts_of(dst[order]),
    }


def _typical_size(table: Callable[[str], pa.Table]) -> float:
    """The mean size of the message that a byte travels in."""
    sizes = np.concatenate([_integers(table(name), "bytes") for name in ("messages", "hops")]).astype(np.float64)
    return float((sizes**2).sum() / sizes.sum()) if sizes.any() else 0.0


def _integers(rows: pa.Table, column: str) -> Array:
    return rows[column].to_numpy().astype(np.int64)


def _links(rows: pa.Table) -> Array:
    return pc.index_in(rows["link"], pa.array(LINKS)).to_numpy().astype(np.int64)


def _last_of_each_call(messages: pa.Table) -> Array:
    """Rows of the messages whose end is their own: of what one call completed, the last receive of the farthest
    link."""
    count, link = len(messages), _links(messages)
    lane = np.concatenate([_integers(messages, end) for end in ("dst_location", "src_location")])
    begun = np.concatenate([_integers(messages, end) for end in ("recv_wait_begin_ns", "send_wait_begin_ns")])
    is_send = np.repeat([False, True], count)
    sent = np.tile(_integers(messages, "send_begin_ns"), 2)
    order = np.lexsort((sent, ~is_send, np.tile(link, 2), begun, lane))
    last = np.ones(len(order), bool)
    last[:-1] = (np.diff(lane[order]) != 0) | (np.diff(begun[order]) != 0)
    last = order[last]
    return np.sort(last[~is_send[last]])


@dataclass(frozen=True)
class _Classes:
    """By class of link, from near to far: what was fitted, and how many rows it is from."""

    latency_ns: Array
    per_byte_ns: Array
    rows: Array
    several_sizes: Array


def _fit_classes(waited: dict[str, Array], large: float) -> _Classes:
    """The classes that were measured; of the others, what `_assume` gives. large: bytes from which on a message tells
    the time per byte."""
    count = len(LINKS)
    classes = _Classes(np.zeros(count), np.zeros(count), np.zeros(count, np.int64), np.zeros(count, bool))
    for link in range(1, count):
        mine = waited["link"] == link
        if not mine.any():
            continue
        size, transit = waited["bytes"][mine], waited["transit_ns"][mine]
        latency, slope = line_of(size, transit) if size.max() >= large else (float(np.median(transit)), 0.0)
        classes.latency_ns[link], classes.per_byte_ns[link] = max(0.0, latency), slope
        classes.rows[link], classes.several_sizes[link] = mine.sum(), slope > 0
    if classes.rows.any():
        _assume(classes)
    return classes


def _assume(classes: _Classes) -> None:
    """Fills in what was not measured: half of what the next slower class takes; where no slower one was measured, what
    the next faster one takes. No class takes longer than a farther one."""
    nearest = np.flatnonzero(classes.rows)[-1]
    for values in (classes.latency_ns, classes.per_byte_ns):
        values[nearest + 1 :] = values[nearest]
    for link in range(nearest - 1, 0, -1):
        slower = link + 1
        if not classes.rows[link]:
            classes.latency_ns[link] = classes.latency_ns[slower] / 2
        if not classes.several_sizes[link]:
            classes.per_byte_ns[link] = classes.per_byte_ns[slower] / 2
        classes.latency_ns[link] = min(classes.latency_ns[link], classes.latency_ns[slower])
        if classes.several_sizes[slower]:
            classes.per_byte_ns[link] = min(classes.per_byte_ns[link], classes.per_byte_ns[slower])


def _pairs(waited: dict[str, Array], classes: _Classes, link: Array) -> tuple[Array, Array]:
    """Latencies with those of outlying pairs of hosts, and which pairs were measured; hosts x hosts. link: the class of
    each pair. A pair that was not measured is as slow as the slowest measured one of its class."""
    hosts = len(link)
    latency = classes.latency_ns[link]
    measured = np.zeros((hosts, hosts), bool)
    src, dst = waited["src_host"], waited["dst_host"]
    pairs = np.minimum(src, dst) * hosts + np.maximum(src, dst)
    of_class = classes.latency_ns[waited["link"]] + classes.per_byte_ns[waited["link"]] * waited["bytes"]
    residual = waited["transit_ns"] - of_class
    slowest = classes.latency_ns.copy()
    for pair in np.unique(pairs):
        mine = pairs == pair
        a, b = divmod(int(pair), hosts)
        measured[a, b] = measured[b, a] = True
        # A direction that few messages went tells nothing: one that was late would make the whole pair slow.
        ways = [residual[mine & way] for way in (src <= dst, src > dst)]
        ways = [way for way in ways if len(way) >= OUTLYING_HOPS]
        if a == b or not ways:
            continue
        deviation = float(np.mean([np.median(way) for way in ways]))
        typical = classes.latency_ns[link[a, b]]
        spread = max(float(np.median(np.abs(way - np.median(way)))) for way in ways)
        if abs(deviation) > max(OUTLYING * typical, 3 * spread):
            latency[a, b] = latency[b, a] = max(0.0, typical + deviation)
            slowest[link[a, b]] = max(slowest[link[a, b]], latency[a, b])
    return np.where(measured, latency, np.maximum(latency, slowest[link])), measured
