"""For which of their messages the functions of Open MPI wait before they begin others (ompi/mca/coll/base, releases 4.1
and 5.0)."""

from __future__ import annotations

from typing import NamedTuple


class Turns(NamedTuple):
    """How messages of one rank follow one another.

    receives: how many are posted at a time, each in its turn; 0: all at once. sends_each: a send is waited for before
    the next one; otherwise those of a round and segment go together, and the next ones when all of them have gone.
    """

    receives: int = 1
    sends_each: bool = False


ALL_AT_ONCE = Turns(0)
_TWO_BUFFERS = Turns(2)
_OWN = {
    **{("bcast", number): _TWO_BUFFERS for number in (2, 3, 5, 6, 7)},
    **{("reduce", number): _TWO_BUFFERS for number in range(2, 7)},
    ("bcast", 4): Turns(2, sends_each=True),
    ("allreduce", 4): _TWO_BUFFERS,
    ("reduce_scatter", 3): _TWO_BUFFERS,
    ("scatter", 1): Turns(sends_each=True),
    ("scatter", 2): Turns(sends_each=True),
    ("scatter", 3): ALL_AT_ONCE,
    ("alltoall", 1): ALL_AT_ONCE,
    ("alltoallv", 1): ALL_AT_ONCE,
}


def turns_of(operation: str, number: int) -> Turns:
    """Of an algorithm of coll/tuned. Most post a receive, send, and wait for both."""
    return _OWN.get((operation, number), Turns())
