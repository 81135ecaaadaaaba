"""What kinds of calls a run has: operation, root, and the bytes of each rank's part.

The trace has how much each rank gave and got. That tells the length of every block but those of Alltoallv and
Alltoallw, of which it tells sums. There the messages tell, if each block went to its rank in messages of its own.
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
"""Beyond so many different lists of blocks, an operation is left out: each needs schedules of its own."""
AT_ONCE = 1 << 22
"""So many blocks are looked at together."""


class Call(NamedTuple):
    """Collectives that run by one schedule.

    size: the bytes that rules of tree files go by; of operations whose rules cannot, of all blocks. root: NO_ROOT for
    operations that have none. lengths: in bytes, as `hopscope.native._plan` takes them.
    """

    op: str
    size: int
    root: int
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class Kinds:
    """Which kind of call each of some collectives is, None where the trace does not tell; and by operation why."""

    calls: list[Call | None]
    untold: dict[str, str] = field(default_factory=dict[str, str])


_NO_PAIRS = "what each rank sent to each only the engine's messages tell"


@dataclass(frozen=True)
class _Blocks:
    """The blocks of some collectives of one operation: rows into `kinds`, -1 where the trace does not tell."""

    kinds: list[tuple[int, ...]]
    row: Array
    why: str = ""


def rule_bytes(operation: str, lengths: tuple[int, ...], ranks: int) -> int:
    """What rules of tree files go by: see `bytes` in tree.schema.json."""
    what = OPERATION[operation]
    if not lengths:
        return 0
    if what.is_even and not what.reduces:
        return lengths[0]
    total, is_whole = sum(lengths), "whole" in (what.input, what.output)
    return total if is_whole or len(lengths) > 1 else total * ranks


def payload_of(call: Call, ranks: int) -> int:
    """Bytes of the whole message or, of operations with blocks, of one for each rank."""
    what = OPERATION[call.op]
    each = what.is_even and not what.reduces and "each" in (what.input, what.output)
    return call.size * ranks if each else call.size


def kinds_of(tables: dict[str, pa.Table], arrays: dict[str, Array], rows: Array, members: tuple[int, ...]) -> Kinds:
    """The kinds of calls that complete collectives of one communicator are. rows: of `collectives`, ascending."""
    found = tables["collectives"].select(["op", "root"]).take(pa.array(rows))
    ops = np.asarray(found["op"].to_pylist(), object)
    roots = np.where(np.isin(ops, ROOTED), integers(found, "root", null=NO_ROOT), NO_ROOT)
    kinds = Kinds([None] * len(rows))
    for op in sorted(set(ops)):
        mine = np.flatnonzero(ops == op)
        blocks = _blocks_of(op, tables, arrays, rows[mine], members)
        if (blocks.row < 0).any():
            kinds.untold[op] = blocks.why
        calls = [(rule_bytes(op, lengths, len(members)), lengths) for lengths in blocks.kinds]
        for at, number in zip(mine.tolist(), blocks.row.tolist(), strict=True):
            if number >= 0:
                size, lengths = calls[number]
                kinds.calls[at] = Call(op, size, int(roots[at]), lengths)
    return kinds


def _blocks_of(
    op: str, tables: dict[str, pa.Table], arrays: dict[str, Array], rows: Array, members: tuple[int, ...]
) -> _Blocks:
    what = OPERATION[op]
    if what.input == "nothing":
        return _Blocks([()], np.zeros(len(rows), np.int64))
    if what.input == "whole":
        sizes, row = np.unique(integers(tables["collectives"], "bytes")[rows], return_inverse=True)
        return _Blocks([(size,) for size in sizes.tolist()], row)
    sent, received = _by_rank(tables["calls"], arrays, rows, len(members))
    if what.input != what.output:
        blocks = sent if what.input == "own" else received
    elif what.is_even:
        blocks = received // len(members)
    else:
        return _numbered(_of_pairs(tables["hops"], arrays, rows, members, (sent, received)), _NO_PAIRS)
    is_told = (blocks == blocks[:, :1]).all(axis=1) | (not what.is_even)
    return _numbered([(blocks, is_told)], "its ranks name blocks of different lengths")


def _by_rank(calls: pa.Table, arrays: dict[str, Array], rows: Array, ranks: int) -> tuple[Array, Array]:
    """What each rank of the communicator gave and got in each collective: collectives x ranks, bytes."""
    mine = np.flatnonzero(np.isin(arrays["calls.collective"], rows))
    at = np.searchsorted(rows, arrays["calls.collective"][mine]), arrays["calls.comm_rank"][mine]
    result = np.zeros((2, len(rows), ranks), np.int64)
    for values, name in zip(result, ("bytes_sent", "bytes_received"), strict=True):
        values[at] = integers(calls, name)[mine]
    return result[0], result[1]


def _of_pairs(
    hops: pa.Table, arrays: dict[str, Array], rows: Array, members: tuple[int, ...], totals: tuple[Array, Array]
) -> Iterator[tuple[Array, Array]]:
    """The bytes from each rank to each, by the messages between the two, and whether they are told, for some
    collectives at a time. totals: what each rank gave and got.

    The engine sends every block straight to its rank. A library may send several together and in turns, which the
    messages do not show. What a rank keeps is what it gave to no other, and has to be what it got from no other.
    """
    ranks, collective = len(members), arrays["hops.collective"]
    position = np.zeros(1 + max(members), np.int64)
    position[list(members)] = np.arange(ranks)
    of_engine = np.flatnonzero(np.isin(collective, rows) & (arrays["hops.from_engine"] == 1))
    ends = [position[integers(hops, name)[of_engine]] for name in ("src", "dst")]
    step = max(1, AT_ONCE // ranks**2)
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        mine = np.isin(collective[of_engine], rows[part])
        at = np.searchsorted(rows[part], collective[of_engine][mine])
        blocks = np.zeros((len(rows[part]), ranks, ranks), np.int64)
        np.add.at(blocks, (at, ends[0][mine], ends[1][mine]), arrays["hops.bytes"][of_engine][mine])
        kept, also_kept = totals[0][part] - blocks.sum(axis=2), totals[1][part] - blocks.sum(axis=1)
        blocks[:, np.arange(ranks), np.arange(ranks)] = kept
        has_hops = np.isin(rows[part], collective[of_engine])
        yield blocks.reshape(len(blocks), -1), has_hops & ((kept == also_kept) & (kept >= 0)).all(axis=1)


def _numbered(parts: Iterable[tuple[Array, Array]], why: str) -> _Blocks:
    """Equal blocks get one number. Blocks of one length are written once."""
    number: dict[tuple[int, ...], int] = {}
    rows: list[Array] = []
    for blocks, is_told in parts:
        kinds, row = np.unique(blocks[is_told], axis=0, return_inverse=True)
        lengths = [tuple(kind[:1] if len(set(kind)) == 1 else kind) for kind in kinds.tolist()]
        numbers = np.asarray([number.setdefault(kind, len(number)) for kind in lengths], np.int64)
        rows.append(np.full(len(blocks), -1, np.int64))
        rows[-1][is_told] = numbers[row.ravel()]
    row = np.concatenate(rows)
    if len(number) > MOST_KINDS:
        return _Blocks([], np.full(len(row), -1), f"its blocks had {len(number)} lists of lengths, too many to replay")
    return _Blocks(list(number), row, why)
