"""Keeps the rows of an answer that are about a part of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def of_ranks(table: pa.Table, key: Sequence[str], ranks: Sequence[int] | None) -> pa.Table:
    """Filter rows that are about one rank each by the ranks asked for; None keeps all."""
    if ranks is None or "rank" not in key:
        return table
    import pyarrow as pa  # imported late, because starting a program does not need it
    import pyarrow.compute as pc

    if not pa.types.is_string(table["rank"].type):
        return table.filter(pc.is_in(table["rank"], pa.array(ranks, table["rank"].type)))
    # A row that names no rank is about all ranks that were asked for, so it stays.
    is_other_rank = pc.and_(
        pc.match_substring_regex(table["rank"], "^[0-9]+$"),
        pc.invert(pc.is_in(table["rank"], pa.array(map(str, ranks), pa.string()))),
    )
    return table.filter(pc.invert(is_other_rank))
