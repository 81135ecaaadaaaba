"""The kinds of calls of a run: operation, root, and the lengths of the blocks.

The trace has the bytes that each rank sent and received. The length of every block follows from these bytes, except in
Alltoallv and Alltoallw, where a rank's bytes are sums over its blocks. For these two operations, the messages show the
lengths if each block went straight to its rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array, integers
from hopscope.replay.run.operations import OPERATION, ROOTED

NO_ROOT = -1
MOST_KINDS = 256
"""An operation whose calls have more distinct lists of block lengths is left out, because each list needs its own
schedules."""
BATCH_BLOCKS = 1 << 22
"""Number of blocks that are processed at a time, to limit memory."""


class Call(NamedTuple):
    """A kind of call: all collectives that an algorithm runs by the same schedules.

    size: the bytes by which rules of tree files select a call; for operations whose rules use none, the bytes of all
    blocks. root: NO_ROOT for operations without a root. lengths: of the blocks in bytes, as `hopscope.native._plan`
    takes them.
    """

    op: str
    size: int
    root: int
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class Kinds:
    """The kind of call of each collective; None if the collective cannot be replayed. untold: for each operation with
    such collectives, the reason."""

    calls: list[Call | None]
    untold: dict[str, str] = field(default_factory=dict[str, str])


_NO_PAIRS = "only the engine's messages tell how many bytes each rank sent to each other rank"


@dataclass(frozen=True)
class _Blocks:
    """The lengths of the blocks of some collectives of one operation. kinds: the distinct lists of lengths. row: for
    each collective, the index of its list in `kinds`, or -1 if it cannot be replayed. reason: why it cannot."""

    kinds: list[tuple[int, ...]]
    row: Array
    reason: str = ""


def rule_bytes(operation: str, lengths: tuple[int, ...], ranks: int) -> int:
    """The bytes of a call by which rules of tree files select it: see `bytes` in tree.schema.json."""
    traits = OPERATION[operation]
    if not lengths:
        return 0
    if traits.is_even and not traits.reduces:
        return lengths[0]
    total, is_whole = sum(lengths), "whole" in (traits.input, traits.output)
    return total if is_whole or len(lengths) > 1 else total * ranks


def payload_of(call: Call, ranks: int) -> int:
    """The bytes of a call's whole message: the call's size or, if that is the size of one block, the bytes of all
    ranks' blocks."""
    traits = OPERATION[call.op]
    per_rank = traits.is_even and not traits.reduces and "each" in (traits.input, traits.output)
    return call.size * ranks if per_rank else call.size


def kinds_of(tables: dict[str, pa.Table], arrays: dict[str, Array], rows: Array, members: tuple[int, ...]) -> Kinds:
    """The kinds of calls of complete collectives on one communicator. rows: the collectives' rows in `collectives`,
    ascending."""
    table = tables["collectives"].select(["op", "root"]).take(pa.array(rows))
    ops = np.asarray(table["op"].to_pylist(), object)
    roots = np.where(np.isin(ops, ROOTED), integers(table, "root", null=NO_ROOT), NO_ROOT)
    kinds = Kinds([None] * len(rows))
    for op in sorted(set(ops)):
        positions = np.flatnonzero(ops == op)
        blocks = _blocks_of(op, tables, arrays, rows[positions], members)
        if (blocks.row < 0).any():
            kinds.untold[op] = blocks.reason
        calls = [(rule_bytes(op, lengths, len(members)), lengths) for lengths in blocks.kinds]
        for position, number in zip(positions.tolist(), blocks.row.tolist(), strict=True):
            if number >= 0:
                size, lengths = calls[number]
                kinds.calls[position] = Call(op, size, int(roots[position]), lengths)
    return kinds


def _blocks_of(
    op: str, tables: dict[str, pa.Table], arrays: dict[str, Array], rows: Array, members: tuple[int, ...]
) -> _Blocks:
    traits = OPERATION[op]
    if traits.input == "nothing":
        return _Blocks([()], np.zeros(len(rows), np.int64))
    if traits.input == "whole":
        sizes, row = np.unique(integers(tables["collectives"], "bytes")[rows], return_inverse=True)
        return _Blocks([(size,) for size in sizes.tolist()], row)
    sent, received = _by_rank(tables["calls"], arrays, rows, len(members))
    if traits.input != traits.output:
        blocks = sent if traits.input == "own" else received
    elif traits.is_even:
        blocks = received // len(members)
    else:
        return _numbered(_of_pairs(tables["hops"], arrays, rows, members, (sent, received)), _NO_PAIRS)
    has_lengths = (blocks == blocks[:, :1]).all(axis=1) | (not traits.is_even)
    return _numbered([(blocks, has_lengths)], "its ranks name blocks of different lengths")


def _by_rank(calls: pa.Table, arrays: dict[str, Array], rows: Array, ranks: int) -> tuple[Array, Array]:
    """The bytes that each rank of the communicator sent in each collective, and the bytes that it received: two arrays
    of collectives x ranks."""
    call_rows = np.flatnonzero(np.isin(arrays["calls.collective"], rows))
    cells = np.searchsorted(rows, arrays["calls.collective"][call_rows]), arrays["calls.comm_rank"][call_rows]
    result = np.zeros((2, len(rows), ranks), np.int64)
    for values, name in zip(result, ("bytes_sent", "bytes_received"), strict=True):
        values[cells] = integers(calls, name)[call_rows]
    return result[0], result[1]


def _of_pairs(
    hops: pa.Table, arrays: dict[str, Array], rows: Array, members: tuple[int, ...], totals: tuple[Array, Array]
) -> Iterator[tuple[Array, Array]]:
    """Yields, for a batch of collectives at a time, the bytes that each rank sent to each other one, and a mask of the
    collectives whose messages prove these bytes. totals: the bytes that each rank sent and received.

    Only the engine's messages count, because the engine sends every block straight to its rank; a library may combine
    and forward blocks. The rest of a rank's sent bytes, which no message carried, is its block to itself. A collective
    is proven if for every rank this rest equals the rest of its received bytes.
    """
    ranks, collective = len(members), arrays["hops.collective"]
    position = np.zeros(1 + max(members), np.int64)
    position[list(members)] = np.arange(ranks)
    of_engine = np.flatnonzero(np.isin(collective, rows) & (arrays["hops.from_engine"] == 1))
    ends = [position[integers(hops, name)[of_engine]] for name in ("src", "dst")]
    step = max(1, BATCH_BLOCKS // ranks**2)
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        batch_hops = np.isin(collective[of_engine], rows[part])
        batch_rows = np.searchsorted(rows[part], collective[of_engine][batch_hops])
        blocks = np.zeros((len(rows[part]), ranks, ranks), np.int64)
        np.add.at(
            blocks, (batch_rows, ends[0][batch_hops], ends[1][batch_hops]), arrays["hops.bytes"][of_engine][batch_hops]
        )
        self_sent, self_received = totals[0][part] - blocks.sum(axis=2), totals[1][part] - blocks.sum(axis=1)
        blocks[:, np.arange(ranks), np.arange(ranks)] = self_sent
        has_hops = np.isin(rows[part], collective[of_engine])
        yield blocks.reshape(len(blocks), -1), has_hops & ((self_sent == self_received) & (self_sent >= 0)).all(axis=1)


def _numbered(parts: Iterable[tuple[Array, Array]], reason: str) -> _Blocks:
    """Numbers the distinct lists of lengths. A list of equal lengths is shortened to one length. parts: batches, each
    with the lengths (collectives x blocks) and a mask of collectives whose lengths are known. reason: why lengths may
    be unknown."""
    number: dict[tuple[int, ...], int] = {}
    rows: list[Array] = []
    for blocks, has_lengths in parts:
        kinds, row = np.unique(blocks[has_lengths], axis=0, return_inverse=True)
        lengths = [tuple(kind[:1] if len(set(kind)) == 1 else kind) for kind in kinds.tolist()]
        numbers = np.asarray([number.setdefault(kind, len(number)) for kind in lengths], np.int64)
        rows.append(np.full(len(blocks), -1, np.int64))
        rows[-1][has_lengths] = numbers[row.ravel()]
    row = np.concatenate(rows)
    if len(number) > MOST_KINDS:
        return _Blocks([], np.full(len(row), -1), f"its blocks had {len(number)} lists of lengths, too many to replay")
    return _Blocks(list(number), row, reason)
