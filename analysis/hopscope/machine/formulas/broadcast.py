"""Time of a broadcast until the last rank has the whole message."""

from __future__ import annotations

from hopscope.machine.formulas.table import PRINTED, row
from hopscope.machine.published import Call, Hockney, LogGP, PLogP

BCAST = "MPI_Bcast"
_CHILDREN = 2
"""Children of a node of a binary tree."""


@row(BCAST, "linear", Hockney)
def linear_hockney(call: Call, p: Hockney) -> float:
    """n_s (P - 1)(alpha + m_s beta)."""
    return call.segments * (call.ranks - 1) * p.message(call.segment)


@row(BCAST, "linear", LogGP)
def linear_loggp(call: Call, p: LogGP) -> float:
    """L + 2o - g + n_s (P - 1)((m_s - 1) G + g)."""
    p = p.for_destinations(call.ranks - 1)
    return p.L + 2 * p.o - p.g + call.segments * (call.ranks - 1) * (p.bytes(call.segment) + p.g)


@row(BCAST, "linear", PLogP)
def linear_plogp(call: Call, p: PLogP) -> float:
    """L + n_s (P - 1) g(m_s)."""
    p = p.for_destinations(call.ranks - 1)
    return p.L + call.segments * (call.ranks - 1) * p.g(call.segment)


@row(BCAST, "pipeline", Hockney)
def pipeline_hockney(call: Call, p: Hockney) -> float:
    """(P + n_s - 2)(alpha + m_s beta)."""
    return (call.ranks + call.segments - 2) * p.message(call.segment)


@row(BCAST, "pipeline", LogGP)
def pipeline_loggp(call: Call, p: LogGP) -> float:
    """(P - 1)(L + 2o + (m_s - 1) G) + (n_s - 1)(g + (m_s - 1) G).

    In the replay, a rank in the middle of the pipeline takes at least 2o per segment, which it receives and sends.
    """
    segment = p.bytes(call.segment)
    return (call.ranks - 1) * (p.L + 2 * p.o + segment) + (call.segments - 1) * (p.g + segment)


@row(BCAST, "pipeline", PLogP)
def pipeline_plogp(call: Call, p: PLogP) -> float:
    """(P - 1)(L + g(m_s)) + (n_s - 1) g(m_s)."""
    return (call.ranks - 1) * (p.L + p.g(call.segment)) + (call.segments - 1) * p.g(call.segment)


@row(BCAST, "binomial", Hockney)
def binomial_hockney(call: Call, p: Hockney) -> float:
    """ceil(log2 P) n_s (alpha + m_s beta)."""
    return call.doublings * call.segments * p.message(call.segment)


@row(BCAST, "binomial", LogGP)
def binomial_loggp(call: Call, p: LogGP) -> float:
    """ceil(log2 P)(L + 2o + (m_s - 1) G + (n_s - 1)(g + (m_s - 1) G))."""
    segment = p.bytes(call.segment)
    return call.doublings * (p.L + 2 * p.o + segment + (call.segments - 1) * (p.g + segment))


@row(BCAST, "binomial", PLogP)
def binomial_plogp(call: Call, p: PLogP) -> float:
    """ceil(log2 P)(L + n_s g(m_s))."""
    return call.doublings * (p.L + call.segments * p.g(call.segment))


@row(BCAST, "binary", Hockney)
def binary_hockney(call: Call, p: Hockney) -> float:
    """(ceil(log2(P + 1)) + n_s - 2)(2 alpha + m_s beta)."""
    return (call.binary_depth + call.segments - 1) * (p.alpha(call.segment) + p.message(call.segment))


def _binary_levels(call: Call, p: LogGP) -> float:
    """The time until the first segment is at the last leaf, which is reached over the second child on every level."""
    p = p.for_destinations(_CHILDREN)
    return call.binary_depth * (p.L + 2 * (p.o + p.bytes(call.segment)) + p.g)


@row(BCAST, "binary", LogGP)
def binary_loggp(call: Call, p: LogGP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2 (o + (m_s - 1) G) + g) + (n_s - 1) max(2 (g + (m_s - 1) G), 3o). Corrected.

    The printed formula does not contain n_s: its second term has no factor, so cutting a message costs nothing. Here
    the second term is the time between two segments, as in the PLogP row: a node receives each segment once and sends
    it twice. A level has one gap, between the two messages of a node; the printed formula has two. On complete trees
    the replay agrees exactly.
    """
    p = p.for_destinations(_CHILDREN)
    return _binary_levels(call, p) + (call.segments - 1) * max(2 * (p.g + p.bytes(call.segment)), 3 * p.o)


@row(BCAST, "binary", LogGP, PRINTED)
def binary_loggp_printed(call: Call, p: LogGP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2 (o + (m_s - 1) G + g)) + 2 ((m_s - 1) G + g)."""
    segment = p.bytes(call.segment)
    return call.binary_depth * (p.L + 2 * (p.o + segment + p.g)) + 2 * (segment + p.g)


@row(BCAST, "binary", PLogP)
def binary_plogp(call: Call, p: PLogP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2 g(m_s)) + (n_s - 1) max(2 g(m_s), o_r(m_s) + g(m_s) + o_s(m_s))."""
    g = p.for_destinations(_CHILDREN).g(call.segment)
    interval = max(2 * g, p.o_r(call.segment) + g + p.o_s(call.segment))
    return call.binary_depth * (p.L + 2 * g) + (call.segments - 1) * interval


def _half_segments(call: Call) -> int:
    """ceil(n_s / 2): the segments of the longer half."""
    return (call.segments + 1) // 2


@row(BCAST, "split binary", Hockney)
def split_binary_hockney(call: Call, p: Hockney) -> float:
    """(ceil(log2(P + 1)) + ceil(n_s / 2) - 2)(2 alpha + m_s beta) + alpha(m / 2) + (m / 2) beta."""
    down = call.binary_depth + _half_segments(call) - 1
    return down * (p.alpha(call.segment) + p.message(call.segment)) + p.message(call.size / 2)


@row(BCAST, "split binary", LogGP)
def split_binary_loggp(call: Call, p: LogGP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2 (o + (m_s - 1) G) + g) + (ceil(n_s / 2) - 1) max(2 (g + (m_s - 1) G), 3o)
    + L + 2o + (m / 2 - 1) G. Corrected.

    The printed formula swaps two factors: it counts the latency for every segment, and only a gap for every level. Its
    last exchange moves half a segment, but each partner still needs half of the message. On complete trees the replay
    of the published schedule agrees exactly. The engine differs: it passes a half on to the partner segment by segment,
    so each inner node sends every segment three times.
    """
    down = p.for_destinations(_CHILDREN)
    interval = max(2 * (down.g + down.bytes(call.segment)), 3 * p.o)
    exchange = p.L + 2 * p.o + p.bytes(call.size / 2)
    return _binary_levels(call, p) + (_half_segments(call) - 1) * interval + exchange


@row(BCAST, "split binary", LogGP, PRINTED)
def split_binary_loggp_printed(call: Call, p: LogGP) -> float:
    """2 (ceil(n_s / 2) - 1)(L + g + 2 (o + (m_s - 1) G)) + (ceil(log2(P + 1)) - 1)(g + (m_s - 1) G)
    + L + 2o + (m_s / 2 - 1) G."""
    segment = p.bytes(call.segment)
    down = 2 * (_half_segments(call) - 1) * (p.L + p.g + 2 * (p.o + segment))
    return down + call.binary_depth * (p.g + segment) + p.L + 2 * p.o + p.bytes(call.segment / 2)


@row(BCAST, "split binary", PLogP)
def split_binary_plogp(call: Call, p: PLogP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2 g(m_s)) + (ceil(n_s / 2) - 1) max(2 g(m_s), o_r(m_s) + g(m_s) + o_s(m_s))
    + L + g(m / 2). Corrected.

    The printed formula has no term for the last exchange, although both other models have one; without the exchange no
    rank gets the other half. Nor does it round n_s / 2 up, as both other models do, so that for one segment the second
    term is below zero.
    """
    exchange = p.L + p.g(call.size / 2)
    return _split_binary_plogp(call, p, _half_segments(call)) + exchange


@row(BCAST, "split binary", PLogP, PRINTED)
def split_binary_plogp_printed(call: Call, p: PLogP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2 g(m_s)) + (n_s / 2 - 1) max(2 g(m_s), o_r(m_s) + g(m_s) + o_s(m_s))."""
    return _split_binary_plogp(call, p, call.segments / 2)


def _split_binary_plogp(call: Call, p: PLogP, half: float) -> float:
    """The time until every rank has one half of the message. half: the segments of that half."""
    g = p.for_destinations(_CHILDREN).g(call.segment)
    interval = max(2 * g, p.o_r(call.segment) + g + p.o_s(call.segment))
    return call.binary_depth * (p.L + 2 * g) + (half - 1) * interval
