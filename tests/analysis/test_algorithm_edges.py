"""The edges of one collective: rounds, trees, and the totals of all collectives of its kind.

Ranks 0 and 2 are on host a, 1 and 3 on host b of another cluster. The path of the run, in ns:

    0      10         20    100        112        120
    | comp | wan 0->1 | ... | wan 0->1 | wan 1->2 |      two Bcasts along the chain 0 1 2 3
"""

import hopscope
import pytest
from drawing import cells, draw, expected
from hopscope.algorithms import exchanges
from hopscope.algorithms.kinds import parents_of, rounds_in_times
from hopscope.algorithms.messages import Pattern
from hopscope.algorithms.observed import Observed, RecordedMessage
from hopscope.algorithms.trees import pass_down, pass_up, trees
from hopscope.errors import InputError
from hopscope.format import rounds

RANKS = """
rank host cluster
0    a    A
1    b    B
2    a    A
3    b    B
"""
COMMS = """
comm name  size members
0    world 4    0,1,2,3
1    other 4    3,2,1,0
"""
COLLECTIVES = """
collective_id comm seq op            root bytes comm_size complete first_enter_ns last_leave_ns
0             0    0   MPI_Bcast     0    8     4         true     0              50
1             0    1   MPI_Bcast     0    8     4         true     100            130
2             0    2   MPI_Bcast     1    8     4         true     210            240
3             0    3   MPI_Allreduce -    8     4         true     300            315
4             1    0   MPI_Reduce    0    8     4         true     400            430
5             0    4   MPI_Barrier   -    0     4         true     500            520
6             0    5   MPI_Bcast     0    8     4         false    600            610
"""
# The collectives: two chains; a chain from rank 1; recursive doubling; a chain towards rank 3, which is rank 0 of its
# communicator; messages of no known algorithm, among them a message that rank 0 sends after one from rank 2 has
# arrived, and a message to itself.
HOPS = """
hop_id collective_id role    src dst bytes link send_begin_ns recv_end_ns binding source
0      0             -        0   1   8     wan  10            20          recv    native
1      0             -        1   2   8     wan  20            40          recv    native
2      0             -        2   3   8     wan  40            50          none    native
3      1             -        0   1   8     wan  100           114         recv    native
4      1             -        1   2   8     wan  114           120         none    native
5      1             -        2   3   8     wan  120           130         recv    native
6      2             -        1   2   8     wan  210           220         recv    native
7      2             -        2   3   8     wan  220           230         recv    native
8      2             -        3   0   8     wan  230           240         recv    native
9      3             -        0   1   8     wan  300           310         recv    native
10     3             -        1   0   8     wan  300           310         recv    native
11     3             -        2   3   8     wan  300           310         recv    native
12     3             -        3   2   8     wan  300           310         recv    native
13     3             -        0   2   8     shm  310           315         recv    native
14     3             -        2   0   8     shm  310           315         recv    native
15     3             -        1   3   8     shm  310           315         recv    native
16     3             -        3   1   8     shm  310           315         recv    native
17     4             -        0   1   8     wan  400           410         recv    native
18     4             -        1   2   8     wan  410           420         recv    native
19     4             -        2   3   8     wan  420           430         recv    native
20     5             -        0   1   0     wan  500           510         recv    native
21     5             -        2   0   0     shm  500           505         recv    native
22     5             -        0   1   0     wan  506           520         recv    native
23     5             -        0   0   0     self 500           501         recv    native
24     6             -        0   1   8     wan  600           610         recv    native
"""
PATH = """
path path_collective_id step rank begin_ns end_ns category collective_id hop_id src dst
run  -                  0    0    0        10     compute  -             -      -   -
run  -                  1    1    10       20     wan      0             0      0   1
run  -                  2    0    20       100    compute  -             -      -   -
run  -                  3    1    100      112    wan      1             3      0   1
run  -                  4    2    112      120    wan      1             4      1   2
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(
        draw(
            tmp_path_factory.mktemp("algorithm_edges") / "drawn",
            ranks=RANKS,
            comms=COMMS,
            collectives=COLLECTIVES,
            hops=HOPS,
            path_stretches=PATH,
        )
    )


def test_a_tree_has_the_weights_of_all_that_are_alike_and_of_no_other_root(trace: hopscope.Trace) -> None:
    # 0 -> 1 has 22 of 120 ns, from two hops of 10 and 14 ns; 1 -> 2 has 8 ns, and only its first receiver waited.
    columns = "edge, collectives, rounds, messages, link, hops, bytes, took_ns, waited_share, on_path, time_ns, share"
    rows = cells(trace.algorithms(collective="0:1"), *columns.split(", "))
    assert rows == expected(f"""
    {columns}
    down 0->1, 2, 1, 1, wan, 2, 16, 12, 1,   2, 22, 0.183333
    down 1->2, 2, 2, 1, wan, 2, 16, 13, 0.5, 1, 8,  0.0666667
    down 2->3, 2, 3, 1, wan, 2, 16, 10, 0.5, 0, 0,  0
    """)
    assert trace.algorithms(collective="0:0") == trace.algorithms(collective="0:1")
    assert cells(trace.algorithms(collective="0:2"), "edge", "collectives", "rounds") == expected("""
    edge,      collectives, rounds
    down 1->2, 1,           1
    down 2->3, 1,           2
    down 3->0, 1,           3
    """)


def test_an_exchange_between_peers_has_rounds_and_no_tree(trace: hopscope.Trace) -> None:
    assert cells(trace.algorithms(collective="0:3"), "edge", "rounds", "link") == expected("""
    edge,          rounds, link
    exchange 0->1, 1,      wan
    exchange 0->2, 2,      shm
    exchange 1->0, 1,      wan
    exchange 1->3, 2,      shm
    exchange 2->0, 2,      shm
    exchange 2->3, 1,      wan
    exchange 3->1, 2,      shm
    exchange 3->2, 1,      wan
    """)


def test_edges_have_trace_wide_ranks_whatever_those_of_the_communicator_are(trace: hopscope.Trace) -> None:
    assert cells(trace.algorithms(collective="1:0"), "edge", "rounds") == expected("""
    edge,    rounds
    up 0->1, 1
    up 1->2, 2
    up 2->3, 3
    """)


def test_rounds_of_unknown_messages_follow_from_what_a_sender_had_received(trace: hopscope.Trace) -> None:
    # Rank 0 received from rank 2 at 505, so its message at 506 is of round 2, and the one at 500 of round 1.
    assert cells(trace.algorithms(collective="0:4"), "edge", "rounds", "messages", "hops") == expected("""
    edge, rounds, messages, hops
    0->1, 1-2,    2,        2
    2->0, 1,      1,        1
    """)


@pytest.mark.parametrize("collective", ["0:5", "0:77", "9:0"])
def test_an_incomplete_or_unknown_collective_is_wrong_input(trace: hopscope.Trace, collective: str) -> None:
    with pytest.raises(InputError, match="no hops of such a collective, or it is incomplete"):
        trace.algorithms(collective=collective)


def binomial(ranks: int, *, down: bool) -> Pattern:
    alike = (0,) * ranks
    tree = next(tree for tree in trees(0, alike, alike, down=down, degree=0) if tree.name == "binomial")
    return (pass_down if down else pass_up)(tree, [8, 8, 8])


@pytest.mark.parametrize("ranks", [2, 3, 8, 13])
def test_a_tree_up_and_one_down_are_told_apart_also_in_segments(ranks: int) -> None:
    up, down = binomial(ranks, down=False), binomial(ranks, down=True)
    round_trip = up.concatenate(down)
    assert round_trip.roles == dict.fromkeys(up.edges, ("up",) * 3) | dict.fromkeys(down.edges, ("down",) * 3)
    assert parents_of(round_trip.roles, "up", ranks) == dict(list(up.edges))
    assert parents_of(round_trip.roles, "down", ranks) == {dst: src for src, dst in down.edges}


def test_a_root_that_first_tells_each_rank_to_send_has_a_tree_down_and_one_up() -> None:
    roles = exchanges.linear_with_sync(5, 8, 4, 0).roles
    assert parents_of(roles, "up", 5) == parents_of(roles, "down", 5) == dict.fromkeys(range(1, 5), 0)


def test_a_fold_a_forest_a_cycle_and_a_rank_with_two_parents_are_no_trees() -> None:
    # On three ranks the fold is a single message. Alone it would look like a tree of two ranks.
    assert parents_of(exchanges.doubling_barrier(3).roles, "up", 3) is None
    assert parents_of({(1, 0): ["up"], (3, 2): ["up"]}, "up", 4) is None
    assert parents_of({(0, 1): ["up"], (1, 2): ["up"], (2, 0): ["up"], (3, 4): ["up"]}, "up", 5) is None
    assert parents_of({(1, 0): ["up"], (1, 2): ["up"]}, "up", 3) is None
    # A rank that has nothing to contribute is not a member of the tree.
    assert parents_of({(1, 0): ["up"], (2, 0): ["up"]}, "up", 4) == {1: 0, 2: 0}


def test_the_rounds_in_times_are_those_of_the_algorithm_where_messages_leave_at_once() -> None:
    pattern = binomial(8, down=False).concatenate(binomial(8, down=True))
    turn = len(pattern.messages)
    messages = [
        RecordedMessage(m.src, m.dst, m.bytes, turn * level + nth, turn * (level + 1))
        for nth, (m, level) in enumerate(zip(pattern.messages, pattern.levels, strict=True))
    ]
    assert rounds_in_times(Observed("MPI_Allreduce", 8, None, 24, messages)) == pattern.order


@pytest.mark.parametrize(
    ("text", "numbers"), [("1", [1]), ("1-2", [1, 2]), ("1, 3-5", [1, 3, 4, 5]), ("2, 4, 6", [2, 4, 6])]
)
def test_rounds_are_written_as_spans_and_read_again(text: str, numbers: list[int]) -> None:
    assert rounds.spans([*reversed(numbers), numbers[0]]) == text
    assert rounds.numbers(text) == numbers
