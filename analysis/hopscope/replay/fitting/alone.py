"""Which of a run's messages crossed their link alone, so that their time is the link's and nothing else's.

A message that is sent while another one is on its way may queue behind it: on a link of 2 MB/s, broadcasts of 16,000
bytes whose root ran ahead took from 9 to 137 ms each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from hopscope.dataset.path_columns import MISSING, integers
from hopscope.machine.costs import INSIDE
from hopscope.machine.eager import HELD
from hopscope.machine.hops import Array, Hops
from hopscope.replay.run.hops import model_hops
from hopscope.replay.run.program import Source
from hopscope.vocabulary.links import LINKS

FEW_BYTES = 128
"""Messages with no more bytes in all, about as many as a packet's headers have, hold no other one up."""


@dataclass(frozen=True)
class Crossings:
    """Messages of one class of links, in ns. waited: of each, that its receiver did. alone: that nothing else was under
    way on its link. early, late: that its receive was posted before it was sent, and clearly after. held: that its
    sender was, so that it may have waited for an answer; answered_alone: that nothing could hold the answer up."""

    hops: Hops
    end: Array
    waited: Array
    alone: Array
    answered_alone: Array
    early: Array
    late: Array
    held: Array

    @property
    def transit(self) -> Array:
        """What each took, from the beginning of its sending on."""
        return (self.hops.received - self.hops.sent).astype(np.float64)

    @property
    def answer(self) -> Array:
        """What passed from when a receive was posted until its sender was done."""
        return (self.end - self.hops.posted).astype(np.float64)


def crossings_of(source: Source) -> dict[str, Crossings]:
    """By class of links, the messages of all collectives that the engine carried or, of a subject that the MPI library
    ran, the library did; without those of each first collective of a communicator and operation that has several: it
    sets things up."""
    arrays, native = source.arrays, source.subject.native
    every = model_hops(source, np.arange(len(source.tables["hops"])))
    begin, end, posted = (arrays[f"hops.{name}_ns"] for name in ("send_begin", "send_end", "recv_post"))
    traffic = _Traffic(source, every, begin)
    waited = pc.equal(source.tables["hops"]["binding"], "recv").to_numpy()
    evidence = (arrays["hops.from_engine"] == (not native)) & ~np.isin(every.collective, _first(source))
    found: dict[str, Crossings] = {}
    for place, name in enumerate(LINKS):
        rows = np.flatnonzero(evidence & (every.link == place))
        if not len(rows):
            continue
        hops = Hops(**{name: column[rows] for name, column in {**vars(every), "sent": begin}.items()})
        done, post = end[rows], posted[rows]
        known = (done != MISSING) & (post != MISSING)
        early = known & (post <= hops.sent)
        late = known & (post > hops.sent + hops.clock_error) & (done > post)
        # The engine sees that a send is done when it comes to look.
        held = known & (done - hops.sent > HELD * (hops.received - hops.sent)) & native & (place > LINKS.index(INSIDE))
        before = traffic.bytes(rows, hops.sent, hops.sent) - hops.size
        since, until = np.where(late, post, hops.sent), np.where(late, done, hops.received)
        back = traffic.bytes(rows, since, until, back=True)
        is_free = before <= FEW_BYTES, back <= FEW_BYTES
        found[name] = Crossings(hops, done, waited[rows], *is_free, early, late, held)
    return found


def _first(source: Source) -> list[int]:
    """The rows of the first collectives of each communicator and operation, of those that have several."""
    table = source.tables["collectives"]
    rows: dict[tuple[int, str], list[int]] = {}
    for row, key in enumerate(zip(table["comm"].to_pylist(), table["op"].to_pylist(), strict=True)):
        rows.setdefault(key, []).append(row)
    return [mine[0] for mine in rows.values() if len(mine) > 1]


class _Traffic:
    """All messages of a run, by what they may queue for: the interfaces of both hosts and, between clusters, a link
    that all hosts of two clusters may share. Inside a host, two ranks' messages queue for each other."""

    def __init__(self, source: Source, hops: Hops, begin: Array) -> None:
        messages, places = source.tables["messages"], source.places
        own = [integers(messages, name) for name in ("src", "dst", "bytes", "send_begin_ns", "recv_end_ns")]
        of_hops = (hops.src, hops.dst, hops.size, begin, hops.received)
        src, dst, size, sent, there = (np.concatenate(pair) for pair in zip(of_hops, own, strict=True))
        count = 1 + max(places.host_of_rank)
        host, cluster = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for rank, at in places.host_of_rank.items():
            host[rank], cluster[rank] = at, places.cluster_of_host[at]
        ends = host[src], host[dst], cluster[src], cluster[dst]
        self._queues = [_Queue(key, size, sent, there) for key in self._keys(src, dst, ends, count)]
        self._back = list(self._keys(dst, src, (ends[1], ends[0], ends[3], ends[2]), count))

    @staticmethod
    def _keys(src: Array, dst: Array, ends: Sequence[Array], count: int) -> Iterator[Array]:
        """What each message may queue for, one array for each kind of queue; -1 where there is none."""
        host, other, cluster, far = ends
        between = host != other
        yield np.where(between, host, -1)
        yield np.where(between, other, -1)
        yield np.where(between & (cluster != far), cluster * count + far, -1)
        yield np.where(between, -1, src * count + dst)

    def bytes(self, rows: Array, since: Array, until: Array, *, back: bool = False) -> Array:
        """How many bytes were under way between two times where each of these hops went, or where its answer did."""
        found = np.zeros(len(rows))
        for queue, back_key in zip(self._queues, self._back, strict=True):
            found = np.maximum(found, queue.bytes(back_key[rows] if back else queue.key[rows], since, until))
        return found


class _Queue:
    """Messages by what they queue for, in the orders in which they were sent and were there."""

    def __init__(self, key: Array, size: Array, sent: Array, there: Array) -> None:
        self.key = key
        self._of: dict[int, tuple[tuple[Array, Array], tuple[Array, Array]]] = {}
        for one in np.unique(key[key >= 0]).tolist():
            mine = np.flatnonzero(key == one)
            self._of[one] = _summed(sent[mine], size[mine]), _summed(there[mine], size[mine])

    def bytes(self, key: Array, since: Array, until: Array) -> Array:
        """Of the messages with each key, the bytes of those that were sent up to `until` and not there at `since`."""
        found = np.zeros(len(key))
        for one in np.unique(key[key >= 0]).tolist():
            if one not in self._of:
                continue
            mine = key == one
            (sent, so_far), (there, gone) = self._of[one]
            begun = so_far[np.searchsorted(sent, until[mine], "right")]
            found[mine] = begun - gone[np.searchsorted(there, since[mine], "right")]
        return found


def _summed(time: Array, size: Array) -> tuple[Array, Array]:
    """Times in order, and the bytes up to each."""
    order = np.argsort(time, kind="stable")
    return time[order], np.concatenate([[0.0], np.cumsum(size[order], dtype=np.float64)])
