"""Under which rule the engine's plan sends the messages of one of Open MPI's algorithms.

Equal names are not enough: Open MPI numbers the ranks of its binary trees otherwise than the plan's. What is here was
compared with the messages that Open MPI 4.1 sends, on 5, 6, 8 and 13 ranks (tests/tuning).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hopscope import _plan
from hopscope.algorithms.open_mpi import ALGORITHMS, sent
from hopscope.tuning.offered import Offered

_BY_TREE = frozenset({"allreduce", "reduce", "bcast", "barrier"})
_LAM = frozenset({"bcast"})
"""Operations whose binomial trees give the ranks the parents of LAM's."""
_OTHER_MESSAGES = frozenset({("scan", "recursive-doubling"), ("exscan", "recursive-doubling")})
_ON_POWERS_OF_TWO = frozenset({("barrier", "recursive-doubling"), ("bcast", "split-binary")})
"""Alike there only."""
_LIMITS_ITSELF = frozenset({"linear_sync"})
"""Send the messages of another algorithm, but only so many at a time."""


class Planned(NamedTuple):
    """A rule as tree files have it, but for its operations, and the trees that it names."""

    rule: dict[str, Any]
    trees: dict[str, Any] | None = None


def planned(algorithm: Offered, ranks: int, chains: int = 4) -> Planned | None:
    """The rule for one of Open MPI's algorithms on so many ranks; None: the plan has no such schedule, so it is not to
    be predicted. chains: the fan-out of `chain`.

    Segments are the caller's: `segment_bytes` in the rule, where the algorithm cuts.
    """
    operation = algorithm.operation
    known = algorithm.number is not None and (operation, algorithm.number) in ALGORITHMS
    if not known or algorithm.name in _LIMITS_ITSELF or algorithm.number is None:
        return None
    name = sent(operation, algorithm.number, ranks, chains)
    if name is None or (operation, name) in _OTHER_MESSAGES:
        return None
    if (operation, name) in _ON_POWERS_OF_TWO and ranks & (ranks - 1):
        return None
    tree = _tree(operation, str(name))
    if tree is not None:
        return Planned({"reduce_tree": "own", "broadcast_tree": "own"}, {"own": tree})
    rows = [row for row in _plan.algorithms() if f"MPI_{operation.capitalize()}" in row.operations]
    known = any(row.name == name and not row.by_tree and not row.in_groups for row in rows)
    return Planned({"algorithm": str(name)}) if known else None


def _tree(operation: str, name: str) -> dict[str, Any] | None:
    """The tree that carries these messages, if a tree does."""
    if name == "binomial" and operation in _BY_TREE | {"gather", "scatter"}:
        return {"shape": "binomial-lam" if operation in _LAM else "binomial-mpich"}
    if operation not in _BY_TREE:
        return None
    if chains := re.fullmatch(r"chain:(\d+)", name):
        return {"shape": "k-chain", "fan_out": int(chains[1])}
    return {"linear": {"shape": "flat"}, "chain": {"shape": "chain"}}.get(name)
