"""A recorded run is computed again without one of its causes. The drawings show the time that this saves.

Two ranks call Barriers together, or send messages to each other. In each drawing one rank computes 50 ns longer, or
sends or receives later; without that, the run is shorter by this time.
"""

from collections.abc import Callable
from pathlib import Path

import hopscope
import numpy as np
import pyarrow as pa
import pytest
from drawing import draw
from hopscope.explain.diagnosis.messages import causes_in_messages
from hopscope.explain.diagnosis.rerun import Rerun

RANKS = """
rank host cluster clock_host
0    h0   A       one
1    h0   A       one
"""
COMMS = """
comm name           size members
0    MPI_COMM_WORLD 2    0,1
"""
# Rank 1 enters the first Barrier 50 late. Both Barriers take 10 from the last enter on.
COLLECTIVES = """
collective_id comm seq op          root comm_size complete
0             0    0   MPI_Barrier -    2         true
1             0    1   MPI_Barrier -    2         true
"""
CALLS = """
collective_id rank location enter_ns leave_ns engine
0             0    0        100      160      native
0             1    1        150      160      native
1             0    0        200      210      native
1             1    1        200      210      native
"""
INTERVALS = """
rank location begin_ns end_ns region   kind
0    0        0        5      MPI_Init init
1    1        0        5      MPI_Init init
"""
# From 30 on, rank 1 waits for a message that rank 0 sends at 80; its receive ends at 90. Then it sends a large message,
# for which rank 0 posts the receive 40 late.
SEND_AND_RECEIVE = """
rank location begin_ns end_ns region   kind
0    0        0        5      MPI_Init init
1    1        0        5      MPI_Init init
0    0        80       85     MPI_Send p2p
1    1        30       90     MPI_Recv p2p
1    1        100      160    MPI_Send p2p
0    0        140      165    MPI_Recv p2p
"""
MESSAGES = """
message_id comm tag link binding src dst src_location dst_location bytes {times}
0          0    0   shm  recv    0   1   0            1            8       80  80  85  30  30  90
1          0    0   shm  send    1   0   1            0            1000000 100 100 160 140 140 165
""".format(times="send_begin_ns send_wait_begin_ns send_end_ns recv_post_ns recv_wait_begin_ns recv_end_ns")


@pytest.fixture
def rerun(tmp_path: Path) -> Callable[..., Rerun]:
    def make(**tables: str) -> Rerun:
        trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS, comms=COMMS, **tables))
        return Rerun(trace.table, 5, 210)

    return make


def test_without_a_change_it_ends_as_recorded(rerun: Callable[..., Rerun]) -> None:
    assert rerun(collectives=COLLECTIVES, calls=CALLS, intervals=INTERVALS).error == 0


def test_computing_that_others_wait_for_costs_what_they_wait(rerun: Callable[..., Rerun]) -> None:
    run = rerun(collectives=COLLECTIVES, calls=CALLS, intervals=INTERVALS)

    def saved(rank: int, end_ns: int, less_ns: int) -> int:
        return run.cost(run.computing(*(np.asarray([value]) for value in (rank, end_ns, less_ns)))).ns

    assert saved(1, 150, 30) == 30
    assert saved(1, 150, 70) == 50  # after that, rank 0 is the last one
    assert saved(0, 100, 30) == 0  # no rank waits for it
    assert saved(1, 200, 30) == 0  # the other rank is equally late


@pytest.mark.parametrize(
    "wait",
    ["0 0 120 190 MPI_Wait wait", "0 0 120 140 MPI_Test wait\n0 0 142 160 MPI_Test wait\n0 0 161 190 MPI_Test wait"],
)
def test_a_late_wait_for_a_nonblocking_collective_without_hops_costs_what_the_others_wait_for_it(
    rerun: Callable[..., Rerun], wait: str
) -> None:
    # Both start an Iallreduce at 100. Rank 0 waits for it from 120 on, rank 1 from 180 on; both are done at 190.
    run = rerun(
        collectives="comm seq op comm_size complete\n0 0 MPI_Iallreduce 2 true",
        calls="collective_id rank location enter_ns wait_begin_ns leave_ns complete_ns engine needed_ns\n"
        "0 0 0 100 120 101 190 native 180\n0 1 1 100 180 101 190 native 180",
        intervals=INTERVALS + f"{wait}\n1 1 180 190 MPI_Wait wait\n",
    )
    assert run.error == 0

    def saved(rank: int, end_ns: int, less_ns: int) -> int:
        return run.cost(run.computing(*(np.asarray([value]) for value in (rank, end_ns, less_ns)))).ns

    assert saved(1, 180, 40) == 40
    assert saved(1, 180, 79) == 60  # after that, rank 0 is the last one
    assert saved(0, 120, 19) == 0  # no rank waits for it


def test_a_late_send_costs_what_its_receiver_waits_for_it(rerun: Callable[..., Rerun]) -> None:
    run = rerun(intervals=SEND_AND_RECEIVE, messages=MESSAGES)
    assert run.error == 0
    # Without the wait the receive ends at 30, and everything after it is 60 earlier on rank 1, but not on rank 0.
    assert run.cost({"messages.early_row": np.asarray([0])}).ns == 0
    # If rank 0 computes nothing before its send, it posts its receive 75 earlier, and the receive ends 75 earlier.
    assert run.cost(run.computing(np.asarray([0]), np.asarray([80]), np.asarray([75]))).ns == 75


def test_a_late_receive_holds_its_sender(rerun: Callable[..., Rerun]) -> None:
    intervals = SEND_AND_RECEIVE + "1    1        260      265    MPI_Barrier mpi\n"
    run = rerun(intervals=intervals, messages=MESSAGES)
    # The sender goes on 20 after it began to send, as it did after the post: at 120 instead of 160.
    assert run.cost({"messages.prompt_row": np.asarray([1])}).ns == 40


@pytest.mark.parametrize(
    ("kind", "function", "other_function"),
    [("io", "MPI_File_close", "MPI_Win_fence"), ("other-mpi", "MPI_Win_fence", "MPI_File_close")],
)
def test_calls_that_all_members_make_count_for_files_and_windows(
    kind: str, function: str, other_function: str, rerun: Callable[..., Rerun]
) -> None:
    # Regression: 0, for only calls that are no collectives counted.
    collectives = COLLECTIVES.replace("MPI_Barrier", function, 1).replace("MPI_Barrier", other_function)
    run = rerun(collectives=collectives, calls=CALLS, intervals=INTERVALS)
    cause = next(cause for cause in causes_in_messages(run) if cause.kind == kind)
    assert run.cost(cause.changes).ns == 10  # from the last enter on; the wait for rank 1 is not the file's
    assert cause.count == 2
    assert [site.function for site in cause.find_sites()] == [function]


def test_what_no_rank_has_is_left_out(rerun: Callable[..., Rerun]) -> None:
    run = rerun(collectives=COLLECTIVES, calls=CALLS, intervals=INTERVALS)
    assert run.first_lanes(np.asarray([0, 1, 7])).tolist() == [0, 1, -1]
    assert run.cost(run.computing(np.asarray([7]), np.asarray([150]), np.asarray([30]))).ns == 0
    assert isinstance(run.tables["calls"], pa.Table)
