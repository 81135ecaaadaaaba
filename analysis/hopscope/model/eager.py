"""From how many bytes on a message is announced before it goes, and what it takes then.

A sender of a short message keeps a copy and goes on. A long message waits for its receive: an announcement and an
answer cross the link before it, so it takes three latencies and its bytes.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hopscope.model.costs import SMALL, LinkCost, line_of
from hopscope.model.hops import Array

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


def held_from(size: Array, waited: Array, went_on: Array) -> tuple[float, float, float]:
    """The most bytes of a message whose sender does not wait for its receive: as expected, and the most and the least
    that these messages allow. They leave the sizes between open, and all longer ones where no sender waited.

    Where some waited, that is to be expected of all that are not known to be free.
    """
    eager, announced = _kinds(size, waited, went_on)
    least = float(max([SMALL, *eager]))
    beyond = [one - 1 for one in announced if one > least]
    return (least, min(beyond), least) if beyond else (math.inf, math.inf, least)


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


def with_announcements(link: LinkCost, limit: float, size: Array, transit: Array) -> LinkCost:
    """The link with its latency from messages up to the limit, and the time per byte from longer ones, which take three
    latencies besides. size, transit: of the messages that were waited for. The link as it is where these do not fit."""
    short, long = size <= limit, size > limit
    if not short.any() or not long.any():
        return link
    latency = line_of(size[short].astype(np.float64), transit[short].astype(np.float64))[0]
    per_byte = float(np.median((transit[long] - 3 * latency) / size[long]))
    if latency <= 0 or per_byte <= 0:
        return link
    return replace(link, latency_ns=latency, per_byte_ns=per_byte, eager_bytes=limit)
