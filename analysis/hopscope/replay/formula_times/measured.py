"""Finds the collectives of a trace for whose algorithms formulas were published, and their times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import integers
from hopscope.machine.probe.sampling import Value, median_of
from hopscope.replay.formula_times.points import CUT, Point

ENTRY_SHARE = 0.1
"""Ranks count as entering together if all enter within this share of the collective's time."""

_RECOGNISED: dict[tuple[str, str], tuple[str, ...]] = {
    ("MPI_Barrier", "flat"): ("linear",),
    ("MPI_Barrier", "double ring"): ("double-ring",),
    ("MPI_Barrier", "recursive doubling"): ("recursive-doubling",),
    ("MPI_Barrier", "bruck"): ("dissemination", "bruck"),
    ("MPI_Bcast", "linear"): ("linear",),
    ("MPI_Bcast", "pipeline"): ("chain", "pipeline"),
    ("MPI_Bcast", "binomial"): ("binomial",),
    ("MPI_Bcast", "binary"): ("binary",),
    ("MPI_Bcast", "split binary"): ("split-binary",),
    ("MPI_Reduce", "flat"): ("linear",),
    ("MPI_Reduce", "pipeline"): ("chain", "pipeline"),
    ("MPI_Reduce", "binomial"): ("binomial",),
    ("MPI_Reduce", "binary"): ("binary",),
    ("MPI_Alltoall", "pairwise"): ("pairwise",),
}
"""For each operation and published algorithm, the names that `analyze algorithms` gives to the same messages. The
linear alltoall of `analyze algorithms` is missing, because it differs from the published one."""


def published_name(operation: str, algorithm: str | None) -> str | None:
    """The published algorithm with the same messages as an algorithm of `analyze algorithms`; None if it has no
    formula."""
    return next(
        (
            name
            for (published_op, name), messages in _RECOGNISED.items()
            if published_op == operation and algorithm in messages
        ),
        None,
    )


@dataclass
class Measured:
    """The measured collectives of one point. times: of the collectives that count, in ns. skewed: the number of
    collectives that do not count because their ranks entered too far apart."""

    times: list[float] = field(default_factory=list[float])
    skewed: int = 0

    @property
    def median(self) -> Value | None:
        """The median time, ns, with its interval; None if no collective counts."""
        if not self.times:
            return None
        return median_of(self.times) if len(self.times) > 1 else Value(self.times[0], np.nan, np.nan, 1)


def measured(
    collectives: pa.Table, algorithms: Iterable[Mapping[str, Any]], *, emulated: bool
) -> dict[Point, Measured]:
    """The measurements at each point.

    algorithms: the rows of `analyze algorithms`. emulated: True for a run over emulated links; collectives of the MPI
    library then do not count, because their messages do not pass these links. If collectives of one operation,
    communicator and size ran by several algorithms, they are left out, because they cannot be told apart.
    """
    rows: dict[tuple[str, int, int], list[Mapping[str, Any]]] = defaultdict(list)
    for row in algorithms:
        rows[row["op"], row["comm"], row["bytes"]].append(row)
    if emulated:
        rows = {key: matches for key, matches in rows.items() if all(row["source"] == "tree" for row in matches)}
    alone = {key: matches[0] for key, matches in rows.items() if len(matches) == 1}
    of_key = {key: pts for key, row in alone.items() if (pts := _points_of(row))}
    result: dict[Point, Measured] = defaultdict(Measured)
    if not of_key:
        return {}
    names = ("comm", "bytes", "first_enter_ns", "last_enter_ns", "last_leave_ns")
    columns = [integers(collectives, name).tolist() for name in names]
    whole, ops = collectives["complete"].to_pylist(), collectives["op"].to_pylist()
    for complete, op, comm, size, first, last, left in zip(whole, ops, *columns, strict=True):
        for point in of_key.get((op, comm, size), ()) if complete else ():
            if last - first <= ENTRY_SHARE * (left - first) and left > last:
                result[point].times.append(float(left - last))
            else:
                result[point].skewed += 1
    return dict(result)


def _points_of(row: Mapping[str, Any]) -> list[Point]:
    """The points of a row of `analyze algorithms`: several if several published algorithms send the row's messages. A
    barrier on two ranks has none, because all its algorithms send the same two messages, in an order that the row does
    not show."""
    names = {str(row["algorithm"]), *(str(row["same"]).split(", ") if row["same"] else ())}
    op, ranks = str(row["op"]), int(row["ranks"])
    size = 0 if op == "MPI_Barrier" else int(row["bytes"]) // (ranks if op == "MPI_Alltoall" else 1)
    cut = int(row["segment_bytes"]) if op in CUT else 0
    published_names = [
        name
        for (published_op, name), messages in _RECOGNISED.items()
        if published_op == op and names.intersection(messages)
    ]
    return (
        [Point(op, name, ranks, size, cut) for name in published_names]
        if ranks > (2 if op == "MPI_Barrier" else 1)
        else []
    )
