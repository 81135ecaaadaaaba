"""The engine's own schedules of the algorithms that have formulas, and how long their replay takes."""

from __future__ import annotations

from typing import Any

from hopscope import _plan
from hopscope.model.parameters import Call, Hockney, LogGP, PLogP
from hopscope.model.routes import published
from hopscope.model.sequences import duration_ns, lay

_SHAPES: dict[str, dict[str, Any]] = {
    "flat": {"shape": "flat"},
    "linear": {"shape": "flat"},
    "binomial": {"shape": "binomial"},
    "binary": {"shape": "kary", "fan_out": 2},
}
_NAMES = {
    "double ring": "double-ring",
    "recursive doubling": "recursive-doubling",
    "bruck": "dissemination",
    "pipeline": "pipeline",
    "split binary": "split-binary",
    "pairwise": "pairwise",
}
_TREES = ("reduce_tree", "broadcast_tree")


def schedules(operation: str, algorithm: str, call: Call) -> _plan.Schedules | None:
    """What the engine runs, with each rank on a host of its own and rank 0 as the root. None: it has no such algorithm.

    Its linear Alltoall is another one: there all ranks send at once.
    """
    if operation == "MPI_Alltoall" and algorithm == "linear":
        return None
    shape = _SHAPES.get(algorithm)
    rule: dict[str, Any] = {"algorithm": _NAMES[algorithm]} if shape is None else dict.fromkeys(_TREES, "tree")
    if operation in ("MPI_Bcast", "MPI_Reduce") and call.segment > 0:
        rule["segment_bytes"] = int(call.segment)
    lengths = [] if operation == "MPI_Barrier" else [int(call.size)]
    root = 0 if operation in ("MPI_Bcast", "MPI_Reduce") else None
    return lay(rule, operation, lengths, range(call.ranks), root=root, trees=None if shape is None else {"tree": shape})


def replayed_ns(operation: str, algorithm: str, call: Call, model: Hockney | LogGP | PLogP) -> float | None:
    """How long the replay of the engine's schedule takes on a machine of this model, in ns."""
    laid = schedules(operation, algorithm, call)
    if laid is None:
        return None
    longest = float(laid["length"][laid["kind"] == _plan.SEND].max(initial=0))
    return duration_ns(laid, published(model, call.ranks, longest))
