"""The critical path of the run and the lead of a collective, drawn by hand."""

from __future__ import annotations

from derive import derive
from drawn_trace import DrawnTrace, path_of


def halo_trace(delay: int = 1000) -> DrawnTrace:
    """Two ranks that exchange halos before an Allreduce; rank 1 computes `delay` longer, so rank 0 waits for its halo.

    rank 0: Init 0-10 | compute 10-160 | Recv 160 .......... delay+130 | compute | Allreduce delay+150 | Finalize
    rank 1: Init 0-10 | compute 10-delay+100 | Send delay+100-110 | compute | Allreduce delay+140 | Finalize
    """
    t = DrawnTrace(2)
    for rank in (0, 1):
        t.interval(rank, "init", 0, 10)
    # An early message and its prompt receive, which show the time of receiving without a wait.
    t.interval(1, "p2p", 15, 16, "MPI_Send")
    t.interval(0, "p2p", 150, 152, "MPI_Recv")
    t.message(1, 0, (15, 16), (150, 150, 152))
    t.interval(0, "p2p", 160, delay + 130, "MPI_Recv")
    t.interval(1, "p2p", delay + 100, delay + 110, "MPI_Send")
    t.message(1, 0, (delay + 100, delay + 110), (160, 160, delay + 130))
    t.collective({0: delay + 150, 1: delay + 140}, {0: delay + 200, 1: delay + 190})
    t.interval(0, "finalize", delay + 220, delay + 300)
    t.interval(1, "finalize", delay + 210, delay + 300)
    return t


def test_the_late_rank_is_the_cause_though_its_neighbour_enters_last() -> None:
    derived = derive(halo_trace().tables())
    assert derived["messages"]["binding"].to_pylist() == ["none", "recv"]
    assert path_of(derived, "lead", 0) == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 15),
        (1, "p2p", 15, 16),
        (1, "compute", 16, 1100),
        (0, "p2p", 1100, 1130),
        (0, "compute", 1130, 1150),
    ]
    assert path_of(derived, "run") == [
        *path_of(derived, "lead", 0),
        (0, "native", 1150, 1200),
        (0, "compute", 1200, 1220),
    ]


def test_computing_carries_the_call_site_of_the_call_that_ended_it_and_no_operation() -> None:
    run = [r for r in derive(halo_trace().tables())["path_stretches"].to_pylist() if r["path"] == "run"]
    assert [(r["op"], r["call_site"]) for r in run] == [
        ("MPI_Init", "app+init"),
        (None, "app+p2p"),
        ("MPI_Send", "app+p2p"),
        (None, "app+p2p"),
        ("MPI_Recv", "app+p2p"),
        (None, "app+MPI_Allreduce"),
        ("MPI_Allreduce", "app+MPI_Allreduce"),
        (None, "app+finalize"),
    ]
    assert [r["message_id"] for r in run] == [None, None, None, None, 1, None, None, None]
    assert (run[4]["src"], run[4]["dst"]) == (1, 0)


def test_a_message_that_was_there_is_not_followed() -> None:
    # Rank 0 itself comes late. Rank 1's halo has been there since 130; rank 0 receives it from 900 to 902.
    t = DrawnTrace(2)
    t.interval(1, "p2p", 120, 125, "MPI_Send")
    t.message(1, 0, (120, 125), (900, 900, 902))
    t.interval(0, "p2p", 900, 902, "MPI_Recv")
    # In the other direction, rank 1 waits for rank 0's halo from 130 on, which shows the time of a message: 20.
    t.interval(1, "p2p", 130, 930, "MPI_Recv")
    t.interval(0, "p2p", 910, 912, "MPI_Send")
    t.message(0, 1, (910, 912), (130, 130, 930))
    t.collective({0: 950, 1: 940}, {0: 990, 1: 990})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["none", "recv"]
    assert path_of(derived, "lead", 0) == [
        (0, "p2p", 900, 902),
        (0, "compute", 902, 910),
        (0, "p2p", 910, 912),
        (0, "compute", 912, 950),
    ]


def test_of_the_halos_of_one_waitall_the_one_sent_last_is_the_cause() -> None:
    # Rank 0's Waitall from 100 to 600 completes two messages. Rank 2 sent its message at 580, rank 1 at 110.
    t = DrawnTrace(3)
    t.interval(0, "p2p", 50, 51, "MPI_Irecv")
    t.interval(0, "wait", 100, 600, "MPI_Waitall")
    for src, sent in ((1, 110), (2, 580)):
        t.interval(src, "p2p", sent, sent + 5, "MPI_Send")
        t.message(src, 0, (sent, sent + 5), (50, 100, 600))
    t.collective({0: 610, 1: 200, 2: 590}, {0: 650, 1: 650, 2: 650})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["recv", "recv"]
    assert path_of(derived, "lead", 0)[-2:] == [(0, "p2p", 580, 600), (0, "compute", 600, 610)]


def test_a_wait_for_several_kinds_of_requests_follows_a_message_that_came_last_for_certain() -> None:
    # Rank 0's first Waitall, from 100 to 600, is for rank 1's halo of 580 and a file. Nothing tells which request of
    # its second one came last.
    t = DrawnTrace(2)
    t.interval(0, "mixed", 100, 600, "MPI_Waitall")
    t.interval(1, "p2p", 580, 585, "MPI_Send")
    t.message(1, 0, (580, 585), (50, 100, 600))
    t.interval(0, "mixed", 700, 800, "MPI_Waitall")
    t.interval(0, "io", 810, 820, "MPI_Wait")
    t.interval(0, "rma", 830, 840, "MPI_Wait")
    t.collective({0: 850, 1: 590}, {0: 860, 1: 860})
    assert path_of(derive(t.tables()), "lead", 0)[-8:] == [
        (0, "p2p", 580, 600),
        (0, "compute", 600, 700),
        (0, "mpi", 700, 800),
        (0, "compute", 800, 810),
        (0, "io", 810, 820),
        (0, "compute", 820, 830),
        (0, "rma", 830, 840),
        (0, "compute", 840, 850),
    ]


def test_a_rendezvous_send_leads_to_the_receiver_that_posted_late() -> None:
    # Rank 0 sends 1 MB at 100 and is blocked until rank 1 posts at 700. An eager message of 8 bytes never blocks.
    t = DrawnTrace(2)
    t.interval(0, "p2p", 100, 760, "MPI_Send")
    t.interval(1, "p2p", 700, 765, "MPI_Recv")
    t.message(0, 1, (100, 760), (700, 700, 765), size=1 << 20)
    t.interval(0, "p2p", 770, 772, "MPI_Send")
    t.interval(1, "p2p", 800, 802, "MPI_Recv")
    t.message(0, 1, (770, 772), (800, 800, 802))
    t.collective({0: 900, 1: 850}, {0: 950, 1: 950})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["send", "undecided"]
    assert path_of(derived, "lead", 0) == [
        (1, "p2p", 700, 760),
        (0, "compute", 760, 770),
        (0, "p2p", 770, 772),
        (0, "compute", 772, 900),
    ]


def test_without_any_reference_a_wait_is_undecided_and_not_followed() -> None:
    # The clocks may be wrong by 500 ns, and the only message was sent 10 ns before the wait. So the binding is
    # undecided.
    t = DrawnTrace(2)
    t.interval(1, "p2p", 90, 95, "MPI_Send")
    t.interval(0, "p2p", 100, 400, "MPI_Recv")
    t.message(1, 0, (90, 95), (100, 100, 400), error=500)
    t.collective({0: 450, 1: 100}, {0: 500, 1: 500})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["undecided"]
    assert path_of(derived, "lead", 0) == [(0, "p2p", 100, 400), (0, "compute", 400, 450)]


def test_waits_that_match_nothing_and_other_calls_are_mpi() -> None:
    t = DrawnTrace(1)
    t.interval(0, "init", 0, 10)
    t.interval(0, "wait", 20, 30)
    t.interval(0, "comm", 30, 40)
    t.interval(0, "region", 5, 60, "solve")  # a user's region is computing, and may contain MPI
    t.interval(0, "finalize", 50, 90)
    assert path_of(derive(t.tables()), "run") == [
        (0, "mpi", 0, 10),
        (0, "compute", 10, 20),
        (0, "mpi", 20, 30),
        (0, "mpi", 30, 40),
        (0, "compute", 40, 50),
    ]


def test_files_and_windows_have_categories_and_a_fence_leads_to_the_last_rank() -> None:
    # Rank 0 comes to the fence at 100, rank 1 at 60. Before, rank 0 writes from 20 to 40 and puts from 50 to 55.
    t = DrawnTrace(2)
    t.interval(0, "io", 20, 40, "MPI_File_write_all")
    t.interval(0, "rma", 50, 55, "MPI_Put")
    t.collective({0: 100, 1: 60}, {0: 110, 1: 120}, "MPI_Win_fence")
    t.collective({0: 130, 1: 140}, {0: 150, 1: 150}, "MPI_File_close")
    assert path_of(derive(t.tables()), "run") == [
        (0, "io", 20, 40),
        (0, "compute", 40, 50),
        (0, "rma", 50, 55),
        (0, "compute", 55, 100),
        (1, "rma", 100, 120),
        (1, "compute", 120, 140),
        (0, "io", 140, 150),
    ]


def test_an_epoch_of_a_window_leads_to_the_rank_that_it_waited_for() -> None:
    # Rank 0 starts at 20 and waits for rank 1, which posts at 100; then rank 1 waits from 110 on until rank 0 completes
    # at 300. Regression: both stayed on their rank, and nobody was waited for.
    t = DrawnTrace(2)
    for rank in (0, 1):
        t.interval(rank, "init", 0, 10)
    t.interval(0, "rma", 20, 105, "MPI_Win_start")
    t.interval(1, "rma", 100, 104, "MPI_Win_post")
    t.message(1, 0, (100, 104), (20, 20, 105), size=0)
    t.interval(1, "rma", 110, 310, "MPI_Win_wait")
    t.interval(0, "rma", 300, 306, "MPI_Win_complete")
    t.message(0, 1, (300, 306), (110, 110, 310), size=0)
    t.interval(1, "finalize", 320, 330)
    assert path_of(derive(t.tables()), "run") == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 100),
        (0, "rma", 100, 105),
        (0, "compute", 105, 300),
        (1, "rma", 300, 310),
        (1, "compute", 310, 320),
    ]


def test_a_run_without_finalize_is_walked_from_its_last_event() -> None:
    t = DrawnTrace(2)
    t.interval(0, "init", 0, 10)
    t.interval(1, "init", 0, 10)
    t.collective({0: 30, 1: 50}, {0: 80, 1: 75})
    t.collective({1: 100}, {})  # rank 0 was killed; rank 1 never left
    derived = derive(t.tables())
    assert path_of(derived, "run") == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 50),
        (1, "native", 50, 75),
        (1, "compute", 75, 100),
    ]


def test_an_empty_trace_has_no_paths() -> None:
    derived = derive(DrawnTrace(0).tables())
    assert derived["path_stretches"].num_rows == 0


def test_a_thread_leads_back_to_the_main_thread_of_its_rank() -> None:
    # A second thread's only call is the Allreduce that ends the run. Before its first event the path is on the main
    # thread, which was in MPI_Init until 10 and has computed since.
    t = DrawnTrace(1)
    t.interval(0, "init", 0, 10)
    t.collective({0: 100}, {0: 130})
    t.rows["calls"][0]["location"] = 1 << 32
    assert path_of(derive(t.tables()), "run") == [(0, "mpi", 0, 10), (0, "compute", 10, 100), (0, "native", 100, 130)]


def test_what_is_nested_in_another_mpi_call_belongs_to_that_call() -> None:
    t = DrawnTrace(1)
    t.interval(0, "init", 0, 50)
    t.interval(0, "io", 10, 20)
    t.interval(0, "finalize", 60, 70)
    assert path_of(derive(t.tables()), "run") == [(0, "mpi", 0, 50), (0, "compute", 50, 60)]


def test_nothing_led_to_a_collective_of_one_rank() -> None:
    t = DrawnTrace(1)
    t.collective({0: 100}, {0: 110})
    t.collective({0: 200}, {0: 210})
    assert path_of(derive(t.tables()), "lead", 1) == []


def test_the_path_ends_at_the_last_call_of_a_rank_that_goes_on_without_finalizing() -> None:
    """Regression: the path ended at the last MPI_Finalize in the trace, which may be that of a short-lived rank."""
    t = DrawnTrace(2)
    for rank in (0, 1):
        t.interval(rank, "init", 0, 10)
    t.interval(0, "finalize", 100, 110)
    t.interval(1, "comm", 500, 520)
    t.interval(1, "region", 10, 900)
    assert path_of(derive(t.tables()), "run") == [(1, "mpi", 0, 10), (1, "compute", 10, 500), (1, "mpi", 500, 520)]


def test_the_collectors_own_time_is_neither_computing_nor_mpi() -> None:
    # Regression: the time was `mpi` between calls, and the call's own category inside one.
    t = DrawnTrace(2)
    for rank in (0, 1):
        t.interval(rank, "init", 0, 10)
    t.interval(0, "overhead", 40, 55)
    t.collective({0: 100, 1: 90}, {0: 160, 1: 150})
    t.interval(0, "overhead", 110, 120)
    t.interval(0, "overhead", 150, 160)
    assert path_of(derive(t.tables()), "run") == [
        (0, "mpi", 0, 10),
        (0, "compute", 10, 40),
        (0, "overhead", 40, 55),
        (0, "compute", 55, 100),
        (0, "native", 100, 110),
        (0, "overhead", 110, 120),
        (0, "native", 120, 150),
        (0, "overhead", 150, 160),
    ]
