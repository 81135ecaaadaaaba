"""The edges of hops with their weight on the run's critical path, and the local work inside one collective.

Two Allreduces over 1 -> 0 -> 1; rank 1 is on another site. The path of the run, in ns:

    0      100          300     320            500
    | comp | wan 1->0   | local | wan 0->1     |     first collective: 200 and 180 on hops
    500    600          650
    | comp | wan 1->0   |                            second: the path leaves the hop after 50
"""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected
from hopscope.errors import InputError

RANKS = """
rank host cluster
0    h0   A
1    h1   B
"""
COLLECTIVES = """
collective_id comm seq op            bytes first_enter_ns last_enter_ns last_leave_ns comm_size
0             0    0   MPI_Allreduce 8     90             100           500           2
1             0    1   MPI_Allreduce 8     590            600           700           2
"""
HOPS = """
hop_id collective_id role src dst bytes link send_begin_ns recv_post_ns recv_end_ns binding
0      0             up    1   0   8     wan  100           90           300         recv
1      0             down  0   1   8     wan  320           100          500         recv
2      1             up    1   0   16    wan  600           590          650         recv
3      1             down  0   1   16    wan  660           600          700         none
"""
STEPS = """
step_id collective_id rank kind    bytes begin_ns end_ns
0       0             0    combine 8     300      310
1       0             0    copy    8     310      312
2       1             0    combine 16    650      655
"""
PATH = """
path       path_collective_id step rank begin_ns end_ns category collective_id hop_id src dst
run        -                  0    1    0        100    compute  -             -      -   -
run        -                  1    0    100      300    wan      0             0      1   0
run        -                  2    0    300      320    local    0             -      -   -
run        -                  3    1    320      500    wan      0             1      0   1
run        -                  4    1    500      600    compute  -             -      -   -
run        -                  5    0    600      650    wan      1             2      1   0
collective 1                  0    0    600      650    wan      1             2      1   0
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(
        draw(
            tmp_path_factory.mktemp("tree_edges_and_steps") / "drawn",
            ranks=RANKS,
            collectives=COLLECTIVES,
            hops=HOPS,
            steps=STEPS,
            path_stretches=PATH,
        )
    )


def test_an_edge_weighs_what_the_runs_path_spends_on_its_hops(trace: hopscope.Trace) -> None:
    # The path has 650 ns, of which 90 are start-up. 250 of 560 are on 1 -> 0, over two hops; 180 on 0 -> 1, over one.
    # The medians are those of 200 and 50, and of 180 and 40.
    rows = cells(
        trace.tree_edges(), "edge", "link", "hops", "bytes", "took_ns", "waited_share", "on_path", "time_ns", "share"
    )
    assert rows == expected("""
    edge,      link, hops, bytes, took_ns, waited_share, on_path, time_ns, share
    up 1->0,   wan,  2,    24,    125,     1,            2,       250,     0.446429
    down 0->1, wan,  2,    24,    110,     0.5,          1,       180,     0.321429
    """)


def test_edges_of_one_tree_leave_out_those_of_other_roots_names_and_communicators(tmp_path: Path) -> None:
    # Bcasts 1 -> 0 and 0 -> 1 on communicator 0, under two names, and 0 -> 1 on communicator 5. An Allreduce has no
    # root of its own and goes 1 -> 0 -> 1, so its root is 0 in both roles.
    collectives = """
    collective_id comm seq op            first_enter_ns last_enter_ns last_leave_ns comm_size
    0             0    0   MPI_Bcast     0              0             100           2
    1             0    1   MPI_Bcast     100            100           200           2
    2             5    0   MPI_Bcast     200            200           300           2
    3             0    2   MPI_Allreduce 300            300           500           2
    """
    calls = """
    collective_id rank tree   enter_ns leave_ns
    0             0    flat   0        100
    1             0    chain  100      200
    2             0    flat   200      300
    3             0    flat   300      500
    """
    hops = """
    collective_id role src dst send_begin_ns recv_post_ns recv_end_ns
    0             down  1   0   0             0            100
    1             down  0   1   100           100          200
    2             down  0   1   200           200          300
    3             up    1   0   300           300          400
    3             down  0   1   400           400          450
    """
    trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS, collectives=collectives, calls=calls, hops=hops))
    assert cells(trace.tree_edges(comm=0, root=0, tree="flat"), "edge", "hops", "took_ns") == expected("""
    edge,      hops, took_ns
    up 1->0,   1,    100
    down 0->1, 1,    50
    """)
    assert cells(trace.tree_edges(comm=5), "edge", "took_ns") == expected("""
    edge,      took_ns
    down 0->1, 100
    """)
    assert trace.tree_edges(root=1)["edge"].to_pylist() == ["down 1->0"]
    assert trace.tree_edges(tree="chain")["edge"].to_pylist() == ["down 0->1"]
    with pytest.raises(InputError, match="analyze trees"):
        trace.tree_edges(root=7)


def test_a_trace_without_hops_has_no_edges_and_says_what_makes_them(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "drawn", ranks=RANKS, collectives=COLLECTIVES))
    with pytest.raises(InputError, match="hopscope run --tree"):
        trace.tree_edges()


def test_the_steps_of_one_collective_are_those_of_no_other(trace: hopscope.Trace) -> None:
    rows = cells(trace.collective_steps(collective="0:0"), "step_id", "rank", "kind", "begin_ns", "time_ns")
    assert rows == expected("""
    step_id, rank, kind,    begin_ns, time_ns
    0,       0,    combine, 300,      10
    1,       0,    copy,    310,      2
    """)
