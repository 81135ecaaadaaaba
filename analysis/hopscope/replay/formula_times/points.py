"""The points at which formulas, replay and measurement are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hopscope.machine.formulas import FORMULAS
from hopscope.machine.published import Call

SIZES = (8, 64, 512, 4096, 32_768, 262_144, 1_048_576)
"""The sizes, in bytes, that every comparison includes, up to its longest message."""
MOST_RANKS = 64
"""Besides the measured numbers of ranks, powers of two up to this are compared."""

OPERATIONS = ("MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Alltoall")
ALGORITHMS: tuple[tuple[str, str], ...] = tuple(
    sorted(dict.fromkeys((row[0], row[1]) for row in FORMULAS), key=lambda row: OPERATIONS.index(row[0]))
)
"""Operation and algorithm of every formula, as published."""
CUT = ("MPI_Bcast", "MPI_Reduce")
"""The operations with algorithms that cut messages into segments."""


class Point(NamedTuple):
    """One point: an algorithm for an operation on a number of ranks with a size."""

    operation: str
    algorithm: str
    ranks: int
    bytes: int
    """Bytes of the message, or of one block of an Alltoall; 0 for a barrier."""
    segment_bytes: int = 0

    @property
    def call(self) -> Call:
        """The arguments of the formulas: ranks, bytes and segment."""
        return Call(self.ranks, self.bytes, self.segment_bytes)


def points(measured: Sequence[Point], most_ranks: int, most_bytes: int, operation: str | None = None) -> list[Point]:
    """The measured points, and the points of a grid of sizes and numbers of ranks up to most_bytes and most_ranks,
    sorted. operation: only points of this operation; None: of all."""
    counts = {1 << power for power in range(1, MOST_RANKS.bit_length()) if 1 << power <= min(most_ranks, MOST_RANKS)}
    counts |= {point.ranks for point in measured}
    sizes = sorted(
        {*(size for size in SIZES if size <= most_bytes), *(point.bytes for point in measured if point.bytes)}
    )
    grid = {*measured, *_grid(sorted(counts), sizes, measured)}
    selection = [point for point in grid if operation in (None, point.operation)]
    return sorted(selection, key=lambda point: (ALGORITHMS.index(point[:2]), point[2:]))


def _grid(counts: Sequence[int], sizes: Sequence[int], measured: Sequence[Point]) -> Iterator[Point]:
    for operation, algorithm in ALGORITHMS:
        cuts = {0} | {p.segment_bytes for p in measured if p[:2] == (operation, algorithm)}
        for ranks in counts:
            for size in [0] if operation == "MPI_Barrier" else sizes:
                for cut in sorted(cuts):
                    if cut == 0 or cut < size:
                        yield Point(operation, algorithm, ranks, size, cut)
