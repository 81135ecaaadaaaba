"""Finds the messages of a run that had their link to themselves, so that their time is only the link's.

A message that is sent while another one is on its way may queue behind it: on a link of 2 MB/s, broadcasts of 16,000
bytes whose root ran ahead took from 9 to 137 ms each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from hopscope.dataset.path_columns import MISSING, integers
from hopscope.machine.costs import INTRA_HOST
from hopscope.machine.eager import BLOCKED_SHARE
from hopscope.machine.hops import Array, Hops
from hopscope.replay.run.hops import model_hops
from hopscope.replay.run.subject import Source
from hopscope.vocabulary.links import LINKS

FEW_BYTES = 128
"""A message counts as alone on its link if other messages there have at most this many bytes together, about the size
of headers."""


@dataclass(frozen=True)
class Crossings:
    """The messages of one class of links. Times are in ns. The masks are true under these conditions:

    waited: the message's receiver waited for it. alone: when it was sent, no other message was on its link.
    early_posts: its receive was posted before it was sent. late_posts: its receive was posted clearly after it was
    sent. blocked: its sender was blocked, so it may have waited for a CTS. answered_alone: no other message could delay
    that CTS.
    """

    hops: Hops
    end: Array
    waited: Array
    alone: Array
    answered_alone: Array
    early_posts: Array
    late_posts: Array
    blocked: Array

    @property
    def transit(self) -> Array:
        """The time of each message, from the beginning of its send to the end of its receive."""
        return (self.hops.received - self.hops.sent).astype(np.float64)

    @property
    def answer(self) -> Array:
        """The time of each message from its posted receive until its sender was done."""
        return (self.end - self.hops.posted).astype(np.float64)


def crossings_of(source: Source) -> dict[str, Crossings]:
    """The messages of all collectives by class of links: the engine's messages or, if the MPI library ran the subject,
    the library's. If a communicator and operation have several collectives, the first one is left out, because it sets
    the communicator up."""
    arrays, native = source.arrays, source.subject.native
    all_hops = model_hops(source, np.arange(len(source.tables["hops"])))
    begin, end, posted = (arrays[f"hops.{name}_ns"] for name in ("send_begin", "send_end", "recv_post"))
    traffic = _Traffic(source, all_hops, begin)
    waited = pc.equal(source.tables["hops"]["binding"], "recv").to_numpy()
    evidence = (arrays["hops.from_engine"] == (not native)) & ~np.isin(all_hops.collective, _first(source))
    crossings: dict[str, Crossings] = {}
    for place, name in enumerate(LINKS):
        rows = np.flatnonzero(evidence & (all_hops.link == place))
        if not len(rows):
            continue
        hops = Hops(**{name: column[rows] for name, column in {**vars(all_hops), "sent": begin}.items()})
        done, post = end[rows], posted[rows]
        has_times = (done != MISSING) & (post != MISSING)
        early_posts = has_times & (post <= hops.sent)
        late_posts = has_times & (post > hops.sent + hops.clock_error) & (done > post)
        # The engine sees the end of a send late, so its sends do not count as blocked.
        blocked = (
            has_times
            & (done - hops.sent > BLOCKED_SHARE * (hops.received - hops.sent))
            & native
            & (place > LINKS.index(INTRA_HOST))
        )
        earlier_bytes = traffic.bytes(rows, hops.sent, hops.sent) - hops.size
        start, stop = np.where(late_posts, post, hops.sent), np.where(late_posts, done, hops.received)
        reverse_bytes = traffic.bytes(rows, start, stop, reverse=True)
        is_free = earlier_bytes <= FEW_BYTES, reverse_bytes <= FEW_BYTES
        crossings[name] = Crossings(hops, done, waited[rows], *is_free, early_posts, late_posts, blocked)
    return crossings


def _first(source: Source) -> list[int]:
    """The row of the first collective of each communicator and operation that has several collectives."""
    table = source.tables["collectives"]
    rows: dict[tuple[int, str], list[int]] = {}
    for row, key in enumerate(zip(table["comm"].to_pylist(), table["op"].to_pylist(), strict=True)):
        rows.setdefault(key, []).append(row)
    return [group[0] for group in rows.values() if len(group) > 1]


class _Traffic:
    """All messages of a run, by the queues that they pass: the interfaces of both hosts and, between clusters, a link
    that all hosts of the two clusters may share. Inside a host, messages from one rank to another have a queue."""

    def __init__(self, source: Source, hops: Hops, begin: Array) -> None:
        messages, places = source.tables["messages"], source.places
        p2p_columns = [integers(messages, name) for name in ("src", "dst", "bytes", "send_begin_ns", "recv_end_ns")]
        of_hops = (hops.src, hops.dst, hops.size, begin, hops.received)
        src, dst, size, sent, arrival = (np.concatenate(pair) for pair in zip(of_hops, p2p_columns, strict=True))
        count = 1 + max(places.host_of_rank)
        host, cluster = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for rank, host_number in places.host_of_rank.items():
            host[rank], cluster[rank] = host_number, places.cluster_of_host[host_number]
        ends = host[src], host[dst], cluster[src], cluster[dst]
        self._queues = [_Queue(key, size, sent, arrival) for key in self._keys(src, dst, ends, count)]
        self._reverse_keys = list(self._keys(dst, src, (ends[1], ends[0], ends[3], ends[2]), count))

    @staticmethod
    def _keys(src: Array, dst: Array, ends: Sequence[Array], count: int) -> Iterator[Array]:
        """The queue of each message, one array for each kind of queue; -1 for none."""
        host, peer_host, cluster, far = ends
        is_remote = host != peer_host
        yield np.where(is_remote, host, -1)
        yield np.where(is_remote, peer_host, -1)
        yield np.where(is_remote & (cluster != far), cluster * count + far, -1)
        yield np.where(is_remote, -1, src * count + dst)

    def bytes(self, rows: Array, start: Array, stop: Array, *, reverse: bool = False) -> Array:
        """For each of these hops, the bytes that were in a queue of its path between the times `start` and `stop`: the
        maximum over its queues. reverse: for the path of its CTS."""
        totals = np.zeros(len(rows))
        for queue, back_key in zip(self._queues, self._reverse_keys, strict=True):
            totals = np.maximum(totals, queue.bytes(back_key[rows] if reverse else queue.key[rows], start, stop))
        return totals


class _Queue:
    """The messages of each queue of one kind. key: the number of each message's queue; -1 for none."""

    def __init__(self, key: Array, size: Array, sent: Array, arrival: Array) -> None:
        self.key = key
        self._sums: dict[int, tuple[tuple[Array, Array], tuple[Array, Array]]] = {}
        for number in np.unique(key[key >= 0]).tolist():
            rows = np.flatnonzero(key == number)
            self._sums[number] = _summed(sent[rows], size[rows]), _summed(arrival[rows], size[rows])

    def bytes(self, key: Array, start: Array, stop: Array) -> Array:
        """The bytes of the messages in each of these queues that were sent by `stop` and had not arrived at `start`."""
        totals = np.zeros(len(key))
        for number in np.unique(key[key >= 0]).tolist():
            if number not in self._sums:
                continue
            rows = key == number
            (sent, sent_bytes), (arrival, arrived_bytes) = self._sums[number]
            started_bytes = sent_bytes[np.searchsorted(sent, stop[rows], "right")]
            totals[rows] = started_bytes - arrived_bytes[np.searchsorted(arrival, start[rows], "right")]
        return totals


def _summed(time: Array, size: Array) -> tuple[Array, Array]:
    """The times in ascending order, and the bytes before each of them; the last entry is the sum of all bytes."""
    order = np.argsort(time, kind="stable")
    return time[order], np.concatenate([[0.0], np.cumsum(size[order], dtype=np.float64)])
