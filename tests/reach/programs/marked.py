"""Regions in Python. It imports only modules that an MPI program may load."""

import sys

import hopscope
from mpi4py import MPI


@hopscope.region("output")
def output() -> None:
    pass


total = 0
for _ in range(5):
    with hopscope.region("solve"):
        total = MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank)
        output()
assert "duckdb" not in sys.modules
assert "pyarrow" not in sys.modules
sys.stdout.write(f"sum {total}\n")  # in one write, so that the launcher does not mix the ranks' output
