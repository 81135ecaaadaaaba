"""The rank for which each call of a collective waited in the end, by the chain of hops that it waited for, drawn by
hand."""

from __future__ import annotations

import pyarrow as pa
import pytest
from derive import derive
from drawn_trace import DrawnTrace, path_of


def needed_ranks(derived: dict[str, pa.Table]) -> list[tuple[int | None, int | None]]:
    calls = derived["calls"]
    return list(zip(calls["needed_rank"].to_pylist(), calls["needed_ns"].to_pylist(), strict=True))


def test_those_below_a_late_inner_rank_wait_for_it_and_not_for_the_root() -> None:
    # A broadcast 0 -> 1 -> 2 and 0 -> 3. Rank 1 enters at 100, long after its message has arrived. Rank 2 waits for
    # rank 1, rank 3 only for the root.
    t = DrawnTrace(4)
    c = t.collective({0: 10, 1: 100, 2: 5, 3: 5}, {0: 30, 1: 120, 2: 135, 3: 40}, op="MPI_Bcast", root=0, engine="tree")
    t.hop(c, 0, 1, 12, 102, arrived_early=True, role="down")
    t.hop(c, 0, 3, 15, 35, role="down")
    t.hop(c, 1, 2, 110, 130, role="down")
    assert needed_ranks(derive(t.tables())) == [(0, 10), (1, 100), (1, 100), (0, 10)]


def test_in_an_exchange_all_wait_for_whom_their_chains_lead_to() -> None:
    # Recursive doubling on four ranks: first 0-1 and 2-3, then 0-2 and 1-3. Rank 3 is late.
    t = DrawnTrace(4)
    c = t.collective({0: 0, 1: 0, 2: 0, 3: 100}, {0: 135, 1: 130, 2: 125, 3: 120}, engine="tree")
    t.hop(c, 0, 1, 1, 10, role="exchange")
    t.hop(c, 1, 0, 1, 10, role="exchange")
    t.hop(c, 2, 3, 1, 101, arrived_early=True, role="exchange")
    t.hop(c, 3, 2, 102, 112, role="exchange")
    t.hop(c, 2, 0, 113, 130, role="exchange")
    t.hop(c, 3, 1, 103, 125, role="exchange")
    t.hop(c, 0, 2, 11, 114, arrived_early=True, role="exchange")
    t.hop(c, 1, 3, 11, 104, arrived_early=True, role="exchange")
    assert needed_ranks(derive(t.tables())) == [(3, 100)] * 4


def test_where_a_hop_is_undecided_nothing_is_known() -> None:
    t = DrawnTrace(2)
    c = t.collective({0: 0, 1: 50}, {0: 90, 1: 70}, engine="tree")
    t.hop(c, 1, 0, 60, 80, arrived_early=None, error=100)
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["undecided"]
    assert needed_ranks(derived) == [(None, None), (1, 50)]


def test_without_hops_nothing_is_known() -> None:
    t = DrawnTrace(2)
    t.collective({0: 0, 1: 50}, {0: 90, 1: 70})
    assert needed_ranks(derive(t.tables())) == [(None, None)] * 2


@pytest.mark.parametrize(
    ("op", "needed"),
    [
        ("MPI_Iallreduce", [(1, 300), (1, 300), (1, 300)]),
        ("MPI_Ibcast", [(0, 50), (1, 300), (2, 80)]),  # nobody waits for a receiver
        ("MPI_Ireduce", [(1, 300), (1, 300), (2, 80)]),
    ],
)
def test_without_hops_a_rank_that_comes_late_to_its_wait_is_waited_for_there(
    op: str, needed: list[tuple[int, int]]
) -> None:
    t = DrawnTrace(3)
    root = None if op == "MPI_Iallreduce" else 0
    waits = {0: (50, 340), 1: (300, 320), 2: (80, 340)}
    c = t.collective({0: 10, 1: 20, 2: 15}, {0: 12, 1: 22, 2: 17}, op=op, root=root, waits=waits)
    for rank, (begin, end) in waits.items():
        t.interval(rank, "wait", begin, end, "MPI_Wait")
    derived = derive(t.tables())
    assert needed_ranks(derived) == needed
    if op != "MPI_Ibcast":
        assert path_of(derived, "lead", c) == [(1, "local", 20, 22), (1, "compute", 22, 300)]
        assert path_of(derived, "run")[-2:] == [(1, "compute", 22, 300), (0, "native", 300, 340)]


def test_without_hops_a_rank_that_had_waited_before_another_one_began_to_wait_is_left_out() -> None:
    # All messages of rank 0 came before rank 1's wait, so rank 0 did not need it.
    t = DrawnTrace(2)
    waits = {0: (50, 120), 1: (300, 320)}
    t.collective({0: 10, 1: 100}, {0: 12, 1: 102}, op="MPI_Iallreduce", waits=waits)
    for rank, (begin, end) in waits.items():
        t.interval(rank, "wait", begin, end, "MPI_Wait")
    assert needed_ranks(derive(t.tables())) == [(1, 100), (1, 300)]


def test_a_rank_that_came_late_to_its_wait_is_reached_there() -> None:
    # Both have started an Iallreduce by 20. Rank 1 comes to its wait at 300 and sends on only then, so rank 0 waited
    # for it.
    t = DrawnTrace(2)
    c = t.collective(
        {0: 10, 1: 20},
        {0: 12, 1: 22},
        op="MPI_Iallreduce",
        engine="tree",
        waits={0: (50, 340), 1: (300, 320)},
    )
    for rank, begin, end in ((0, 50, 340), (1, 300, 320)):
        t.interval(rank, "wait", begin, end, "MPI_Wait")
    t.hop(c, 1, 0, 305, 335)
    derived = derive(t.tables())
    assert needed_ranks(derived) == [(1, 300), (1, 300)]
    # The lead has the computing before the start and between start and wait.
    assert path_of(derived, "lead", c) == [
        (1, "local", 20, 22),
        (1, "compute", 22, 300),
    ]
