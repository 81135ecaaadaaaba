"""The kinds of calls of a run (calls with the same operation, root and bytes), and the bytes of each rank's block, if
the trace shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hopscope.native import _plan
from hopscope.replay.run.calls import MOST_KINDS, NO_ROOT, Call, Kinds, kinds_of, payload_of
from hopscope.replay.run.operations import OPERATION, OPERATIONS

MEMBERS = (4, 2, 7)
"""Trace-wide ranks of the communicator's members, in its order."""
Bytes = Sequence[tuple[int, int]]
"""For each rank of a collective: the bytes that it put in, and the bytes that it got."""


def kinds(
    op: str, *calls: Bytes, root: int | None = None, hops: Sequence[Sequence[tuple[int, int, int]]] = ()
) -> Kinds:
    """The kinds of one operation's collectives. hops: for each collective, sender and receiver (trace-wide ranks) and
    bytes."""
    call_rows = [(row, place, *sizes) for row, ranks in enumerate(calls) for place, sizes in enumerate(ranks)]
    sent = [(row, *hop) for row, messages in enumerate(hops) for hop in messages]
    collective, place, put_in, output = np.asarray(call_rows).T
    of_hop, src, dst, size = np.asarray(sent, np.int64).reshape(-1, 4).T
    largest = [max(max(sizes) for sizes in ranks) for ranks in calls]
    roots = pa.array([root] * len(calls), pa.int32())
    tables = {
        "collectives": pa.table({"op": [op] * len(calls), "root": roots, "bytes": largest}),
        "calls": pa.table({"bytes_sent": put_in, "bytes_received": output}),
        "hops": pa.table({"src": src, "dst": dst}),
    }
    arrays = {
        "calls.collective": collective,
        "calls.comm_rank": place,
        "hops.collective": of_hop,
        "hops.from_engine": np.ones(len(of_hop)),
        "hops.bytes": size,
    }
    return kinds_of(tables, arrays, np.arange(len(calls)), MEMBERS)


def call(op: str, *ranks: tuple[int, int], root: int | None = None) -> Call | None:
    return kinds(op, ranks, root=root).calls[0]


def test_of_every_operation_that_gathers_or_scatters_the_calls_tell_each_rank_s_part() -> None:
    # Rules of tree files go by the bytes of the message, of one block, or of all blocks: see tree.schema.json.
    assert call("MPI_Allreduce", *[(8, 8)] * 3) == Call("MPI_Allreduce", 8, NO_ROOT, (8,))
    assert call("MPI_Scan", *[(8, 8)] * 3) == Call("MPI_Scan", 8, NO_ROOT, (8,))
    assert call("MPI_Barrier", *[(0, 0)] * 3) == Call("MPI_Barrier", 0, NO_ROOT, ())
    assert call("MPI_Gather", (8, 0), (8, 24), (8, 0), root=1) == Call("MPI_Gather", 8, 1, (8,))
    assert call("MPI_Scatter", (0, 8), (24, 8), (0, 8), root=1) == Call("MPI_Scatter", 8, 1, (8,))
    assert call("MPI_Gatherv", (4, 12), (8, 0), (0, 0), root=0) == Call("MPI_Gatherv", 12, 0, (4, 8, 0))
    assert call("MPI_Scatterv", (12, 4), (0, 8), (0, 0), root=0) == Call("MPI_Scatterv", 12, 0, (4, 8, 0))
    assert call("MPI_Allgather", *[(8, 24)] * 3) == Call("MPI_Allgather", 8, NO_ROOT, (8,))
    assert call("MPI_Allgatherv", (4, 12), (8, 12), (0, 12)) == Call("MPI_Allgatherv", 12, NO_ROOT, (4, 8, 0))
    assert call("MPI_Alltoall", *[(24, 24)] * 3) == Call("MPI_Alltoall", 8, NO_ROOT, (8,))
    assert call("MPI_Reduce_scatter", (12, 4), (12, 8), (12, 0)) == Call("MPI_Reduce_scatter", 12, NO_ROOT, (4, 8, 0))
    assert call("MPI_Reduce_scatter_block", *[(24, 8)] * 3) == Call("MPI_Reduce_scatter_block", 24, NO_ROOT, (8,))


def test_libraries_count_all_blocks() -> None:
    blocks = {"MPI_Gather": 8, "MPI_Alltoall": 8, "MPI_Allgatherv": 24, "MPI_Reduce_scatter_block": 24}
    assert [payload_of(Call(op, size, NO_ROOT, (8,)), 3) for op, size in blocks.items()] == [24] * 4
    assert payload_of(Call("MPI_Bcast", 8, 0, (8,)), 3) == 8


def test_equal_collectives_are_one_kind_and_others_are_not() -> None:
    blocks, swapped_blocks = [(4, 12), (8, 12), (0, 12)], [(8, 12), (4, 12), (0, 12)]
    first, second, third = kinds("MPI_Allgatherv", blocks, swapped_blocks, blocks).calls
    assert first == third
    assert first != second


def test_ranks_that_name_blocks_of_different_lengths_are_no_kind_of_gather() -> None:
    gathers = kinds("MPI_Gather", [(8, 24), (8, 0), (8, 0)], [(8, 24), (4, 0), (8, 0)], root=0)
    assert gathers.calls[0] == Call("MPI_Gather", 8, 0, (8,))
    assert gathers.calls[1] is None
    assert gathers.untold == {"MPI_Gather": "its ranks name blocks of different lengths"}


def test_what_each_rank_sent_to_each_is_told_by_the_messages_between_them() -> None:
    # Rank 4 keeps 1 byte and sends 2 to rank 2 and 3 to rank 7. The i-th member's blocks are 10 i to 10 i + 2 bytes
    # long.
    blocks = np.asarray([[1, 2, 3], [10, 11, 12], [20, 21, 22]])
    ranks = list(zip(blocks.sum(axis=1).tolist(), blocks.sum(axis=0).tolist(), strict=True))
    hops = [(MEMBERS[a], MEMBERS[b], int(blocks[a, b])) for a in range(3) for b in range(3) if a != b]
    assert kinds("MPI_Alltoallv", ranks, hops=[hops]).calls == [
        Call("MPI_Alltoallv", int(blocks.sum()), NO_ROOT, tuple(blocks.ravel().tolist()))
    ]
    # If a message is missing, or all are, as in calls that the library ran, the blocks are unknown.
    for messages in (hops[1:], []):
        exchange = kinds("MPI_Alltoallv", ranks, hops=[messages])
        assert exchange.calls == [None]
        assert "only the engine's messages tell" in exchange.untold["MPI_Alltoallv"]


def test_ever_different_blocks_are_left_out_and_the_reason_is_said() -> None:
    calls = [[(i, i + 12), (8, i + 12), (4, i + 12)] for i in range(MOST_KINDS + 1)]
    gathers = kinds("MPI_Allgatherv", *calls)
    assert not any(gathers.calls)
    assert gathers.untold == {"MPI_Allgatherv": f"its blocks had {MOST_KINDS + 1} lists of lengths, too many to replay"}
    assert all(kinds("MPI_Allgatherv", *calls[1:]).calls)


@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_that_is_judged_has_several_ways_to_run(op: str) -> None:
    rows = [row for row in _plan.algorithms() if op in row.operations]
    assert len(rows) > 1 or rows[0].by_tree
    assert set(OPERATION) - set(OPERATIONS) == {"MPI_Gatherv", "MPI_Scatterv"}
