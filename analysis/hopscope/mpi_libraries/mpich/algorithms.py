"""MPICH's algorithms: their names in its control variables, by operation, and the recognised names of their messages.

Names such as `auto`, `nb` and `tree` are missing, because they leave the choice to MPICH or to further variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ALGORITHMS: Final[Mapping[tuple[str, str], str]] = {
    ("allreduce", "recursive_doubling"): "recursive-doubling",
    ("allreduce", "reduce_scatter_allgather"): "rabenseifner",
    ("allreduce", "ring"): "ring",
    ("bcast", "binomial"): "binomial",
    ("bcast", "scatter_recursive_doubling_allgather"): "scatter-doubling",
    ("bcast", "scatter_ring_allgather"): "scatter-ring",
    ("reduce", "binomial"): "binomial",
    ("reduce", "reduce_scatter_gather"): "rabenseifner",
    ("gather", "binomial"): "binomial",
    ("scatter", "binomial"): "binomial",
    ("allgather", "brucks"): "bruck",
    ("allgather", "recursive_doubling"): "recursive-doubling",
    ("allgather", "ring"): "ring",
    ("allgatherv", "brucks"): "bruck",
    ("allgatherv", "recursive_doubling"): "recursive-doubling",
    ("allgatherv", "ring"): "ring",
    ("alltoall", "brucks"): "bruck",
    ("alltoall", "pairwise"): "pairwise",
    ("alltoall", "scattered"): "linear",
    ("alltoallv", "scattered"): "linear",
    ("reduce_scatter", "recursive_halving"): "recursive-halving",
    ("reduce_scatter", "recursive_doubling"): "recursive-doubling",
    ("reduce_scatter", "pairwise"): "pairwise",
    ("reduce_scatter_block", "recursive_halving"): "recursive-halving",
    ("reduce_scatter_block", "recursive_doubling"): "recursive-doubling",
    ("reduce_scatter_block", "pairwise"): "pairwise",
    ("scan", "recursive_doubling"): "recursive-doubling",
    ("exscan", "recursive_doubling"): "recursive-doubling",
}
