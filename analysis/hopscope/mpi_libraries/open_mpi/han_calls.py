"""What Open MPI's `han` calls in the simple form of an operation: others inside hosts and between them, one after
another on whole messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

INSIDE: Final = "intra_node"
"""The level of a host's ranks, in `han`'s words."""
BETWEEN: Final = "inter_node"
"""That of the hosts' leaders."""

OWN, HOST, ALL = range(3)
"""A block of a rank, or the whole message; the blocks of a host's ranks; all ranks' blocks."""


class Part(NamedTuple):
    """An operation that `han` calls at a level, and on what."""

    operation: str
    level: str
    blocks: int = OWN


CALLS: Final[Mapping[str, Sequence[Part]]] = {
    "allreduce": (Part("reduce", INSIDE), Part("allreduce", BETWEEN), Part("bcast", INSIDE)),
    "reduce": (Part("reduce", INSIDE), Part("reduce", BETWEEN)),
    "bcast": (Part("bcast", BETWEEN), Part("bcast", INSIDE)),
    "allgather": (Part("gather", INSIDE), Part("allgather", BETWEEN, HOST), Part("bcast", INSIDE, ALL)),
    "barrier": (Part("barrier", INSIDE), Part("barrier", BETWEEN), Part("barrier", INSIDE)),
}
"""What the simple form of an operation calls in turn."""
