"""The run begins when the last rank has left MPI_Init. Before that, a rank that communicates waits for a rank that
starts.

    time    rank 0                    time      rank 1
    0-20    MPI_Init                  0-120     MPI_Init
    30-230  MPI_Recv, which waits     120-220   computes
                                      220-225   MPI_Send to 0
    230-240 MPI_Finalize              225-240   MPI_Finalize

From 120 to 230, 110: rank 1 computes 100, and its message takes 10.
"""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected

INTERVALS = """
rank location kind     region       begin_ns end_ns
0    0        init     MPI_Init     0        20
1    1        init     MPI_Init     0        120
0    0        p2p      MPI_Recv     30       230
1    1        p2p      MPI_Send     220      225
1    1        finalize MPI_Finalize 225      240
0    0        finalize MPI_Finalize 230      240
"""
TABLES = {
    "ranks": "rank world host last_event_ns\n0 0 a 240\n1 0 a 240",
    "comms": "comm name size members\n0 world 2 0,1",
    "intervals": INTERVALS,
    "messages": """
        src dst src_location dst_location send_begin_ns send_end_ns recv_post_ns recv_wait_begin_ns recv_end_ns binding
        1   0   1            0            220           225         30           30                 230         recv""",
    "path_stretches": """
        path step rank begin_ns end_ns category message_id src dst op
        run  0    1    0        120    mpi      -          -   -   MPI_Init
        run  1    1    120      220    compute  -          -   -   -
        run  2    0    220      230    p2p      0          1   0   MPI_Recv""",
}
SPAWNED = {
    "ranks": f"{TABLES['ranks']}\n2 1 a 220",
    "intervals": f"{INTERVALS}2 2 init MPI_Init 150 200\n2 2 finalize MPI_Finalize 210 220",
}


@pytest.mark.parametrize(
    "tables", [pytest.param({}, id="one world"), pytest.param(SPAWNED, id="a spawned world later")]
)
def test_the_run_begins_when_the_last_rank_that_the_job_began_with_has_started(
    tmp_path: Path, tables: dict[str, str]
) -> None:
    trace = hopscope.open(draw(tmp_path / "d", **{**TABLES, **tables}))
    assert trace.sql("select first_ns, last_ns from run_bounds").to_pylist() == [{"first_ns": 120, "last_ns": 230}]
    assert trace.sql("select begin_ns, end_ns from communication_window").to_pylist() == [
        {"begin_ns": 120, "end_ns": 230}
    ]


def test_the_critical_path_leaves_the_late_start_of_a_rank_out(tmp_path: Path) -> None:
    # Regression: the run began at 30, where rank 0 posts its receive. So 90 of its 200 ns were MPI_Init of rank 1.
    trace = hopscope.open(draw(tmp_path / "d", **TABLES))
    times = {row["category"]: row["time_ns"] for row in trace.critical_path().to_pylist() if row["time_ns"]}
    assert times == {"compute": 100, "p2p": 10}
    (note,) = trace.answer("critical-path").notes
    assert note.startswith("left out: 120 ns of start-up")


def test_efficiency_is_that_of_the_same_time(tmp_path: Path) -> None:
    # Regression: the whole was 200 ns, and the ideal network could not shorten MPI_Init. The parallel efficiency was 25
    # %.
    trace = hopscope.open(draw(tmp_path / "d", **TABLES))
    assert cells(trace.efficiency(), "factor", "part_ns", "whole_ns") == expected("""
        factor,                   part_ns, whole_ns
        parallel efficiency,      50,      110
        load balance,             50,      100
        communication efficiency, 100,     110
        serialisation,            100,     100
        transfer,                 100,     110
    """)


def test_a_run_that_is_over_before_its_last_rank_starts_begins_with_its_first_message(tmp_path: Path) -> None:
    ranks = f"{TABLES['ranks']}\n2 0 a 400"
    intervals = f"{INTERVALS}2 2 init MPI_Init 0 300\n2 2 finalize MPI_Finalize 310 400"
    trace = hopscope.open(draw(tmp_path / "d", **{**TABLES, "ranks": ranks, "intervals": intervals}))
    assert trace.sql("select first_ns, last_ns from run_bounds").to_pylist() == [{"first_ns": 30, "last_ns": 230}]
