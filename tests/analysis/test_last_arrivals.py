"""Last arrivals: the last rank, its lateness, the waiting that it causes, and the rank whose computing is the cause.

Enters of one communicator of four ranks (rank 3 is on another machine, whose clock may be off by 10):

    collective          rank 0  1    2    3    last         waiting charged to it
    0  MPI_Allreduce    100     110  150  120  2 by 30      (150-100) + (150-110) + (150-120) = 120 to rank 2
    1  MPI_Bcast root 1 200     230  205  290  3 by 60      all wait for rank 1: 30 + 25 + 0 = 55 to rank 1
    2  MPI_Reduce to 0  300     310  305  330  3 by 20      only the root waits, for the last: 30 to rank 3
    3  MPI_Scan         400     410  405  398  1 by 5       for 1: itself; 2: rank 1, 5; 3: rank 1, 12: 17 to rank 1
    4  MPI_Allreduce    500     501  502  507  3? by 5 < 10 undecided, yet 7 + 6 + 5 = 18 is charged to rank 3
    5  MPI_Exscan       600     610  605  609  1? by 1 < 10 undecided; 1: rank 0, 0; 2: rank 1, 5; 3: rank 1, 1
"""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected
from hopscope.errors import InputError
from hopscope.gate import evaluate, parse

RANKS = """
rank host cluster clock_host
0    h0   A       one
1    h0   A       one
2    h1   A       one
3    h2   B       other
"""
COMMS = """
comm name           size members
0    MPI_COMM_WORLD 4    0,1,2,3
"""
COLLECTIVES = """
collective_id comm seq op            root comm_size complete
0             0    0   MPI_Allreduce -    4         true
1             0    1   MPI_Bcast     1    4         true
2             0    2   MPI_Reduce    0    4         true
3           0    3   MPI_Scan      -    4         true
4             0    4   MPI_Allreduce -    4         true
5             0    5   MPI_Exscan    -    4         true
6             0    6   MPI_Barrier   -    4         false
"""
ENTERS = [
    [100, 110, 150, 120],
    [200, 230, 205, 290],
    [300, 310, 305, 330],
    [400, 410, 405, 398],
    [500, 501, 502, 507],
    [600, 610, 605, 609],
    [700, 999],
]
CALLS = "collective_id rank enter_ns leave_ns\n" + "\n".join(
    f"{c} {r} {enter} {enter + 10}" for c, row in enumerate(ENTERS) for r, enter in enumerate(row)
)
RUN = "run clock_error_ns clock_bound_ns clock_used\ndrawn 10 25 error"
# Before collective 0 all ranks left MPI_Init at 5. Their computing before 0 is 95, 105, 145, 115; before 1 (calls take
# 10) it is 90, 110, 45, 160; before 2 it is 90, 70, 90, 30. The least values are 95, 45 and 30.
INTERVALS = "rank begin_ns end_ns region kind\n" + "\n".join(f"{r} 0 5 MPI_Init init" for r in range(4))
LEAD = """
path path_collective_id step rank begin_ns end_ns category
lead 0                  0    2    5        150    compute
lead 1                  0    0    110      180    compute
lead 1                  1    3    180      240    p2p
lead 1                  2    3    240      290    compute
lead 2                  0    3    300      330    compute
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(
        draw(
            tmp_path_factory.mktemp("arrivals") / "d",
            ranks=RANKS,
            comms=COMMS,
            collectives=COLLECTIVES,
            calls=CALLS,
            run=RUN,
            intervals=INTERVALS,
            path_stretches=LEAD,
            hops=HOPS,
        )
    )


# Node 0 has the children 1 and 2. In collective 0, rank 2 is complete last, by 8, and is waited for; in collective 4
# rank 1 is, by 3, which the clocks cannot confirm.
HOPS = """
hop_id collective_id role segment src dst recv_end_ns binding
0      0             up    0       1   0   152         recv
1      0             up    0       2   0   155         none
2      0             up    1       2   0   160         recv
3    0             down  0       0   1   190         recv
4      4             up    0       1   0   520         undecided
5      4             up    0       2   0   517         none
"""


def test_shares_count_decided_arrivals_and_incomplete_collectives_are_left_out(trace: hopscope.Trace) -> None:
    # Six complete collectives: rank 2 was last once, rank 3 twice (and once undecided), rank 1 once (and once
    # undecided).
    columns = ("rank", "share", "undecided", "margin_ns", "waiting_ns", "collectives")
    assert cells(trace.last_arrivals(), *columns) == expected("""
        rank,share,undecided,margin_ns,waiting_ns,collectives
        0,0,0,,0,6
        1,0.166667,0.166667,5,78,6
        2,0.166667,0,30,120,6
        3,0.333333,0.166667,40,48,6
    """)


def test_what_the_clocks_cannot_tell_becomes_more_when_the_bound_decides(tmp_path: Path) -> None:
    # With a bound of 25, collectives 2 (by 20) and 3 (rank 3 is within 12 of rank 1) are undecided too.
    parts = {"ranks": RANKS, "comms": COMMS, "collectives": COLLECTIVES, "calls": CALLS}
    trace = hopscope.open(draw(tmp_path / "d", run=RUN.replace("25 error", "25 bound"), **parts))
    assert cells(trace.last_arrivals(), "rank", "share", "undecided") == expected("""
        rank,share,undecided
        0,0,0
        1,0,0.333333
        2,0.166667,0
        3,0.166667,0.333333
    """)


def test_the_cause_computed_longer_and_who_was_let_go_last_is_none(trace: hopscope.Trace) -> None:
    # 0: rank 2 computed 50 more than the fastest rank and was 50 late, so it is the cause.
    # 1: rank 0 computed 45 more than the fastest rank, rank 3 115 more, of which 50 are on the path. The message
    # between them took 60. The message is the largest part, so no rank's computing is the cause.
    # 2: rank 3 computed least, but left collective 1 at 300, when the first rank left at 210. Of these 90 it had
    # brought 80 along. It is 30 late, so it was released last.
    assert cells(trace.last_arrivals(), "rank", "cause_share", "released_share") == expected("""
        rank,cause_share,released_share
        0,0,0
        1,0,0
        2,0.333333,0
        3,0,0.333333
    """)


def test_what_a_rank_brought_along_from_a_collective_that_did_not_hold_it_up_is_not_the_tree_s_doing(
    tmp_path: Path,
) -> None:
    # Nobody waits for rank 2, which computes 25 before each broadcast; the others compute 9. It comes 15, 31 and 47
    # late. It leaves the broadcasts before these 15 and 31 later than the others, though it was in them for only 1. Of
    # the 47 it brought 30 along, and it computed 16 longer, more than half of the rest. Regression: the answer was that
    # the tree released it last. (The cause of the first broadcast is unknown.)
    trace = hopscope.open(
        draw(
            tmp_path / "d",
            ranks="rank\n0\n1\n2",
            comms="comm name size members\n0 w 3 0,1,2",
            collectives="comm seq op root comm_size\n0 0 MPI_Bcast 0 3\n0 1 MPI_Bcast 0 3\n0 2 MPI_Bcast 0 3",
            calls="""
                collective_id rank prev_call_id enter_ns leave_ns
                0             0    -            10       11
                0             1    -            10       11
                0             2    -            25       26
                1             0    0            20       21
                1             1    1            20       21
                1             2    2            51       52
                2             0    3            30       31
                2             1    4            30       31
                2             2    5            77       78
            """,
            path_stretches="""
                path path_collective_id step rank begin_ns end_ns category
                lead 1                  0    2    26       51     compute
                lead 2                  0    2    52       77     compute
            """,
        )
    )
    assert cells(trace.last_arrivals(), "rank", "cause_share", "released_share") == expected("""
        rank,cause_share,released_share
        0,0,0
        1,0,0
        2,1,0
    """)


def test_with_a_halo_exchange_the_late_rank_is_the_cause_and_not_the_neighbour_that_enters_last(tmp_path: Path) -> None:
    # Rank 1 computes 18 and 15, the others 15 and 15. Rank 0 has rank 1's message at 19 and enters last, at 35. On the
    # path to this enter, rank 0 has 15 of computing and rank 1 has 18. The 18 are less than the fastest rank's 30, but
    # rank 1's whole computing is 3 more.
    trace = hopscope.open(
        draw(
            tmp_path / "d",
            ranks="rank\n0\n1\n2\n3",
            comms="comm name size members\n0 w 4 0,1,2,3",
            collectives="comm seq comm_size\n0 0 4",
            calls="collective_id rank enter_ns leave_ns\n0 0 35 40\n0 1 34 40\n0 2 31 40\n0 3 31 40",
            intervals="""
                rank begin_ns end_ns kind
                0    -5       0      init
                1    -5       0      init
                2    -5       0      init
                3    -5       0      init
                0    15       20     p2p
                1    18       19     p2p
                2    15       16     p2p
                3    15       16     p2p""",
            path_stretches="""
                path path_collective_id step rank begin_ns end_ns category
                lead 0                  0    1    0        18     compute
                lead 0                  1    0    18       20     p2p
                lead 0                  2    0    20       35     compute""",
        )
    )
    assert trace.last_arrivals()["share"].to_pylist() == [1, 0, 0, 0]
    assert trace.last_arrivals()["cause_share"].to_pylist() == [0, 1, 0, 0]


def test_six_collectives_are_too_few_to_name_anybody(trace: hopscope.Trace) -> None:
    assert trace.last_arrivals()["late"].null_count == 4
    assert trace.last_arrivals()["cause"].null_count == 4


@pytest.mark.parametrize(
    ("level", "rows"),
    [
        (
            "host",
            "host,share,undecided,waiting_ns\nh0,0.166667,0.166667,78\nh1,0.166667,0,120\nh2,0.333333,0.166667,48",
        ),
        ("cluster", "cluster,share,undecided,waiting_ns\nA,0.333333,0.166667,198\nB,0.333333,0.166667,48"),
    ],
)
def test_a_host_or_cluster_was_last_where_one_of_its_ranks_was(trace: hopscope.Trace, level: str, rows: str) -> None:
    assert cells(trace.last_arrivals(by=level), level, "share", "undecided", "waiting_ns") == expected(rows)


def test_a_nonblocking_collective_is_waited_for_from_its_wait_on(tmp_path: Path) -> None:
    # Rank 0 starts at 100 and begins to wait at 140; rank 1 starts at 150. So the wait is 10, not 50.
    trace = hopscope.open(
        draw(
            tmp_path / "d",
            ranks="rank\n0\n1",
            comms="comm name size members\n0 w 2 0,1",
            collectives="comm seq op comm_size\n0 0 MPI_Iallreduce 2",
            calls="collective_id rank enter_ns wait_begin_ns leave_ns\n0 0 100 140 101\n0 1 150 160 151",
        )
    )
    assert cells(trace.last_arrivals(), "rank", "waiting_ns") == [
        {"rank": "0", "waiting_ns": "0"},
        {"rank": "1", "waiting_ns": "10"},
    ]


def sixty_collectives(tmp_path: Path, calls: list[str], lead: list[str]) -> hopscope.Trace:
    """A run of four ranks with these calls and their leads. The first line of the calls names the columns. The run's
    path goes through each lead and its collective."""
    paths = [PATH, *(f"{stretch} -" for stretch in lead)]
    for c, stretch in enumerate(lead):
        _, _, _, rank, begin, end, _ = stretch.split()
        paths.append(f"run - {2 * c} {rank} {begin} {end} compute -")
        paths.append(f"run - {2 * c + 1} {rank} {end} {1000 * c + 600} native {c}")
    return hopscope.open(
        draw(
            tmp_path / "d",
            ranks="rank\n0\n1\n2\n3",
            comms="comm name size members\n0 w 4 0,1,2,3",
            collectives="comm seq comm_size\n" + "\n".join(f"0 {c} 4" for c in range(60)),
            calls="\n".join(calls),
            path_stretches="\n".join(paths),
        )
    )


PATH = "path path_collective_id step rank begin_ns end_ns category collective_id"


def test_a_rank_that_is_always_late_is_named_and_the_others_are_not(tmp_path: Path) -> None:
    # 60 Allreduces of 4 ranks. Rank 2 is last in all except every tenth, in which rank 0 is last.
    calls, lead = ["collective_id rank enter_ns leave_ns"], list[str]()
    for c in range(60):
        late_rank = 0 if c % 10 == 9 else 2
        calls += [f"{c} {r} {1000 * c + 10 * r + (500 if r == late_rank else 0)} {1000 * c + 600}" for r in range(4)]
        lead.append(f"lead {c} 0 {late_rank} {1000 * c} {1000 * c + 500} compute")
    trace = sixty_collectives(tmp_path, calls, lead)
    assert cells(trace.last_arrivals(), "rank", "share", "late", "cause") == expected("""
        rank,share,late,cause
        0,0.1,false,false
        1,0,false,false
        2,0.9,true,true
        3,0,false,false
    """)


def test_a_rank_that_the_tree_lets_go_last_is_late_but_no_cause_and_gates_use_the_cause(tmp_path: Path) -> None:
    # 60 Allreduces of 4 ranks, each of which computes 400 before each of them. Rank 3 is always released 500 after the
    # others, so it also enters 500 after them. Regression: the example gate on `late` failed this clean run.
    calls, lead = ["collective_id rank enter_ns leave_ns"], list[str]()
    for c in range(60):
        calls += [f"{c} {r} {1000 * c + 500 * (r == 3)} {1000 * c + 600 + 500 * (r == 3)}" for r in range(4)]
        lead.append(f"lead {c} 0 3 {1000 * c + 100} {1000 * c + 500} compute")
    trace = sixty_collectives(tmp_path, calls, lead)
    answer = trace.answer("last-arrivals")
    assert [(row["late"], row["cause"]) for row in answer.rows] == [(False, False)] * 3 + [(True, False)]
    cause_gate, late_gate = (
        evaluate(parse(f"*.{column} == 1"), answer.analysis, answer.rows) for column in ("cause", "late")
    )
    assert cause_gate.outcome == "passed"
    assert late_gate.outcome == "failed"
    assert late_gate.sentence.endswith("late only describes and blames nobody, so use cause in gates")
    assert '--fail-if "*.cause == 1"' in answer.analysis.examples[0]


def test_at_a_node_the_last_child_is_the_one_whose_last_segment_is_complete_last(trace: hopscope.Trace) -> None:
    columns = ("child", "share", "binding_share", "undecided", "margin_ns", "collectives")
    assert cells(trace.last_arrivals(at=0), *columns) == expected("""
        child,share,binding_share,undecided,margin_ns,collectives
        1,0.5,0,0.5,3,2
        2,0.5,0.5,0,8,2
    """)


def test_at_a_node_of_a_tree_of_the_mpi_library_as_well(tmp_path: Path) -> None:
    # Ranks 1 and 2 send to rank 0, and 3 to 2: a binomial Reduce, whose hops had no direction. At rank 0, rank 2 is
    # complete last in both collectives, by 20 and 10; in the second one nobody waited for it. The Bcast after them
    # collects nothing.
    trace = hopscope.open(
        draw(
            tmp_path / "d",
            ranks=RANKS,
            comms=COMMS,
            collectives="comm seq op root comm_size bytes\n0 0 MPI_Reduce 0 4 8\n0 1 MPI_Reduce 0 4 8\n"
            "0 2 MPI_Bcast 1 4 8",
            calls="collective_id rank enter_ns leave_ns engine\n"
            + "\n".join(f"{c} {r} {100 * c} {100 * c + 50} native" for c in range(3) for r in range(4)),
            hops="""
                collective_id role src dst bytes send_begin_ns recv_end_ns binding source
                0             -    1   0   8     0             10          recv    native
                0             -    3   2   8     0             10          recv    native
                0             -    2   0   8     12            30          recv    native
                1             -    1   0   8     100           120         recv    native
                1             -    3   2   8     100           110         recv    native
                1             -    2   0   8     112           130         none    native
                2             -    1   0   8     200           210         recv    native
                2             -    1   2   8     200           210         recv    native
                2             -    1   3   8     200           210         recv    native""",
        )
    )
    columns = ("child", "share", "binding_share", "margin_ns", "collectives")
    assert cells(trace.last_arrivals(at=0), *columns) == expected("""
        child,share,binding_share,margin_ns,collectives
        1,0,0,,2
        2,1,0.5,15,2
    """)
    assert trace.last_arrivals(at=2)["child"].to_pylist() == [3]
    with pytest.raises(InputError, match=r"receives no hop"):
        trace.last_arrivals(at=3)


def test_a_rank_without_children_and_options_that_do_not_mix_are_wrong_input(trace: hopscope.Trace) -> None:
    with pytest.raises(InputError, match=r"receives no hop"):
        trace.last_arrivals(at=3)
    with pytest.raises(InputError, match="only one of"):
        trace.last_arrivals(at=3, by="host")


def _polled(tmp_path: Path, wait_begin_ns: int, first: str, last: str) -> hopscope.Trace:
    """A run with an Iallreduce of three ranks, which rank 2 enters at 170. first, last: the intervals of ranks 0 and
    2."""
    return hopscope.open(
        draw(
            tmp_path / "d",
            ranks="rank\n0\n1\n2",
            comms="comm name size members\n0 w 3 0,1,2",
            collectives="collective_id comm seq op comm_size complete\n0 0 0 MPI_Iallreduce 3 true",
            calls="collective_id rank enter_ns wait_begin_ns leave_ns complete_ns\n"
            f"0 0 100 {wait_begin_ns} 105 182\n0 1 110 120 115 181\n0 2 170 176 175 181",
            intervals=f"rank begin_ns end_ns region kind\n{first}\n1 120 181 MPI_Wait wait\n{last}",
        )
    )


def test_waiting_of_a_collective_that_was_polled_now_and_then_is_not_known_and_that_is_said(tmp_path: Path) -> None:
    # Between two tests with time between them, rank 0 may have computed or waited.
    trace = _polled(tmp_path, 180, "0 120 122 MPI_Test test\n0 180 182 MPI_Test test", "2 176 181 MPI_Wait wait")
    calls = trace.collective_calls(collective="0:0").to_pylist()
    assert [(row["rank"], row["waiting_ns"]) for row in calls] == [(0, None), (1, 50), (2, 0)]
    (caveat,) = [row["sentence"] for row in trace.limits() if row["kind"] == "polled"]
    assert caveat.startswith("An MPI_Test found 1 calls of 1 nonblocking collectives complete. How long the program")


def test_polling_without_a_pause_is_waiting_of_the_collective(tmp_path: Path) -> None:
    # Rank 0 polls in MPI_Test from 120 on, which is one interval; rank 2 enters at 170. Regression: rank 0's waiting
    # was unknown, although the interval shows how long it polled.
    trace = _polled(tmp_path, 120, "0 50 52 MPI_Test test\n0 120 182 MPI_Test test", "2 176 181 MPI_Test test")
    calls = trace.collective_calls(collective="0:0").to_pylist()
    assert [(row["rank"], row["waiting_ns"]) for row in calls] == [(0, 50), (1, 50), (2, 0)]
    assert not [row for row in trace.limits() if row["kind"] == "polled"]


def test_a_row_of_polls_in_several_calls_is_one_wait(tmp_path: Path) -> None:
    # The same, but the row of polls is in the trace as three calls of two functions, and begins with a probe.
    first = "0 120 140 MPI_Iprobe test\n0 142 160 MPI_Test test\n0 162 182 MPI_Test test"
    trace = _polled(tmp_path, 120, first, "2 176 181 MPI_Test test")
    assert trace.collective_calls(collective="0:0").to_pylist()[0]["waiting_ns"] == 50
    assert not [row for row in trace.limits() if row["kind"] == "polled"]
    trace = _polled(tmp_path / "apart", 120, f"0 107 110 MPI_Test test\n{first}", "2 176 181 MPI_Test test")
    assert trace.collective_calls(collective="0:0").to_pylist()[0]["waiting_ns"] is None


@pytest.mark.parametrize("level", ["rank", "host", "cluster"])
def test_without_collectives_nobody_arrives_last(level: str, tmp_path: Path) -> None:
    # Regression: the answer had a row of dashes for each rank.
    trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS, comms=COMMS, run=RUN))
    assert trace.last_arrivals(by=level).num_rows == 0
