"""Finds a link's time per message (latency) and per byte, from the messages that had the link to themselves.

The latency is the shortest message's time, less the time of its bytes. So messages of only one size do not show it,
unless they are about as short as the headers of a message. Messages that always contend with others do not show it
either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hopscope.format.quantities import duration, number
from hopscope.machine.costs import INTRA_HOST, SMALL
from hopscope.machine.eager import BLOCKED_SHARE, LATENCIES
from hopscope.machine.hops import Array
from hopscope.machine.link_fit import CLOCK_MATTERS
from hopscope.machine.parameters.rows import Estimate
from hopscope.machine.probe.levels import USUAL
from hopscope.machine.probe.sampling import median_of
from hopscope.replay.fitting.rendezvous import SIZE_RATIO, ends_of, limits_of
from hopscope.replay.fitting.uncontended import Crossings, crossings_of
from hopscope.replay.run.subject import Source

LEAST_ALONE = 3
"""A size gets a time only from at least this many messages that had their link to themselves."""
HEADERS = 66
"""Bytes of a TCP packet over Ethernet before its content. They are part of every message's latency."""
LEAST_SURE = 0.5
"""If all messages have one size, the latency is given only if it is surely at least this share of a message's time."""
BENDS = 0.25
"""Share by which the time per byte below the shortest measured size may differ from that above it. Over TCP, it was
14 % larger from 16,000 to 65,536 bytes than below 16,000."""
ANSWERING = 0.5
"""After a receive is posted, the CTS takes at least this share of the time until the sender is done. In the rest of
that time, the sender passes the message to the transport."""


@dataclass(frozen=True)
class Way:
    """The times of one class of links. alpha, beta: the time, ns, per message and per byte; None if the trace does not
    show it. limit: bytes of the longest eager message; None if no message is sent by rendezvous. shortest: bytes and
    time of the shortest message that had its link to itself; None if there was none."""

    alpha: Estimate | None = None
    beta: Estimate | None = None
    limit: float | None = None
    shortest: tuple[int, Estimate] | None = None


def ways_of(source: Source) -> dict[str, Way]:
    """The latency, time per byte and eager limit of each class of links that the run used."""
    limits = limits_of(ends_of(source))
    # Inside a host, a sender may copy the whole message itself. This looks as if it were blocked by rendezvous.
    limits.pop(INTRA_HOST, None)
    return {name: _way(crossed, limits.get(name)) for name, crossed in crossings_of(source).items()}


def _way(crossed: Crossings, limit: float | None) -> Way:
    size = crossed.hops.size
    by_rendezvous = size > (np.inf if limit is None else limit)
    clean = crossed.alone & crossed.waited
    points = _points(crossed, clean & ~by_rendezvous & ~crossed.blocked)
    way = line_through(points)
    if way.alpha is None and by_rendezvous.any():
        way = Way(_answered(crossed, by_rendezvous), None, None, way.shortest)
    if way.beta is None and way.alpha is not None:
        # Messages by rendezvous take three latencies and the time of their bytes.
        rendezvous_points = _points(crossed, clean & by_rendezvous & crossed.early_posts & crossed.answered_alone)
        eager_points = {
            count: (time - way.alpha * (LATENCIES - 1)).at_least_0() for count, time in rendezvous_points.items()
        }
        way = Way(way.alpha, _slope({0: way.alpha, **eager_points}), None, way.shortest)
    return Way(way.alpha, way.beta, limit, way.shortest)


def _points(crossed: Crossings, selection: Array) -> dict[int, Estimate]:
    """The times of the selected messages, by their size in bytes. Sizes with too few messages are left out."""
    points: dict[int, Estimate] = {}
    for size in np.unique(crossed.hops.size[selection]).tolist():
        time = _time(crossed, selection & (crossed.hops.size == size))
        if time is not None:
            points[int(size)] = time
    return points


def _time(crossed: Crossings, selection: Array) -> Estimate | None:
    """The usual time of the selected messages; None if there are too few. If the error of the clocks matters, the time
    is the mean of both directions, in which the errors cancel; with messages of only one direction, its interval
    includes the error."""
    if selection.sum() < LEAST_ALONE:
        return None
    transit, error = crossed.transit[selection], float(np.median(crossed.hops.clock_error[selection]))
    usual = _usual(transit)
    if error <= CLOCK_MATTERS * abs(usual.value):
        return usual.at_least_0()
    forth = crossed.hops.src_host[selection] < crossed.hops.dst_host[selection]
    ways = [transit[forth], transit[~forth]]
    if min(map(len, ways)) >= LEAST_ALONE:
        return ((_usual(ways[0]) + _usual(ways[1])) * 0.5).at_least_0()
    return (usual + Estimate(0.0, -error, error, usual.count)).at_least_0()


def _usual(values: Array) -> Estimate:
    """A low quantile of these times, with an interval from the minimum to the median's upper bound. The median itself
    can be far too large, because a busy machine slows messages: 8 bytes over a link of 1 ms took 1.1 ms at best, and
    6 ms in the median, when ranks had to wait for their cores."""
    middle = median_of(values.tolist())
    return Estimate(float(np.quantile(values, USUAL)), min(middle.low, float(values.min())), middle.high, middle.count)


def line_through(points: Mapping[int, Estimate]) -> Way:
    """Latency and time per byte from `points`, the time of messages of each size in bytes. The latency is never below
    0."""
    if not points:
        return Way()
    shortest = min(points)
    time = points[shortest]
    slope = _slope(points)
    if slope is None:
        # The bytes' share of the time is at most their share of the packet, so the latency has at least the rest.
        rest = HEADERS / (HEADERS + shortest)
        alpha = Estimate(time.value, (time.low or 0.0) * rest, time.high, time.count)
        return Way(alpha if rest >= LEAST_SURE else None, None, None, (shortest, time))
    bent = Estimate(slope.value, (slope.low or 0.0) * (1 - BENDS), (slope.high or 0.0) * (1 + BENDS), slope.count)
    return Way((time - bent * shortest).at_least_0(), slope, None, (shortest, time))


def _slope(points: Mapping[int, Estimate]) -> Estimate | None:
    """Time per byte, ns, by least squares from the extra times of longer messages over the shortest one. Its interval
    spans the slopes to all these sizes. It is limited so that the shortest message's bytes take no longer than the
    message. None if no size is long enough."""
    shortest = min(points)
    longer = {size: time for size, time in points.items() if size > SMALL and size >= SIZE_RATIO * shortest}
    if not longer:
        return None
    chords = [((time - points[shortest]) * (1 / (size - shortest))).at_least_0() for size, time in longer.items()]
    if not any(chord.high for chord in chords):
        return None
    weight = np.asarray([(size - shortest) ** 2 * time.count for size, time in longer.items()], np.float64)
    value = float(np.average([chord.value for chord in chords], weights=weight))
    if shortest:
        value = min(value, points[shortest].value / shortest)
    low, high = (min(chord.low or 0.0 for chord in chords), max(chord.high or 0.0 for chord in chords))
    return Estimate(value, min(low, value), max(high, value), sum(time.count for time in longer.values()))


def _answered(crossed: Crossings, by_rendezvous: Array) -> Estimate | None:
    """The latency of CTSs, from messages whose receives were posted late: the time from the posting until the sender
    was done. A message counts only if most of its transfer came after that, because the senders of some libraries are
    done only when the whole message has arrived. None if too few messages count."""
    way = crossed.hops.received - crossed.hops.posted
    selection = by_rendezvous & crossed.late_posts & crossed.answered_alone & (crossed.answer < BLOCKED_SHARE * way)
    if selection.sum() < LEAST_ALONE:
        return None
    usual = _usual(crossed.answer[selection])
    return Estimate(usual.value, (usual.low or 0.0) * ANSWERING, usual.high, usual.count).at_least_0()


def untold(ways: Mapping[str, Way], links: Sequence[str]) -> list[str]:
    """A sentence for each class of links whose latency the messages do not show, with the reason. links: the classes
    that messages used."""
    sentences: list[str] = []
    for name in links:
        way = ways.get(name, Way())
        if way.alpha is not None:
            continue
        if way.shortest is None:
            reason = "every message that a rank waited for shared its link with others"
        else:
            size, time = way.shortest
            reason = (
                f"the shortest message that crossed one alone, of {number(size)} bytes, took {duration(time.value)}, "
                "and no clearly longer message shows how much of that its bytes take"
            )
        sentences.append(f"alpha and L of {name} links are not given: {reason}.")
    return sentences
