"""The MPI functions that Hopscope knows, by name, in all their forms: what schemas/mpi_functions.h says of them."""

from typing import NamedTuple

from hopscope.native import _paths


class MpiFunction(NamedTuple):
    """One form of a function, such as MPI_Ibcast_c."""

    name: str
    kind: str
    """As in schemas/mpi_functions.h; of a collective `collective`, `nonblocking` or `persistent`."""
    flow: str | None
    """Of a collective: which way data goes, and so who waits for whom."""
    moves: str | None
    """Of any other: what a call asks of its peer."""


FUNCTIONS = {row[0]: MpiFunction(*row) for row in _paths.mpi_functions()}


def of_kinds(*kinds: str) -> frozenset[str]:
    """The names of the functions of these kinds."""
    return frozenset(name for name, function in FUNCTIONS.items() if function.kind in kinds)
