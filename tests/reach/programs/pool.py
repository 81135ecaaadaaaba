"""Two workers of mpi4py's executor compute tasks of 50 ms. The master polls for their answers and sleeps."""

import time

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor


def compute(number: int) -> int:
    end = time.perf_counter() + 0.05
    while time.perf_counter() < end:
        pass
    return number


if __name__ == "__main__":
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        if executor is not None:
            print(sum(executor.map(compute, range(20))))
