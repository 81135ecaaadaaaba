"""The collectives that cost time, by what a setting can name: operation, communicator size, range of message sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from hopscope.algorithms.rules import size_in_rules
from hopscope.quantities import exact_size, plural
from hopscope.trace import Trace
from hopscope.tuning.offered import operation_name

_LEAST_SHARE: Final = 0.01
"""A segment with a smaller share of the run's time in collectives is left alone."""
_FACTOR: Final = 8
"""Message sizes that lie farther apart than this are chosen for separately."""
_SIZES = """
select
    op,
    comm_size as ranks,
    bytes,
    count(*) as calls,
    sum(last_leave_ns - last_enter_ns)::double as time_ns
from collectives
where comm_size > 1 and complete and last_leave_ns > last_enter_ns
group by all
order by op, ranks, bytes
"""


@dataclass(frozen=True)
class Segment:
    """Collectives of one operation on communicators of one size, with messages from and up to so many bytes (to_bytes
    None: without end), as Open MPI's rules count them. share: of the time in all collectives, once every rank is
    there."""

    operation: str
    ranks: int
    from_bytes: int
    to_bytes: int | None
    most_bytes: int
    share: float

    @property
    def label(self) -> str:
        """What the segment is called where an operation has several."""
        end = "" if self.to_bytes is None else f" to {exact_size(self.to_bytes)}"
        return f"{self.operation} on {plural(self.ranks, 'rank')} from {exact_size(self.from_bytes)}{end}"


def segments_of(trace: Trace) -> list[Segment]:
    """The segments of a run, the costliest first."""
    rows = trace.sql(_SIZES).to_pylist()
    total = sum(row["time_ns"] for row in rows)
    segments: list[Segment] = []
    for (op, ranks), of_pair in groupby(rows, key=itemgetter("op", "ranks")):
        operation = operation_name(op)
        sizes: dict[int, float] = {}
        for row in of_pair:
            size = size_in_rules(operation, ranks, row["bytes"])
            sizes[size or 0] = sizes.get(size or 0, 0.0) + row["time_ns"]
        groups = _groups(sorted(sizes))
        for at, group in enumerate(groups):
            begin = 0 if at == 0 else group[0]
            end = None if at == len(groups) - 1 else groups[at + 1][0] - 1
            cost = sum(sizes[size] for size in group) / total
            if cost >= _LEAST_SHARE:
                segments.append(Segment(operation, ranks, begin, end, group[-1], cost))
    return sorted(segments, key=lambda segment: -segment.share)


def _groups(sizes: Sequence[int]) -> list[list[int]]:
    """Sizes in ascending order, cut where the next one is much larger."""
    groups: list[list[int]] = []
    for size in sizes:
        if groups and size <= _FACTOR * max(groups[-1][-1], 1):
            groups[-1].append(size)
        else:
            groups.append([size])
    return groups
