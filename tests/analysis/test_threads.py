"""Ranks with several threads that communicate: a rank computes as long as any of its threads does.

    time     rank 0, thread 0      time     rank 1, thread 0               time     rank 1, thread 1
    0-10     MPI_Barrier           0-10     MPI_Barrier                    11       is created
    50-110   MPI_Allreduce         12-180   waits for thread 1 to end      100-110  MPI_Allreduce
    190-200  MPI_Barrier           190-200  MPI_Barrier                    150      ends

Rank 0 computes 40 + 80 = 120 of 200. Rank 1 computes from 10 to 100, first in one thread and then in the other, from
110 to 150 in the second, and from 180 to 190 in the first again: 140.
"""

from pathlib import Path

import hopscope
from drawing import cells, draw, expected

TABLES = {
    "ranks": "rank host first_event_ns last_event_ns\n0 a 0 200\n1 a 0 200",
    "comms": "comm name size members\n0 world 2 0,1",
    "collectives": """
        collective_id seq op            comm_size
        0             0   MPI_Barrier   2
        1             1   MPI_Allreduce 2
        2             2   MPI_Barrier   2""",
    "calls": """
        collective_id rank location enter_ns leave_ns
        0             0    0        0        10
        0             1    1        0        10
        1             0    0        50       110
        1             1    11       100      110
        2             0    0        190      200
        2             1    1        190      200""",
    "intervals": """
        rank location kind region      begin_ns end_ns
        1    11       idle no_thread   11       11
        1    1        join thread_join 12       180
        1    11       idle no_thread   150      -""",
}


def test_a_rank_waits_where_all_of_its_threads_do(tmp_path: Path) -> None:
    # Regression: the first thread stood for the rank, so its wait for the second thread counted as computing. The
    # efficiency was 148 of 200.
    trace = hopscope.open(draw(tmp_path / "d", **TABLES))
    assert trace.efficiency(by="rank").select(["rank", "useful_ns", "mpi_ns"]).to_pylist() == [
        {"rank": 1, "useful_ns": 140, "mpi_ns": 60},
        {"rank": 0, "useful_ns": 120, "mpi_ns": 80},
    ]
    assert cells(trace.efficiency(), "factor", "efficiency", "part_ns", "whole_ns")[:2] == expected("""
        factor,              efficiency, part_ns, whole_ns
        parallel efficiency, 0.65,       130,     200
        load balance,        0.928571,   130,     140
    """)


def test_a_rank_computes_while_one_thread_does_and_another_is_in_mpi(tmp_path: Path) -> None:
    # The first thread waits only from 120 on, so it computes while the second one is in MPI_Allreduce.
    intervals = TABLES["intervals"].replace("12       180", "120      180")
    trace = hopscope.open(draw(tmp_path / "d", **TABLES | {"intervals": intervals}))
    assert trace.efficiency(by="rank")["useful_ns"].to_pylist() == [150, 120]


def sentences(trace: hopscope.Trace) -> list[str]:
    """The caveats about threads."""
    return [row["sentence"] for row in trace.limits() if row["kind"] == "threads"]


def test_threads_that_may_wait_for_one_another_unseen_are_a_caveat(tmp_path: Path) -> None:
    # Both threads of rank 1 are outside MPI from 11 to 12, which is not more than 1 % of the ranks' 400. If the wait
    # begins at 32, they are for 21.
    assert sentences(hopscope.open(draw(tmp_path / "d", **TABLES))) == []
    intervals = TABLES["intervals"].replace("12       180", "32       180")
    (sentence,) = sentences(hopscope.open(draw(tmp_path / "e", **TABLES | {"intervals": intervals})))
    assert sentence.startswith("In 5.2 % of all ranks' time, several threads of a rank that communicate were")


def test_threads_that_compute_but_never_call_mpi_are_a_caveat(tmp_path: Path) -> None:
    drawn = [draw(tmp_path / busy, **TABLES | {"ranks": f"rank host busy_threads\n0 a 1\n1 a {busy}"}) for busy in "23"]
    without, having = (sentences(hopscope.open(dataset)) for dataset in drawn)
    assert without == []
    assert [sentence.startswith("1 rank has more threads that compute") for sentence in having] == [True]


def test_what_communicates_in_a_second_thread_only_is_the_ranks(tmp_path: Path) -> None:
    # Thread 1 of rank 1 makes all calls except MPI_Init and MPI_Finalize. It computes from 10 to 100 and from 110 to
    # 190.
    intervals = """
        rank location kind     region       begin_ns end_ns
        0    0        init     MPI_Init     -20      -10
        1    1        init     MPI_Init     -20      -10
        0    0        finalize MPI_Finalize 210      220
        1    1        finalize MPI_Finalize 210      220"""
    calls = TABLES["calls"].replace("1    1 ", "1    11")
    trace = hopscope.open(draw(tmp_path / "d", **TABLES | {"calls": calls, "intervals": intervals}))
    assert trace.efficiency(by="rank")["useful_ns"].to_pylist() == [170, 120]


def test_the_next_thread_in_a_spool_is_another_one(tmp_path: Path) -> None:
    # Thread 1 ended at 60, and the next thread of its location was created at 90. In between the first thread does not
    # wait for another thread. Rank 1 computes from 10 to 60, from 90 to 100, from 110 to 150 and from 180 to 190.
    intervals = TABLES["intervals"] + "\n        1    11       idle no_thread   60       90"
    trace = hopscope.open(draw(tmp_path / "d", **TABLES | {"intervals": intervals}))
    assert trace.efficiency(by="rank")["useful_ns"].to_pylist() == [120, 110]


def test_the_noise_of_a_second_thread_is_the_ranks(tmp_path: Path) -> None:
    # Thread 1 of rank 1 computes 10 ms before each of 25 calls, once 20 ms; rank 0 always 10 ms. Regression: the call
    # sites of rank 1 had no occurrence, because its first thread makes none of these calls.
    ms = 1_000_000
    calls, begin = ["collective_id rank location enter_ns leave_ns call_site"], 0
    for i in range(25):
        end = begin + (21 if i == 12 else 11) * ms
        calls += [f"{i} 0 0 {begin + 10 * ms} {end} app+1", f"{i} 1 11 {end - ms} {end} app+1"]
        begin = end
    tables = {
        "collectives": "collective_id seq comm_size\n" + "\n".join(f"{i} {i} 2" for i in range(25)),
        "calls": "\n".join(calls),
        "intervals": f"rank location kind region begin_ns end_ns\n1 1 join thread_join 1 {begin}",
    }
    trace = hopscope.open(draw(tmp_path / "d", **TABLES | tables))
    assert trace.noise()["noise_ns"].to_pylist() == [0, 10 * ms, 10 * ms]
