"""The program that `hopscope doctor --try` runs: a few MPI_Allreduce, whose results it checks.

It is started by its path, with an interpreter that need not have hopscope. The arguments are the MPI library, its
flavour and the number of calls. Calls use the global order of symbols, in which the preloaded collector comes first.
"""

import ctypes
import sys

# MPI_COMM_WORLD, MPI_INT and MPI_SUM: numbers in MPICH and in the standard's ABI, addresses in Open MPI.
NUMBERS = {"mpich": (0x44000000, 0x4C000405, 0x58000003), "abi": (0x101, 0x209, 0x21)}
ADDRESSES = ("ompi_mpi_comm_world", "ompi_mpi_int", "ompi_mpi_op_sum")


def handles(mpi: ctypes.CDLL, flavour: str) -> list[ctypes.c_void_p]:
    """The handles of MPI_COMM_WORLD, MPI_INT and MPI_SUM."""
    numbers = NUMBERS.get(flavour) or [ctypes.addressof(ctypes.c_char.in_dll(mpi, name)) for name in ADDRESSES]
    return [ctypes.c_void_p(number) for number in numbers]


def main(library: str, flavour: str, calls: int) -> int:
    """Run the calls. Returns the exit code: 3 if a sum is wrong, else 0."""
    ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    mpi = ctypes.CDLL(None)
    mpi.MPI_Init(None, None)
    world, number, addition = handles(mpi, flavour)
    rank, size, total = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    mpi.MPI_Comm_rank(world, ctypes.byref(rank))
    mpi.MPI_Comm_size(world, ctypes.byref(size))
    is_right = True
    for call in range(calls):
        summand = ctypes.c_int(rank.value + call)
        mpi.MPI_Allreduce(ctypes.byref(summand), ctypes.byref(total), 1, number, addition, world)
        is_right = is_right and total.value == sum(range(call, call + size.value))
    mpi.MPI_Finalize()
    return 0 if is_right else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
