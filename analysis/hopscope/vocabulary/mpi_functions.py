"""The MPI functions that Hopscope knows, in all their forms, with the facts about each from schemas/mpi_functions.h."""

from typing import NamedTuple

from hopscope.native import _paths


class MpiFunction(NamedTuple):
    """One form of a function, such as MPI_Ibcast_c."""

    name: str
    kind: str
    """The kind in schemas/mpi_functions.h; `collective`, `nonblocking` or `persistent` for a collective."""
    flow: str | None
    """The direction of a collective's data, which determines who waits for whom."""
    moves: str | None
    """The effect on the peer of a call that is not a collective, such as `receives`."""


FUNCTIONS = {row[0]: MpiFunction(*row) for row in _paths.mpi_functions()}


def of_kinds(*kinds: str) -> frozenset[str]:
    """The names of the functions of these kinds."""
    return frozenset(name for name, function in FUNCTIONS.items() if function.kind in kinds)
