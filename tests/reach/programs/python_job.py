"""Buffers and pickled objects through mpi4py. Prints the results."""

import array

from mpi4py import MPI

world = MPI.COMM_WORLD
total = array.array("i", [0])
for step in range(5):
    world.Allreduce(array.array("i", [world.rank + step]), total)
shared = array.array("d", [world.rank + 0.5] * 4)
for root in range(world.size):
    world.Bcast(shared, root)
world.Barrier()
words = world.allreduce([f"from {world.rank}"])
broadcast = world.bcast({"rank": world.rank}, root=1)
received = world.sendrecv(world.rank, (world.rank + 1) % world.size, source=(world.rank - 1) % world.size)
lines = world.gather(f"{world.rank} {list(total)} {list(shared)} {words} {broadcast} {received}")
# Only one rank prints, because launchers mix the output of several, in the middle of a line if Python's output is
# unbuffered.
if world.rank == 0:
    print("\n".join(lines))
