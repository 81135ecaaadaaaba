"""Algorithms of one MPI library, arranged in rounds: the job of a round runs one algorithm of each operation."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from hopscope.mpi_libraries.offered import Library, Offered
from hopscope.mpi_libraries.planned import Planned

Round = Mapping[Offered, Planned]


def rounds(rules: Mapping[Offered, Planned]) -> Iterator[Round]:
    """The rounds. Each has at most one algorithm of an operation."""
    of_operation: dict[str, list[Offered]] = {}
    for algorithm in rules:
        of_operation.setdefault(algorithm.operation, []).append(algorithm)
    for algorithms in zip_longest(*of_operation.values()):
        yield {algorithm: rules[algorithm] for algorithm in algorithms if algorithm is not None}


def variables(library: Library, algorithms: Sequence[Offered]) -> dict[str, str]:
    """Variables that make MPICH or Intel MPI run these algorithms."""
    settings = {algorithm.setting: algorithm.value for algorithm in algorithms}
    return settings | dict(pair for algorithm in algorithms for pair in library.besides(algorithm.operation))
