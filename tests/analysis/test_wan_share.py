"""The WAN share along each rank's own route and on the critical path, without waiting for others.

An Allreduce over the tree 0 <- 1, 0 <- 2, 2 <- 3; ranks 0 and 1 in cluster A, 2 and 3 in B. Rank 1 enters last, at 50.

    time           rank
    0              2, 3 and 0 enter
    3 -> 2 shm     0 to 2     waited for by 2
    2 -> 0 wan     4 to 24    waited for by 0             (2 works from 2 to 4)
    1 -> 0 shm     50 to 53   waited for by 0             (1 enters at 50)
    0 -> 2 wan     55 to 75, 0 -> 1 shm 56 to 58          (0 works from 53 to 55 and to 56)
    2 -> 3 shm     76 to 78                               (2 works from 75 to 76)
    leave          0: 57, 1: 59, 2: 76, 3: 79
"""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected

RANKS = """
rank host cluster
0    a    A
1    a    A
2    b    B
3    b    B
"""
CALLS = """
collective_id rank enter_ns leave_ns
0             0    0        57
0             1    50       59
0             2    0        76
0             3    0        79
"""
HOPS = """
collective_id role src dst bytes link send_begin_ns recv_end_ns binding
0             up    3   2   8     shm  0             2           recv
0             up    2   0   8     wan  4             24          recv
0             up    1   0   8     shm  50            53          recv
0             down  0   2   8     wan  55            75          recv
0             down  0   1   8     shm  56            58          recv
0             down  2   3   8     shm  76            78          recv
"""
# The critical path: rank 1 computes until 50, then 1 -> 0 -> 2 -> 3.
PATH = """
path step rank begin_ns end_ns category collective_id hop_id
run  0    1    0        50     compute  -             -
run  1    0    50       53     shm      0             2
run  2    0    53       55     local    0             -
run  3    2    55       75     wan      0             3
run  4    2    75       76     local    0             -
run  5    3    76       78     shm      0             5
run  6    3    78       79     local    0             -
"""
TABLES = {
    "ranks": RANKS,
    "comms": "comm name size members\n0 w 4 0,1,2,3",
    "collectives": "comm seq comm_size first_enter_ns last_enter_ns last_leave_ns\n0 0 4 0 50 79",
    "calls": CALLS,
    "hops": HOPS,
    "path_stretches": PATH,
}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(draw(tmp_path_factory.mktemp("wan_share") / "d", **TABLES))


def test_each_cluster_is_told_by_its_ranks_own_routes(trace: hopscope.Trace) -> None:
    # Rank 0 (the root): from the last child's message to its leave, 53 to 57: 4. No hop.
    # Rank 1: up 3; 0 works from 53 to 56: 3; down 2; then 1 until its leave: 9. No wan.
    # Rank 2: works 2 to 4: 2; up 20; 0 works from 53 to 55: 2; down 20; leaves 1 later: 45, of which wan 40.
    # Rank 3: up 2; 2 works 2; up 20; 0 works 2; down 20; 2 works 1; down 2; leaves 1 later: 50, of which wan 40.
    # Waiting: rank 0: 57 - 4 = 53; rank 1: 9 - 9 = 0; rank 2: 76 - 45 = 31; rank 3: 79 - 50 = 29.
    # Hops per route in B: (2 + 4) / 2 = 3, crossings 2 each, 16 bytes between clusters; in A: (0 + 2) / 2 = 1.
    # The critical path: 20 of 79 on the wan, 3 hops, one crossing.
    columns = ("scope", "share", "hops", "bytes", "crossings", "path_ns", "wan_ns", "waiting_ns", "collectives")
    assert cells(trace.wan_share(), *columns) == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns,collectives
        critical_path,0.253165,3,8,1,79,20,0,1
        A,0,1,0,0,13,0,53,1
        B,0.842105,3,16,2,95,80,60,1
    """)


def test_a_message_that_was_there_early_gets_the_time_of_those_that_were_waited_for(tmp_path: Path) -> None:
    # Rank 0 is busy and sees rank 2's message only at 44, so nobody waited for it. The wan hops that ranks waited for
    # took 20 (0 -> 2 is another pair, so the link class decides). The route is the same as above, and the rest is
    # waiting.
    hops = HOPS.replace("4             24          recv", "4             44          none")
    trace = hopscope.open(draw(tmp_path / "d", **{**TABLES, "hops": hops}))
    assert cells(trace.wan_share(), "scope", "path_ns", "wan_ns", "waiting_ns")[2] == {
        "scope": "B", "path_ns": "95", "wan_ns": "80", "waiting_ns": "60",
    }  # fmt: skip


def test_without_hops_the_routes_are_unknown_and_not_free_of_wan(tmp_path: Path) -> None:
    tables = {name: text for name, text in TABLES.items() if name not in ("hops", "path_stretches")}
    trace = hopscope.open(draw(tmp_path / "d", **tables))
    assert trace.wan_share()["share"].to_pylist() == [None, None, None]
    assert trace.wan_share()["scope"].to_pylist() == ["critical_path", "A", "B"]
    assert any("no hops" in sentence for sentence in trace.caveats())


# Rank 1 computes until 50. Then the library runs the collective, without known hops.
NATIVE_PATH = """
path step rank begin_ns end_ns category collective_id hop_id
run  0    1    0        50     compute  -             -
run  1    0    50       79     native   0             -
"""


def test_a_path_through_a_collective_without_hops_has_an_unknown_share_and_not_0(tmp_path: Path) -> None:
    # Regression: the share was 0 %, though ranks of both clusters take part.
    tables = {name: text for name, text in TABLES.items() if name != "hops"}
    trace = hopscope.open(draw(tmp_path / "d", **{**tables, "path_stretches": NATIVE_PATH}))
    columns = ("scope", "share", "share_low", "hops", "crossings", "path_ns", "wan_ns", "collectives")
    assert cells(trace.wan_share(), *columns)[:1] == expected("""
        scope,share,share_low,hops,crossings,path_ns,wan_ns,collectives
        critical_path,,,,,79,,1
    """)
    # Ranks in one cluster send no messages between clusters, whether their messages are known or not.
    for name, comms, ranks in (
        ("part", "comm name size members\n0 w 2 0,1", RANKS),
        ("run", TABLES["comms"], RANKS.replace("B", "A")),
    ):
        drawing = {**tables, "path_stretches": NATIVE_PATH, "comms": comms, "ranks": ranks}
        trace = hopscope.open(draw(tmp_path / name, **drawing))
        assert trace.wan_share()["share"][0].as_py() == 0


def test_hops_between_clusters_that_are_known_count_beside_those_that_are_not(tmp_path: Path) -> None:
    # 20 of 79 are known to be between clusters. The next collective, from 79 to 100, is unknown: at least 20 of 100.
    tables = {
        **TABLES,
        "collectives": TABLES["collectives"].replace("0 50 79", "0 50 79\n0 1 4 80 80 100"),
        "path_stretches": f"{PATH.rstrip()}\nrun  7    3    79       100    native   1             -",
    }
    trace = hopscope.open(draw(tmp_path / "d", **tables))
    assert cells(trace.wan_share(), "share", "wan_ns")[0] == {"share": "0.2", "wan_ns": "20"}


def test_hops_that_form_a_ring_do_not_run_on(tmp_path: Path) -> None:
    # No tree: 0 -> 1 -> 2 -> 3 -> 0. It has no root, so there is no route.
    hops = "collective_id role src dst link send_begin_ns recv_end_ns\n" + "\n".join(
        f"0 up {r} {(r + 1) % 4} shm {10 * r} {10 * r + 5}" for r in range(4)
    )
    trace = hopscope.open(draw(tmp_path / "d", **{**TABLES, "hops": hops}))
    assert trace.wan_share()["path_ns"].to_pylist()[1:] == [None, None]


def test_without_a_collective_no_cluster_has_a_route(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "d", ranks=TABLES["ranks"]))
    assert trace.wan_share()["scope"].to_pylist() == ["critical_path"]
