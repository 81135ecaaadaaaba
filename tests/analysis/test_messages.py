"""Messages of the application: the waits of their ends, and their time on the critical path.

Ranks 0 and 1 run on host a, 2 on host b of another cluster. Clocks differ by at most 5 between the hosts.

    #  message  bytes  sent  sender waits  posted  receiver waits from  came  binding    late
    0  0->1     100     10                 150     150                  151   none
    1  0->1     100    100                  40      40                  110   recv       sender: 60
    2  1->2     5000   200   200 to 290    280     280                  290   send       receiver: 80
    3  0->2     100    380                 300     350                  390   recv       an MPI_Waitall of rank 2 ...
    4  1->2     8      400                 310     350                  405   recv       ... waits for both, to 400: 50
    5  2->0     0      503                 500     500                  520   recv       by 3, but the clocks err by 5
    6  1->0     8      600                 590     590                  610   undecided
    7  0->1     64     700   700 to 770    760     760                  770   send       an MPI_Sendrecv of rank 0 ...
    8  1->0     64     760                 700     700                  770   recv       ... waits for 1's, to 760: 60

Message 1 is waited for although message 0, which the same sender sent before, is already there. Message 0 is received
afterwards: wrong order.
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
"""
MESSAGES = """
src dst src_location dst_location bytes send_begin_ns send_wait_begin_ns send_end_ns recv_post_ns recv_wait_begin_ns recv_end_ns clock_error_ns binding
0   1   0            1            100   10            10                 11          150          150                151         0              none
0   1   0            1            100   100           100                101         40           40                 110         0              recv
1   2   1            2            5000  200           200                290         280          280                290         5              send
0   2   0            2            100   380           380                381         300          350                390         5              recv
1   2   1            2            8     400           400                401         310          350                405         5              recv
2   0   2            0            0     503           503                504         500          500                520         5              recv
1   0   1            0            8     600           600                601         590          590                610         0              undecided
0   1   0            1            64    700           700                770         760          760                770         0              send
1   0   1            0            64    760           760                770         700          700                770         0              recv
"""  # noqa: E501
# Messages 0 to 4 have known calls around some of their ends; the other messages have none.
INTERVALS = """
rank location kind region     begin_ns end_ns call_site
0    0        p2p  MPI_Send   10       11     app+1
0    0        p2p  MPI_Send   100      101    app+2
1    1        p2p  MPI_Send   200      290    app+3
1    1        p2p  MPI_Send   399      401    app+3
1    1        p2p  MPI_Recv   40       110    app+4
2    2        p2p  MPI_Recv   280      290    app+5
2    2        wait MPI_Waitall 350     405    app+6
"""
# Rank 0 computes until it sends message 1, rank 1 until it sends message 2, and rank 2 until the end.
PATH = """
path step rank begin_ns end_ns category message_id src dst
run  0    0    0        100    compute  -          -   -
run  1    1    100      110    p2p      1          0   1
run  2    1    110      200    compute  -          -   -
run  3    2    200      290    p2p      2          1   2
run  4    2    290      1000   compute  -          -   -
"""
TABLES = {"ranks": RANKS, "messages": MESSAGES, "intervals": INTERVALS, "path_stretches": PATH}
LATENESS = ("waiting_caused_ns", "waiting_suffered_ns", "late_senders", "late_receivers", "wrong_order", "undecided")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return hopscope.open(draw(tmp_path_factory.mktemp("messages") / "d", **TABLES))


def test_each_pair_knows_who_was_late_and_what_of_it_is_on_the_path(trace: hopscope.Trace) -> None:
    # Of the path's 760 from the first send to the last arrival, 10 run over message 1 and 90 over message 2. Message 3,
    # 0->2, was late too, but the Waitall waited for 1->2. Message 5, 2->0, was late by 3, which the clocks cannot tell
    # from 0. Rank 0's Sendrecv waited once, until rank 1 began its own. This wait is charged once, to rank 1's send.
    columns = ("pair", "link", "messages", "bytes", *LATENESS, "path_ns", "path_share")
    assert cells(trace.messages(), *columns) == expected("""
        pair, link, messages, bytes, waiting_caused_ns, waiting_suffered_ns, late_senders, late_receivers, wrong_order, undecided, path_ns, path_share
        1->2, wan,  2,        5008,  50,                80,                  1,            1,              0,           0,         90,      0.118421
        0->1, shm,  3,        264,   60,                0,                   1,            0,              1,           0,         10,      0.0131579
        1->0, shm,  2,        72,    60,                0,                   1,            0,              0,           1,         0,       0
        0->2, wan,  1,        100,   0,                 0,                   0,            0,              0,           0,         0,       0
        2->0, wan,  1,        0,     0,                 0,                   0,            0,              0,           0,         0,       0
    """)  # noqa: E501


def test_by_rank_a_rank_causes_and_suffers_in_both_roles(trace: hopscope.Trace) -> None:
    # Rank 0 was late for rank 1 (60). Rank 1 was late for ranks 2 (50) and 0 (60), and waited for rank 0 (60) and for
    # rank 2's receive (80).
    columns = ("rank", "messages", *LATENESS, "path_ns")
    rows = cells(trace.messages(by="rank"), *columns)
    assert rows == expected("""
        rank, messages, waiting_caused_ns, waiting_suffered_ns, late_senders, late_receivers, wrong_order, undecided, path_ns
        1,    4,        110,               140,                 2,            0,              1,           1,         90
        2,    1,        80,                50,                  0,            1,              0,           0,         0
        0,    4,        60,                60,                  1,            0,              0,           0,         10
    """)  # noqa: E501
    assert sum(int(row["waiting_caused_ns"]) for row in rows) == sum(int(row["waiting_suffered_ns"]) for row in rows)


@pytest.mark.parametrize(
    ("level", "local_pair", "remote_pair"), [("host", "a->a", "a->b"), ("cluster", "A->A", "A->B")]
)
def test_by_host_and_by_cluster_the_pairs_between_them_add_up(
    trace: hopscope.Trace, level: str, local_pair: str, remote_pair: str
) -> None:
    columns = ("pair", "messages", "waiting_caused_ns", "waiting_suffered_ns", "path_ns")
    assert cells(trace.run("messages", by=level), *columns) == expected(f"""
        pair, messages, waiting_caused_ns, waiting_suffered_ns, path_ns
        {remote_pair}, 3,    50,                80,                  90
        {local_pair}, 5,    120,               0,                   10
        {"->".join(reversed(remote_pair.split("->")))}, 1, 0, 0, 0
    """)


def test_by_size_messages_of_a_power_of_two_begin_a_class(trace: hopscope.Trace) -> None:
    assert cells(trace.messages(by="size"), "from_bytes", "below_bytes", "messages", "bytes") == expected("""
        from_bytes, below_bytes, messages, bytes
        0,          1,           1,        0
        8,          16,          2,        16
        64,         128,         5,        428
        4096,       8192,        1,        5000
    """)


def test_by_place_waiting_counts_where_it_was_caused_and_where_it_was_suffered(trace: hopscope.Trace) -> None:
    # Message 4 began at 400, inside a call that began at 399, as if MPI_Startall had started it. Both call sites of
    # message 8 are unknown. Message 2 was received late at app+5, message 1 in the wrong order at app+4.
    columns = ("place", "messages", *LATENESS)
    rows = cells(trace.messages(by="place"), *columns)
    assert rows == expected("""
        place,   messages, waiting_caused_ns, waiting_suffered_ns, late_senders, late_receivers, wrong_order, undecided
        app+3,   2,        50,                80,                  1,            0,              0,           0
        unknown, 5,        60,                60,                  1,            0,              0,           1
        app+5,   0,        80,                0,                   0,            1,              0,           0
        app+2,   1,        60,                0,                   1,            0,              0,           0
        app+4,   0,        0,                 60,                  0,            0,              1,           0
        app+6,   0,        0,                 50,                  0,            0,              0,           0
        app+1,   1,        0,                 0,                   0,            0,              0,           0
    """)
    assert sum(int(row["waiting_caused_ns"]) for row in rows) == sum(int(row["waiting_suffered_ns"]) for row in rows)


def test_a_trace_without_messages_says_so(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS))
    answer = trace.answer("messages")
    assert answer.rows == []
