"""Graph of the application's messages and the hops of collectives between ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array, integers
from hopscope.format.quantities import number, plural
from hopscope.replay.run.places import Places
from hopscope.vocabulary.mpi_functions import FUNCTIONS

_TRANSFERS: Final = tuple(
    name
    for name, function in FUNCTIONS.items()
    if function.kind == "rma" and function.moves in ("sends", "receives", "both")
)
"""The one-sided functions that move data, such as MPI_Put."""


@dataclass(frozen=True)
class Traffic:
    """Messages and bytes between pairs of ranks, both directions together.

    Ranks are numbered by their row in the table `ranks`. All arrays have one entry for each pair, `low` < `high`.
    """

    ranks: int
    low: Array
    high: Array
    messages: Array
    bytes: Array

    def weights(self, per_message: float, per_byte: float) -> Array:
        """The total time of each pair's messages, ns. per_message, per_byte: the costs in ns."""
        return self.messages * per_message + self.bytes * per_byte


def traffic_of(places: Places, *tables: pa.Table) -> Traffic:
    """The traffic in these rows of the tables `messages` and `hops`. Messages of a rank to itself are left out, because
    their cost does not depend on the rank's host."""
    src, dst, size = (np.concatenate([integers(rows, name) for rows in tables]) for name in ("src", "dst", "bytes"))
    pair = np.sort(places.rows_of(np.stack([src, dst])), axis=0)
    is_pair = pair[0] != pair[1]
    pair, size, count = pair[:, is_pair], size[is_pair], len(places.ranks)
    keys, pair_number = np.unique(pair[0] * count + pair[1], return_inverse=True)
    messages, sizes = (np.bincount(pair_number, weight, len(keys)).astype(np.float64) for weight in (None, size))
    return Traffic(count, keys // count, keys % count, messages, sizes)


def one_sided(table: Callable[[str], pa.Table]) -> str | None:
    """A sentence that the run's one-sided transfers are not counted; None if it has none."""
    counts = pc.value_counts(table("intervals")["region"]).to_pylist()
    transfers = {row["values"]: row["counts"] for row in counts if row["values"] in _TRANSFERS}
    if not transfers:
        return None
    total, most = sum(transfers.values()), max(transfers, key=transfers.__getitem__)
    return (
        f"{plural(total, 'one-sided transfer')} (most often {most}) {'are' if total > 1 else 'is'} not counted, "
        "because the trace has neither target nor bytes."
    )


def unseen(table: Callable[[str], pa.Table]) -> list[str]:
    """Sentences on messages that the trace does not show; empty if it shows all."""
    run = table("run").to_pylist()[0]
    sentences: list[str] = []
    if run["record"] == "collectives":
        sentences.append("The application's messages were not recorded (`--record collectives`).")
    transfers = one_sided(table)
    if transfers is not None:
        sentences.append(transfers)
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
