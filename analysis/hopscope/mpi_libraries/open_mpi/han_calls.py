"""The operations that Open MPI's component `han` calls in its simple form: inside hosts and between them, one after
another, with whole messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

INTRA_NODE: Final = "intra_node"
"""`han`'s name for calls among the ranks of a host."""
INTER_NODE: Final = "inter_node"
"""`han`'s name for calls among the leaders of the hosts."""

RANK_BLOCK, HOST_BLOCKS, WORLD_BLOCKS = range(3)
"""The data of a call. RANK_BLOCK: one rank's block, or the whole message. HOST_BLOCKS: the blocks of a host's ranks.
WORLD_BLOCKS: the blocks of all ranks."""


class Part(NamedTuple):
    """An operation that `han` calls, with the level (INTRA_NODE or INTER_NODE) and the data of the call."""

    operation: str
    level: str
    blocks: int = RANK_BLOCK


CALLS: Final[Mapping[str, Sequence[Part]]] = {
    "allreduce": (Part("reduce", INTRA_NODE), Part("allreduce", INTER_NODE), Part("bcast", INTRA_NODE)),
    "reduce": (Part("reduce", INTRA_NODE), Part("reduce", INTER_NODE)),
    "bcast": (Part("bcast", INTER_NODE), Part("bcast", INTRA_NODE)),
    "allgather": (
        Part("gather", INTRA_NODE),
        Part("allgather", INTER_NODE, HOST_BLOCKS),
        Part("bcast", INTRA_NODE, WORLD_BLOCKS),
    ),
    "barrier": (Part("barrier", INTRA_NODE), Part("barrier", INTER_NODE), Part("barrier", INTRA_NODE)),
}
"""For each operation, the calls of its simple form, in order."""
