"""Fits the ranks' own time inside a collective of the engine to the times between a rank's own events. For collectives
of the MPI library, `replay.run.events` does.

All compared times are of one rank's clock. Medians count, because a rank that lost its core between two events does not
show the time of its work.
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
"""Least number of messages of a link class that show their ranks' time."""


def _median(values: Array) -> float:
    return max(0.0, float(np.median(values))) if len(values) else 0.0


def _steps_of(steps: pa.Table, kind: str) -> tuple[Array, Array]:
    """Bytes and ns of each step of a kind."""
    rows = np.asarray(steps["kind"].to_pylist(), object) == kind
    return integers(steps, "bytes", null=0)[rows], (integers(steps, "end_ns") - integers(steps, "begin_ns"))[rows]


def _copy(steps: pa.Table) -> tuple[float, float]:
    """Time of a copy: ns, and ns per byte. If all copies are long and of one size, all of it is time per byte."""
    size, time = _steps_of(steps, "copy")
    if not len(size):
        return 0.0, 0.0
    if len(np.unique(size)) == 1 and size[0] > SMALL:
        return 0.0, _median(time / size)
    return line_of(size.astype(np.float64), time.astype(np.float64))


def _combine_per_byte(steps: pa.Table) -> float:
    """Time per byte of combining, ns, if combines of different sizes show it. Otherwise 0, and combining counts as
    handling."""
    size, time = _steps_of(steps, "combine")
    if len(np.unique(size)) < 2:
        return 0.0
    sizes, groups = np.unique(size, return_inverse=True)
    medians = [float(np.median(time[groups == i])) for i in range(len(sizes))]
    return max(0.0, float(np.polyfit(sizes, medians, 1)[0]))


def fit_local(hops: Hops, entered: Array, left: Array, steps: pa.Table, machine: Machine) -> LocalCost:
    """Local costs, without the machine's emulated rank costs. entered, left: for each hop, the enter and leave times of
    the sender's and the receiver's call, shape (2, hops), ns."""
    per_byte = _combine_per_byte(steps)
    keys = hops.collective * (1 + int(max(hops.src.max(initial=0), hops.dst.max(initial=0))))
    by_src, by_dst = keys + hops.src, keys + hops.dst
    first = hops.segment == 0
    # Leaves send towards the root as soon as they have entered.
    leaf = hops.up & first & ~np.isin(by_src, by_dst[hops.up])
    enter = _median((hops.sent - entered[0])[leaf])
    # Hops received right before a send, and the time until that send.
    received, waited = _send_after_receive(hops, by_src, by_dst)
    up, down = hops.up[received] & hops.binding[received], ~hops.up[received] & hops.binding[received]
    handle_up = _median((waited - per_byte * hops.size[received])[up])
    handle_down = _median(waited[down])
    send = _median(_between_sends(hops, by_src, by_dst, steps)[1])
    # The last receivers leave when they have the result.
    last = ~hops.up & hops.binding & (hops.segment == hops.segment.max(initial=0)) & ~np.isin(by_dst, by_src[~hops.up])
    leave = _median((left[1] - hops.received)[last]) - handle_down
    if not last.any():
        sent_only = hops.up & ~np.isin(by_src, by_dst[~hops.up])
        # A sender of a long message may have been blocked until its receive was posted.
        blocked = hops.posted > hops.sent
        unblocked = sent_only & ~blocked
        senders = unblocked if unblocked.any() else sent_only
        sent = np.where(blocked, hops.posted, hops.sent)
        leave = _median((left[0] - sent - machine.rank_ns(hops.size))[senders]) - send
    return LocalCost(enter, handle_up, per_byte, handle_down, send, max(0.0, leave), *_copy(steps))


def fit_ends(hops: Hops, links: dict[str, LinkCost], steps: pa.Table) -> dict[str, LinkCost]:
    """The links with the sender's and the receiver's time for a message, if enough hops of the class show it."""
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
    """Every event of a rank, the rank's next event, and the time between the two, ns. The number of a send is that of
    its hop; a receive has that number plus the count of hops."""
    keys, times = np.concatenate([by_src, by_dst]), np.concatenate([hops.sent, hops.received])
    is_receive = np.arange(len(keys)) >= len(hops.sent)
    order = np.lexsort((~is_receive, times, keys))
    same_rank = keys[order][1:] == keys[order][:-1]
    return order[:-1][same_rank], order[1:][same_rank], np.diff(times[order])[same_rank].astype(np.float64)


def _send_after_receive(hops: Hops, by_src: Array, by_dst: Array) -> tuple[Array, Array]:
    """The hops that a rank received directly before it sent something, and the time between the two."""
    count = len(hops.sent)
    first, second, time = _events(hops, by_src, by_dst)
    pairs = (first >= count) & (second < count)
    return first[pairs] - count, time[pairs]


def _between_sends(hops: Hops, by_src: Array, by_dst: Array, steps: pa.Table) -> tuple[Array, Array]:
    """The sends of a broadcast directly before another send of the same rank and segment, and the time between the two.

    Pairs between which the rank combined or copied are left out, because it may have waited for the buffer of the first
    send.
    """
    count = len(hops.sent)
    first, second, time = _events(hops, by_src, by_dst)
    sends = (first < count) & (second < count)
    first, second, time = first[sends], second[sends], time[sends]
    pairs = ~hops.up[first] & ~hops.up[second] & (hops.segment[first] == hops.segment[second])
    pairs &= ~_worked(steps, hops.src[first], hops.sent[first], hops.sent[second])
    return first[pairs], time[pairs]


def _worked(steps: pa.Table, rank: Array, begin: Array, end: Array) -> Array:
    """True for each rank that combined or copied something between two times."""
    if not len(steps) or not len(rank):
        return np.zeros(len(rank), bool)
    ranks, begins = integers(steps, "rank"), integers(steps, "begin_ns")
    first = min(int(begins.min()), int(begin.min()))
    width = max(int(begins.max()), int(end.max())) - first + 1
    works = np.sort(ranks * width + begins - first)
    ends = [np.searchsorted(works, rank * width + time.astype(np.int64) - first) for time in (begin, end)]
    return ends[1] > ends[0]
