"""Finds the messages that an MPI library sent by rendezvous, and their times, from the times at both ends.

The sender sends an RTS; the receiver sends a CTS once the receive is posted; the sender sends the message when the CTS
has come. So the sender is blocked for two latencies or, if the receive is posted late, until one latency after the
posting. This shows that a message was sent by rendezvous, and it shows the latency. The message itself may take longer
than a short one, because TCP first sends a part of 64 KiB, and waits until the receiver has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from hopscope.dataset.path_columns import MISSING, Array
from hopscope.machine.costs import INTRA_HOST, SMALL, Costs, HostPair
from hopscope.machine.eager import BLOCKED_SHARE, LEAST_MESSAGES
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import OUTLYING, OUTLYING_HOPS, fit_links, line_of, with_stand_ins
from hopscope.replay.run.hops import hops_of, model_hops
from hopscope.replay.run.subject import Source
from hopscope.vocabulary.links import LINKS

SIZE_RATIO = 2.0
"""The time per byte is fitted only if the longest message is at least this many times as long as the shortest."""


@dataclass(frozen=True)
class Ends:
    """Messages whose times at both ends are known: begin and end of each send, and the time when its receive was
    posted, in ns."""

    hops: Hops
    begin: Array
    end: Array
    posted: Array

    def latency_ns(self) -> Array:
        """The latency that each message shows if it was sent by rendezvous. It is half of the time for which the send
        was blocked (RTS and CTS). If the receive was posted late, it is the time from the posting to the end of the
        send (CTS)."""
        return np.minimum((self.end - self.begin) / 2, self.end - self.posted)

    def control_ns(self) -> float:
        """The time of an RTS or CTS, ns, if all these messages were sent by rendezvous: the smaller one of the median
        over receives posted early and the median over receives posted late. The larger one may be too large, because a
        sender is also blocked while its connection takes only a part of a long message."""
        latency, early_posts = self.latency_ns(), self.posted <= self.begin
        kinds = [latency[kind] for kind in (early_posts, ~early_posts) if kind.sum() >= LEAST_MESSAGES] or [latency]
        return max(0.0, min(float(np.median(kind)) for kind in kinds))

    def itself_ns(self, latency: float) -> Array:
        """The time of each message itself, ns, without its RTS and CTS, if RTS and CTS took `latency` each."""
        return self.hops.received - np.maximum(self.begin + latency, self.posted) - latency

    def select(self, selection: Array) -> Ends:
        """The selected messages."""
        return Ends(self.hops.select(selection), self.begin[selection], self.end[selection], self.posted[selection])


def ends_of(source: Source) -> Ends:
    """The subject's messages whose times are known at both ends. Each selection's first collective is left out, because
    it sets the communicator up."""
    rows, arrays = hops_of(source), source.arrays
    first = [part.simulated[0] for part in source.subject.selections if len(part.simulated) > 1]
    begin, end, posted = (arrays[f"hops.{name}_ns"][rows] for name in ("send_begin", "send_end", "recv_post"))
    has_times = (end != MISSING) & (posted != MISSING) & ~np.isin(arrays["hops.collective"][rows], first)
    return Ends(model_hops(source, rows[has_times]), begin[has_times], end[has_times], posted[has_times])


def limits_of(ends: Ends) -> dict[str, float]:
    """The bytes of the longest eager message (`limit_of`) by class of links, without classes whose senders do not show
    a limit."""
    of_class = {name: ends.select(ends.hops.link == place) for place, name in enumerate(LINKS)}
    local_links = LINKS[
        : 1 + LINKS.index(INTRA_HOST)
    ]  # on these, a sender may copy its whole message before it goes on
    limits = {name: limit_of(class_ends, only_late=name in local_links) for name, class_ends in of_class.items()}
    return {name: limit for name, limit in limits.items() if limit < math.inf}


def limit_of(ends: Ends, *, only_late: bool = False) -> float:
    """Bytes of the longest eager message among these; all longer messages count as sent by rendezvous. Infinite if the
    senders do not show such a limit. only_late: True if only messages whose receives were posted late can show it."""
    late_posts, early_posts = ends.posted > ends.begin + ends.hops.clock_error, ends.posted <= ends.begin
    blocked = ends.end >= ends.posted - ends.hops.clock_error
    if only_late:
        early_posts &= False
    else:
        share = (ends.end - ends.begin) / np.maximum(1, ends.hops.received - ends.begin)
        blocked = np.where(early_posts, share > BLOCKED_SHARE, blocked)
        # If a message arrived long before its send ended, the sender was blocked by something else than a missing CTS.
        blocked &= ends.end - ends.hops.received < BLOCKED_SHARE * (ends.end - ends.begin)
    eager_sizes, rendezvous_sizes = _kinds(ends.hops.size, blocked, late_posts, early_posts)
    longest = max([SMALL, *eager_sizes])
    return float(longest) if rendezvous_sizes and longest < min(rendezvous_sizes) else math.inf


def _kinds(size: Array, blocked: Array, late_posts: Array, early_posts: Array) -> tuple[list[float], list[float]]:
    """The sizes of messages whose senders mostly went on at once, and the sizes whose senders were mostly blocked.

    For each size, messages whose receives were posted late decide, if there are enough, because a blocked sender then
    clearly waits for the receive. With an early receive it only waits for the CTS, a small share of a long message's
    time.
    """
    kinds: tuple[list[float], list[float]] = ([], [])
    for size_bytes in np.unique(size[late_posts | early_posts]).tolist():
        for shows in (late_posts, early_posts):
            rows = shows & (size == size_bytes)
            if rows.sum() >= LEAST_MESSAGES:
                kinds[bool(blocked[rows].mean() > 1 / 2)].append(float(size_bytes))
                break
    return kinds


def with_rendezvous(costs: Costs, hops: Hops, ends: Ends, limits: Mapping[str, float]) -> Costs:
    """The costs, with separate times for messages by rendezvous. Costs of eager messages are fitted again, without
    those by rendezvous. hops: the hops to which `costs` was fitted. limits: the result of `limits_of`."""
    of_link = np.asarray([limits.get(name, math.inf) for name in LINKS])[hops.link]
    short = hops.select(hops.size <= of_link)
    rest = fit_links(short)
    links = {name: link for name, link in rest.links.items() if link.hops}
    pairs = dict(rest.pairs)
    for name, limit in limits.items():
        long_ends = ends.select((ends.hops.link == LINKS.index(name)) & (ends.hops.size > limit))
        shortest = long_ends.select(long_ends.hops.size == long_ends.hops.size.min())
        control = shortest.control_ns()
        fits = long_ends.select(long_ends.hops.binding) if long_ends.hops.binding.any() else long_ends
        message_ns, per_byte = _line(fits.hops.size, fits.itself_ns(control))
        short_link = rest.links[name]
        on_link = min(short_link.per_byte_ns, per_byte) if short_link.hops and short_link.tells_bytes else per_byte
        usual = control
        if short_link.hops:
            middle = float(np.median(short_link.sizes))
            usual = max(0.0, short_link.latency_ns + (short_link.per_byte_ns - on_link) * middle)
        deviations = _outlying(shortest, float(np.median(shortest.latency_ns())))
        links[name] = replace(
            costs.links[name],
            latency_ns=usual,
            per_byte_ns=on_link,
            eager_bytes=limit,
            announcement_ns=control,
            answer_ns=control,
            announced_ns=message_ns,
            announced_per_byte_ns=per_byte - on_link,
        )
        long = set(long_ends.hops.host_pairs())
        pairs = {pair: ns for pair, ns in pairs.items() if pair not in long}
        pairs |= {pair: max(0.0, usual + deviation) for pair, deviation in deviations.items()}
    service = {"interface_message_ns": rest.interface_message_ns, "interface_per_byte_ns": rest.interface_per_byte_ns}
    return replace(costs, links=with_stand_ins(links), pairs=pairs, **service)


def _line(size: Array, time: Array) -> tuple[float, float]:
    """The time of an empty message without RTS and CTS, and the time per byte."""
    if size.max() < SIZE_RATIO * size.min():
        return max(0.0, float(np.median(time))), 0.0
    latency, per_byte = line_of(size.astype(np.float64), time.astype(np.float64))
    return max(0.0, latency), per_byte


def _outlying(ends: Ends, usual: float) -> dict[HostPair, float]:
    """For each pair of hosts with an outlying latency, its deviation from the usual latency, ns."""
    deviations: dict[HostPair, float] = {}
    latency, pairs = ends.latency_ns(), ends.hops.host_pairs()
    for pair in set(pairs):
        pair_latency = latency[[host_pair == pair for host_pair in pairs]]
        if len(pair_latency) >= OUTLYING_HOPS and abs(float(np.median(pair_latency)) - usual) > OUTLYING * usual:
            deviations[pair] = float(np.median(pair_latency)) - usual
    return deviations
