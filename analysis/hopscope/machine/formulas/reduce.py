"""Time of a reduction until its root has the result. Combining a segment takes gamma m_s."""

from __future__ import annotations

from hopscope.machine.formulas.table import PRINTED, row
from hopscope.machine.published import Call, Hockney, LogGP, PLogP

REDUCE = "MPI_Reduce"


def _step(call: Call, p: Hockney) -> float:
    """alpha + m_s beta + gamma m_s."""
    return p.message(call.segment) + p.gamma * call.segment


def _interval(call: Call, p: PLogP) -> float:
    """max(g(m_s), o_r(m_s) + gamma m_s): the time between two segments that a rank receives and combines."""
    return max(p.g(call.segment), p.o_r(call.segment) + p.gamma * call.segment)


@row(REDUCE, "flat", Hockney)
def flat_hockney(call: Call, p: Hockney) -> float:
    """n_s (P - 1)(alpha + m_s beta + gamma m_s)."""
    return call.segments * (call.ranks - 1) * _step(call, p)


@row(REDUCE, "flat", LogGP)
def flat_loggp(call: Call, p: LogGP) -> float:
    """o + (m_s - 1) G + L + n_s max(g, (P - 1)(o + (m_s - 1) G + gamma m_s)).

    The formula keeps the root busy while the bytes of a message arrive. In the replay, the bytes of the next message
    arrive while the root combines the last one.
    """
    segment = p.bytes(call.segment)
    return p.o + segment + p.L + call.segments * max(p.g, (call.ranks - 1) * (p.o + segment + p.gamma * call.segment))


@row(REDUCE, "flat", PLogP)
def flat_plogp(call: Call, p: PLogP) -> float:
    """L + (P - 1) n_s max(g(m_s), o_r(m_s) + gamma m_s)."""
    return p.L + (call.ranks - 1) * call.segments * _interval(call, p)


@row(REDUCE, "pipeline", Hockney)
def pipeline_hockney(call: Call, p: Hockney) -> float:
    """(P + n_s - 2)(alpha + m_s beta + gamma m_s)."""
    return (call.ranks + call.segments - 2) * _step(call, p)


@row(REDUCE, "pipeline", LogGP)
def pipeline_loggp(call: Call, p: LogGP) -> float:
    """(P - 1)(L + 2o + (m_s - 1) G + gamma m_s) + (n_s - 1) max(g, 2o + (m_s - 1) G + gamma m_s)."""
    busy = 2 * p.o + p.bytes(call.segment) + p.gamma * call.segment
    return (call.ranks - 1) * (p.L + busy) + (call.segments - 1) * max(p.g, busy)


@row(REDUCE, "pipeline", PLogP)
def pipeline_plogp(call: Call, p: PLogP) -> float:
    """(P - 1)(L + max(g, o_r + gamma m_s)) + (n_s - 1)(max(g, o_r + gamma m_s) + o_s), with g, o_r and o_s of m_s."""
    interval = _interval(call, p)
    return (call.ranks - 1) * (p.L + interval) + (call.segments - 1) * (interval + p.o_s(call.segment))


@row(REDUCE, "binomial", Hockney)
def binomial_hockney(call: Call, p: Hockney) -> float:
    """n_s ceil(log2 P)(alpha + m_s beta + gamma m_s)."""
    return call.segments * call.doublings * _step(call, p)


@row(REDUCE, "binomial", LogGP)
def binomial_loggp(call: Call, p: LogGP) -> float:
    """ceil(log2 P)(o + L + n_s ((m_s - 1) G + max(g, o + gamma m_s)))."""
    segment = p.bytes(call.segment) + max(p.g, p.o + p.gamma * call.segment)
    return call.doublings * (p.o + p.L + call.segments * segment)


@row(REDUCE, "binomial", PLogP)
def binomial_plogp(call: Call, p: PLogP) -> float:
    """ceil(log2 P)(L + n_s max(g, o_r + gamma m_s + o_s)), with g, o_r and o_s of m_s."""
    busy = p.o_r(call.segment) + p.gamma * call.segment + p.o_s(call.segment)
    return call.doublings * (p.L + call.segments * max(p.g(call.segment), busy))


@row(REDUCE, "binary", Hockney)
def binary_hockney(call: Call, p: Hockney) -> float:
    """2 (ceil(log2(P + 1)) + n_s - 2)(alpha + m_s beta + gamma m_s)."""
    return 2 * (call.binary_depth + call.segments - 1) * _step(call, p)


@row(REDUCE, "binary", LogGP)
def binary_loggp(call: Call, p: LogGP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2o + (m_s - 1) G + gamma m_s + max(g + (m_s - 1) G, o + gamma m_s))
    + (n_s - 1) max(2 (g + (m_s - 1) G), 3o + 2 gamma m_s). Corrected.

    The printed formula multiplies both terms by the depth. But levels work on different segments at the same time, so
    the segments after the first count only once. In the printed terms, the bytes of two children arrive in the time of
    one; here an interface takes one after the other, as in the PLogP row. Where combining takes longer than receiving,
    the first term is the printed one. On complete trees the replay agrees exactly.
    """
    message, work = p.g + p.bytes(call.segment), p.o + p.gamma * call.segment
    level = p.L + p.o + p.bytes(call.segment) + work + max(message, work)
    return call.binary_depth * level + (call.segments - 1) * max(2 * message, p.o + 2 * work)


@row(REDUCE, "binary", LogGP, PRINTED)
def binary_loggp_printed(call: Call, p: LogGP) -> float:
    """(ceil(log2(P + 1)) - 1)((L + 3o + (m_s - 1) G + 2 gamma m_s)
    + (n_s - 1)((m_s - 1) G + max(g, 3o + 2 gamma m_s)))."""
    segment, work = p.bytes(call.segment), 3 * p.o + 2 * p.gamma * call.segment
    return call.binary_depth * (p.L + segment + work + (call.segments - 1) * (segment + max(p.g, work)))


@row(REDUCE, "binary", PLogP)
def binary_plogp(call: Call, p: PLogP) -> float:
    """(ceil(log2(P + 1)) - 1)(L + 2 max(g, o_r + gamma m_s)) + (n_s - 1)(o_s + 2 max(g, o_r + gamma m_s)), with g, o_r
    and o_s of m_s."""
    interval = _interval(call, p)
    return call.binary_depth * (p.L + 2 * interval) + (call.segments - 1) * (p.o_s(call.segment) + 2 * interval)
