"""The engine's schedules of algorithms that have published formulas, and the replayed time of schedules under a
published model."""

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
    """The rule with which a tree file selects an algorithm (without operations), and the trees that the rule names.
    None if the engine does not have the algorithm.

    The engine has no linear Alltoall as published: in its own, all ranks send at once.
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
    """The engine's schedules, with rank 0 as the root; None if the engine does not have the algorithm. hosts, clusters:
    a number for each rank; by default, each rank is on its own host, and all are in one cluster."""
    tree_rule = rule_of(operation, algorithm, int(call.segment))
    if tree_rule is None:
        return None
    rule, trees = tree_rule
    lengths = [] if operation == "MPI_Barrier" else [int(call.size)]
    root = 0 if operation in ("MPI_Bcast", "MPI_Reduce") else None
    places = range(call.ranks) if hosts is None else hosts
    return lay(rule, operation, lengths, places, clusters, root=root, trees=trees or None)


def replayed_ns(operation: str, algorithm: str, call: Call, model: Hockney | LogGP | PLogP) -> float | None:
    """The replayed time, ns, of the engine's schedules on a machine of this model; None if the engine does not have the
    algorithm."""
    plan = schedules(operation, algorithm, call)
    if plan is None:
        return None
    return duration_ns(plan, published(model, call.ranks, longest_message(plan), receivers(plan)))


def replayed_over_links_ns(plan: _plan.Schedules, models: Mapping[int, LogGP], link: Array) -> float:
    """The replayed time, ns, of schedules over links of several classes. models: by index of the class in LINKS, for
    every class that messages use. link: the index of the class between each two ranks (ranks x ranks)."""
    number = np.zeros(len(LINKS), np.int64)
    number[list(models)] = np.arange(len(models))
    machine = published_by_class(list(models.values()), number[link], longest_message(plan), receivers(plan))
    return float(leaves([plan], range(len(link)), machine).max())


def longest_message(plan: _plan.Schedules) -> float:
    """Bytes of the longest message of schedules."""
    return float(plan["length"][plan["kind"] == _plan.SEND].max(initial=0))


def receivers(plan: _plan.Schedules) -> Array:
    """A boolean matrix of ranks x ranks: True if the row's rank sends to the column's rank."""
    steps = np.diff(plan["first_step"])
    sends = plan["kind"] == _plan.SEND
    matrix = np.zeros((len(steps), len(steps)), bool)
    matrix[np.repeat(np.arange(len(steps)), steps)[sends], plan["peer"][sends]] = True
    return matrix
