"""The list of all collectives of the trace: ordered by any column, searched by words and cut into pages."""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected

COLLECTIVES = """
collective_id comm seq comm_size op            bytes first_enter_ns last_enter_ns last_rank last_leave_ns
0             0    0   2         MPI_Allreduce 8     1000000        1100000       1         1200000
1             1    0   2         MPI_Bcast     4096  2000000        2000300       0         5000000
2             0    1   2         MPI_Allreduce 16    6000000        6400000       0         6500000
3             0    10  2         MPI_Barrier   0     7000000        7000000       1         7000000
"""
CALLS = """
collective_id rank enter_ns leave_ns engine           call_site
0             0    1000000  1200000  tree             solver+0x10
0             1    1100000  1200000  tree             solver+0x10
1             0    2000300  5000000  native           solver+0x20
1             1    2000000  5000000  native           solver+0x30
2             0    6400000  6500000  native:too_large solver+0x10
2             1    6000000  6500000  native:too_large solver+0x10
3             0    7000000  7000000  tree             -
3             1    7000000  7000000  tree             -
"""
PLACES = """
call_site   place
solver+0x10 dot_(solve.c:15)
solver+0x20 share_(main.c:7)
solver+0x30 share_(main.c:9)
"""
RANKS = """
rank
0
1
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """Four collectives on two communicators."""
    directory: Path = tmp_path_factory.mktemp("trace") / "dataset"
    return hopscope.open(draw(directory, collectives=COLLECTIVES, calls=CALLS, places=PLACES, ranks=RANKS))


def names(trace: hopscope.Trace, **options: object) -> list[str]:
    return [str(row["collective"]) for row in trace.collectives(**options).to_pylist()]


@pytest.mark.parametrize(
    ("order", "first"),
    [
        ("worst", ["1:0", "0:0", "0:1", "0:10"]),
        ("first", ["0:0", "1:0", "0:1", "0:10"]),
        ("duration", ["1:0", "0:1", "0:0", "0:10"]),
        ("spread", ["0:1", "0:0", "1:0", "0:10"]),
        ("bytes", ["1:0", "0:1", "0:0", "0:10"]),
        ("operation", ["0:0", "0:1", "0:10", "1:0"]),
        ("engine", ["1:0", "0:1", "0:0", "0:10"]),
    ],
)
def test_any_column_orders_the_list_and_reverse_turns_it_round(
    trace: hopscope.Trace, order: str, first: list[str]
) -> None:
    assert names(trace, order=order) == first
    assert names(trace, order=order, reverse=True) == first[::-1]


def test_what_has_no_value_in_the_column_stays_last_in_both_directions(trace: hopscope.Trace) -> None:
    # Both ranks enter 0:10 at the same time, so it has no last rank.
    assert names(trace, order="last-rank") == ["0:0", "1:0", "0:1", "0:10"]
    assert names(trace, order="last-rank", reverse=True) == ["0:1", "1:0", "0:0", "0:10"]


def test_pages_put_together_are_the_whole_list_and_each_says_how_many_fit(trace: hopscope.Trace) -> None:
    pages = [names(trace, order="first", limit=2, skip=skip) for skip in (0, 2, 4)]
    assert pages == [["0:0", "1:0"], ["0:1", "0:10"], []]
    assert cells(trace.collectives(order="first", limit=1, skip=1), "collective", "matches") == expected("""
        collective, matches
        1:0,        4""")


@pytest.mark.parametrize(
    ("search", "collectives"),
    [
        ("allreduce", ["0:0", "0:1"]),
        ("0:1", ["0:1"]),  # without 0:10
        ("SOLVE.C:15", ["0:0", "0:1"]),
        ("0x30", ["1:0"]),  # one member called it from there
        ("solver native", ["1:0", "0:1"]),
        ("native:too_large dot", ["0:1"]),
        ("barrier solver", []),
        ("100%_", []),  # these are not wildcards
        ("  ", ["0:0", "1:0", "0:1", "0:10"]),
    ],
)
def test_every_word_of_a_search_is_found_in_what_a_collective_is(
    trace: hopscope.Trace, search: str, collectives: list[str]
) -> None:
    assert names(trace, search=search, order="first") == collectives


def test_a_least_duration_leaves_out_what_is_shorter_and_counts_the_rest(trace: hopscope.Trace) -> None:
    rows = trace.collectives(least_ms=0.5, order="first", limit=1).to_pylist()
    assert [(row["collective"], row["matches"]) for row in rows] == [("1:0", 2)]
