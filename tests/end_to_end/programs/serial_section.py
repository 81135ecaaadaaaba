"""Rank 0 works 3 ms while the others wait for its broadcast. Work is sleep, so that ranks may share cores."""

import time

from mpi4py import MPI

world = MPI.COMM_WORLD
world.Barrier()
for step in range(30):
    time.sleep(0.005)
    world.allreduce(step)
    if world.rank == 0:
        time.sleep(0.003)
    parameters = world.bcast({"step": step} if world.rank == 0 else None)
