"""Calls of MPI of one thread match between two recorders, on drawn sequences. Times in ns."""

from random import Random

import numpy as np
import pytest
from hopscope.dataset.beside.clock import ClockLine, line_between
from hopscope.dataset.beside.matching import Calls, common_sequence, longest_ascending, matched

NAMES = {"I": 0, "S": 1, "R": 2, "A": 3, "F": 4, "r": 5}
"""MPI_Init, MPI_Send, MPI_Recv, MPI_Allreduce, MPI_Finalize and MPI_Comm_rank."""
SAME_CLOCK = ClockLine(0, 0.0, 0.0)


def calls(names: str, enter: list[int], length: int = 100) -> Calls:
    begin = np.asarray(enter, np.int64)
    return Calls(np.asarray([NAMES[name] for name in names], np.int64), begin, begin + length)


def program(names: str, seed: int = 1) -> Calls:
    """Calls at intervals that vary between 0.5 and 1.5 ms, each of 1 to 50 us."""
    draw = Random(seed)
    enter = np.cumsum([draw.randrange(500_000, 1_500_000) for _ in names])
    length = np.asarray([draw.randrange(1_000, 50_000) for _ in names])
    return Calls(np.asarray([NAMES[name] for name in names], np.int64), enter, enter + length)


def foreign(recorded: Calls, rows: list[int], offset: int = 0, drift: float = 0.0) -> Calls:
    """Some of these calls as a recorder with another clock sees them, 200 ns around each."""

    def in_foreign_clock(times: np.ndarray) -> np.ndarray:
        return times + offset + np.rint(times * drift).astype(np.int64)

    seen_calls = recorded.take(np.asarray(rows, np.int64))
    return Calls(
        seen_calls.name, in_foreign_clock(seen_calls.enter_ns - 200), in_foreign_clock(seen_calls.leave_ns + 200)
    )


def rows_of(calls_here: Calls, calls_there: Calls) -> list[tuple[int, int]]:
    pairs = matched(calls_here, calls_there)
    return [] if pairs is None else list(zip(pairs.rows.tolist(), pairs.foreign_rows.tolist(), strict=True))


@pytest.mark.parametrize(
    ("values", "length"),
    [([], 0), ([5], 1), ([3, 2, 1], 1), ([1, 1, 1], 1), ([0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13], 5)],
)  # fmt: skip
def test_the_longest_ascending_sequence_is_taken(values: list[int], length: int) -> None:
    sequence = [values[position] for position in longest_ascending(values)]
    assert len(sequence) == length
    assert sequence == sorted(set(sequence))


def test_a_line_between_clocks_is_found_beside_moments_that_fit_none() -> None:
    # 200 moments of a clock that is 5 s ahead and gains 50 us a second; every tenth is 1 ms off.
    times = np.arange(200, dtype=np.int64) * 10_000_000
    foreign_times = times + 5_000_000_000 + times // 20_000
    foreign_times[::10] += 1_000_000
    line = line_between(times, foreign_times)
    assert line.drift == pytest.approx(5e-5, rel=1e-6)
    assert line.residual_ns < 1
    assert line.moments == 180
    assert abs(line.mapped(times) - foreign_times)[1::10].max() <= 1


def test_one_moment_gives_the_offset() -> None:
    line = line_between(np.asarray([70], np.int64), np.asarray([100], np.int64))
    assert (line.mapped(np.asarray([80], np.int64)).tolist(), line.drift) == ([110], 0.0)


def test_calls_match_whatever_offset_and_drift_the_clocks_have() -> None:
    recorded = program("I" + "SRA" * 60 + "F")
    pairs = matched(recorded, foreign(recorded, [*range(182)], 10**15, 1e-4))
    assert pairs is not None
    assert pairs.rows.tolist() == pairs.foreign_rows.tolist() == [*range(182)]
    assert pairs.line.residual_ns < 2
    assert pairs.line.drift == pytest.approx(-1e-4, rel=1e-3)


def test_equal_calls_match_by_their_distances_if_the_first_are_missing() -> None:
    # Of 50 Allreduces, the longest common sequence of 47 names alone could begin at any of the first four.
    recorded = program("A" * 50)
    assert rows_of(recorded, foreign(recorded, [*range(3, 50)], -7_000_000)) == [(3 + row, row) for row in range(47)]


def test_calls_may_be_missing_at_either_end_of_both() -> None:
    recorded = program("I" + "SRA" * 30 + "F")
    early_rows, late_rows = [*range(80)], [*range(10, 92)]
    pairs = rows_of(recorded.take(np.asarray(early_rows)), foreign(recorded, late_rows, 123_456_789))
    assert pairs == [(row, row - 10) for row in range(10, 80)]


def test_a_tools_own_calls_match_none() -> None:
    # The tool sends between the program's calls; only our recorder sees that.
    recorded = program("I" + "SS" + "SA" * 20 + "SS" + "F")
    programs = [0, *range(3, 43), 45]
    pairs = rows_of(recorded, foreign(recorded, programs, 10**9))
    assert [row for row, _ in pairs] == programs


def test_functions_that_only_one_of_them_records_do_not_count() -> None:
    recorded = program("I" + "rSrA" * 20 + "F")
    heard_rows = [row for row in range(82) if row in {0, 81} or row % 2 == 0]
    calls_here = recorded.take(np.asarray(heard_rows))
    pairs = rows_of(calls_here, foreign(recorded, [*range(82)], 10**9))
    assert [heard_rows[row] for row, _ in pairs] == [foreign_row for _, foreign_row in pairs] == heard_rows


def test_mpi_finalize_needs_no_overlap() -> None:
    # Before our recorder, the tool's MPI_Finalize ends at 400 and does work of its own until 900.
    calls_here, calls_there = calls("IAF", [0, 200, 900]), calls("IAF", [0, 200, 300])
    rows, foreign_rows = common_sequence(calls_here, calls_there, SAME_CLOCK)
    assert (rows.tolist(), foreign_rows.tolist()) == ([0, 1, 2], [0, 1, 2])


def test_calls_of_one_name_that_miss_one_another_do_not_match() -> None:
    rows, _ = common_sequence(calls("AA", [0, 50_000]), calls("AA", [20_000, 90_000]), SAME_CLOCK)
    assert rows.tolist() == []


def test_traces_without_a_common_function_do_not_match() -> None:
    assert rows_of(program("SSS"), program("RRR")) == []


@pytest.mark.parametrize("names", ["A", "IF", "IAF"])
def test_few_calls_match_too(names: str) -> None:
    recorded = program(names)
    assert rows_of(recorded, foreign(recorded, [*range(len(names))], 10**12)) == [(i, i) for i in range(len(names))]
