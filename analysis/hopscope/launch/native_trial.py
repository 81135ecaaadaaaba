"""The program that `hopscope native --verify` runs under MPICH: blocking collectives, whose results it checks.

It is started by its path, with an interpreter that need not have hopscope. The arguments are the MPI library and the
thread level to request. The level matters, because a library that allows several threads may hold a lock when the
collector asks it for messages. MPI functions are looked up in the whole process, where the preloaded collector comes
first.
"""

import ctypes
import sys
from collections.abc import Iterator

# Handles are numbers in MPICH, the same in all releases.
WORLD, INT, SUM = 0x44000000, 0x4C000405, 0x58000003
THREAD_LEVELS = (0, 3)
"""MPI_THREAD_SINGLE and MPI_THREAD_MULTIPLE, as MPICH numbers them."""

COUNTS = (1, 200, 30_000)
"""Numbers of elements. There are several because MPICH chooses its algorithms by size."""

OPERATIONS = (
    "Barrier",
    "Bcast",
    "Reduce",
    "Allreduce",
    "Gather",
    "Scatter",
    "Allgather",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Reduce_scatter_block",
    "Scan",
)


class Trial:
    """One rank of a communicator, which runs collectives with known data. In the data of rank r for rank p, element i
    is 1000 r + 10 p + i % 7."""

    def __init__(self, mpi: ctypes.CDLL, comm: int) -> None:
        self.mpi = mpi
        self.comm = comm
        rank, size = ctypes.c_int(), ctypes.c_int()
        mpi.MPI_Comm_rank(comm, ctypes.byref(rank))
        mpi.MPI_Comm_size(comm, ctypes.byref(size))
        self.rank, self.size = rank.value, size.value

    def block(self, rank: int, peer: int, count: int) -> list[int]:
        """A rank's data for a peer."""
        return [1000 * rank + 10 * peer + i % 7 for i in range(count)]

    def blocks(self, rank: int, count: int) -> list[int]:
        """A rank's data for all ranks."""
        return [value for peer in range(self.size) for value in self.block(rank, peer, count)]

    def summed(self, ranks: int, peer: int, count: int) -> list[int]:
        """The sums of the first ranks' data for a peer."""
        return [sum(values) for values in zip(*(self.block(r, peer, count) for r in range(ranks)), strict=True)]

    def received(self, operation: str, count: int, root: int) -> list[int]:
        """A collective's result at this rank. The rank sends all its blocks, or only the first of them."""
        mpi, comm, total = self.mpi, self.comm, count * self.size
        sent = (ctypes.c_int * total)(*self.blocks(self.rank, count))
        result = (ctypes.c_int * total)()
        counts = (ctypes.c_int * self.size)(*[count] * self.size)
        starts = (ctypes.c_int * self.size)(*range(0, total, count))
        match operation:
            case "Barrier":
                mpi.MPI_Barrier(comm)
            case "Bcast":
                mpi.MPI_Bcast(sent, count, INT, root, comm)
                return list(sent[:count])
            case "Reduce":
                mpi.MPI_Reduce(sent, result, count, INT, SUM, root, comm)
            case "Allreduce" | "Scan":
                getattr(mpi, f"MPI_{operation}")(sent, result, count, INT, SUM, comm)
            case "Gather" | "Scatter":
                getattr(mpi, f"MPI_{operation}")(sent, count, INT, result, count, INT, root, comm)
            case "Allgather" | "Alltoall":
                getattr(mpi, f"MPI_{operation}")(sent, count, INT, result, count, INT, comm)
            case "Allgatherv":
                mpi.MPI_Allgatherv(sent, count, INT, result, counts, starts, INT, comm)
            case "Alltoallv":
                mpi.MPI_Alltoallv(sent, counts, starts, INT, result, counts, starts, INT, comm)
            case _:
                mpi.MPI_Reduce_scatter_block(sent, result, count, INT, SUM, comm)
        return list(result)

    def right(self, operation: str, count: int, root: int) -> list[int]:
        """The expected result, padded with zeros."""
        ranks = range(self.size)
        at_root = self.rank == root
        match operation:
            case "Bcast":
                return self.block(root, 0, count)
            case "Reduce":
                prefix = self.summed(self.size, 0, count) if at_root else []
            case "Allreduce":
                prefix = self.summed(self.size, 0, count)
            case "Scan":
                prefix = self.summed(self.rank + 1, 0, count)
            case "Reduce_scatter_block":
                prefix = self.summed(self.size, self.rank, count)
            case "Scatter":
                prefix = self.block(root, self.rank, count)
            case "Gather" | "Allgather" | "Allgatherv":
                receives = operation != "Gather" or at_root
                prefix = [value for r in ranks for value in self.block(r, 0, count)] if receives else []
            case "Alltoall" | "Alltoallv":
                prefix = [value for r in ranks for value in self.block(r, self.rank, count)]
            case _:
                prefix = []
        return prefix + [0] * (count * self.size - len(prefix))

    def wrong(self) -> Iterator[str]:
        """The collectives that gave a wrong result."""
        for _ in range(2):
            for count in COUNTS:
                for operation in OPERATIONS:
                    root = self.size - 1
                    if self.received(operation, count, root) != self.right(operation, count, root):
                        yield f"MPI_{operation} of {count} elements on rank {self.rank} of {self.size}"


def main(library: str, thread_level: int) -> int:
    """Run the trial on MPI_COMM_WORLD and on each half of it. Returns the exit code: 3 if a result was wrong, else
    0."""
    ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    mpi = ctypes.CDLL(None)
    provided, half = ctypes.c_int(), ctypes.c_int()
    mpi.MPI_Init_thread(None, None, thread_level, ctypes.byref(provided))
    world = Trial(mpi, WORLD)
    mpi.MPI_Comm_split(WORLD, world.rank % 2, -world.rank, ctypes.byref(half))
    wrong = [*world.wrong(), *Trial(mpi, half.value).wrong()]
    mpi.MPI_Finalize()
    for operation in wrong[:5]:
        print(f"{operation} gave a wrong result", file=sys.stderr)
    return 3 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
