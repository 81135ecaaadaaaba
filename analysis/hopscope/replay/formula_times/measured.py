"""Which collectives of a trace are what the formulas are about, and what they took."""

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

TOGETHER = 0.1
"""All ranks entered together if they did within this share of the collective's time."""

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
"""The published algorithms as `analyze algorithms` calls them. Its linear alltoall is not the published one."""


def published_name(operation: str, algorithm: str | None) -> str | None:
    """The published algorithm that sends the messages of one of `analyze algorithms`; None: it has no formula."""
    return next((name for (of, name), seen in _RECOGNISED.items() if of == operation and algorithm in seen), None)


@dataclass
class Measured:
    """The collectives that are one point: their times in ns, and how many were entered too far apart to count."""

    times: list[float] = field(default_factory=list[float])
    skewed: int = 0

    @property
    def median(self) -> Value | None:
        """What they took, with its interval. None if none counts."""
        if not self.times:
            return None
        return median_of(self.times) if len(self.times) > 1 else Value(self.times[0], np.nan, np.nan, 1)


def measured(
    collectives: pa.Table, algorithms: Iterable[Mapping[str, Any]], *, emulated: bool
) -> dict[Point, Measured]:
    """What was measured at each point.

    algorithms: the rows of `analyze algorithms`. emulated: whether the run's links were; then the MPI library's own
    messages went over other links than the engine's, and do not count. Of collectives of one operation, communicator
    and size that ran by several algorithms nobody knows which ran by which, so they are left out.
    """
    rows: dict[tuple[str, int, int], list[Mapping[str, Any]]] = defaultdict(list)
    for row in algorithms:
        rows[row["op"], row["comm"], row["bytes"]].append(row)
    if emulated:
        rows = {key: found for key, found in rows.items() if all(row["source"] == "tree" for row in found)}
    alone = {key: found[0] for key, found in rows.items() if len(found) == 1}
    of_key = {key: pts for key, row in alone.items() if (pts := _points_of(row))}
    result: dict[Point, Measured] = defaultdict(Measured)
    if not of_key:
        return {}
    names = ("comm", "bytes", "first_enter_ns", "last_enter_ns", "last_leave_ns")
    columns = [integers(collectives, name).tolist() for name in names]
    whole, ops = collectives["complete"].to_pylist(), collectives["op"].to_pylist()
    for complete, op, comm, size, first, last, left in zip(whole, ops, *columns, strict=True):
        for point in of_key.get((op, comm, size), ()) if complete else ():
            if last - first <= TOGETHER * (left - first) and left > last:
                result[point].times.append(float(left - last))
            else:
                result[point].skewed += 1
    return dict(result)


def _points_of(row: Mapping[str, Any]) -> list[Point]:
    """The points that a row of `analyze algorithms` is: several where their messages are the same. On two ranks it does
    not look at the order, in which a flat barrier differs from the others: two messages in turn or at once."""
    names = {str(row["algorithm"]), *(str(row["same"]).split(", ") if row["same"] else ())}
    op, ranks = str(row["op"]), int(row["ranks"])
    size = 0 if op == "MPI_Barrier" else int(row["bytes"]) // (ranks if op == "MPI_Alltoall" else 1)
    cut = int(row["segment_bytes"]) if op in CUT else 0
    known = [name for (of, name), seen in _RECOGNISED.items() if of == op and names.intersection(seen)]
    return [Point(op, name, ranks, size, cut) for name in known] if ranks > (2 if op == "MPI_Barrier" else 1) else []
