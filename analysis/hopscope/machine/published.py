"""Parameters of the published models of communication: Hockney, LogP and LogGP, PLogP.

Times are in ns, sizes in bytes, times per byte in ns per byte. A quantity that depends on a message's size is a Curve.
gamma: the time to combine one byte with another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Curve:
    """A quantity as a function of the message size: straight lines between the measured values. sizes: ascending, in
    bytes. Beyond either end, the line through the nearest two sizes continues. With one size, the quantity is
    constant."""

    sizes: tuple[float, ...]
    values: tuple[float, ...]

    @staticmethod
    def constant(value: float) -> Curve:
        """A curve with this value at every size."""
        return Curve((0.0,), (value,))

    @staticmethod
    def line(at_zero: float, per_byte: float) -> Curve:
        """A straight line, given by its value at size 0 and its slope per byte."""
        return Curve((0.0, 1.0), (at_zero, at_zero + per_byte))

    def __call__(self, size: float) -> float:
        """The value at a size in bytes."""
        if len(self.sizes) == 1:
            return self.values[0]
        upper = int(np.clip(np.searchsorted(self.sizes, size), 1, len(self.sizes) - 1))
        x, y = self.sizes[upper - 1 : upper + 1], self.values[upper - 1 : upper + 1]
        return y[0] + (size - x[0]) * (y[1] - y[0]) / (x[1] - x[0])


@dataclass(frozen=True)
class Hockney:
    """A message of m bytes takes alpha(m) + m beta(m). R. W. Hockney, "The communication challenge for MPP: Intel
    Paragon and Meiko CS-2", Parallel Computing 20 (1994)."""

    alpha: Curve
    beta: Curve
    gamma: float = 0.0

    def message(self, size: float) -> float:
        """The time of a message of this size."""
        return self.alpha(size) + size * self.beta(size)


@dataclass(frozen=True)
class LogGP:
    """Latency L, overhead o of sender and receiver per message, gap g between messages, and gap G between bytes. With
    G = 0 the model is LogP.

    D. Culler et al., "LogP: Towards a Realistic Model of Parallel Computation", PPoPP (1993). A. Alexandrov et al.,
    "LogGP: Incorporating Long Messages into the LogP Model", SPAA (1995).
    """

    L: float
    o: float
    g: float
    G: float = 0.0
    gamma: float = 0.0
    gaps: tuple[tuple[int, float, float], ...] = ()
    """(k, g, G) for a sender that sends to k destinations in turn, by ascending k. Not in the published model."""

    def for_destinations(self, destinations: int) -> LogGP:
        """The model with the gaps g and G of a sender that sends to this number of destinations in turn. If that number
        was not measured, the gaps are those of the next smaller measured number."""
        gaps = [gap for count, *gap in self.gaps if count <= destinations]
        return replace(self, g=gaps[-1][0], G=gaps[-1][1], gaps=()) if gaps else self

    def bytes(self, size: float) -> float:
        """(m - 1) G: the time from a message's first byte to its last. An empty message counts as one byte."""
        return max(0.0, size - 1) * self.G


@dataclass(frozen=True)
class PLogP:
    """Latency L from end to end, overheads o_s(m) of the sender and o_r(m) of the receiver, and gap g(m) between
    messages, which contains the overheads.

    T. Kielmann, H. Bal, K. Verstoep, "Fast Measurement of LogP Parameters for Message Passing Platforms", IPDPS
    workshops (2000).
    """

    L: float
    o_s: Curve
    o_r: Curve
    g: Curve
    gamma: float = 0.0
    gaps: tuple[tuple[int, Curve], ...] = ()
    """(k, g(m)) for a sender that sends to k destinations in turn, by ascending k. Not in the published model."""

    def for_destinations(self, destinations: int) -> PLogP:
        """The model with the gap g(m) of a sender that sends to this number of destinations in turn. If that number was
        not measured, the gap is that of the next smaller measured number."""
        gaps = [gap for count, gap in self.gaps if count <= destinations]
        return replace(self, g=gaps[-1], gaps=()) if gaps else self


@dataclass(frozen=True)
class Call:
    """A collective over `ranks` ranks. size: bytes of the message or, for Alltoall, of each block. segment_bytes: the
    length of the segments into which it is cut; 0: not cut."""

    ranks: int
    size: float = 0.0
    segment_bytes: float = 0.0

    @property
    def segments(self) -> int:
        """n_s: the number of segments."""
        return -int(-self.size // self.segment) if self.size > 0 else 1

    @property
    def segment(self) -> float:
        """m_s: bytes of a segment."""
        return min(self.segment_bytes, self.size) if self.segment_bytes > 0 else self.size

    @property
    def doublings(self) -> int:
        """ceil(log2 P): the number of doublings from 1 to at least P ranks."""
        return (self.ranks - 1).bit_length()

    @property
    def binary_depth(self) -> int:
        """ceil(log2(P + 1)) - 1: the levels below the root of a complete binary tree."""
        return self.ranks.bit_length() - 1

    @property
    def is_power_of_two(self) -> bool:
        """True for 1, 2, 4, 8 ranks and so on."""
        return self.ranks & (self.ranks - 1) == 0
