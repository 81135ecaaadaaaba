"""A large message whose receiver comes late: both ends wait for the receiver's post, and the path continues there.
Drawn by hand.

Regression: such a hop counted as waited for by its receiver. So the path went to the sender, which had waited for the
receiver. A rank that was 15 ms late before each 256 KiB broadcast was blamed for 3 % of the lateness that it caused.
"""

from __future__ import annotations

from typing import Any

import pytest
from derive import derive
from drawn_trace import DrawnTrace, path_of

KIB, MS = 1024, 1_000_000
LARGE = 256 * KIB


def bindings(t: DrawnTrace, table: str = "hops") -> list[str]:
    return derive(t.tables())[table]["binding"].to_pylist()


def broadcast(leaves: dict[int, int | None], *, arrived_early: bool = False) -> DrawnTrace:
    """Rank 0 sends 256 KiB at 10 and waits from 12 on. Rank 1 enters at 1000 and posts at 1010. The send is done at
    1050, the receive at 1060."""
    t = DrawnTrace(2)
    c = t.collective({0: 0, 1: 1000}, leaves, op="MPI_Bcast", root=0, engine="tree")
    t.hop(c, 0, 1, 10, 1060, arrived_early=arrived_early, posted=1010, send_wait=(12, 1050), size=LARGE, role="down")
    return t


@pytest.mark.parametrize("arrived_early", [False, True])
def test_a_late_receiver_that_leaves_last_is_where_the_path_stays(arrived_early: bool) -> None:
    # Over MPI the whole transfer may be over when the receiver looks for the first time. Then the record says that it
    # was early.
    derived = derive(broadcast({0: 1055, 1: 1070}, arrived_early=arrived_early).tables())
    assert derived["hops"]["binding"].to_pylist() == ["send"]
    assert path_of(derived, "collective", 0) == [
        (1, "local", 1000, 1010),
        (1, "shm", 1010, 1060),
        (1, "local", 1060, 1070),
    ]
    (transfer,) = [
        row
        for row in derived["path_stretches"].to_pylist()
        if row["hop_id"] is not None and row["path"] == "collective"
    ]
    assert (transfer["src"], transfer["dst"]) == (0, 1)


def test_a_sender_that_leaves_last_leads_to_the_late_receiver() -> None:
    assert path_of(derive(broadcast({0: 1090, 1: 1070}).tables()), "collective", 0) == [
        (1, "local", 1000, 1010),
        (1, "shm", 1010, 1050),
        (0, "local", 1050, 1090),
    ]


def test_a_leaf_that_holds_its_parent_up_holds_up_the_parent_s_parent_in_the_next_collective() -> None:
    # The tree is 0 -> 1 -> 2, and rank 2 computes 1000 longer before each of two broadcasts. In the second one rank 0
    # waits for rank 1, which is still in the first one and waits there for rank 2. So all of the path is rank 2's.
    t = DrawnTrace(3)
    first = t.collective({0: 0, 1: 0, 2: 1000}, {0: 60, 1: 1055, 2: 1060}, op="MPI_Bcast", root=0, engine="tree")
    t.hop(first, 0, 1, 5, 55, posted=1, send_wait=(6, 55), size=LARGE, role="down")
    t.hop(first, 1, 2, 56, 1058, posted=1005, send_wait=(57, 1054), size=LARGE, role="down")
    second = t.collective({0: 60, 1: 1055, 2: 2060}, {0: 1110, 1: 2110, 2: 2120}, op="MPI_Bcast", root=0, engine="tree")
    t.hop(second, 0, 1, 65, 1108, posted=1056, send_wait=(66, 1107), size=LARGE, role="down")
    t.hop(second, 1, 2, 1109, 2115, posted=2065, send_wait=(1110, 2109), size=LARGE, role="down")
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["recv", "send", "send", "send"]
    assert path_of(derived, "run") == [
        (2, "local", 1000, 1005),
        (2, "shm", 1005, 1058),
        (2, "local", 1058, 1060),
        (2, "compute", 1060, 2060),
        (2, "local", 2060, 2065),
        (2, "shm", 2065, 2115),
        (2, "local", 2115, 2120),
    ]


def test_an_early_receiver_waits_for_the_sender_as_ever() -> None:
    # Rank 1 posts at 5. Rank 0 enters at 1000 and sends at 1010; it waits until its send is done, at 1050.
    t = DrawnTrace(2)
    c = t.collective({0: 1000, 1: 0}, {0: 1055, 1: 1070}, op="MPI_Bcast", root=0, engine="tree")
    t.hop(c, 0, 1, 1010, 1060, posted=5, send_wait=(1012, 1050), size=LARGE, role="down")
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["recv"]
    assert path_of(derived, "collective", c) == [
        (0, "local", 1000, 1010),
        (1, "shm", 1010, 1060),
        (1, "local", 1060, 1070),
    ]


def test_a_sender_that_holds_several_receivers_messages_is_done_with_each_at_its_own_post() -> None:
    # Flat: rank 0 sends to 1, 2 and 3 at 10 us. Rank 1 is on time (its transfer takes 50 us), 2 posts at 1010, 3 at
    # 2010. The engine stamps rank 0's wait with the completion that ended it, that of the send to 3. The send to 2 has
    # no stamp.
    us = 1000
    t = DrawnTrace(4)
    enters = {0: 0, 1: 0, 2: 1000 * us, 3: 2000 * us}
    leaves: dict[int, int | None] = {0: 2060 * us, 1: 65 * us, 2: 1065 * us, 3: 2055 * us}
    c = t.collective(enters, leaves, op="MPI_Bcast", root=0, engine="tree")
    t.hop(c, 0, 1, 10 * us, 60 * us, posted=1 * us, send_end=58 * us, size=LARGE, role="down")
    t.hop(c, 0, 2, 10 * us, 1062 * us, posted=1010 * us, send_end=1058 * us, size=LARGE, role="down")
    wait = (12 * us, 2050 * us)
    t.hop(c, 0, 3, 10 * us, 2052 * us, posted=2010 * us, send_wait=wait, size=LARGE, role="down")
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["recv", "send", "send"]
    assert path_of(derived, "collective", c) == [
        (3, "local", 2000 * us, 2010 * us),
        (3, "shm", 2010 * us, 2050 * us),
        (0, "local", 2050 * us, 2060 * us),
    ]


@pytest.mark.parametrize("prompt", [True, False])
@pytest.mark.parametrize(
    ("delay_ms", "end_times", "arrived_early", "binding", "path"),
    [
        # Posted 5 ms after the send. The message is shown at its due time, 20 ms after the send, so the wait was for
        # the link.
        (5, (5.1, 20), False, "recv", [(0, "local", 0, 1), (1, "wan", 1, 21), (1, "local", 21, 22)]),
        # Posted 25 ms after the send, when the message is already due. The data moves from the post on, which takes 0.1
        # ms.
        (25, (25.1, 25.1), False, "send", [(1, "local", 25, 26), (1, "wan", 26, 26.1), (1, "local", 26.1, 27.1)]),
        # Posted 25 ms after the send of a message that was buffered at the sender, so it is there. (Without a prompt
        # message it is unknown how long this link takes.)
        (25, (0.1, 25.1), True, "none", [(1, "local", 25, 27.1)]),
    ],
)
def test_over_an_emulated_link_of_20_ms_a_message_moves_from_the_post_only_if_it_was_due_before(  # noqa: PLR0917 - one per column
    delay_ms: float,
    end_times: tuple[float, float],
    arrived_early: bool,
    binding: str,
    path: list[tuple[Any, ...]],
    prompt: bool,
) -> None:
    # Rank 0 enters at 0 and sends at 1 ms, from which the times above count. MPI messages carry the messages of an
    # emulated link. So a large message is sent when its receive has been posted, and shown when it is due.
    t = DrawnTrace(2)
    sent, received = end_times

    def ns(ms: float) -> int:
        return round(ms * MS)

    c = t.collective({0: 0, 1: ns(delay_ms)}, {0: ns(2), 1: ns(received + 2)}, op="MPI_Bcast", root=0, engine="tree")
    t.hop(
        c,
        0,
        1,
        ns(1),
        ns(1 + received),
        arrived_early=arrived_early,
        posted=ns(1 + delay_ms),
        send_wait=(ns(1) + 10, ns(1 + sent)),
        link="wan",
        size=LARGE,
        role="down",
    )
    if prompt:
        begin = ns(100)
        prompt_collective = t.collective(
            {0: begin, 1: begin}, {0: begin + 10, 1: begin + ns(21)}, op="MPI_Bcast", root=0, engine="tree"
        )
        t.hop(
            prompt_collective,
            0,
            1,
            begin + 5,
            begin + 5 + ns(20),
            posted=begin + 1,
            link="wan",
            size=LARGE,
            role="down",
        )
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist()[0] == binding
    assert path_of(derived, "collective", c) == [
        (rank, category, ns(begin), ns(end)) for rank, category, begin, end in path
    ]


def test_over_an_emulated_link_both_ends_may_wait_each_for_something_else() -> None:
    # The receiver is 5 ms late, as above. Rank 0, whose send was done at 6.1 ms, leaves last. It had waited for rank
    # 1's post.
    t = DrawnTrace(2)
    c = t.collective({0: 0, 1: 5 * MS}, {0: 30 * MS, 1: 22 * MS}, op="MPI_Bcast", root=0, engine="tree")
    wait = (1 * MS + 10, 6_100_000)
    t.hop(c, 0, 1, 1 * MS, 21 * MS, posted=6 * MS, send_wait=wait, link="wan", size=LARGE, role="down")
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["recv"]
    assert path_of(derived, "collective", c) == [
        (1, "local", 5 * MS, 6 * MS),
        (1, "wan", 6 * MS, 6_100_000),
        (0, "local", 6_100_000, 30 * MS),
    ]


@pytest.mark.parametrize("size", [LARGE, 4096 * KIB, 16384 * KIB])
def test_large_messages_that_were_buffered_excuse_no_late_receiver_of_another_one(size: int) -> None:
    # Three messages were complete 20 ns after their begin, long before their receives were posted. The fourth, of 256
    # KiB, waited for rank 1's post. Regression: one buffered message made all messages that are not larger count as
    # eager.
    t = DrawnTrace(2)
    for number in range(3):
        begin = 10_000 * number
        c = t.collective(
            {0: begin, 1: begin + 1000}, {0: begin + 40, 1: begin + 1100}, op="MPI_Bcast", root=0, engine="tree"
        )
        t.hop(
            c,
            0,
            1,
            begin + 10,
            begin + 1030,
            arrived_early=True,
            posted=begin + 1010,
            send_end=begin + 30,
            size=size,
            role="down",
        )
    begin = 30_000
    c = t.collective(
        {0: begin, 1: begin + 1000}, {0: begin + 1090, 1: begin + 1070}, op="MPI_Bcast", root=0, engine="tree"
    )
    wait = (begin + 12, begin + 1050)
    t.hop(c, 0, 1, begin + 10, begin + 1060, posted=begin + 1010, send_wait=wait, size=LARGE, role="down")
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["none", "none", "none", "send"]
    assert path_of(derived, "collective", c) == [
        (1, "local", begin + 1000, begin + 1010),
        (1, "shm", begin + 1010, begin + 1050),
        (0, "local", begin + 1050, begin + 1090),
    ]


@pytest.mark.parametrize("size", [LARGE, 4096 * KIB])
def test_of_the_application_too_a_held_message_is_told_from_those_that_were_buffered(size: int) -> None:
    # Buffered messages take 2,000 from the post on, for a copy. The last message's sender waited until 4,000 after the
    # post, and the receiver had it then, so it was not there before. The fastest transit of the class, with an early
    # receiver, is 5,000.
    t = DrawnTrace(2)
    for number in range(5):
        begin = 1_000_000 * number
        t.message(0, 1, (begin, begin + 1000), (begin + 500_000, begin + 500_000, begin + 502_000), size=size)
    t.message(0, 1, (5_000_000, 5_004_000), (4_990_000, 4_990_000, 5_005_000), size=size)
    t.message(0, 1, (6_000_000, 6_504_000), (6_500_000, 6_500_000, 6_505_000), size=size)
    assert bindings(t, "messages") == ["none"] * 5 + ["recv", "send"]


def test_where_a_message_may_have_been_buffered_and_its_times_contradict_one_another_nobody_is_blamed() -> None:
    # Messages of 4 KiB are there at once, in 300. The last one's send was complete 400,000 after its begin, and its
    # receive took 250,000. It is unknown if the sender lost its core or waited for the post.
    t = DrawnTrace(2)
    for number in range(5):
        begin = 1_000_000 * number
        t.message(0, 1, (begin, begin + 100), (begin + 50_000, begin + 50_000, begin + 50_300), size=4096)
    t.message(0, 1, (5_000_000, 5_000_100), (4_999_000, 4_999_000, 5_000_500), size=4096)
    t.message(0, 1, (6_000_000, 6_400_000), (6_150_000, 6_150_000, 6_400_000), size=4096)
    assert bindings(t, "messages") == ["none"] * 5 + ["recv", "undecided"]


@pytest.mark.parametrize(("error", "binding"), [(300, "send"), (1100, "recv")])
def test_clocks_that_cannot_tell_a_late_post_leave_the_wait_with_the_message(error: int, binding: str) -> None:
    # The post seems to come 1,000 after the send. The engine only knows for certain that the receiver waited.
    t = DrawnTrace(2)
    c = t.collective({0: 0, 1: 1000}, {0: 1055, 1: 1070}, op="MPI_Bcast", root=0, engine="tree")
    t.hop(c, 0, 1, 10, 1060, posted=1010, send_wait=(11, 1050), size=LARGE, error=error, role="down")
    assert bindings(t) == [binding]


def test_a_receiver_s_computing_between_its_late_post_and_its_wait_is_its_own() -> None:
    # Rank 0 begins a rendezvous send at 100 and waits in it. Rank 1 posts at 500, computes, and waits from 900 on.
    t = DrawnTrace(2)
    t.interval(0, "p2p", 100, 950, "MPI_Send")
    t.interval(1, "p2p", 500, 510, "MPI_Irecv")
    t.interval(1, "wait", 900, 960, "MPI_Wait")
    t.message(0, 1, (100, 950), (500, 900, 960), size=LARGE)
    t.collective({0: 955, 1: 1000}, {0: 1050, 1: 1050})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["send"]
    assert path_of(derived, "lead", 0) == [
        (1, "p2p", 500, 510),
        (1, "compute", 510, 900),
        (1, "p2p", 900, 960),
        (1, "compute", 960, 1000),
    ]


def test_of_a_held_message_and_a_later_one_in_one_waitall_the_later_one_was_waited_for() -> None:
    # Rank 1 posts both receives at 300 and waits from 310 to 700. Rank 0's message had been waiting for the post since
    # 100. Rank 2 sent its message at 650.
    t = DrawnTrace(3)
    t.interval(1, "p2p", 300, 302, "MPI_Irecv")
    t.interval(1, "wait", 310, 700, "MPI_Waitall")
    t.interval(0, "p2p", 100, 360, "MPI_Send")
    t.message(0, 1, (100, 360), (300, 310, 700), size=LARGE)
    t.interval(2, "p2p", 650, 690, "MPI_Send")
    t.message(2, 1, (650, 690), (301, 310, 700), size=LARGE)
    t.collective({0: 400, 1: 710, 2: 695}, {0: 800, 1: 800, 2: 800})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["send", "recv"]
    assert path_of(derived, "lead", 0)[-2:] == [(1, "p2p", 650, 700), (1, "compute", 700, 710)]


def test_a_send_that_a_waitall_completes_with_other_messages_is_not_held_back_by_that() -> None:
    # Both ranks send 6 KiB over a link of 100 us and wait for all; rank 1 comes 50 us later. Regression: rank 0's
    # message, which its library buffers, counted as blocked, because its Waitall lasts until rank 1's message is there.
    t = DrawnTrace(2)
    t.interval(0, "p2p", 0, 5, "MPI_Irecv")
    t.interval(0, "p2p", 5, 10, "MPI_Isend")
    t.interval(0, "wait", 10, 150_010, "MPI_Waitall")
    t.interval(1, "p2p", 50_000, 50_005, "MPI_Irecv")
    t.interval(1, "p2p", 50_005, 50_010, "MPI_Isend")
    t.interval(1, "wait", 50_010, 100_010, "MPI_Waitall")
    t.message(0, 1, (5, 150_010), (50_000, 50_010, 100_010), link="wan", size=6144, send_wait=10)
    t.message(1, 0, (50_005, 100_010), (0, 10, 150_010), link="wan", size=6144, send_wait=50_010)
    t.collective({0: 150_020, 1: 100_020}, {0: 150_100, 1: 150_100})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["undecided", "recv"]


def test_a_waitall_that_ends_with_a_post_by_chance_waited_for_the_message_that_was_sent_late() -> None:
    # A halo of three ranks, over links of 100 us. Rank 0 sends 512 B to rank 1 and waits for rank 2, which sends at
    # 2 ms. Rank 1 posts its receive at 2 ms, too. Regression: rank 1 was a late receiver, for which rank 0 waited.
    t = DrawnTrace(3)
    t.interval(0, "p2p", 0, 5, "MPI_Isend")
    t.interval(0, "wait", 10, 2_100_010, "MPI_Waitall")
    t.interval(2, "p2p", 2_000_000, 2_000_010, "MPI_Send")
    t.interval(1, "p2p", 2_000_000, 2_000_300, "MPI_Recv")
    t.message(2, 0, (2_000_000, 2_000_010), (0, 10, 2_100_010), link="wan", size=512)
    t.message(0, 1, (0, 2_100_010), (2_000_000, 2_000_000, 2_000_300), link="wan", size=512, send_wait=10)
    t.collective({0: 2_100_020, 1: 2_000_310, 2: 2_000_020}, {0: 2_101_000, 1: 2_101_000, 2: 2_101_000})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["none", "recv"]


def test_a_waitall_that_ends_with_a_post_waited_for_it_if_the_other_message_came_long_before() -> None:
    # The same, but rank 2 sends at 40 us, and rank 1's post lets the library end rank 0's send.
    t = DrawnTrace(3)
    t.interval(0, "p2p", 0, 5, "MPI_Isend")
    t.interval(0, "wait", 10, 2_010_000, "MPI_Waitall")
    t.interval(2, "p2p", 40_000, 40_010, "MPI_Send")
    t.interval(1, "p2p", 2_000_000, 2_005_000, "MPI_Recv")
    t.message(2, 0, (40_000, 40_010), (0, 10, 2_010_000), link="wan", size=512)
    t.message(0, 1, (0, 2_010_000), (2_000_000, 2_000_000, 2_005_000), link="wan", size=512, send_wait=10)
    t.collective({0: 2_010_020, 1: 2_005_310, 2: 40_020}, {0: 2_101_000, 1: 2_101_000, 2: 2_101_000})
    derived = derive(t.tables())
    assert derived["messages"]["binding"].to_pylist() == ["send", "recv"]


def test_a_short_message_whose_send_ends_late_in_a_waitall_may_have_been_there_before() -> None:
    # Rank 1 waits 300 ns for a message of 1 KiB that was sent 50 us before, then 2 us for one that is sent while it
    # waits.
    t = DrawnTrace(2)
    t.message(0, 1, (0, 60_000), (50_000, 50_000, 50_300), size=1024)
    t.message(0, 1, (100_000, 160_000), (99_000, 99_000, 101_000), size=1024)
    assert bindings(t, "messages") == ["none", "recv"]
