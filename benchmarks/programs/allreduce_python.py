"""Times Allreduces of one integer on COMM_SELF through mpi4py, called from two functions in turn.

Prints the time of a call in ns: the median over batches of the mean.
"""

import array
import statistics
import sys
import time

from mpi4py import MPI

CALLS = 1000
summand, total = array.array("i", [1]), array.array("i", [0])
self = MPI.COMM_SELF


def first() -> None:
    """Call from one call site."""
    self.Allreduce(summand, total)


def second() -> None:
    """Call from another call site."""
    self.Allreduce(summand, total)


def batch() -> float:
    """The mean time of a call in a batch, in ns."""
    start = time.perf_counter_ns()
    for _ in range(CALLS // 2):
        first()
        second()
    return (time.perf_counter_ns() - start) / CALLS


batch()
sys.stdout.write(f"ns={statistics.median(batch() for _ in range(int(sys.argv[1]))):.1f}\n")
