"""Activity of ranks in a range of the run: time by category, and calls and time by MPI function, as texts."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import numpy as np
from hopscope.format import quantities
from hopscope.vocabulary.words import CATEGORIES

from hopscope_dashboard.data.trace import Columns, Row, TraceData
from hopscope_dashboard.palette import WAITING

_COLUMNS: Final = 2_000
_CELLS: Final = 500_000
"""Largest number of cells (ranks by columns of time) that are summed. Fewer columns are less exact only at the ends of
the range."""

_FREE: Final = [list(CATEGORIES).index(word) for word in ("mpi", "compute")]
"""Categories that start-up and shutdown consist of. The category that is rarer in the rest of the run comes first."""


def summary(data: TraceData, begin: int, end: int, ranks: Collection[int] | None, *, waiting: bool) -> dict[str, Any]:
    """Give the `shares` of time by category and the `operations` of `ranks`, or of all ranks if it is None. `waiting`:
    include time spent waiting."""
    columns = min(_COLUMNS, max(100, _CELLS // max(1, len(data.ranks))))
    grid = data.timeline.columns(begin, end, columns, ranks=ranks)
    categories, all_time = _categories(grid, begin, end, data.timeline.duration_ns, data.timeline.phases)
    called = data.timeline.operations(begin, end, None if ranks is None else sorted(ranks), waiting=waiting)
    operations = [
        {
            "operation": row["operation"],
            "calls": quantities.number(row["calls"]),
            "time": quantities.duration(row["time_ns"]),
            "waiting": quantities.duration(row["waiting_ns"]),
            "share": quantities.share(row["time_ns"] / max(1, all_time)),
        }
        for row in called
    ]
    if waiting and (waited := sum(row["waiting_ns"] for row in called)):
        categories.append(
            {
                "category": WAITING,
                "time": quantities.duration(waited),
                "share": quantities.share(waited / max(1, all_time)),
                "path": "",
            }
        )
    return {"shares": categories, "operations": operations}


def _categories(
    grid: Columns, begin: int, end: int, run: int, phase_ends: Mapping[str, tuple[int, int]]
) -> tuple[list[Row], float]:
    """Returns the categories in a range, with time, share of the ranks' time and share of the critical path; and all
    ranks' time.

    phase_ends: begin and end of start-up and shutdown, which have rows of their own.
    """
    edges = grid.begin_ns + np.arange(grid.time_ns.shape[2] + 1) * grid.width_ns

    def overlap_ns(first: int, last: int) -> Any:
        return np.maximum(np.minimum(edges[1:], last) - np.maximum(edges[:-1], first), 0)

    # The part of each column that lies inside the run: only there can it have time.
    whole = np.maximum(overlap_ns(0, run), 1)
    range_ns = overlap_ns(begin, end)

    def summed(sums: Any) -> dict[str, float]:
        of_columns = sums.sum(axis=1) * (range_ns / whole)
        phases: dict[str, float] = {}
        for word, ends in phase_ends.items():
            part = overlap_ns(max(begin, ends[0]), min(end, ends[1])) / np.maximum(range_ns, 1)
            left = of_columns.sum(axis=0) * part
            phases[word] = 0.0
            for category in _FREE:
                phase_ns = np.minimum(left, of_columns[category])
                of_columns[category] -= phase_ns
                left -= phase_ns
                phases[word] += float(phase_ns.sum())
        return dict(zip(CATEGORIES, of_columns.sum(axis=1).tolist(), strict=True)) | phases

    time, path = summed(grid.time_ns), summed(grid.path_ns)
    all_time, all_path = sum(time.values()), sum(path.values())
    rows = [
        {
            "category": word,
            "time": quantities.duration(time[word]),
            "share": quantities.share(time[word] / max(1, all_time)),
            "path": quantities.share(path[word] / all_path) if all_path else quantities.MISSING,
        }
        for word in time
        if time[word] or path[word]
    ]
    return rows, all_time
