"""Which of an MPI library's messages go by rendezvous, and what they take, from both of their ends.

A sender asks (RTS), the receiver answers when its receive is posted (CTS), and the message goes when the CTS is there.
So a sender is blocked for two latencies, or for one from when the receive was posted; that shows whether its message
went by rendezvous, and what a latency is. The message itself may take longer than a short one: of 64 KiB, TCP first
sends a part and waits for the receiver to have it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hopscope.dataset.path_columns import MISSING, Array
from hopscope.machine.costs import INSIDE, SMALL, Costs, HostPair
from hopscope.machine.eager import HELD, LEAST_SEEN
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import OUTLYING, OUTLYING_HOPS, fit_links, line_of, with_stand_ins
from hopscope.replay.run.hops import hops_of, model_hops
from hopscope.replay.run.program import Source
from hopscope.vocabulary.links import LINKS

APART = 2.0
"""Sizes of which one is so many times the other show what a byte takes."""


@dataclass(frozen=True)
class Ends:
    """Messages both ends of which are known: when each was sent and its sender went on, when its receive was posted."""

    hops: Hops
    begin: Array
    end: Array
    posted: Array

    def latency_ns(self) -> Array:
        """Of each, if it was by rendezvous: half of the time until the CTS was there, or all of it since the receive
        was posted, if that was after the RTS came."""
        return np.minimum((self.end - self.begin) / 2, self.end - self.posted)

    def control_ns(self) -> float:
        """What an RTS or CTS takes, if all were by rendezvous. Long bytes block a sender, too, where its connection
        takes only a part of them: of receives posted early and late, the lower median."""
        latency, early = self.latency_ns(), self.posted <= self.begin
        kinds = [latency[kind] for kind in (early, ~early) if kind.sum() >= LEAST_SEEN] or [latency]
        return max(0.0, min(float(np.median(kind)) for kind in kinds))

    def itself_ns(self, latency: float) -> Array:
        """What each took from when it went, if it was by rendezvous and its RTS and CTS took so long."""
        return self.hops.received - np.maximum(self.begin + latency, self.posted) - latency

    def of(self, chosen: Array) -> Ends:
        """Some of them."""
        return Ends(self.hops.of(chosen), self.begin[chosen], self.end[chosen], self.posted[chosen])


def ends_of(source: Source) -> Ends:
    """Of the subject's messages, but for those of each part's first collective, which sets things up."""
    rows, arrays = hops_of(source), source.arrays
    first = [part.simulated[0] for part in source.subject.each if len(part.simulated) > 1]
    begin, end, posted = (arrays[f"hops.{name}_ns"][rows] for name in ("send_begin", "send_end", "recv_post"))
    known = (end != MISSING) & (posted != MISSING) & ~np.isin(arrays["hops.collective"][rows], first)
    return Ends(model_hops(source, rows[known]), begin[known], end[known], posted[known])


def limits_of(ends: Ends) -> dict[str, float]:
    """By class of links, what `limit_of` gives. A class of which the senders do not show it is not there."""
    of_class = {name: ends.of(ends.hops.link == place) for place, name in enumerate(LINKS)}
    inside = LINKS[: 1 + LINKS.index(INSIDE)]  # where the whole message may be copied before the sender goes on
    limits = {name: limit_of(mine, only_late=name in inside) for name, mine in of_class.items()}
    return {name: limit for name, limit in limits.items() if limit < math.inf}


def limit_of(ends: Ends, *, only_late: bool = False) -> float:
    """Of how many bytes the longest message is that goes without a rendezvous, among those of the run: where some
    senders waited, that is to be expected of all messages that are not known to be free. Infinite where the senders do
    not show it. only_late: only those whose receives were posted late do."""
    late, early = ends.posted > ends.begin + ends.hops.clock_error, ends.posted <= ends.begin
    blocked = ends.end >= ends.posted - ends.hops.clock_error
    if only_late:
        early &= False
    else:
        share = (ends.end - ends.begin) / np.maximum(1, ends.hops.received - ends.begin)
        blocked = np.where(early, share > HELD, blocked)
        # What was there long before its sender went on did not wait for a CTS.
        blocked &= ends.end - ends.hops.received < HELD * (ends.end - ends.begin)
    kept, announced = _kinds(ends.hops.size, blocked, late, early)
    longest = max([SMALL, *kept])
    return float(longest) if announced and longest < min(announced) else math.inf


def _kinds(size: Array, blocked: Array, late: Array, early: Array) -> tuple[list[float], list[float]]:
    """The sizes whose senders went on, and those whose senders were blocked. Receives posted late show it best: of a
    message whose bytes take long, the CTS is a small share."""
    kinds: tuple[list[float], list[float]] = ([], [])
    for one in np.unique(size[late | early]).tolist():
        for shows in (late, early):
            mine = shows & (size == one)
            if mine.sum() >= LEAST_SEEN:
                kinds[bool(blocked[mine].mean() > 1 / 2)].append(float(one))
                break
    return kinds


def with_rendezvous(costs: Costs, hops: Hops, ends: Ends, limits: Mapping[str, float]) -> Costs:
    """The costs with what messages by rendezvous take, and the others without them. hops: those that they were fitted
    to."""
    of_link = np.asarray([limits.get(name, math.inf) for name in LINKS])[hops.link]
    short = hops.of(hops.size <= of_link)
    rest = fit_links(short)
    links = {name: link for name, link in rest.links.items() if link.hops}
    pairs = dict(rest.pairs)
    for name, limit in limits.items():
        mine = ends.of((ends.hops.link == LINKS.index(name)) & (ends.hops.size > limit))
        least = mine.of(mine.hops.size == mine.hops.size.min())
        control = least.control_ns()
        fits = mine.of(mine.hops.binding) if mine.hops.binding.any() else mine
        itself, per_byte = _line(fits.hops.size, fits.itself_ns(control))
        known = rest.links[name]
        on_link = min(known.per_byte_ns, per_byte) if known.hops and known.tells_bytes else per_byte
        usual = control
        if known.hops:
            middle = float(np.median(known.sizes))
            usual = max(0.0, known.latency_ns + (known.per_byte_ns - on_link) * middle)
        beyond = _outlying(least, float(np.median(least.latency_ns())))
        links[name] = replace(
            costs.links[name],
            latency_ns=usual,
            per_byte_ns=on_link,
            eager_bytes=limit,
            announcement_ns=control,
            answer_ns=control,
            announced_ns=itself,
            announced_per_byte_ns=per_byte - on_link,
        )
        long = set(mine.hops.host_pairs())
        pairs = {pair: ns for pair, ns in pairs.items() if pair not in long}
        pairs |= {pair: max(0.0, usual + more) for pair, more in beyond.items()}
    service = {"interface_message_ns": rest.interface_message_ns, "interface_per_byte_ns": rest.interface_per_byte_ns}
    return replace(costs, links=with_stand_ins(links), pairs=pairs, **service)


def _line(size: Array, itself: Array) -> tuple[float, float]:
    """What a message takes from when it goes, and what a byte of it."""
    if size.max() < APART * size.min():
        return max(0.0, float(np.median(itself))), 0.0
    latency, per_byte = line_of(size.astype(np.float64), itself.astype(np.float64))
    return max(0.0, latency), per_byte


def _outlying(ends: Ends, usual: float) -> dict[HostPair, float]:
    """By how much the latency of pairs of hosts differs that are unlike the others."""
    found: dict[HostPair, float] = {}
    latency, pairs = ends.latency_ns(), ends.hops.host_pairs()
    for pair in set(pairs):
        mine = latency[[other == pair for other in pairs]]
        if len(mine) >= OUTLYING_HOPS and abs(float(np.median(mine)) - usual) > OUTLYING * usual:
            found[pair] = float(np.median(mine)) - usual
    return found
