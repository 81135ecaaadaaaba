"""The critical path goes through the threads that communicate, not through a thread that waits for them."""

from derive import derive
from drawn_trace import DrawnTrace, path_of


def joined_trace() -> DrawnTrace:
    """Two ranks whose second threads call an Allreduce, for which rank 1 computes longer.

    thread 0: Init 0-10 | compute 10-22 | waits for thread 1 22-312 | compute 312-330 | Finalize
    thread 1: created 20 | compute 20-100 on rank 0, 20-200 on rank 1 | Allreduce -210 | compute, ends at 300
    """
    t = DrawnTrace(2)
    for rank in (0, 1):
        t.interval(rank, "init", 0, 10)
        t.interval(rank, "idle", 20, 20, thread=1)
        t.interval(rank, "join", 22, 312)
        t.interval(rank, "idle", 300, None, thread=1)
        t.interval(rank, "finalize", 330 + rank, 400)
    t.collective({0: 100, 1: 200}, {0: 210, 1: 210}, thread=1)
    return t


def test_the_wait_for_a_thread_leads_to_what_that_thread_did() -> None:
    # Regression: the path was one stretch of computing in the first thread, from MPI_Init to MPI_Finalize.
    assert path_of(derive(joined_trace().tables()), "run") == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 20),
        (1, "compute", 20, 200),
        (1, "native", 200, 210),
        (1, "compute", 210, 300),
        (1, "compute", 300, 312),
        (1, "compute", 312, 331),
    ]


def test_a_first_thread_that_only_begins_and_ends_mpi_waited_for_the_others() -> None:
    # Regression: the wait for a thread by a lock is no MPI call, so the path stayed on the first thread.
    trace = joined_trace()
    trace.rows["intervals"] = [row for row in trace.rows["intervals"] if row["kind"] != "join"]
    assert path_of(derive(trace.tables()), "run") == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 20),
        (1, "compute", 20, 200),
        (1, "native", 200, 210),
        (1, "compute", 210, 300),
        (1, "compute", 300, 331),
    ]


def test_a_first_thread_that_communicates_keeps_its_computing() -> None:
    trace = joined_trace()
    trace.rows["intervals"] = [row for row in trace.rows["intervals"] if row["kind"] != "join"]
    trace.interval(1, "p2p", 11, 12)
    assert path_of(derive(trace.tables()), "run") == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 11),
        (1, "p2p", 11, 12),
        (1, "compute", 12, 331),
    ]


def test_a_thread_whose_beginning_is_unknown_began_before_the_wait_for_it() -> None:
    trace = joined_trace()
    trace.rows["intervals"] = [row for row in trace.rows["intervals"] if row["begin_ns"] != 20]
    assert path_of(derive(trace.tables()), "run")[:4] == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 22),
        (1, "compute", 22, 200),
        (1, "native", 200, 210),
    ]


def test_of_two_threads_on_one_track_the_path_follows_the_one_that_was_waited_for() -> None:
    # Each rank's thread calls one Allreduce and ends. The next thread of its location, created at 330, calls the other
    # one.
    trace = joined_trace()
    for rank in (0, 1):
        rows = [row for row in trace.rows["intervals"] if row["rank"] == rank]
        next(row for row in rows if row["kind"] == "idle" and row["end_ns"] is None)["end_ns"] = 330
        next(row for row in rows if row["kind"] == "finalize")["begin_ns"] = 630 + rank
        next(row for row in rows if row["kind"] == "finalize")["end_ns"] = 700
        trace.interval(rank, "join", 332, 612)
        trace.interval(rank, "idle", 600, None, thread=1)
    trace.collective({0: 500, 1: 400}, {0: 510, 1: 510}, thread=1)
    assert path_of(derive(trace.tables()), "run") == [
        (1, "mpi", 0, 10),
        (1, "compute", 10, 20),
        (1, "compute", 20, 200),
        (0, "native", 200, 210),
        (0, "compute", 210, 300),
        (0, "compute", 300, 312),
        (0, "compute", 312, 330),
        (0, "compute", 330, 500),
        (1, "native", 500, 510),
        (1, "compute", 510, 600),
        (1, "compute", 600, 612),
        (1, "compute", 612, 631),
    ]
