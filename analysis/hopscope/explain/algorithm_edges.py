"""`analyze algorithms --collective`: the edges of a collective, with the rounds in which they carry messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from hopscope.format.rounds import spans
from hopscope.query.header import Scalar

Row = dict[str, Any]


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[Row]:
    """One row per edge; the query gives its rounds as a list."""
    edges = rows.drop_columns(["run", "trace"]).to_pylist()
    return [row | {"rounds": spans(row["rounds"])} for row in edges]
