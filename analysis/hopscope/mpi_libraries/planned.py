"""Finds the rule of a tree file under which the engine sends the messages of an MPI library's algorithm.

Equal names do not mean equal messages: Open MPI, for example, numbers the ranks of its binary trees in another way than
the engine. So tests compare the messages of these rules with those that Open MPI 4.1 and MPICH send on 5, 6, 8 and 13
ranks (tests/mpi_libraries).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hopscope.mpi_libraries.intel_mpi import algorithms as intel_mpi
from hopscope.mpi_libraries.mpich import algorithms as mpich
from hopscope.mpi_libraries.offered import PRESET, Offered
from hopscope.mpi_libraries.open_mpi.algorithms import ALGORITHMS, OWN_CHOICE, sent
from hopscope.native import _plan

_BY_TREE = frozenset({"allreduce", "reduce", "bcast", "barrier"})
_LAM = frozenset({"bcast"})
"""Operations for which Open MPI uses the binomial trees of the older library LAM."""
_OTHER_MESSAGES = frozenset({("scan", "recursive-doubling"), ("exscan", "recursive-doubling")})
_ON_POWERS_OF_TWO = frozenset({("barrier", "recursive-doubling"), ("bcast", "split-binary")})
"""Open MPI's algorithms that send the same messages as the engine's only on a power of two of ranks."""
_ON_POWERS_OF_TWO_IN_MPICH = frozenset({("allgather", "recursive-doubling"), ("allgatherv", "recursive-doubling")})
_LIMITS_ITSELF = frozenset({"linear_sync"})
"""Algorithms that send the same messages as another one, but limit how many are under way at a time."""
_TWO = 2
_PIECES = ("ring", "split-binary", "pairwise", "recursive-halving")
"""Algorithms that cut the message into one piece for each rank, or into two pieces."""
_WHOLE = frozenset(
    operation.name.removeprefix("MPI_").lower() for operation in _plan.operations() if operation.input == "whole"
)
"""Operations with one message for all ranks, instead of a block for each rank."""
_ELEMENT_BYTES = 16
"""Bytes of the largest predefined datatype. If a message has fewer elements than pieces, libraries run another
algorithm."""


class Planned(NamedTuple):
    """A rule of a tree file (without operations), and the trees that it names."""

    rule: dict[str, Any]
    trees: dict[str, Any] | None = None


class Unplanned(NamedTuple):
    """The reason why an algorithm cannot be predicted."""

    reason: str


def planned(algorithm: Offered, ranks: int, chains: int = 4, least_bytes: int | None = None) -> Planned | Unplanned:
    """The rule for one of a library's algorithms on `ranks` ranks, or the reason why there is none. chains: the fan-out
    of `chain`. least_bytes: bytes of the shortest message; None: long enough for all algorithms.

    If the algorithm cuts messages, the caller adds `segment_bytes` to the rule.
    """
    name = (_of_mpich if algorithm.number is None else _of_open_mpi)(algorithm, ranks, chains)
    if isinstance(name, Unplanned):
        return name
    operation = algorithm.operation
    is_cut = name in _PIECES and operation in _WHOLE
    if is_cut and least_bytes is not None and least_bytes < _ELEMENT_BYTES * ranks:
        return Unplanned("it cuts messages into pieces, and with so few bytes the library may run another algorithm")
    tree = _tree(operation, name, is_mpich=algorithm.number is None)
    if tree is not None:
        return Planned({"reduce_tree": "own", "broadcast_tree": "own"}, {"own": tree})
    rows = [row for row in _plan.algorithms() if f"MPI_{operation.capitalize()}" in row.operations]
    if any(row.name == name and not row.by_tree and not row.in_groups for row in rows):
        return Planned({"algorithm": name})
    return Unplanned(f"the plan has no schedule that sends its messages ({name})")


def messages_name(algorithm: Offered, ranks: int, chains: int = 4) -> str | None:
    """The name by which the messages of a library's algorithm are recognised on `ranks` ranks; None if they are
    unknown, or if the algorithm does not run there. chains: the fan-out of `chain`."""
    operation, number = algorithm.operation, algorithm.number
    if number is None:
        by_name = intel_mpi.ALGORITHMS if algorithm.name.startswith(PRESET) else mpich.ALGORITHMS
        return by_name.get((operation, algorithm.name))
    return sent(operation, number, ranks, chains) if (operation, number) in ALGORITHMS else None


def _of_open_mpi(algorithm: Offered, ranks: int, chains: int) -> str | Unplanned:
    """The recognised name of the messages of Open MPI's algorithm, or the reason why it cannot be predicted."""
    operation, number = algorithm.operation, algorithm.number
    if number is None or (operation, number) not in ALGORITHMS:
        return Unplanned("its messages are not known")
    if algorithm.name in _LIMITS_ITSELF:
        return Unplanned("it sends only a limited number of messages at a time")
    name = messages_name(algorithm, ranks, chains)
    if name is None:
        return Unplanned(f"it does not run on {ranks} ranks")
    if ranks == _TWO:
        # On two ranks, several algorithms have the same name, even if they send their two messages in another order. So
        # use the name on three ranks.
        name = messages_name(algorithm, _TWO + 1, chains) or name
    if name == OWN_CHOICE:
        return Unplanned("it calls other operations, whose algorithms Open MPI chooses itself")
    differs = (operation, name) in _OTHER_MESSAGES
    if differs or ((operation, name) in _ON_POWERS_OF_TWO and ranks & (ranks - 1)):
        return _other_messages(ranks, str(name))
    return str(name)


def _other_messages(ranks: int, name: str) -> Unplanned:
    return Unplanned(f"on {ranks} ranks it sends other messages than the plan's {name}")


def _of_mpich(algorithm: Offered, ranks: int, chains: int) -> str | Unplanned:
    """The recognised name of the messages of MPICH's algorithm, or the reason why it cannot be predicted."""
    del chains
    if algorithm.name == "smp":
        return Unplanned("it calls other operations, whose algorithms MPICH chooses itself")
    name = messages_name(algorithm, ranks)
    if (algorithm.operation, name) in _ON_POWERS_OF_TWO_IN_MPICH and ranks & (ranks - 1):
        return _other_messages(ranks, str(name))
    return Unplanned("its messages are not known") if name is None else name


def _tree(operation: str, name: str, *, is_mpich: bool) -> dict[str, Any] | None:
    """The tree along which messages with this name go; None if they do not follow a tree."""
    if name == "binomial" and operation in _BY_TREE | {"gather", "scatter"}:
        is_lam = operation in _LAM and not is_mpich
        return {"shape": "binomial-lam" if is_lam else "binomial-mpich"}
    if operation not in _BY_TREE:
        return None
    if chains := re.fullmatch(r"chain:(\d+)", name):
        return {"shape": "k-chain", "fan_out": int(chains[1])}
    return {"linear": {"shape": "flat"}, "chain": {"shape": "chain"}}.get(name)
