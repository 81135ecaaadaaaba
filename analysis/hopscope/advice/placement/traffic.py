"""Graph of the application's messages and the hops of collectives between ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array, integers
from hopscope.format.quantities import number
from hopscope.replay.run.places import Places


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
        """The time of each pair of ranks, ns, at these costs of a message and of a byte."""
        return self.messages * per_message + self.bytes * per_byte


def traffic_of(places: Places, *tables: pa.Table) -> Traffic:
    """The graph of some rows of `messages` and `hops`. Messages of a rank to itself are left out, because their cost
    does not depend on the rank's host."""
    src, dst, size = (np.concatenate([integers(rows, name) for rows in tables]) for name in ("src", "dst", "bytes"))
    pair = np.sort(places.rows_of(np.stack([src, dst])), axis=0)
    is_pair = pair[0] != pair[1]
    pair, size, count = pair[:, is_pair], size[is_pair], len(places.ranks)
    keys, pair_number = np.unique(pair[0] * count + pair[1], return_inverse=True)
    messages, sizes = (np.bincount(pair_number, weight, len(keys)).astype(np.float64) for weight in (None, size))
    return Traffic(count, keys // count, keys % count, messages, sizes)


def unseen(table: Callable[[str], pa.Table]) -> list[str]:
    """Gaps of the graph, in sentences; empty if the trace shows all messages."""
    run = table("run").to_pylist()[0]
    sentences: list[str] = []
    if run["record"] == "collectives":
        sentences.append("The application's messages were not recorded (`--record collectives`).")
    collectives = table("collectives")
    larger = pc.greater(collectives["comm_size"], 1)
    total = int(pc.sum(larger).as_py() or 0)
    has_hops = pc.is_in(collectives["collective_id"], value_set=pc.unique(table("hops")["collective_id"]))
    silent = int(pc.sum(pc.and_(larger, pc.invert(has_hops))).as_py() or 0)
    if silent:
        sentences.append(
            f"{number(silent)} of {number(total)} collectives show no hops, so what they send is not known."
        )
    return sentences
