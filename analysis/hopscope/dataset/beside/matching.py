"""Matches the calls of MPI that two tools recorded of one thread.

The tools have different clocks, and each may lack calls. First, a few calls are recognised by the names and distances
of the calls after them, which do not depend on the clock. They give a line between the clocks. With it, the longest
common sequence of names is found among calls that overlap in time (Hunt and Szymanski 1977: the longest ascending
sequence of pairs with equal names). Overlap keeps the number of such pairs small, and it decides which of many calls
of one name is meant.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hopscope.dataset.beside.clock import ClockLine, Floats, Ints, line_between

_WINDOW: Final = 8
"""The number of distances between calls by which a call is recognised."""
_SAMPLES: Final = 48
"""The number of calls that are recognised in this way."""
_CAP_NS: Final = 100_000.0
"""A distance that differs by more, as after an interruption between both recordings, counts as differing by this."""
_SLACK_NS: Final = 20_000.0
_SLACK_SHARE: Final = 2e-4
"""Recognised calls agree on a line if their offsets differ by no more than the slack and this share of the time
between them."""
_OVERLAP_NS: Final = 2_000
_OVERLAP_RESIDUALS: Final = 4.0
"""Calls that miss one another by this time and this multiple of the line's residual still overlap, because the line is
not exact."""
_ROUNDS: Final = 3


@dataclass(frozen=True)
class Calls:
    """The calls of MPI of one thread, by begin. name: a number for each call's function, the same in both traces.
    enter_ns, leave_ns: in the trace's own clock. Each array has one value per call."""

    name: Ints
    enter_ns: Ints
    leave_ns: Ints

    def take(self, rows: Ints) -> Calls:
        """The calls in these rows."""
        return Calls(self.name[rows], self.enter_ns[rows], self.leave_ns[rows])

    @property
    def length_ns(self) -> Ints:
        """The time inside each call."""
        return self.leave_ns - self.enter_ns

    @property
    def middle_ns(self) -> Ints:
        """The middle of each call. Of nested recorders, it varies less than the call's ends."""
        return self.enter_ns + self.length_ns // 2


@dataclass(frozen=True)
class Pairs:
    """Calls that both traces recorded: ascending rows of both, and the line from the foreign clock."""

    rows: Ints
    foreign_rows: Ints
    line: ClockLine


def matched(calls: Calls, foreign: Calls) -> Pairs | None:
    """The calls that both traces recorded. None if they have no function in common. Functions that only one of them
    records at all, such as MPI_Comm_rank, do not count."""
    names = np.intersect1d(calls.name, foreign.name)
    common, foreign_common = (np.flatnonzero(np.isin(side.name, names)) for side in (calls, foreign))
    if not len(common):
        return None
    calls, foreign = calls.take(common), foreign.take(foreign_common)
    line = _first_line(calls, foreign)
    rows, foreign_rows = common_sequence(calls, foreign, line)
    for _ in range(_ROUNDS):
        if not len(rows):
            return None
        pairs = rows, foreign_rows
        line = line_of_calls(calls.take(rows), foreign.take(foreign_rows))
        rows, foreign_rows = common_sequence(calls, foreign, line)
        if all(map(np.array_equal, pairs, (rows, foreign_rows))):
            break
    return Pairs(common[rows], foreign_common[foreign_rows], line)


def line_of_calls(calls: Calls, foreign: Calls) -> ClockLine:
    """The line from the foreign clock, from matched calls. Calls of which the recorders saw different lengths, as of
    MPI_Init, do not count."""
    difference = np.abs(calls.length_ns - foreign.length_ns)
    alike = difference <= max(_OVERLAP_NS, 2 * float(np.median(difference)))
    return line_between(foreign.middle_ns[alike], calls.middle_ns[alike])


def common_sequence(calls: Calls, foreign: Calls, line: ClockLine) -> tuple[Ints, Ints]:
    """The longest common sequence of names, among calls that overlap in time: rows of both. line: from the foreign
    clock.

    A function that each trace calls once needs no overlap: between its recorders, another tool may do work of its own,
    as Score-P in MPI_Finalize.
    """
    enter, leave = line.mapped(foreign.enter_ns), line.mapped(foreign.leave_ns)
    slack = _OVERLAP_NS + int(_OVERLAP_RESIDUALS * line.residual_ns)
    first = np.searchsorted(np.maximum.accumulate(leave), calls.enter_ns - slack)
    counts = np.maximum(0, np.searchsorted(enter, calls.leave_ns + slack, side="right") - first)
    row = np.repeat(np.arange(len(counts)), counts)
    foreign_row = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
    alike = calls.name[row] == foreign.name[foreign_row]
    row, foreign_row = row[alike], foreign_row[alike]
    single_row, single_foreign_row = _called_once(calls, foreign)
    is_missing = ~np.isin(single_row, row)
    row = np.concatenate([row, single_row[is_missing]])
    foreign_row = np.concatenate([foreign_row, single_foreign_row[is_missing]])
    # Descending within a row, so that an ascending sequence takes only one pair of it.
    order = np.lexsort((-foreign_row, row))
    row, foreign_row = row[order], foreign_row[order]
    if not ((np.diff(row) > 0).all() and (np.diff(foreign_row) > 0).all()):
        sequence = longest_ascending(foreign_row.tolist())
        row, foreign_row = row[sequence], foreign_row[sequence]
    return row, foreign_row


def longest_ascending(values: Sequence[int]) -> Ints:
    """The positions of a longest strictly ascending sequence, in time n log n (Schensted 1961)."""
    ends: list[int] = []
    positions: list[int] = []
    predecessors = [-1] * len(values)
    for position, value in enumerate(values):
        length = bisect_left(ends, value)
        predecessors[position] = positions[length - 1] if length else -1
        if length == len(ends):
            ends.append(value)
            positions.append(position)
        else:
            ends[length], positions[length] = value, position
    sequence: list[int] = []
    position = positions[-1] if positions else -1
    while position >= 0:
        sequence.append(position)
        position = predecessors[position]
    return np.asarray(sequence[::-1], np.int64)


def _called_once(calls: Calls, foreign: Calls) -> tuple[Ints, Ints]:
    """The rows of functions that each side calls exactly once."""
    singles, foreign_singles = (_singles(side.name) for side in (calls, foreign))
    names = np.asarray(sorted(singles.keys() & foreign_singles.keys()), np.int64).tolist()
    rows, foreign_rows = ([rows_of[name] for name in names] for rows_of in (singles, foreign_singles))
    return np.asarray(rows, np.int64), np.asarray(foreign_rows, np.int64)


def _singles(names: Ints) -> dict[int, int]:
    """The row of each name that occurs once."""
    values, rows, counts = np.unique(names, return_index=True, return_counts=True)
    return dict(zip(values[counts == 1].tolist(), rows[counts == 1].tolist(), strict=True))


def _first_line(calls: Calls, foreign: Calls) -> ClockLine:
    """The line on which most of the recognised calls agree."""
    rows, foreign_rows, difference = _recognised(calls, foreign)
    times, foreign_times = calls.middle_ns[rows], foreign.middle_ns[foreign_rows]
    gain = (times - foreign_times).astype(np.float64)
    slack = _SLACK_NS + _SLACK_SHARE * np.abs(foreign_times[:, None] - foreign_times)
    agrees = np.abs(gain[:, None] - gain) <= slack
    # Of lines with equally many calls, the one whose calls are most alike.
    order = np.lexsort((np.where(agrees, difference, 0.0).sum(axis=1), -agrees.sum(axis=1)))
    best = agrees[order[0]]
    return line_between(foreign_times[best], times[best])


def _recognised(calls: Calls, foreign: Calls) -> tuple[Ints, Ints, Floats]:
    """Samples of the calls, each with the foreign call that is most alike: rows of both, and the difference in ns."""
    window = min(_WINDOW, len(calls.name) - 1, len(foreign.name) - 1)
    gaps, foreign_gaps = (np.diff(side.enter_ns).astype(np.float64) for side in (calls, foreign))
    lengths, foreign_lengths = calls.length_ns, foreign.length_ns
    candidates = np.arange(len(foreign.name) - window)
    samples = np.unique(np.linspace(0, len(calls.name) - window - 1, _SAMPLES).astype(int))
    recognised: list[tuple[int, int, float]] = []
    for sample in samples.tolist():
        alike = candidates
        for step in range(window + 1):
            alike = alike[foreign.name[alike + step] == calls.name[sample + step]]
        if not len(alike):
            continue
        difference = np.minimum(np.abs(foreign_lengths[alike] - lengths[sample]), _CAP_NS)
        for step in range(window):
            difference = difference + np.minimum(np.abs(foreign_gaps[alike + step] - gaps[sample + step]), _CAP_NS)
        best = int(np.argmin(difference))
        recognised.append((sample, int(alike[best]), float(difference[best])))
    if not recognised:
        return _alike_in_length(calls, foreign)
    rows, foreign_rows, differences = zip(*recognised, strict=True)
    return np.asarray(rows, np.int64), np.asarray(foreign_rows, np.int64), np.asarray(differences)


def _alike_in_length(calls: Calls, foreign: Calls) -> tuple[Ints, Ints, Floats]:
    """Pairs of samples with equal names, those most alike in length first: rows of both, and the difference in ns. For
    threads on which no eight calls in a row have the same names."""
    rows, foreign_rows = (
        np.unique(np.linspace(0, len(side.name) - 1, 4 * _SAMPLES).astype(int)) for side in (calls, foreign)
    )
    row, foreign_row = (grid.ravel() for grid in np.meshgrid(rows, foreign_rows, indexing="ij"))
    alike = calls.name[row] == foreign.name[foreign_row]
    if not alike.any():  # the samples missed the names that both have
        shared = np.intersect1d(calls.name, foreign.name)[0]
        row, foreign_row = (np.flatnonzero(side.name == shared)[:1] for side in (calls, foreign))
        alike = np.ones(1, bool)
    row, foreign_row = row[alike], foreign_row[alike]
    difference = np.minimum(np.abs(calls.length_ns[row] - foreign.length_ns[foreign_row]), _CAP_NS)
    nearest = np.argsort(difference, kind="stable")[: 4 * _SAMPLES]
    return row[nearest], foreign_row[nearest], difference[nearest]
