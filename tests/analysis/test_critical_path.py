"""The critical path from its stretches: sums by every label, shares that add up, and intervals where the run has enough
collectives.

The drawing: two hosts at site A (ranks 0 and 1, 2) and one at site B (rank 3); two Allreduces.

    time   0        100   120      220   230        330   340      440  450
    path   | compute | wan | native | mpi | compute  | p2p | local  | lan | local
    rank   3         0     0        0     1          2     2        1   1

The first rank enters the first Allreduce at 90. The path before that is start-up, which is excluded.
"""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected
from hopscope.errors import InputError

RANKS = """
rank host cluster
0    h0   A
1    h1   A
2    h1   A
3    h2   B
"""
COLLECTIVES = """
collective_id comm seq op            bytes first_enter_ns last_enter_ns last_leave_ns comm_size
0             0    0   MPI_Allreduce 8     90             100           220           4
1             0    1   MPI_Barrier   0     300            340           455           4
"""
PATH = """
path       path_collective_id step rank begin_ns end_ns category collective_id hop_id message_id src dst op call_site
run        - 0 3   0 100 compute - - - - - -             app+0x1
run        - 1 0 100 120 wan     0 0 - 3 0 MPI_Allreduce app+0x1
run        - 2 0 120 220 native  0 - - - - MPI_Allreduce app+0x1
run        - 3 0 220 230 mpi     - - - - - MPI_Wait      app+0x2
run        - 4 1 230 330 compute - - - - - -             app+0x3
run        - 5 2 330 340 p2p     - - 7 1 2 MPI_Recv      app+0x3
run        - 6 2 340 440 local   1 - - - - MPI_Barrier   -
run        - 7 1 440 450 lan     1 1 - 2 1 MPI_Barrier   -
run        - 8 1 450 455 local   1 - - - - MPI_Barrier   -
collective 1 0 2 340 440 local   1 - - - - MPI_Barrier   -
collective 1 1 1 440 450 lan     1 1 - 2 1 MPI_Barrier   -
collective 1 2 1 450 455 local   1 - - - - MPI_Barrier   -
"""
HOPS = """
hop_id collective_id role src dst bytes link send_begin_ns recv_end_ns
0      0             up    3   0   8     wan  100           120
1      1             down  2   1   64    lan  440           450
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    tables = {"ranks": RANKS, "collectives": COLLECTIVES, "path_stretches": PATH, "hops": HOPS}
    return hopscope.open(draw(tmp_path_factory.mktemp("path") / "d", **tables))


def test_every_category_has_a_row_and_the_shares_add_up_to_one(trace: hopscope.Trace) -> None:
    # compute 10 + 100, local 100 + 5, wan 20, native 100, lan 10, p2p 10, mpi 10: 365 in all, of 455 in the run. shm is
    # not on the path, so its row has 0 instead of missing.
    table = trace.critical_path()
    assert cells(table, "category", "time_ns") == expected("""
        category,time_ns
        compute,110
        local,105
        shm,0
        lan,10
        wan,20
        native,100
        p2p,10
        mpi,10
        rma,0
        io,0
        overhead,0
    """)
    assert sum(table["share"].to_pylist()) == pytest.approx(1)
    assert table["share"].to_pylist()[0] == pytest.approx(110 / 365)
    assert table["share_of_run"].to_pylist()[0] == pytest.approx(110 / 455)


def test_what_is_left_out_of_the_path_is_said_and_taken_in_on_demand(trace: hopscope.Trace) -> None:
    # 90 of 455 lie before the first enter.
    assert trace.answer("critical-path").notes == (
        "left out: 90 ns of start-up (19.8 % of the path). --from start includes it",
    )
    answer = trace.answer("critical-path", from_="start")
    assert answer.notes == ()
    times = {row["category"]: row["time_ns"] for row in answer.rows}
    assert (times["compute"], times["startup"], sum(times.values())) == (110, 90, 455)
    assert "shutdown" not in times


def test_two_collectives_are_too_few_for_an_interval(trace: hopscope.Trace) -> None:
    assert trace.critical_path()["share_low"].null_count == 11


@pytest.mark.parametrize(
    ("label", "key", "rows"),
    [
        # A hop counts for its receiver: the wan hop for rank 0, the lan hop for rank 1.
        ("rank", "rank", "rank,time_ns,compute_ns,hops_ns\n0,130,0,20\n1,115,100,10\n2,110,0,0\n3,10,10,0"),
        ("host", "host", "host,time_ns,compute_ns,hops_ns\nh1,225,100,10\nh0,130,0,20\nh2,10,10,0"),
        ("cluster", "cluster", "cluster,time_ns,compute_ns,hops_ns\nA,355,100,30\nB,10,10,0"),
        (
            "operation",
            "operation",
            "operation,time_ns,compute_ns,hops_ns\nMPI_Allreduce,120,0,20\nMPI_Barrier,115,0,10\ncomputing,110,110,0\nMPI_Recv,10,0,0\nMPI_Wait,10,0,0",
        ),
        (
            "place",
            "place",
            "place,time_ns,compute_ns,hops_ns\napp+0x1,130,10,20\nunknown,115,0,10\napp+0x3,110,100,0\napp+0x2,10,0,0",
        ),
    ],
)
def test_the_path_is_divided_by_each_label(trace: hopscope.Trace, label: str, key: str, rows: str) -> None:
    table = trace.critical_path(by=label)
    assert cells(table, key, "time_ns", "compute_ns", "hops_ns") == expected(rows)
    assert sum(table["share"].to_pylist()) == pytest.approx(1)


PLACES = """
call_site place          how    module
app+0x1   sum(heat.c:3)  line   /opt/app
app+0x2   other+0x4(app) symbol /opt/app
app+0x3   sum(heat.c:3)  line   /opt/app
"""


def test_call_sites_of_one_place_are_one_row_and_the_old_name_of_the_grain_still_works(tmp_path: Path) -> None:
    # The compiler made two calls from line 3, for instance by unrolling: 130 + 110.
    tables = {"ranks": RANKS, "collectives": COLLECTIVES, "path_stretches": PATH, "hops": HOPS, "places": PLACES}
    trace = hopscope.open(draw(tmp_path / "d", **tables))
    rows = trace.critical_path(by="place")
    assert cells(rows, "place", "call_site", "time_ns") == [
        {"place": "sum(heat.c:3)", "call_site": "app+0x1, app+0x3", "time_ns": "240"},
        {"place": "unknown", "call_site": "", "time_ns": "115"},
        {"place": "other+0x4(app)", "call_site": "app+0x2", "time_ns": "10"},
    ]
    assert trace.critical_path(by="call-site").equals(rows)
    sentences = [row["sentence"] for row in trace.limits() if row["kind"] == "places"]
    assert len(sentences) == 1
    assert "1 of 3 call sites" in sentences[0]
    assert "-g" in sentences[0]


def test_edges_are_told_apart_from_the_time_on_ranks(trace: hopscope.Trace) -> None:
    # 3->0 crosses sites. 2->1 stays on host h1, whatever the hop's own label says. 1->2 is a point-to-point message.
    table = trace.critical_path(by="edge")
    assert cells(table, "edge", "src", "dst", "link", "time_ns", "hops_ns") == expected("""
        edge,src,dst,link,time_ns,hops_ns
        3->0,3,0,wan,20,20
        1->2,1,2,shm,10,0
        2->1,2,1,shm,10,10
        none,,,,325,0
    """)
    assert sum(table["share"].to_pylist()) == pytest.approx(1)


def test_the_path_of_one_collective_is_told_step_by_step(trace: hopscope.Trace) -> None:
    table = trace.critical_path(collective="0:1")
    columns = ("step", "begin_ns", "end_ns", "time_ns", "rank", "category", "src", "dst", "what")
    assert cells(table, *columns) == expected("""
        step,begin_ns,end_ns,time_ns,rank,category,src,dst,what
        0,340,440,100,2,local,,,work inside MPI_Barrier
        1,440,450,10,1,lan,2,1,down hop of 64 B over lan
        2,450,455,5,1,local,,,work inside MPI_Barrier
    """)


def test_a_collective_that_does_not_exist_is_wrong_input(trace: hopscope.Trace) -> None:
    with pytest.raises(InputError, match=r"no critical path of that collective.*analyze collectives"):
        trace.critical_path(collective="0:99")
    with pytest.raises(InputError, match="COMM:SEQ"):
        trace.critical_path(collective="17")


@pytest.mark.parametrize("label", ["place", "cluster", "edge", "host", "operation", "rank"])
def test_a_path_without_length_is_said_to_have_none(tmp_path: Path, label: str) -> None:
    answer = hopscope.open(draw(tmp_path / "d", ranks=RANKS)).answer("critical-path", by=label)
    assert answer.rows == []
    assert "the critical path has no length" in answer.notes[0]


def test_without_a_path_the_shares_are_unknown_and_not_zero(tmp_path: Path) -> None:
    table = hopscope.open(draw(tmp_path / "d")).critical_path()
    assert table["share"].null_count == 11
    assert table["time_ns"].to_pylist() == [0] * 11


def test_an_interval_holds_its_share_and_repeats(tmp_path: Path) -> None:
    # 40 collectives, each after 10 + (i mod 7) of computing and 5 on the wan: the wan's share is 200 / (400 + 117 +
    # 200) = 0.279.
    rows, clock = ["path path_collective_id step rank begin_ns end_ns category collective_id"], 0
    for i in range(40):
        work = 10 + i % 7
        rows.append(f"run - {2 * i} 0 {clock} {clock + work} compute -")
        rows.append(f"run - {2 * i + 1} 0 {clock + work} {clock + work + 5} wan {i}")
        clock += work + 5
    trace = hopscope.open(draw(tmp_path / "d", ranks="rank\n0", path_stretches="\n".join(rows)))
    wan = trace.critical_path().to_pylist()[4]
    assert wan["share_low"] < wan["share"] < wan["share_high"]
    assert wan["share_high"] - wan["share_low"] < 0.05
    assert trace.critical_path().equals(trace.critical_path())


def test_what_happens_once_in_a_run_does_not_widen_the_interval(tmp_path: Path) -> None:
    # 40 equal collectives of 10 computing and 10 wan, after 1000 of MPI_Init: in each resample the wan has 400 / 1800.
    # If MPI_Init belonged to the first collective's block, a resample would contain it 0 to 5 times.
    rows = ["path path_collective_id step rank begin_ns end_ns category collective_id", "run - 0 0 0 1000 mpi -"]
    for i in range(40):
        begin = 1000 + 20 * i
        rows.append(f"run - {2 * i + 1} 0 {begin} {begin + 10} compute -")
        rows.append(f"run - {2 * i + 2} 0 {begin + 10} {begin + 20} wan {i}")
    trace = hopscope.open(draw(tmp_path / "d", ranks="rank\n0", path_stretches="\n".join(rows)))
    wan = trace.critical_path().to_pylist()[4]
    # The computing before the first collective also occurs once; the other 39 are resampled with their blocks.
    assert wan["share_low"] == pytest.approx(400 / 1800, rel=0.02)
    assert wan["share_high"] == pytest.approx(400 / 1800, rel=0.02)
