"""Paths through collectives that return before they are done, drawn by hand."""

from __future__ import annotations

import pytest
from derive import derive
from drawn_trace import DrawnTrace, path_of


def two_ranks(enter_ns: int, *, waits_from: int = 200, wait_end: int = 1000) -> DrawnTrace:
    """Rank 0 starts an Iallreduce at 100 and waits for it; rank 1 starts it at `enter_ns`.

    rank 0: Init 0-10 | compute | Iallreduce 100-105 | compute | Wait waits_from-wait_end | compute | Finalize
    rank 1: Init 0-10 | compute | Iallreduce enter_ns-enter_ns+5 | Wait until it is over | Finalize
    """
    t = DrawnTrace(2)
    for rank in (0, 1):
        t.interval(rank, "init", 0, 10)
    t.collective(
        {0: 100, 1: enter_ns},
        {0: 105, 1: enter_ns + 5},
        op="MPI_Iallreduce",
        waits={0: (waits_from, wait_end), 1: (enter_ns + 5, wait_end - 10)},
    )
    t.interval(0, "wait", waits_from, wait_end, "MPI_Wait")
    t.interval(1, "wait", enter_ns + 5, wait_end - 10, "MPI_Wait")
    t.interval(0, "finalize", wait_end + 50, wait_end + 90)
    t.interval(1, "finalize", wait_end + 20, wait_end + 90)
    return t


def test_a_wait_leads_to_the_rank_that_started_after_it_began() -> None:
    derived = derive(two_ranks(enter_ns=900).tables())
    assert path_of(derived, "run") == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 900),
        (0, "native", 900, 1000),
        (0, "compute", 1000, 1050),
    ]
    wait = derived["path_stretches"].to_pylist()[-2]
    assert (wait["op"], wait["call_site"], wait["collective_id"]) == ("MPI_Iallreduce", "app+MPI_Iallreduce", 0)


@pytest.mark.parametrize("enter_ns", [900, 50])
def test_a_row_of_polls_is_one_wait(enter_ns: int) -> None:
    # Rank 0 polls from 200 to 600 and from 610 to 1000; without anybody to wait for, that is its own time from 200 on.
    t = two_ranks(enter_ns=enter_ns)
    path = path_of(derive(t.tables()), "run")
    t.rows["intervals"] = [i for i in t.rows["intervals"] if not (i["rank"] == 0 and i["kind"] == "wait")]
    t.interval(0, "wait", 200, 600, "MPI_Test")
    t.interval(0, "wait", 610, 1000, "MPI_Test")
    assert path_of(derive(t.tables()), "run") == path


def test_a_wait_for_what_everybody_had_started_stays_on_its_rank_and_goes_through_the_start() -> None:
    derived = derive(two_ranks(enter_ns=50, wait_end=300).tables())
    assert path_of(derived, "run") == [
        (0, "mpi", 0, 10),
        (0, "compute", 10, 100),
        (0, "local", 100, 105),
        (0, "compute", 105, 200),
        (0, "native", 200, 300),
        (0, "compute", 300, 350),
    ]


def test_the_path_of_the_collective_runs_from_the_last_start_to_the_last_completion() -> None:
    derived = derive(two_ranks(enter_ns=900).tables())
    assert path_of(derived, "collective", 0) == [(0, "native", 900, 1000)]


def test_a_message_that_was_sent_after_the_last_start_is_what_a_common_wait_was_for() -> None:
    t = two_ranks(enter_ns=300)
    t.interval(1, "p2p", 955, 990, "MPI_Send")
    t.rows["intervals"] = [i for i in t.rows["intervals"] if not (i["rank"] == 1 and i["kind"] == "wait")]
    t.message(1, 0, (955, 990), (90, 200, 1000))
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["recv"]
    assert (0, "p2p", 955, 1000) in path_of(derived, "run")


def test_what_led_to_a_collective_begins_at_the_wait_for_the_one_before() -> None:
    t = two_ranks(enter_ns=900)
    t.rows["intervals"] = [i for i in t.rows["intervals"] if i["kind"] != "finalize"]
    t.collective({0: 1200, 1: 1100}, {0: 1210, 1: 1210}, op="MPI_Barrier")
    t.interval(0, "finalize", 1300, 1400)
    t.interval(1, "finalize", 1300, 1400)
    assert path_of(derive(t.tables()), "lead", 1) == [(0, "compute", 1000, 1200)]


def test_what_led_to_a_collective_goes_no_further_than_one_that_was_complete_when_it_began() -> None:
    """Libraries complete collectives at once if they need no other rank. Regression: leads went on through hundreds of
    such collectives, so the dataset grew with the square of the trace."""
    t = DrawnTrace(2)
    for begin in (100, 200, 300):
        waits = {rank: (begin + rank, begin + rank) for rank in (0, 1)}
        t.collective({0: begin, 1: begin + 1}, {0: begin + 5, 1: begin + 5}, op="MPI_Iallreduce", waits=waits)
    assert path_of(derive(t.tables()), "lead", 2) == [(1, "compute", 205, 301)]
