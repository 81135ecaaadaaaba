"""Collectives from many places in Python, then from two threads. The first rank prints each place as Python itself
reports it, in the order of the calls, and a blank line before the places of the threads.

Lambdas, a generator and a name outside ASCII are places to be told apart, so the lints against them are off.
"""

import array
import sys
import threading
from collections.abc import Iterator

from mpi4py import MPI
from mpi4py.util import pkl5

world = MPI.COMM_WORLD
places: list[str] = []


def buffers() -> "tuple[array.array[int], array.array[int]]":
    """Note the place of the caller, which passes the returned buffers to MPI in the same line."""
    frame = sys._getframe(1)
    places.append(f"{frame.f_code.co_qualname} ({frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno})")
    return array.array("i", [1]), array.array("i", [0])


def step(comm: MPI.Intracomm) -> None:
    comm.Allreduce(*buffers())


class Solver:
    def reduce(self) -> None:
        world.Allreduce(*buffers())

    def reduce_in_a_lambda(self) -> None:
        reduce = lambda: world.Allreduce(*buffers())  # noqa: E731
        reduce()
        reduce()


def recursion(depth: int) -> None:
    """Call MPI from one line at several depths, and from another line at the deepest."""
    if depth:
        recursion(depth - 1)
        world.Allreduce(*buffers())
    else:
        world.Allreduce(*buffers())


def generator() -> Iterator[None]:
    yield world.Allreduce(*buffers())
    yield world.Allreduce(*buffers())


def λ() -> None:  # noqa: PLC2401
    world.Allreduce(*buffers())


def made_anew(number: int) -> None:
    """Call MPI from a code object that is freed at the end. The next code object gets its address."""
    lines = "\n" * number + "def made():\n    return world.Allreduce(*buffers())\n"
    names = {"world": world, "buffers": buffers}
    exec(compile(lines, "<text>", "exec"), names)
    names["made"]()


def through_mpi4py_itself() -> None:
    """Call MPI through Python code of mpi4py, which calls it several times."""
    pkl5.Intracomm(world).bcast([1], 0)


def in_thread(comm: MPI.Intracomm) -> None:
    for _ in range(20):
        step(comm)
        (lambda: comm.Allreduce(*buffers()))()  # noqa: PLC3002


for _ in range(2):
    step(world)
Solver().reduce()
Solver().reduce_in_a_lambda()
[world.Allreduce(*buffers()) for _ in range(3)]
list(world.Allreduce(*buffers()) for _ in range(2))  # noqa: C400
sorted([2, 1], key=lambda _: world.Allreduce(*buffers()) or 0)
recursion(3)
list(generator())
λ()
for number in range(20):
    made_anew(number)
through_mpi4py_itself()
places.append("")
if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
    threads = [threading.Thread(target=in_thread, args=(world.Dup(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
if world.rank == 0:
    sys.stdout.write("\n".join(places) + "\n")
