"""The points of a sweep: an operation on the first ranks of a job, with a message of some bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

OPERATIONS: Final = ("allreduce", "bcast", "reduce", "allgather", "barrier")
_FACTOR: Final = 8


def mpi_function(operation: str) -> str:
    """The name of an operation's MPI function."""
    return f"MPI_{operation.capitalize()}"


@dataclass(frozen=True, order=True)
class Point:
    """One point of a sweep. ranks: the operation runs on this many ranks, the first of the job. bytes: the larger of
    the bytes that a rank sends and receives; 0 for a barrier."""

    operation: str
    ranks: int
    bytes: int

    @property
    def function(self) -> str:
        """The MPI function."""
        return mpi_function(self.operation)

    @property
    def block_bytes(self) -> int:
        """The bytes by which a tree file's rules select the call. For an allgather, these are one rank's block."""
        return self.bytes // self.ranks if self.operation == "allgather" else self.bytes


def points(operations: Sequence[str], ranks: int, most_bytes: int) -> list[Point]:
    """All points of a job with this number of ranks, small messages first. The sizes come from `sizes`, but
    an allgather's size is a multiple of its number of ranks."""
    grid = [
        Point(operation, members, 0 if operation == "barrier" else _payload(operation, members, size))
        for size in sizes(most_bytes)
        for operation in operations
        for members in prefixes(ranks)
        if operation != "barrier" or size == 1
    ]
    return list(dict.fromkeys(grid))


def sizes(most_bytes: int) -> list[int]:
    """The sizes in bytes: 1, 8 and so on, and most_bytes."""
    powers = [_FACTOR**power for power in range(20) if _FACTOR**power < most_bytes]
    return [*powers, most_bytes]


def prefixes(ranks: int) -> list[int]:
    """The numbers of ranks: 2, 4, 8 and so on, and all ranks."""
    powers = [2**power for power in range(1, 30) if 2**power < ranks]
    return [*powers, ranks]


def _payload(operation: str, ranks: int, size: int) -> int:
    return max(1, size // ranks) * ranks if operation == "allgather" else size
