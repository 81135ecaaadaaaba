"""Tree files by which the engine runs every collective that it can, each file by other algorithms."""

from typing import Any

import local_mpi
from hopscope.native import _plan

_BY_TREE = [name for row in _plan.algorithms() if row.by_tree for name in row.operations]
_VECTORS = ["MPI_Gatherv", "MPI_Scatterv"]
_ALLGATHERS = ["MPI_Allgather", "MPI_Allgatherv"]
_ALLTOALLS = ["MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"]
_SCATTERED = ["MPI_Reduce_scatter", "MPI_Reduce_scatter_block"]
_SCANS = ["MPI_Scan", "MPI_Exscan"]


def _by_algorithm(algorithm: str, *operations: str, **fields: Any) -> dict[str, Any]:
    return {"operations": list(operations), "algorithm": algorithm, **fields}


def _over_tree(tree: str, *operations: str, **fields: Any) -> dict[str, Any]:
    return {"operations": list(operations), "reduce_tree": tree, "broadcast_tree": tree, **fields}


_BINOMIAL = {"shape": "binomial"}

# In all mixtures except the second, operations that a tree cannot combine in the order of ranks go native.
MIXTURES: dict[str, dict[str, Any]] = {
    "binomial trees, recursive doubling, pairwise": {
        "schema_version": 1,
        "trees": {"tree": _BINOMIAL},
        "rules": [
            _over_tree("tree", *_BY_TREE),
            _by_algorithm("linear", *_VECTORS),
            _by_algorithm("recursive-doubling", *_ALLGATHERS, *_SCANS),
            _by_algorithm("pairwise", *_ALLTOALLS, *_SCATTERED),
        ],
    },
    "recursive doubling, split binary, Bruck": {
        "schema_version": 1,
        "trees": {"tree": {"shape": "kary", "fan_out": 3}},
        "rules": [
            _by_algorithm("recursive-doubling", "MPI_Allreduce", *_SCANS),
            _by_algorithm("split-binary", "MPI_Bcast"),
            _by_algorithm("dissemination", "MPI_Barrier"),
            _by_algorithm("bruck", *_ALLGATHERS, "MPI_Alltoall"),
            _by_algorithm("linear", *_VECTORS, "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Gather", "MPI_Scatter"),
            _by_algorithm("pairwise", *_SCATTERED),
            _over_tree("tree", "MPI_Reduce", segment_bytes=64),
        ],
    },
    "rings, pipelines, chains": {
        "schema_version": 1,
        "trees": {"tree": {"shape": "chain"}},
        "rules": [
            _by_algorithm("ring", "MPI_Allreduce", *_ALLGATHERS, *_SCATTERED),
            _by_algorithm("pipeline", "MPI_Reduce", "MPI_Bcast", segment_bytes=16),
            _by_algorithm("double-ring", "MPI_Barrier"),
            _over_tree("tree", "MPI_Gather", "MPI_Scatter"),
            _by_algorithm("linear", *_VECTORS, *_ALLTOALLS, *_SCANS),
        ],
    },
}


def two_for_each_library() -> list[tuple[local_mpi.LocalMpi, str]]:
    """Two mixtures for each MPI library, so that two libraries have all three."""
    names = [*MIXTURES, *MIXTURES]
    libraries = enumerate(local_mpi.find())
    return [(mpi, name) for number, mpi in libraries for name in names[number : number + 2]]
