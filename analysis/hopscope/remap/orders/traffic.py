"""Who sent whom how much: the application's messages and the hops of collectives in one graph between ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.quantities import number

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Traffic:
    """Messages and bytes between pairs of ranks, both directions together.

    Ranks are numbered by their place in the table `ranks`. All arrays have one entry for each pair, `low` < `high`.
    """

    ranks: int
    low: Array
    high: Array
    messages: Array
    bytes: Array

    def weights(self, per_message: float, per_byte: float) -> Array:
        """What each pair would spend at this cost of a message and of a byte: ns."""
        return self.messages * per_message + self.bytes * per_byte


def traffic_of(table: Callable[[str], pa.Table], hops: pa.Table | None = None, *, messages: bool = True) -> Traffic:
    """The graph of a trace, given its `table` function. Messages of a rank to itself are left out: they stay where the
    rank is. hops: those that count; unset, all. messages: whether those of the application do."""
    names = table("ranks")["rank"].to_numpy()
    order = np.argsort(names)
    ends: list[Array] = []
    sizes: list[Array] = []
    for rows in (*((table("messages"),) if messages else ()), table("hops") if hops is None else hops):
        pair = np.stack([_column(rows, "src"), _column(rows, "dst")])
        ends.append(order[np.searchsorted(names[order], pair)] if len(rows) else pair)
        sizes.append(_column(rows, "bytes"))
    pair, size = np.sort(np.concatenate(ends, axis=1), axis=0), np.concatenate(sizes)
    between = pair[0] != pair[1]
    pair, size = pair[:, between], size[between]
    keys, which = np.unique(pair[0] * len(names) + pair[1], return_inverse=True)
    count = len(keys)
    return Traffic(
        len(names),
        keys // len(names),
        keys % len(names),
        np.bincount(which, minlength=count).astype(np.float64),
        np.bincount(which, weights=size, minlength=count).astype(np.float64),
    )


def unseen(table: Callable[[str], pa.Table]) -> list[str]:
    """What the graph lacks, in sentences; empty if the trace shows everything that was sent."""
    run = table("run").to_pylist()[0]
    said: list[str] = []
    if run["record"] == "collectives":
        said.append("The application's messages were not recorded (`--record collectives`).")
    collectives = table("collectives")
    larger = pc.greater(collectives["comm_size"], 1)
    total = int(pc.sum(larger).as_py() or 0)
    shown = pc.is_in(collectives["collective_id"], value_set=pc.unique(table("hops")["collective_id"]))
    silent = int(pc.sum(pc.and_(larger, pc.invert(shown))).as_py() or 0)
    if silent:
        said.append(f"{number(silent)} of {number(total)} collectives show no hops, so what they send is not known.")
    return said


def _column(rows: pa.Table, name: str) -> Array:
    return rows[name].to_numpy().astype(np.int64)
