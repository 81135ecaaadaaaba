"""Efficiencies as POP defines them, with every factor worked out.

    time     rank 0                        time     rank 1
    0-50     MPI_Init                      0-50     MPI_Init
    90-100   computes                      90-150   MPI_Recv, which begins the communication
    100-110  MPI_Send to 1                 150-300  computes
    110-250  computes                      300-340  MPI_Barrier
    250-340  MPI_Barrier                   340-440  computes
    340-350  computes                      440-500  MPI_Allreduce
    350-370  MPI_File_write                500-520  computes
    370-400  computes                      520-570  MPI_Send to 0, which waits for the receive
    400-500  MPI_Allreduce                 580-600  MPI_Finalize
    500-560  computes
    560-570  MPI_Recv, which ends it
    580-600  MPI_Finalize

Between 90 and 570, 480: rank 0 computes 10 + 140 + 10 + 30 + 60 = 250, rank 1 computes 150 + 100 + 20 = 270; mean 260.

On an ideal network, from 90 on: rank 0 sends at 10 and enters the barrier at 150; rank 1 receives at 10 and enters at
160, which releases both. Rank 0 enters the Allreduce 10 + 20 (the file) + 30 later, at 220, rank 1 at 260. Rank 0 posts
its receive at 320, and rank 1, which sends at 280, waits for that: 320 in all.
"""

from collections.abc import Callable
from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected

RANKS = "rank host\n0 a\n1 a"
COMMS = "comm name size members\n0 world 2 0,1"
COLLECTIVES = """
collective_id seq op            comm_size
0             0   MPI_Barrier   2
1             1   MPI_Allreduce 2
"""
CALLS = """
collective_id rank location enter_ns leave_ns
0             0    0        250      340
0             1    1        300      340
1             0    0        400      500
1             1    1        440      500
"""
MESSAGES = """
src dst src_location dst_location send_begin_ns send_wait_begin_ns send_end_ns recv_post_ns recv_wait_begin_ns recv_end_ns binding
0   1   0            1            100           100                110         90           90                 150         recv
1   0   1            0            520           520                570         560          560                570         send
"""  # noqa: E501
INTERVALS = """
rank location kind     region         begin_ns end_ns
0    0        init     MPI_Init       0        50
1    1        init     MPI_Init       0        50
1    1        p2p      MPI_Recv       90       150
0    0        p2p      MPI_Send       100      110
0    0        region   solve          110      560
0    0        io       MPI_File_write 350      370
1    1        p2p      MPI_Send       520      570
0    0        p2p      MPI_Recv       560      570
0    0        finalize MPI_Finalize   580      600
1    1        finalize MPI_Finalize   580      600
"""
TABLES = {
    "ranks": RANKS,
    "comms": COMMS,
    "collectives": COLLECTIVES,
    "calls": CALLS,
    "messages": MESSAGES,
    "intervals": INTERVALS,
}
# One rank computes 500 of the 520 between two barriers.
ALONE = {
    "ranks": "rank host\n0 a",
    "comms": "comm name size members\n0 world 1 0",
    "collectives": "collective_id seq op comm_size\n0 0 MPI_Barrier 1\n1 1 MPI_Barrier 1",
    "calls": "collective_id rank enter_ns leave_ns\n0 0 0 10\n1 0 510 520",
}


def drawn_trace(directory: Path, **changed: str) -> hopscope.Trace:
    return hopscope.open(draw(directory, **{**TABLES, **changed}))


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return drawn_trace(tmp_path_factory.mktemp("efficiency") / "d")


def test_each_factor_is_what_is_worked_out_above(trace: hopscope.Trace) -> None:
    rows = trace.efficiency()
    assert cells(rows, "factor", "efficiency", "part_ns", "whole_ns") == expected("""
        factor,                   efficiency, part_ns, whole_ns
        parallel efficiency,      0.541667,   260,     480
        load balance,             0.962963,   260,     270
        communication efficiency, 0.5625,     270,     480
        serialisation,            0.84375,    270,     320
        transfer,                 0.666667,   320,     480
    """)


def test_what_is_left_out_is_as_long_as_on_the_critical_path(tmp_path: Path) -> None:
    # Regression: the start-up came from the path, beside one of the rank that began first.
    path = "path step rank begin_ns end_ns category\nrun 0 0 5 90 mpi\nrun 1 0 90 600 p2p"
    entered = """
        collective_id seq op            comm_size first_enter_ns last_leave_ns
        0             0   MPI_Barrier   2         250            340
        1             1   MPI_Allreduce 2         400            500
    """
    trace = drawn_trace(tmp_path / "d", path_stretches=path, collectives=entered)
    assert "; left out: 85 ns of start-up and 30 ns of shutdown;" in trace.efficiency()["note"][0].as_py()
    assert "left out" not in trace.part(from_="90", to="570").efficiency()["note"][0].as_py()


def test_by_rank_useful_time_is_outside_all_mpi(trace: hopscope.Trace) -> None:
    columns = ("rank", "useful_ns", "useful_share", "of_mean", "mpi_ns")
    assert cells(trace.efficiency(by="rank"), *columns) == expected("""
        rank, useful_ns, useful_share, of_mean,  mpi_ns
        1,    270,       0.5625,       1.03846,  210
        0,    250,       0.520833,     0.961538, 230
    """)


def test_a_rank_that_has_finalized_does_no_useful_work(tmp_path: Path) -> None:
    # The root of the broadcast is done at 40; rank 1 has the message at 100. Both computed from 10 to 20.
    tables = TABLES | {
        "collectives": "collective_id seq op comm_size\n0 0 MPI_Barrier 2\n1 1 MPI_Bcast 2",
        "calls": "collective_id rank location enter_ns leave_ns\n0 0 0 0 10\n0 1 1 0 10\n1 0 0 20 30\n1 1 1 20 100",
        "messages": "src dst",
        "intervals": (
            "rank location kind region begin_ns end_ns\n"
            "0 0 finalize MPI_Finalize 30 40\n1 1 finalize MPI_Finalize 100 110"
        ),
    }
    rows = hopscope.open(draw(tmp_path / "d", **tables)).efficiency(by="rank")
    assert cells(rows, "rank", "useful_ns", "mpi_ns") == expected("""
        rank, useful_ns, mpi_ns
        0,    10,        90
        1,    10,        90
    """)


def test_runs_beside_each_other_scale_against_the_first(trace: hopscope.Trace, tmp_path: Path) -> None:
    # The ranks of the second run compute 520 together, the rank of the first run 500; the times are 480 and 520.
    alone = hopscope.open(draw(tmp_path / "alone", **ALONE))
    columns = ("run", "ranks", "time_ns", "speedup", "computation_scaling", "global_efficiency", "serialisation")
    assert cells(alone.efficiency(also=[trace]), *columns) == expected("""
        run, ranks, time_ns, speedup, computation_scaling, global_efficiency, serialisation
        0,   1,     520,     1,       1,                   0.961538,          1
        1,   2,     480,     1.08333, 0.961538,            0.520833,          0.84375
    """)


def test_runs_beside_each_other_are_named_and_what_makes_them_unlike_is_said(tmp_path: Path) -> None:
    # Regression: the rows were called 0, 1 and 2, and any two programs could be compared for scaling.
    alone = hopscope.open(draw(tmp_path / "alone", **ALONE, run="duration_ns command\n600 bin/solve"))
    twin, sorter = (
        drawn_trace(tmp_path / name, run=f"duration_ns command\n600 {command}")
        for name, command in (("same", "./solve"), ("other", "./sort"))
    )
    answer = alone.answer("efficiency", also=[twin, sorter])
    assert answer.table["trace"].to_pylist() == ["alone", "same", "other"]
    unlike = [note for note in answer.notes if "different programs" in note]
    assert unlike == [
        f"{alone.path} ran solve and {sorter.path} ran sort: speed-up and computation scaling mean nothing between "
        "different programs. Give runs of one program with the same problem"
    ]
    assert f"{alone.path} and {sorter.path} had different commands: bin/solve and ./sort" in answer.notes
    assert not any("numbers of ranks" in note for note in answer.notes)
    assert not any("different" in note for note in alone.answer("efficiency").notes)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"collectives": COLLECTIVES.replace("MPI_Allreduce", "MPI_Iallreduce")}, "nonblocking"),
        ({"collectives": COLLECTIVES.replace("MPI_Allreduce", "MPI_Neighbor_alltoall")}, "neighbourhood"),
        ({"run": "duration_ns record\n600 collectives"}, "were not recorded"),
        ({"ranks": "rank host complete\n0 a true\n1 a false"}, "MPI_Finalize"),
        ({"intervals": INTERVALS + "0 0 off recording 120 130"}, "recording was off"),
        ({"intervals": INTERVALS + "1 7 p2p MPI_Send 200 210"}, "several threads"),
        # Rank 1 waits for a message that rank 0 sends after their barrier.
        ({"messages": MESSAGES.replace("100           100                110", "350           350                355")},
         "wait for one another"),
    ],
)  # fmt: skip
def test_what_cannot_be_replayed_is_unknown_and_not_guessed(
    tmp_path: Path, changed: dict[str, str], reason: str
) -> None:
    rows = drawn_trace(tmp_path / "d", **changed).efficiency().to_pylist()
    assert [row["efficiency"] is None for row in rows] == [False, False, False, True, True]
    assert all(reason in row["note"] for row in rows[3:])


def test_where_messages_arrive_before_they_are_sent_there_is_no_replay(tmp_path: Path) -> None:
    # By clocks that disagree, the message was received at 10 and sent at 400. Over this message, rank 1 would end at
    # 400 + 490.
    trace = drawn_trace(
        tmp_path / "d",
        collectives="collective_id seq op comm_size\n0 0 MPI_Barrier 2",
        calls="collective_id rank location enter_ns leave_ns\n0 0 0 500 510\n0 1 1 500 510",
        messages=MESSAGES.splitlines()[1] + "\n0 1 0 1 400 400 401 0 0 10 recv",
        intervals="rank location kind region begin_ns end_ns\n1 1 p2p MPI_Recv 0 10\n0 0 p2p MPI_Send 400 401",
    )
    rows = trace.efficiency().to_pylist()
    assert rows[0]["whole_ns"] == 510
    assert rows[4]["efficiency"] is None
    assert "the clocks do not allow a replay" in rows[4]["note"]


def test_a_trace_of_nothing_has_no_efficiency(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS, intervals="rank begin_ns end_ns kind\n0 0 9 region"))
    answer = trace.answer("efficiency")
    assert (answer.rows, answer.notes[0].endswith("so there is no efficiency")) == ([], True)


ENSEMBLE = {
    "ranks": "rank host\n0 a\n1 a\n2 a",
    "comms": "comm name size members\n0 world 3 0,1,2",
    "intervals": """
        rank location kind     region       begin_ns end_ns
        0    0        init     MPI_Init     0        50
        1    1        init     MPI_Init     0        50
        2    2        init     MPI_Init     0        50
        0    0        finalize MPI_Finalize 1550     1560
        1    1        finalize MPI_Finalize 350      1560
        2    2        finalize MPI_Finalize 350      1560""",
}


def test_an_ensemble_without_communication_is_as_balanced_as_its_whole_run(tmp_path: Path) -> None:
    # Ranks compute 1500, 300 and 300 from MPI_Init to MPI_Finalize: 700 on average. Regression: the message was "nobody
    # communicates, so there is no parallel efficiency".
    trace = hopscope.open(draw(tmp_path / "d", **ENSEMBLE))
    assert cells(trace.efficiency(), "factor", "efficiency", "part_ns", "whole_ns") == expected("""
        factor,                   efficiency, part_ns, whole_ns
        parallel efficiency,      0.466667,   700,     1500
        load balance,             0.466667,   700,     1500
        communication efficiency, 1,          1500,    1500
        serialisation,            1,          1500,    1500
        transfer,                 1,          1500,    1500
    """)
    assert trace.efficiency(by="rank")["useful_ns"].to_pylist() == [1500, 300, 300]


def test_a_barrier_at_the_end_of_an_ensemble_leaves_nothing_out(tmp_path: Path) -> None:
    # The barrier takes 10, so the time is 1510. Regression: the time counted from the first enter of the barrier, at
    # 350, from where only rank 0 computes. The efficiency was one third.
    barrier = {
        "collectives": "collective_id seq op comm_size first_enter_ns last_leave_ns\n0 0 MPI_Barrier 3 350 1560",
        "calls": """
            collective_id rank location enter_ns leave_ns
            0             0    0        1550     1560
            0             1    1        350      1560
            0             2    2        350      1560""",
        "path_stretches": "path step rank begin_ns end_ns category\nrun 0 0 50 1550 compute\nrun 1 0 1550 1560 native",
    }
    intervals = (
        ENSEMBLE["intervals"].replace("350 ", "1560").replace("1550", "1560").replace("     1560\n", "     1570\n")
    )
    trace = hopscope.open(draw(tmp_path / "d", **{**ENSEMBLE, **barrier, "intervals": intervals}))
    rows = trace.efficiency().to_pylist()
    assert [(row["factor"], row["part_ns"], row["whole_ns"]) for row in rows[:2]] == [
        ("parallel efficiency", 700, 1510),
        ("load balance", 700, 1500),
    ]
    assert "left out" not in rows[0]["note"]
    # Times that the user selects are taken as they are.
    assert trace.part(from_="350").efficiency()["whole_ns"][0].as_py() == 1210


@pytest.mark.parametrize("name", ["demo", "late_rank", "observe_only"])
def test_on_real_runs_the_product_of_the_factors_is_the_whole(
    sample: Callable[[str], hopscope.Trace], name: str
) -> None:
    trace = sample(name)
    factors = {row["factor"]: row["efficiency"] for row in trace.efficiency().to_pylist()}
    assert all(0 < value <= 1 for value in factors.values())
    product = factors["load balance"] * factors["serialisation"] * factors["transfer"]
    assert product == pytest.approx(factors["parallel efficiency"], rel=1e-9)
    shares = trace.efficiency(by="rank")["useful_share"].to_pylist()
    assert sum(shares) / len(shares) == pytest.approx(factors["parallel efficiency"], rel=1e-9)
    assert max(shares) == pytest.approx(factors["communication efficiency"], rel=1e-9)


def test_where_one_rank_sleeps_half_as_long_again_the_balance_says_so(sample: Callable[[str], hopscope.Trace]) -> None:
    # Three of four ranks sleep 6 ms in an iteration and one 9 ms: the mean is 6.75 ms, three quarters of the largest.
    factors = {row["factor"]: row["efficiency"] for row in sample("late_rank").efficiency().to_pylist()}
    assert factors["load balance"] == pytest.approx(0.75, abs=0.01)
    assert factors["serialisation"] == pytest.approx(1, abs=0.01)
