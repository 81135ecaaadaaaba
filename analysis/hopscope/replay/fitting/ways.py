"""What a link takes for a message and for a byte, from the messages that crossed it alone.

What is left of the shortest message's time without its bytes is the latency. So messages of one size do not show it,
unless they are as short as the headers that every message has; nor do messages that always meet others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hopscope.format.quantities import duration, number
from hopscope.machine.costs import INSIDE, SMALL
from hopscope.machine.eager import HELD, LATENCIES
from hopscope.machine.hops import Array
from hopscope.machine.link_fit import CLOCK_MATTERS
from hopscope.machine.parameters.rows import Estimate
from hopscope.machine.probe.levels import USUAL
from hopscope.machine.probe.sampling import median_of
from hopscope.replay.fitting.alone import Crossings, crossings_of
from hopscope.replay.fitting.rendezvous import APART, ends_of, limits_of
from hopscope.replay.run.program import Source

LEAST_ALONE = 3
"""So many messages of a size that crossed alone, to take it for measured."""
HEADERS = 66
"""Bytes of a TCP packet over Ethernet before its content. They are part of every message's latency."""
LEAST_SURE = 0.5
"""Of a message's time, the least share that is sure to be the latency, for it to be given."""
BENDS = 0.25
"""By so much what a byte takes may differ below the shortest measured message: over TCP, from 16,000 to 65,536 bytes it
took 14 % more than up to there."""
ANSWERING = 0.5
"""Of the time from posting a receive until its sender is done, the least share that the answer's way may be: then the
sender passes the message on, too."""


@dataclass(frozen=True)
class Way:
    """alpha, beta: a message's time and a byte's; None: the trace does not show it. limit: the most bytes of a message
    that goes without its receive; None if all do. shortest: the fewest bytes of a message that crossed alone, and what
    it took; None if none did."""

    alpha: Estimate | None = None
    beta: Estimate | None = None
    limit: float | None = None
    shortest: tuple[int, Estimate] | None = None


def ways_of(source: Source) -> dict[str, Way]:
    """By class of links, what the messages show."""
    limits = limits_of(ends_of(source))
    # Inside a host a sender may copy all of a message itself, which looks as if it were held.
    limits.pop(INSIDE, None)
    return {name: _way(crossed, limits.get(name)) for name, crossed in crossings_of(source).items()}


def _way(crossed: Crossings, limit: float | None) -> Way:
    size = crossed.hops.size
    announced = size > (np.inf if limit is None else limit)
    clean = crossed.alone & crossed.waited
    points = _points(crossed, clean & ~announced & ~crossed.held)
    way = line_through(points)
    if way.alpha is None and announced.any():
        way = Way(_answered(crossed, announced), None, None, way.shortest)
    if way.beta is None and way.alpha is not None:
        # Three latencies and the bytes.
        asked = _points(crossed, clean & announced & crossed.early & crossed.answered_alone)
        once = {count: (time - way.alpha * (LATENCIES - 1)).at_least_0() for count, time in asked.items()}
        way = Way(way.alpha, _slope({0: way.alpha, **once}), None, way.shortest)
    return Way(way.alpha, way.beta, limit, way.shortest)


def _points(crossed: Crossings, chosen: Array) -> dict[int, Estimate]:
    """What messages of each size took."""
    found: dict[int, Estimate] = {}
    for size in np.unique(crossed.hops.size[chosen]).tolist():
        time = _time(crossed, chosen & (crossed.hops.size == size))
        if time is not None:
            found[int(size)] = time
    return found


def _time(crossed: Crossings, mine: Array) -> Estimate | None:
    """What they usually take. Where clocks may be wrong, of both directions together, in which they err by as much one
    way as the other; of one direction alone, with that error."""
    if mine.sum() < LEAST_ALONE:
        return None
    transit, error = crossed.transit[mine], float(np.median(crossed.hops.clock_error[mine]))
    found = _usual(transit)
    if error <= CLOCK_MATTERS * abs(found.value):
        return found.at_least_0()
    forth = crossed.hops.src_host[mine] < crossed.hops.dst_host[mine]
    ways = [transit[forth], transit[~forth]]
    if min(map(len, ways)) >= LEAST_ALONE:
        return ((_usual(ways[0]) + _usual(ways[1])) * 0.5).at_least_0()
    return (found + Estimate(0.0, -error, error, found.count)).at_least_0()


def _usual(values: Array) -> Estimate:
    """Nothing makes a message faster, but a busy machine makes many slower: one of 8 bytes over a link of 1 ms took
    1.1 ms at best and 6 ms in the middle where ranks had to wait for their cores. So its interval reaches from the
    least to the middle."""
    middle = median_of(values.tolist())
    return Estimate(float(np.quantile(values, USUAL)), min(middle.low, float(values.min())), middle.high, middle.count)


def line_through(points: Mapping[int, Estimate]) -> Way:
    """Latency and time per byte of messages that took so long, by their bytes. The latency is never below 0."""
    if not points:
        return Way()
    least = min(points)
    time = points[least]
    slope = _slope(points)
    if slope is None:
        # Its bytes take no more than their share of what it has with its headers.
        rest = HEADERS / (HEADERS + least)
        alpha = Estimate(time.value, (time.low or 0.0) * rest, time.high, time.count)
        return Way(alpha if rest >= LEAST_SURE else None, None, None, (least, time))
    bent = Estimate(slope.value, (slope.low or 0.0) * (1 - BENDS), (slope.high or 0.0) * (1 + BENDS), slope.count)
    return Way((time - bent * least).at_least_0(), slope, None, (least, time))


def _slope(points: Mapping[int, Estimate]) -> Estimate | None:
    """What a byte takes beyond the shortest message, by least squares; between the least and the most that any other
    size says. None if there is none that is long enough to tell. A message cannot take less than its bytes."""
    least = min(points)
    told = {size: time for size, time in points.items() if size > SMALL and size >= APART * least}
    if not told:
        return None
    chords = [((time - points[least]) * (1 / (size - least))).at_least_0() for size, time in told.items()]
    if not any(chord.high for chord in chords):
        return None
    weight = np.asarray([(size - least) ** 2 * time.count for size, time in told.items()], np.float64)
    value = float(np.average([chord.value for chord in chords], weights=weight))
    if least:
        value = min(value, points[least].value / least)
    low, high = (min(chord.low or 0.0 for chord in chords), max(chord.high or 0.0 for chord in chords))
    return Estimate(value, min(low, value), max(high, value), sum(time.count for time in told.values()))


def _answered(crossed: Crossings, announced: Array) -> Estimate | None:
    """From answers to announcements: what passed from when a receive was posted until its sender was done, if the most
    of the message's way was still before it. The senders of some libraries are done only when all of it is there."""
    way = crossed.hops.received - crossed.hops.posted
    mine = announced & crossed.late & crossed.answered_alone & (crossed.answer < HELD * way)
    if mine.sum() < LEAST_ALONE:
        return None
    found = _usual(crossed.answer[mine])
    return Estimate(found.value, (found.low or 0.0) * ANSWERING, found.high, found.count).at_least_0()


def untold(ways: Mapping[str, Way], links: Sequence[str]) -> list[str]:
    """Which classes' latencies the messages do not show, and why, in sentences. links: that messages used."""
    said: list[str] = []
    for name in links:
        way = ways.get(name, Way())
        if way.alpha is not None:
            continue
        if way.shortest is None:
            why = "no message that a rank waited for crossed one without meeting others"
        else:
            size, time = way.shortest
            why = (
                f"the shortest message that crossed one alone, of {number(size)} bytes, took {duration(time.value)}, "
                "and there is no clearly longer one to tell its bytes from it"
            )
        said.append(f"alpha and L of {name} links are not given: {why}.")
    return said
