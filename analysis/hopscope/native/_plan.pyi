"""The collector's shapes, algorithms, trees and schedules; built from analysis/native/plan and collector/src/plan."""

from collections.abc import Sequence
from typing import Any, TypedDict

import numpy as np

# Kinds of steps, roles of messages, and the numbers of the two slots that are the user's buffers.
RECEIVE: int
SEND: int
COMBINE: int
COPY: int
JOIN: int
UP: int
DOWN: int
EXCHANGE: int
INPUT: int
OUTPUT: int

# The words of rules that group ranks.
LEVELS: tuple[str, ...]
BETWEEN: tuple[str, ...]

class Shape:
    """A row of the table of shapes."""

    name: str
    same_as: str | None
    """The shape's main name, if `name` is an alias; else None."""
    counts: str | None
    """The unit of `fan_out`; None: the shape has no fan-out."""
    meaning: str
    is_simple: bool
    """True if the shape can be a level of a hierarchy."""

class Algorithm:
    """A row of the table of algorithms."""

    name: str
    operations: list[str]
    meaning: str
    keeps_order: bool
    """True if operands stay in rank order, so that reductions that do not commute can run, too."""
    cuts: bool
    """True if a rule may give `segment_bytes`, the size of the segments into which messages are cut."""
    by_tree: bool
    """True if a rule asks for the algorithm by naming trees, not by its name."""
    in_groups: bool
    """True if a rule also says how ranks are grouped (LEVELS), and what runs between the groups (BETWEEN)."""

class Operation:
    """A collective operation that the engine can run."""

    name: str
    reduces: bool
    has_root: bool
    hides_bytes: bool
    """True if members know only their own counts, so that a rule's `bytes` cannot apply."""
    is_even: bool
    """True if all ranks have messages or blocks of one length."""
    input: str
    """The data that a rank provides, or the root if only the root does: the `whole` message, its `own` block, a block
    for `each` rank, or `nothing`."""
    output: str
    """The data that a rank gets, or the root if only the root does, in the words of `input`."""
    only_up: bool
    """True if data goes only to the root, so that only the reduce tree is used."""
    only_down: bool
    """True if data comes only from the root, so that only the broadcast tree is used."""

class Schedules(TypedDict):
    """The schedules of all ranks: a row for each step, rank after rank; every row number counts over all ranks.

    A schedule has no times: a step can run when all steps that it waits for are done. Lengths and places are in units.
    """

    unit_bytes: int  # the argument unit_bytes
    first_step: np.ndarray[Any, np.dtype[np.int64]]  # (ranks + 1): the rows of rank r are [first_step[r], [r + 1])
    kind: np.ndarray[Any, np.dtype[np.int8]]  # RECEIVE, SEND, COMBINE, COPY, JOIN (only waits for others)
    role: np.ndarray[Any, np.dtype[np.int8]]  # UP, DOWN, EXCHANGE
    round: np.ndarray[Any, np.dtype[np.int32]]
    peer: np.ndarray[Any, np.dtype[np.int32]]  # RECEIVE, SEND: the other rank; -1
    segment: np.ndarray[Any, np.dtype[np.int32]]
    slot: np.ndarray[Any, np.dtype[np.int32]]  # RECEIVE, COPY: written; SEND: read; COMBINE: slot = operand op slot
    operand: np.ndarray[Any, np.dtype[np.int32]]  # COPY, COMBINE: read
    at: np.ndarray[Any, np.dtype[np.int64]]  # units from the beginning of slot
    operand_at: np.ndarray[Any, np.dtype[np.int64]]  # units from the beginning of operand
    length: np.ndarray[Any, np.dtype[np.int64]]  # units
    unmet: np.ndarray[Any, np.dtype[np.int32]]  # the number of steps that the step waits for
    first_edge: np.ndarray[Any, np.dtype[np.int64]]  # (steps + 1): edge[first_edge[i]:first_edge[i + 1]] wait for row i
    edge: np.ndarray[Any, np.dtype[np.int64]]  # rows, in the order in which they start if they become ready together
    first_ready: np.ndarray[Any, np.dtype[np.int64]]  # (ranks + 1), into ready
    ready: np.ndarray[Any, np.dtype[np.int64]]  # rows that wait for none, in the order in which each rank starts them
    other_end: np.ndarray[Any, np.dtype[np.int64]]  # the receive of a send, the send of a receive; -1: no message
    ring_units: np.ndarray[Any, np.dtype[np.int64]]  # (ranks): length in units of slots that are no user buffer
    slots: np.ndarray[Any, np.dtype[np.int32]]  # (ranks): slots in use
    most_messages: np.ndarray[Any, np.dtype[np.int32]]  # (ranks): upper bound of the messages under way at once

def shapes() -> list[Shape]:
    """Every shape, in the order in which messages and documents list them."""

def algorithms() -> list[Algorithm]:
    """Every algorithm. One that serves operations in different ways has several rows of one name."""

def operations() -> list[Operation]:
    """Every operation that the engine can run."""

def requested(file_or_name: bytes) -> tuple[bytes, bytes]:
    """The text of a tree file, and its name for messages. A name such as kary:4 stands for a file with this shape.

    Raises ValueError in the collector's words.
    """

class Tree:
    """One tree. definition: as in a tree file. Raises ValueError: `line:column: what is wrong`."""

    def __init__(self, definition: bytes) -> None: ...
    def places(
        self, root: int, broadcast: bool, hosts: Sequence[int], clusters: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        """The parent of each rank (-1 at the root) and its children in order.

        hosts and clusters: a number for each rank, equal where they are the same.
        """

class TreeFile:
    """A whole tree file. ranks: the number of the job's ranks; 0 if unknown. Raises ValueError: `line:column: what is
    wrong`."""

    def __init__(self, text: bytes, ranks: int = 0) -> None: ...
    name: str
    def rule(self, operation: str, members: Sequence[int], bytes: int) -> int | None:
        """The number of the rule that applies to a call; None if none does, so that the MPI library runs the call.
        bytes: the size of the call, as the tree file's schema defines it.

        members: the communicator's ranks in the job's MPI_COMM_WORLD, in its order.
        """

    def schedules(
        self,
        rule: int,
        operation: str,
        hosts: Sequence[int],
        clusters: Sequence[int],
        lengths: Sequence[int],
        root: int | None = None,
        unit_bytes: int = 1,
        in_place: bool = False,
    ) -> Schedules:
        """Schedules of all ranks for a call that this rule runs.

        lengths, in units: none for a barrier; one for operations in which each rank has the whole message (Allreduce,
        Reduce, Bcast, Scan, Exscan); for blocks, one length for all or one for each rank; for Alltoall* also one for
        each pair (row by row: from, to). The engine counts reductions in elements (of unit_bytes) and all else in
        bytes. root: for operations that have one; the others keep the root of an explicit tree.
        """
