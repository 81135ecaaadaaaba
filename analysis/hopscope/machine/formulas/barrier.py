"""Time of a barrier. A message has no bytes."""

from __future__ import annotations

from hopscope.machine.formulas.table import UPPER_BOUNDS, row
from hopscope.machine.published import Call, Hockney, LogGP, PLogP

BARRIER = "MPI_Barrier"


def _doublings(call: Call) -> int:
    """Rounds of recursive doubling: floor(log2 P), and two more if P is not a power of two."""
    return call.ranks.bit_length() - 1 + (0 if call.is_power_of_two else 2)


@row(BARRIER, "flat", Hockney)
def flat_hockney(call: Call, p: Hockney) -> float:
    """(P - 1) alpha. The replay takes twice that: the root receives P - 1 messages and sends as many."""
    return (call.ranks - 1) * p.alpha(0)


@row(BARRIER, "flat", LogGP)
def flat_loggp(call: Call, p: LogGP) -> float:
    """(P - 2) g + 2 (L + 2o), the lower bound.

    The replay, in which the root also receives at intervals of g, takes (P - 2) max(g, o) twice.
    """
    p = p.for_destinations(call.ranks - 1)
    return (call.ranks - 2) * p.g + 2 * (p.L + 2 * p.o)


@row(BARRIER, "flat", LogGP, UPPER_BOUNDS)
def flat_loggp_at_most(call: Call, p: LogGP) -> float:
    """(P - 2)(g + o) + 2 (L + 2o)."""
    p = p.for_destinations(call.ranks - 1)
    return (call.ranks - 2) * (p.g + p.o) + 2 * (p.L + 2 * p.o)


@row(BARRIER, "flat", PLogP)
def flat_plogp(call: Call, p: PLogP) -> float:
    """P g + 2L, the lower bound. The replay, as for LogGP, takes 2 (P - 1) g + 2L."""
    p = p.for_destinations(call.ranks - 1)
    return call.ranks * p.g(0) + 2 * p.L


@row(BARRIER, "flat", PLogP, UPPER_BOUNDS)
def flat_plogp_at_most(call: Call, p: PLogP) -> float:
    """P (g + o_r) + 2 (L - o_r)."""
    p = p.for_destinations(call.ranks - 1)
    return call.ranks * (p.g(0) + p.o_r(0)) + 2 * (p.L - p.o_r(0))


@row(BARRIER, "double ring", Hockney)
def double_ring_hockney(call: Call, p: Hockney) -> float:
    """2P alpha."""
    return 2 * call.ranks * p.alpha(0)


@row(BARRIER, "double ring", LogGP)
def double_ring_loggp(call: Call, p: LogGP) -> float:
    """2P (L + o + g). The replay takes 2P (L + 2o): a rank's messages are too far apart for g to matter."""
    return 2 * call.ranks * (p.L + p.o + p.g)


@row(BARRIER, "double ring", PLogP)
def double_ring_plogp(call: Call, p: PLogP) -> float:
    """2P (L + g)."""
    return 2 * call.ranks * (p.L + p.g(0))


@row(BARRIER, "recursive doubling", Hockney)
def recursive_doubling_hockney(call: Call, p: Hockney) -> float:
    """log2 P alpha; (floor(log2 P) + 2) alpha where P is not a power of two."""
    return _doublings(call) * p.alpha(0)


@row(BARRIER, "recursive doubling", LogGP)
def recursive_doubling_loggp(call: Call, p: LogGP) -> float:
    """log2 P (L + o + g); (floor(log2 P) + 2)(L + o + g) where P is not a power of two. In the replay o takes the place
    of g."""
    return _doublings(call) * (p.L + p.o + p.g)


@row(BARRIER, "recursive doubling", PLogP)
def recursive_doubling_plogp(call: Call, p: PLogP) -> float:
    """log2 P (L + g); (floor(log2 P) + 2)(L + g) where P is not a power of two."""
    return _doublings(call) * (p.L + p.g(0))


@row(BARRIER, "bruck", Hockney)
def bruck_hockney(call: Call, p: Hockney) -> float:
    """ceil(log2 P) alpha."""
    return call.doublings * p.alpha(0)


@row(BARRIER, "bruck", LogGP)
def bruck_loggp(call: Call, p: LogGP) -> float:
    """ceil(log2 P)(L + o + g). In the replay o takes the place of g."""
    return call.doublings * (p.L + p.o + p.g)


@row(BARRIER, "bruck", PLogP)
def bruck_plogp(call: Call, p: PLogP) -> float:
    """ceil(log2 P)(L + g)."""
    return call.doublings * (p.L + p.g(0))
