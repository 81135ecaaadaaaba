"""The engine's own schedules of the algorithms that have formulas, and how long their replay takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopscope.machine.hops import Array
from hopscope.machine.published import Call, Hockney, LogGP, PLogP
from hopscope.machine.routes import published, published_by_class
from hopscope.native import _plan
from hopscope.native.sequences import duration_ns, lay, leaves
from hopscope.vocabulary.links import LINKS

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


def rule_of(operation: str, algorithm: str, segment_bytes: int = 0) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """What a tree file says of it: the rule, but for its operations, and the trees that the rule names. None: the
    engine has no such algorithm.

    Its linear Alltoall is another one: there all ranks send at once.
    """
    if operation == "MPI_Alltoall" and algorithm == "linear":
        return None
    shape = _SHAPES.get(algorithm)
    rule: dict[str, Any] = {"algorithm": _NAMES[algorithm]} if shape is None else dict.fromkeys(_TREES, algorithm)
    if operation in ("MPI_Bcast", "MPI_Reduce") and segment_bytes > 0:
        rule["segment_bytes"] = segment_bytes
    return rule, {} if shape is None else {algorithm: shape}


def schedules(
    operation: str,
    algorithm: str,
    call: Call,
    hosts: Sequence[int] | None = None,
    clusters: Sequence[int] | None = None,
) -> _plan.Schedules | None:
    """What the engine runs, with rank 0 as the root. None: it has no such algorithm. hosts, clusters: a number for each
    rank; without them each rank is on a host of its own, and all are in one cluster."""
    found = rule_of(operation, algorithm, int(call.segment))
    if found is None:
        return None
    rule, trees = found
    lengths = [] if operation == "MPI_Barrier" else [int(call.size)]
    root = 0 if operation in ("MPI_Bcast", "MPI_Reduce") else None
    places = range(call.ranks) if hosts is None else hosts
    return lay(rule, operation, lengths, places, clusters, root=root, trees=trees or None)


def replayed_ns(operation: str, algorithm: str, call: Call, model: Hockney | LogGP | PLogP) -> float | None:
    """How long the replay of the engine's schedule takes on a machine of this model, in ns."""
    laid = schedules(operation, algorithm, call)
    if laid is None:
        return None
    return duration_ns(laid, published(model, call.ranks, longest_message(laid), receivers(laid)))


def replayed_over_links_ns(laid: _plan.Schedules, models: Mapping[int, LogGP], link: Array) -> float:
    """Time of schedules over links of several classes, in ns. models: by the class's place in LINKS. link: the class
    between each two ranks, of which those that messages take have a model."""
    number = np.zeros(len(LINKS), np.int64)
    number[list(models)] = np.arange(len(models))
    machine = published_by_class(list(models.values()), number[link], longest_message(laid), receivers(laid))
    return float(leaves([laid], range(len(link)), machine).max())


def longest_message(laid: _plan.Schedules) -> float:
    """Bytes of the longest message of schedules."""
    return float(laid["length"][laid["kind"] == _plan.SEND].max(initial=0))


def receivers(laid: _plan.Schedules) -> Array:
    """Whom each rank sends to: a matrix of truth values."""
    steps = np.diff(laid["first_step"])
    sends = laid["kind"] == _plan.SEND
    matrix = np.zeros((len(steps), len(steps)), bool)
    matrix[np.repeat(np.arange(len(steps)), steps)[sends], laid["peer"][sends]] = True
    return matrix
