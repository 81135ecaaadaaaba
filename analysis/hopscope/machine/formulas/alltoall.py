"""Time of an all-to-all exchange of blocks of m bytes."""

from __future__ import annotations

from hopscope.machine.formulas.table import row
from hopscope.machine.published import Call, Hockney, LogGP, PLogP

ALLTOALL = "MPI_Alltoall"


def _turns(call: Call) -> float:
    """(P - 1)(n_s P + 1 - P / 2): the messages in sequence, if each rank begins when it has the block of the rank
    before it."""
    return (call.ranks - 1) * (call.segments * call.ranks + 1 - call.ranks / 2)


@row(ALLTOALL, "linear", Hockney)
def linear_hockney(call: Call, p: Hockney) -> float:
    """P (alpha + m_s beta) + (P - 1)(n_s P + 1 - P / 2) alpha. Rank i + 1 sends when it has rank i's block."""
    return call.ranks * p.message(call.segment) + _turns(call) * p.alpha(call.segment)


@row(ALLTOALL, "linear", LogGP)
def linear_loggp(call: Call, p: LogGP) -> float:
    """P (L + 2o) + (P - 1)(n_s P + 1 - P / 2)(g + (m_s - 1) G). Rank i + 1 sends when it has rank i's block.

    An upper bound: in the replay, the messages of different ranks overlap.
    """
    p = p.for_destinations(call.ranks - 1)
    return call.ranks * (p.L + 2 * p.o) + _turns(call) * (p.g + p.bytes(call.segment))


@row(ALLTOALL, "linear", PLogP)
def linear_plogp(call: Call, p: PLogP) -> float:
    """P L + (P - 1)(n_s P + 1 - P / 2) g(m_s). Rank i + 1 sends when it has rank i's block."""
    p = p.for_destinations(call.ranks - 1)
    return call.ranks * p.L + _turns(call) * p.g(call.segment)


@row(ALLTOALL, "pairwise", Hockney)
def pairwise_hockney(call: Call, p: Hockney) -> float:
    """(P - 1)(alpha + m beta). Measurements were far longer."""
    return (call.ranks - 1) * p.message(call.size)


@row(ALLTOALL, "pairwise", LogGP)
def pairwise_loggp(call: Call, p: LogGP) -> float:
    """(P - 1)(L + o + (m - 1) G + g). In the replay o takes the place of g."""
    p = p.for_destinations(call.ranks - 1)
    return (call.ranks - 1) * (p.L + p.o + p.bytes(call.size) + p.g)


@row(ALLTOALL, "pairwise", PLogP)
def pairwise_plogp(call: Call, p: PLogP) -> float:
    """(P - 1)(L + g(m))."""
    p = p.for_destinations(call.ranks - 1)
    return (call.ranks - 1) * (p.L + p.g(call.size))
