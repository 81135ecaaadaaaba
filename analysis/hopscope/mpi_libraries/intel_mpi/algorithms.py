"""Intel MPI's algorithms: presets of its variables, by operation, and the recognised names of their messages.

The library gives presets no names. These presets send what the names say, without regard to hosts, as tests see
(tests/mpi_libraries). The others depend on hosts, on further variables, or on shared memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ALGORITHMS: Final[Mapping[tuple[str, str], str]] = {
    ("allreduce", "preset 1"): "recursive-doubling",
    ("allreduce", "preset 2"): "rabenseifner",
    ("bcast", "preset 1"): "binomial",
    ("bcast", "preset 3"): "scatter-ring",
    ("reduce", "preset 2"): "binomial",
    ("reduce", "preset 5"): "rabenseifner",
    ("gather", "preset 1"): "binomial",
    ("scatter", "preset 1"): "binomial",
    ("allgather", "preset 2"): "bruck",
    ("allgather", "preset 3"): "ring",
    ("allgatherv", "preset 2"): "bruck",
    ("allgatherv", "preset 3"): "ring",
    ("alltoall", "preset 1"): "bruck",
    ("alltoall", "preset 2"): "linear",
    ("alltoall", "preset 3"): "pairwise",
    ("reduce_scatter", "preset 1"): "recursive-halving",
    ("reduce_scatter", "preset 2"): "pairwise",
    ("reduce_scatter", "preset 3"): "recursive-doubling",
    ("reduce_scatter_block", "preset 1"): "recursive-halving",
    ("reduce_scatter_block", "preset 3"): "recursive-doubling",
    ("scan", "preset 1"): "recursive-doubling",
    ("exscan", "preset 1"): "recursive-doubling",
}
