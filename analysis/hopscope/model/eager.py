"""From how many bytes on a message is announced before it goes, and what it takes then.

A sender of a short message keeps a copy and goes on. A long message waits for its receive: an announcement and an
answer cross the link before it, so it takes three latencies and its bytes.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hopscope.model.costs import SMALL, LinkCost
from hopscope.model.hops import Array
from hopscope.model.link_fit import line_of

HELD = 0.25
"""A sender that was held for more than this share of its message's way waited for an answer."""
LATENCIES = 3
"""Of an announced message: the announcement, the answer and itself."""
LEAST_SEEN = 5
"""Messages of one size that met a receive which was posted late."""


def eager_limit(size: Array, waited: Array, went_on: Array) -> float | None:
    """The most bytes of a message that goes without its receive; None where the messages do not show both kinds.

    waited, went_on: what the senders did whose receives were posted late; neither: it does not show.
    """
    eager, announced = _kinds(size, waited, went_on)
    if not eager or not announced or max(eager) >= min(announced):
        return None
    return max(eager)


def held_from(size: Array, waited: Array, went_on: Array) -> float:
    """The most bytes of a message whose sender does not wait for its receive: where some waited, that is to be expected
    of all that are not known to be free."""
    eager, announced = _kinds(size, waited, went_on)
    least = float(max([SMALL, *eager]))
    return least if any(long > least for long in announced) else math.inf


def _kinds(size: Array, waited: Array, went_on: Array) -> tuple[list[float], list[float]]:
    """The sizes whose senders went on, and those whose senders waited."""
    eager: list[float] = []
    announced: list[float] = []
    for one in np.unique(size[waited | went_on]).tolist():
        mine = size == one
        ayes, noes = int((mine & went_on).sum()), int((mine & waited).sum())
        if ayes + noes >= LEAST_SEEN and ayes != noes:
            (eager if ayes > noes else announced).append(float(one))
    return eager, announced


def answered_from(size: Array, held_ns: Array, transit_ns: Array) -> float | None:
    """The same limit from senders that were held although the receive was posted before: they waited for the answer.
    None if none was. A sender that keeps a copy is done long before its message is there.

    size, held_ns, transit_ns: of messages between hosts whose receives were posted before they were sent.
    """
    sizes = [one for one in np.unique(size[size > SMALL]).tolist() if int((size == one).sum()) >= LEAST_SEEN]
    is_held = {one: float(np.median((held_ns / transit_ns)[size == one])) > HELD for one in sizes}
    announced = [one for one in sizes if is_held[one]]
    if not announced or any(one > announced[0] for one in sizes if not is_held[one]):
        return None
    return max((float(one) for one in sizes if not is_held[one]), default=float(announced[0] - 1))


def with_announcements(
    link: LinkCost, limit: float, size: Array, transit: Array, latency: float | None = None
) -> LinkCost:
    """The link with its latency from messages up to the limit, and the time per byte from longer ones, which take three
    latencies besides. size, transit: of the messages that were waited for. latency: known otherwise. The link as it is
    where these do not fit."""
    short, long = size <= limit, size > limit
    if not long.any() or (latency is None and not short.any()):
        return link
    is_known = latency is not None
    if latency is None:
        latency = line_of(size[short].astype(np.float64), transit[short].astype(np.float64))[0]
    per_byte = float(np.median((transit[long] - LATENCIES * latency) / size[long]))
    if latency <= 0 or (per_byte <= 0 and not is_known):
        return link
    per_byte = max(0.0, per_byte)
    return replace(link, latency_ns=latency, per_byte_ns=per_byte, eager_bytes=limit)
