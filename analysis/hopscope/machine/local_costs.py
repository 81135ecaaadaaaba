"""Fits the ranks' own time inside the engine's collectives to the times between events of a rank. For the MPI library's
collectives, see `replay.run.events`.

Only times on the same rank's clock are compared. Medians are used, because a rank may lose its core between two events.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import integers
from hopscope.machine.costs import SMALL, LinkCost, LocalCost
from hopscope.machine.emulated import Machine
from hopscope.machine.hops import Array, Hops
from hopscope.machine.link_fit import line_of
from hopscope.vocabulary.links import LINKS

LEAST_MESSAGES = 20
"""A link class gets its own times of senders and receivers only from at least this many messages."""


def _median(values: Array) -> float:
    return max(0.0, float(np.median(values))) if len(values) else 0.0


def _steps_of(steps: pa.Table, kind: str) -> tuple[Array, Array]:
    """Bytes and duration in ns of each step of this kind in the table `steps`."""
    rows = np.asarray(steps["kind"].to_pylist(), object) == kind
    return integers(steps, "bytes", null=0)[rows], (integers(steps, "end_ns") - integers(steps, "begin_ns"))[rows]


def _copy(steps: pa.Table) -> tuple[float, float]:
    """The time of a copy: ns, and ns per byte. If all copies are long and of one size, the whole time is per byte."""
    size, time = _steps_of(steps, "copy")
    if not len(size):
        return 0.0, 0.0
    if len(np.unique(size)) == 1 and size[0] > SMALL:
        return 0.0, _median(time / size)
    return line_of(size.astype(np.float64), time.astype(np.float64))


def _combine_per_byte(steps: pa.Table) -> float:
    """Time per byte of combining, ns; 0 if all combines have one size. Their time is then part of the time to handle a
    message."""
    size, time = _steps_of(steps, "combine")
    if len(np.unique(size)) < 2:
        return 0.0
    sizes, groups = np.unique(size, return_inverse=True)
    medians = [float(np.median(time[groups == i])) for i in range(len(sizes))]
    return max(0.0, float(np.polyfit(sizes, medians, 1)[0]))


def fit_local(hops: Hops, entered: Array, left: Array, steps: pa.Table, machine: Machine) -> LocalCost:
    """The ranks' own times, without emulated times of ranks. entered, left: for each hop, the times, ns, at which its
    sender and its receiver entered and left the call: arrays of 2 x hops."""
    per_byte = _combine_per_byte(steps)
    keys = hops.collective * (1 + int(max(hops.src.max(initial=0), hops.dst.max(initial=0))))
    by_src, by_dst = keys + hops.src, keys + hops.dst
    first = hops.segment == 0
    # Leaves of the tree send towards the root as soon as they have entered.
    leaf = hops.up & first & ~np.isin(by_src, by_dst[hops.up])
    enter = _median((hops.sent - entered[0])[leaf])
    # Hops that a rank received right before a send, and the time until that send.
    received, waited = _send_after_receive(hops, by_src, by_dst)
    up, down = hops.up[received] & hops.binding[received], ~hops.up[received] & hops.binding[received]
    handle_up = _median((waited - per_byte * hops.size[received])[up])
    handle_down = _median(waited[down])
    send = _median(_between_sends(hops, by_src, by_dst, steps)[1])
    # Ranks that only receive the result leave as soon as they have its last segment.
    last = ~hops.up & hops.binding & (hops.segment == hops.segment.max(initial=0)) & ~np.isin(by_dst, by_src[~hops.up])
    leave = _median((left[1] - hops.received)[last]) - handle_down
    if not last.any():
        sent_only = hops.up & ~np.isin(by_src, by_dst[~hops.up])
        # In this collective, ranks leave after sending. A sender may have been blocked until its receive was posted.
        blocked = hops.posted > hops.sent
        unblocked = sent_only & ~blocked
        senders = unblocked if unblocked.any() else sent_only
        sent = np.where(blocked, hops.posted, hops.sent)
        leave = _median((left[0] - sent - machine.rank_ns(hops.size))[senders]) - send
    return LocalCost(enter, handle_up, per_byte, handle_down, send, max(0.0, leave), *_copy(steps))


def fit_ends(hops: Hops, links: dict[str, LinkCost], steps: pa.Table) -> dict[str, LinkCost]:
    """The costs of links, with the sender's and the receiver's time for a message on classes with enough hops."""
    keys = hops.collective * (1 + int(max(hops.src.max(initial=0), hops.dst.max(initial=0))))
    sent, gaps = _between_sends(hops, keys + hops.src, keys + hops.dst, steps)
    received, waited = _send_after_receive(hops, keys + hops.src, keys + hops.dst)
    down = ~hops.up[received] & hops.binding[received]
    result = dict(links)
    for place, name in enumerate(LINKS):
        sends, receives = gaps[hops.link[sent] == place], waited[down & (hops.link[received] == place)]
        result[name] = replace(
            links[name],
            send_ns=_median(sends) if len(sends) >= LEAST_MESSAGES else None,
            receive_ns=_median(receives) if len(receives) >= LEAST_MESSAGES else None,
        )
    return result


def _events(hops: Hops, by_src: Array, by_dst: Array) -> tuple[Array, Array, Array]:
    """Pairs of successive events of a rank: the first event, the second event, and the time between them, ns. A send
    has the number of its hop, and a receive that number plus the count of hops. by_src, by_dst: a number for each hop's
    collective and sender, and for its collective and receiver."""
    keys, times = np.concatenate([by_src, by_dst]), np.concatenate([hops.sent, hops.received])
    is_receive = np.arange(len(keys)) >= len(hops.sent)
    order = np.lexsort((~is_receive, times, keys))
    same_rank = keys[order][1:] == keys[order][:-1]
    return order[:-1][same_rank], order[1:][same_rank], np.diff(times[order])[same_rank].astype(np.float64)


def _send_after_receive(hops: Hops, by_src: Array, by_dst: Array) -> tuple[Array, Array]:
    """The hops that a rank received directly before a send, and the time from receive to send, ns."""
    count = len(hops.sent)
    first, second, time = _events(hops, by_src, by_dst)
    pairs = (first >= count) & (second < count)
    return first[pairs] - count, time[pairs]


def _between_sends(hops: Hops, by_src: Array, by_dst: Array, steps: pa.Table) -> tuple[Array, Array]:
    """The hops of a broadcast that a rank sent directly before another send of the same segment, and the time between
    these sends, ns.

    Sends between which the rank combined or copied data are left out, because the rank may have waited until the first
    send's buffer was free.
    """
    count = len(hops.sent)
    first, second, time = _events(hops, by_src, by_dst)
    sends = (first < count) & (second < count)
    first, second, time = first[sends], second[sends], time[sends]
    pairs = ~hops.up[first] & ~hops.up[second] & (hops.segment[first] == hops.segment[second])
    pairs &= ~_worked(steps, hops.src[first], hops.sent[first], hops.sent[second])
    return first[pairs], time[pairs]


def _worked(steps: pa.Table, rank: Array, begin: Array, end: Array) -> Array:
    """Mask of the entries whose rank began to combine or copy data between the times `begin` and `end`."""
    if not len(steps) or not len(rank):
        return np.zeros(len(rank), bool)
    ranks, begins = integers(steps, "rank"), integers(steps, "begin_ns")
    first = min(int(begins.min()), int(begin.min()))
    width = max(int(begins.max()), int(end.max())) - first + 1
    works = np.sort(ranks * width + begins - first)
    ends = [np.searchsorted(works, rank * width + time.astype(np.int64) - first) for time in (begin, end)]
    return ends[1] > ends[0]
