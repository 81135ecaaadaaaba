"""Critical paths of single collectives, drawn by hand with the answer beside them."""

from __future__ import annotations

import pytest
from derive import derive
from drawn_trace import DrawnTrace, path_of
from hopscope.dataset.store import table_schemas


def test_a_chain_of_binding_hops_is_followed_to_the_rank_that_sent_first() -> None:
    # 2 -> 1 -> 0 up, 0 -> 1 -> 2 down. All ranks wait for rank 2, which entered at 100.
    #   rank 2: enter 100, sends at 110                                      leaves 205
    #   rank 1:           receives 130, combines, sends 140     195 sends .. leaves 197
    #   rank 0:           receives 160, sends 170 down; rank 1 receives 190
    t = DrawnTrace(3)
    c = t.collective({0: 0, 1: 0, 2: 100}, {0: 172, 1: 197, 2: 205}, engine="tree")
    t.hop(c, 2, 1, 110, 130, link="wan")
    t.hop(c, 1, 0, 140, 160, link="lan")
    t.hop(c, 0, 1, 170, 190, link="lan", role="down")
    t.hop(c, 1, 2, 195, 203, link="wan", role="down")
    derived = derive(t.tables())
    assert path_of(derived, "collective", c) == [
        (2, "local", 100, 110),
        (1, "wan", 110, 130),
        (1, "local", 130, 140),
        (0, "lan", 140, 160),
        (0, "local", 160, 170),
        (1, "lan", 170, 190),
        (1, "local", 190, 195),
        (2, "wan", 195, 203),
        (2, "local", 203, 205),
    ]
    assert derived["hops"]["pred_hop_id"].to_pylist() == [None, 0, 1, 2]
    assert derived["calls"]["pred_hop_id"].to_pylist() == [1, 2, 3]
    assert derived["hops"]["binding"].to_pylist() == ["recv"] * 4
    stretches = derived["path_stretches"]
    assert stretches.schema.names == table_schemas()["path_stretches"].names
    assert stretches.schema.types == table_schemas()["path_stretches"].types


def test_a_late_receiver_does_not_make_a_hop_binding() -> None:
    # Rank 0, the parent, enters at 300, long after its five children's messages have arrived. Regression: a test by
    # "posted before the fastest observed arrival" took most of these hops for binding.
    t = DrawnTrace(6)
    c = t.collective(
        {0: 300, **dict.fromkeys(range(1, 6), 0)}, {0: 330, **dict.fromkeys(range(1, 6), 20)}, engine="tree"
    )
    for child in range(1, 6):
        t.hop(c, child, 0, 10, 302 + child, arrived_early=True, posted=301)
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["none"] * 5
    assert path_of(derived, "collective", c) == [(0, "local", 300, 330)]


def test_only_the_child_that_was_waited_for_is_on_the_path() -> None:
    # Rank 1's message is there when rank 0 needs it. Rank 2's arrives at 80 and is waited for, rank 3's meanwhile.
    t = DrawnTrace(4)
    c = t.collective({0: 0, 1: 0, 2: 50, 3: 0}, {0: 90, 1: 10, 2: 70, 3: 10}, engine="tree")
    t.hop(c, 1, 0, 5, 12, arrived_early=True, posted=1)
    t.hop(c, 2, 0, 60, 80, link="wan", posted=1)
    t.hop(c, 3, 0, 6, 78, arrived_early=True, posted=1)
    assert path_of(derive(t.tables()), "collective", c) == [
        (2, "local", 50, 60),
        (0, "wan", 60, 80),
        (0, "local", 80, 90),
    ]


def test_a_send_that_waited_for_a_late_post_leads_to_its_receiver() -> None:
    # Rank 1's rendezvous send begins at 10, and it waits from 12 on. Rank 0 enters and posts at 100. The send is done
    # at 130, and rank 1 leaves last. The cause is rank 0's late post, not anything on rank 1.
    t = DrawnTrace(2)
    c = t.collective({0: 95, 1: 0}, {0: 131, 1: 140}, engine="tree")
    t.hop(c, 1, 0, 10, 125, arrived_early=True, posted=100, send_wait=(12, 130), link="lan")
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["send"]
    assert path_of(derived, "collective", c) == [(0, "local", 95, 100), (0, "lan", 100, 130), (1, "local", 130, 140)]


def test_segments_are_followed_one_by_one() -> None:
    # A chain 2 -> 1 -> 0 with two segments in a pipeline. Rank 0 waited for segment 1 of the second hop, which rank 1
    # sent as soon as it had it from rank 2.
    t = DrawnTrace(3)
    c = t.collective({0: 0, 1: 0, 2: 0}, {0: 62, 1: 45, 2: 25}, engine="tree")
    t.hop(c, 2, 1, 0, 20, segment=0)
    t.hop(c, 2, 1, 10, 40, segment=1)
    t.hop(c, 1, 0, 21, 41, segment=0)
    t.hop(c, 1, 0, 41, 60, segment=1)
    assert path_of(derive(t.tables()), "collective", c) == [
        (2, "local", 0, 10),
        (1, "shm", 10, 40),
        (1, "local", 40, 41),
        (0, "shm", 41, 60),
        (0, "local", 60, 62),
    ]


def test_of_ranks_that_leave_together_the_lowest_is_where_the_path_ends() -> None:
    t = DrawnTrace(3)
    c = t.collective({0: 0, 1: 5, 2: 3}, {0: 50, 1: 50, 2: 40}, engine="native")
    # All ranks exchange, so rank 0's path leads to rank 1, the last enter.
    assert path_of(derive(t.tables()), "collective", c) == [(0, "native", 5, 50)]


def test_two_hops_with_one_timestamp_do_not_loop_the_walk() -> None:
    # Two clocks that disagree: each rank received before the other one sent.
    t = DrawnTrace(2)
    c = t.collective({0: 0, 1: 0}, {0: 20, 1: 20}, engine="tree")
    t.hop(c, 0, 1, 10, 10)
    t.hop(c, 1, 0, 10, 10)
    t.hop(c, 0, 1, 12, 8)
    assert path_of(derive(t.tables()), "collective", c) == [(0, "local", 0, 20)]


@pytest.mark.parametrize(
    ("op", "root", "leaves", "expected"),
    [
        # enters: rank 0 at 10, rank 1 at 30, rank 2 at 20
        ("MPI_Allreduce", None, {0: 90, 1: 50, 2: 50}, (0, "native", 30, 90)),
        ("MPI_Barrier", None, {0: 50, 1: 90, 2: 50}, (1, "native", 30, 90)),
        ("MPI_Bcast", 1, {0: 90, 1: 50, 2: 50}, (0, "native", 30, 90)),  # from the root's enter
        ("MPI_Bcast", 0, {0: 40, 1: 50, 2: 90}, (2, "native", 20, 90)),  # the root entered before: rank 2's own enter
        ("MPI_Scatterv", 0, {0: 90, 1: 50, 2: 50}, (0, "native", 10, 90)),  # the root waits for no rank
        ("MPI_Reduce", 0, {0: 90, 1: 50, 2: 50}, (0, "native", 30, 90)),  # the root waits for the last enter
        ("MPI_Gather", 0, {0: 50, 1: 50, 2: 90}, (2, "native", 20, 90)),  # a rank that only sends waits for no rank
        ("MPI_Scan", None, {0: 50, 1: 50, 2: 90}, (2, "native", 30, 90)),  # from the last enter of ranks 0 to 2
        ("MPI_Scan", None, {0: 90, 1: 50, 2: 50}, (0, "native", 10, 90)),  # rank 0 waits for no rank
        ("MPI_Exscan", None, {0: 50, 1: 90, 2: 50}, (1, "native", 30, 90)),  # rank 0 entered before: rank 1's own enter
        ("MPI_Neighbor_alltoall", None, {0: 90, 1: 50, 2: 50}, (0, "native", 10, 90)),
    ],
)
def test_without_hops_the_library_is_one_stretch_that_leads_where_the_operation_says(
    op: str, root: int | None, leaves: dict[int, int | None], expected: tuple[int, str, int, int]
) -> None:
    t = DrawnTrace(3)
    c = t.collective({0: 10, 1: 30, 2: 20}, leaves, op=op, root=root)
    assert path_of(derive(t.tables()), "collective", c) == [expected]


def test_a_killed_rank_leaves_the_path_of_what_there_is() -> None:
    # Ranks 1 and 2 were killed inside: they have an enter but no leave, and rank 2's hop never arrived.
    t = DrawnTrace(3)
    c = t.collective({0: 0, 1: 4, 2: 5}, {0: 70, 1: None, 2: None}, engine="tree")
    t.hop(c, 1, 0, 10, 60)
    derived = derive(t.tables())
    assert path_of(derived, "collective", c) == [(1, "local", 4, 10), (0, "shm", 10, 60), (0, "local", 60, 70)]
    # No rank leaves the next one.
    t.collective({0: 80}, {}, engine="tree")
    assert path_of(derive(t.tables()), "collective", 1) == []


def test_hops_to_oneself_count_as_local() -> None:
    t = DrawnTrace(1)
    c = t.collective({0: 0}, {0: 30}, engine="tree")
    t.hop(c, 0, 0, 10, 20, link="self")
    assert path_of(derive(t.tables()), "collective", c) == [
        (0, "local", 0, 10),
        (0, "local", 10, 20),
        (0, "local", 20, 30),
    ]


def test_a_message_sent_long_before_and_seen_as_soon_as_its_wait_began_does_not_bind() -> None:
    # Rank 0 enters 3 ms late. MPI reports the message only at the second call, 0.7 us after the wait began; in the
    # other direction such a message takes 4 us. Regression: such hops were binding. So the late rank's computing was
    # missing from the critical path, which went to the child that had waited for it.
    enter_ns = 3_000_000
    t = DrawnTrace(2)
    c = t.collective({0: enter_ns, 1: 0}, {0: enter_ns + 20_000, 1: enter_ns + 16_000}, engine="tree")
    t.hop(c, 1, 0, 1_000, enter_ns + 8_700, posted=enter_ns + 8_000)
    t.hop(c, 0, 1, enter_ns + 10_000, enter_ns + 14_000, posted=2_000, role="down")
    derived = derive(t.tables())
    assert derived["hops"]["binding"].to_pylist() == ["none", "recv"]
    assert path_of(derived, "collective", c) == [(0, "local", enter_ns, enter_ns + 20_000)]
