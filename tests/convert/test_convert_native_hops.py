"""The MPI library's own messages are assigned to their collectives, wherever they are, and paths use only complete
data."""

from pathlib import Path
from typing import Any

from archive_drawing import EXCHANGE, Drawing, Place, hop_tag
from otf2 import events

PERSISTENT = 1 << 32


def tag_of(seq: int, key: int = 12) -> int:
    """The tag of a hop of the MPI library. In place of the round it has a key that both ends know."""
    return hop_tag(EXCHANGE, seq, round=key)


def ranks(path: Path, count: int = 2) -> tuple[Drawing, Any]:
    """Ranks of one host whose MPI_Init begins at 0, and the communicator of the library's messages among all of
    them."""
    drawing = Drawing(path, [Place("h0")] * count, requests_tell_waits=True)
    for rank in range(count):
        drawing.span(rank, 0, 10, "MPI_Init")
        drawing.span(rank, 5000, 5010, "MPI_Finalize")
    return drawing, drawing.native(drawing.world)


def exchange(drawing: Drawing, shadow: Any, seq: int, begin: int, end: int, *, request: int = 50) -> None:
    """Adds messages between ranks 0 and 1, in both directions. Each rank begins to wait at `begin`."""
    for src, dst in ((0, 1), (1, 0)):
        drawing.hop(
            shadow, src, dst, tag_of(seq), send=(begin + src, begin + 5), receive=(begin - 5, end - src),
            receive_wait=begin + 6, request=request + 2 * src,
        )  # fmt: skip


def of_op(tables: dict[str, Any], table: str, op: str) -> list[dict[str, Any]]:
    """The rows of a table that belong to collectives of one MPI function."""
    ids = {c["collective_id"] for c in tables["collectives"] if c["op"] == op}
    return [row for row in tables[table] if row["collective_id"] in ids]


def reasons(tables: dict[str, Any]) -> list[str | None]:
    return [c["native_reason"] for c in tables["collectives"]]


def path_of(
    tables: dict[str, Any], path: str = "collective", collective: int | None = 0
) -> list[tuple[int, str, int, int]]:
    """Rank, category, begin and end of the stretches of a path."""
    return [
        (s["rank"], s["category"], s["begin_ns"], s["end_ns"])
        for s in tables["path_stretches"]
        if s["path"] == path and s["path_collective_id"] == collective
    ]


def test_hops_of_a_blocking_collective_carry_its_path(tmp_path: Path, rows: Any) -> None:
    """Rank 1 enters at 300. Rank 0 waits for its message, which arrives at 399."""
    drawing, shadow = ranks(tmp_path)
    drawing.collective(0, 100, 410, "MPI_Allreduce")
    drawing.collective(1, 300, 405, "MPI_Allreduce")
    drawing.hop(shadow, 0, 1, tag_of(0), send=(110, 115), receive=(305, 310), request=1)
    drawing.hop(shadow, 1, 0, tag_of(0), send=(320, 325), receive=(105, 399), receive_wait=120, request=2)
    tables = rows(drawing)
    assert [(h["source"], h["binding"], h["arrived_early"]) for h in tables["hops"]] == [
        ("native", "none", True),
        ("native", "recv", False),
    ]
    assert reasons(tables) == [None]
    assert path_of(tables) == [(1, "local", 300, 320), (0, "shm", 320, 399), (0, "local", 399, 410)]


def test_a_nonblocking_collectives_hops_lie_in_another_communicators_barrier(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = ranks(tmp_path, 3)
    pair = drawing.comm("pair", [0, 1], parent=drawing.world)
    of_pair = drawing.native(pair)
    for rank in range(3):
        drawing.collective(rank, 20, 30, "MPI_Barrier")  # so that the sequence numbers of the two differ
        drawing.nonblocking(rank, (100, 110), (600, 700), "MPI_Iallreduce", request=90)
    for rank in (0, 1):
        drawing.collective(rank, 200, 400, "MPI_Barrier", comm=pair)
    exchange(drawing, of_pair, 0, 220, 240)
    exchange(drawing, shadow, 1, 300, 330, request=60)
    drawing.hop(shadow, 1, 2, tag_of(1), send=(340, 345), receive=(105, 650), request=70)
    tables = rows(drawing)
    assert [(h["src"], h["dst"], h["send_begin_ns"]) for h in of_op(tables, "hops", "MPI_Iallreduce")] == [
        (0, 1, 300), (1, 0, 301), (1, 2, 340),
    ]  # fmt: skip
    assert [(h["src"], h["send_begin_ns"]) for h in of_op(tables, "hops", "MPI_Barrier")] == [(0, 220), (1, 221)]
    assert tables["run"][0]["missing"] is None


def test_a_hop_of_a_nonblocking_collective_lies_in_a_wait_or_in_the_call_that_began_it(
    tmp_path: Path, rows: Any
) -> None:
    """Two Ibarriers run at once. Only the tag says to which one a message belongs."""
    drawing, shadow = ranks(tmp_path)
    for rank in (0, 1):
        for number in (0, 1):
            drawing.nonblocking(
                rank, (100 + 20 * number, 110 + 20 * number), (600 + 100 * number, 690 + 100 * number), "MPI_Ibarrier",
                request=90 + number, payload=0,
            )  # fmt: skip
    exchange(drawing, shadow, 1, 620, 640)
    exchange(drawing, shadow, 0, 105, 108, request=60)
    tables = rows(drawing)
    assert [(h["collective_id"], h["send_begin_ns"]) for h in tables["hops"]] == [
        (0, 105),
        (0, 106),
        (1, 620),
        (1, 621),
    ]


def test_starts_of_two_persistent_requests_are_told_apart_by_their_hops(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = ranks(tmp_path)
    for rank in (0, 1):
        for number in (1, 2):
            drawing.nonblocking(
                rank, (100 * number, 100 * number + 10), (600 + 100 * number, 690 + 100 * number),
                "MPI_Allreduce_init", request=90 + number, seq=number * PERSISTENT,
            )  # fmt: skip
    for number in (2, 1):
        hop_seq = number * PERSISTENT + number * 40503
        exchange(drawing, shadow, hop_seq, 300 + 50 * number, 320 + 50 * number, request=50 + 10 * number)
    tables = rows(drawing)
    assert [(h["collective_id"], h["send_begin_ns"]) for h in tables["hops"]] == [
        (0, 350),
        (0, 351),
        (1, 400),
        (1, 401),
    ]


def test_hops_of_an_intercommunicator_pass_between_its_groups_and_inside_them(tmp_path: Path, rows: Any) -> None:
    """Rank 0 is one group, ranks 1 and 2 are the other. Their messages use ranks among all three."""
    drawing, _ = ranks(tmp_path, 3)
    inter_comm = drawing.inter_comm("between", [0], [1, 2])
    shadow = drawing.comm("native:Open MPI", [0, 1, 2], parent=inter_comm)
    for rank in range(3):
        drawing.collective(rank, 100 + 10 * rank, 400, "MPI_Allreduce", comm=inter_comm)
    drawing.hop(shadow, 1, 2, tag_of(0), send=(130, 135), receive=(125, 200), receive_wait=126, request=1)
    drawing.hop(shadow, 2, 0, tag_of(0), send=(210, 215), receive=(105, 300), receive_wait=106, request=2)
    tables = rows(drawing)
    assert [(h["src"], h["dst"], h["source"]) for h in tables["hops"]] == [(1, 2, "native"), (2, 0, "native")]
    assert reasons(tables) == [None]
    assert tables["run"][0]["missing"] is None


def test_a_rank_of_an_intercommunicator_waits_for_the_other_group_only(tmp_path: Path, rows: Any) -> None:
    """No hops are known. Rank 1 leaves last. Rank 2, which entered last, is in its own group."""
    drawing, _ = ranks(tmp_path, 3)
    inter_comm = drawing.inter_comm("between", [0], [1, 2])
    for rank, (enter, leave) in enumerate(((200, 350), (110, 400), (300, 360))):
        drawing.collective(rank, enter, leave, "MPI_Allreduce", comm=inter_comm)
    tables = rows(drawing)
    assert tables["comms"][1]["second_group"] == 1
    assert path_of(tables) == [(1, "native", 200, 400)]


def test_a_hop_ends_on_another_thread_than_the_one_that_posted_it(tmp_path: Path, rows: Any) -> None:
    """A helper thread of rank 0 waits in its own call, and completes the message that the main thread's Barrier
    needs."""
    drawing, shadow = ranks(tmp_path)
    helper = drawing.thread(0, "helper")
    for rank in (0, 1):
        drawing.collective(rank, 100, 400, "MPI_Barrier", sent=0, received=0)
    drawing.span(helper, 150, 380, "MPI_Wait")
    drawing.hop(
        shadow, 0, 1, tag_of(0), send=(110, 120), receive=(105, 200), receive_wait=130, request=1, ends="receive"
    )
    drawing.hop(shadow, 1, 0, tag_of(0), send=(111, 121), receive=(0, 0), request=2, ends="send")
    drawing.add(0, events.MpiIsend(110, 1, shadow, tag_of(0), 8, drawing.request(1)))
    drawing.add(helper, events.MpiIsendComplete(160, drawing.request(1)))
    drawing.add(0, events.MpiIrecvRequest(108, drawing.request(2)))
    drawing.add(helper, events.MpiIrecv(300, 1, shadow, tag_of(0), 8, drawing.request(2)))
    tables = rows(drawing)
    hops = [
        (h["src"], h["send_end_ns"], h["recv_post_ns"], h["recv_end_ns"], h["arrived_early"]) for h in tables["hops"]
    ]
    assert hops == [(0, 160, 105, 200, False), (1, 121, 108, 300, True)]
    assert tables["messages"] == []
    assert tables["run"][0]["missing"] is None


def test_another_thread_drives_a_nonblocking_collective_from_its_own_barrier(tmp_path: Path, rows: Any) -> None:
    """The thread's Barrier, on another communicator, is also the first there, so the numbers decide nothing."""
    drawing, shadow = ranks(tmp_path)
    helper = drawing.thread(0, "helper")
    private_comm = drawing.comm("own", [0, 1], parent=drawing.world)
    private_shadow = drawing.native(private_comm)
    for rank in (0, 1):
        drawing.nonblocking(rank, (100, 110), (600, 700), "MPI_Iallreduce", request=90)
    for thread in (helper, 1):
        drawing.collective(thread, 200, 400, "MPI_Barrier", comm=private_comm, sent=0, received=0)
    for comm, number, begin in ((private_shadow, 1, 220), (shadow, 11, 300)):
        for src, (sender, receiver) in enumerate(((helper, 1), (1, helper))):
            request = drawing.request(number + src)
            drawing.add(sender, events.MpiIsend(begin + src, 1 - src, comm, tag_of(0), 8, request))
            drawing.add(sender, events.MpiIsendComplete(begin + 5, request))
            drawing.add(receiver, events.MpiIrecvRequest(begin - 5, request))
            drawing.add(receiver, events.MpiIrecv(begin + 20, src, comm, tag_of(0), 8, request))
    tables = rows(drawing)
    assert [h["send_begin_ns"] for h in of_op(tables, "hops", "MPI_Iallreduce")] == [300, 301]
    assert [h["send_begin_ns"] for h in of_op(tables, "hops", "MPI_Barrier")] == [220, 221]
    threads = {(h["src"], h["src_location"]) for h in tables["hops"]}
    assert len(threads) == 2 and (0, 0) not in threads
    assert tables["run"][0]["missing"] is None


def test_a_message_of_no_collective_is_counted_and_joins_none(tmp_path: Path, rows: Any) -> None:
    """The message's number is that of a later collective."""
    drawing, shadow = ranks(tmp_path)
    for rank in (0, 1):
        drawing.collective(rank, 100, 400, "MPI_Allreduce")
    exchange(drawing, shadow, 0, 120, 140)
    drawing.hop(shadow, 0, 1, tag_of(7), send=(200, 205), receive=(195, 250), request=70)
    tables = rows(drawing)
    assert [h["send_begin_ns"] for h in tables["hops"]] == [120, 121]
    assert reasons(tables) == ["unmatched"]
    assert tables["run"][0]["missing"] == "one end of 2 hops (dropped)"


def test_native_hops_show_no_key_as_round_and_count_messages_as_segments(tmp_path: Path, rows: Any) -> None:
    """Three messages from 0 to 1 under two keys: for each key, they match in order of posting. They fit no algorithm,
    so their tag has no role either."""
    drawing, shadow = ranks(tmp_path)
    for rank in (0, 1):
        drawing.collective(rank, 100, 900, "MPI_Allreduce")
    for number, (key, size) in enumerate(((5, 8), (9, 16), (5, 24))):
        drawing.hop(
            shadow, 0, 1, tag_of(0, key), send=(200 + number, 300), receive=(150 - number % 2, 400 + number),
            bytes=size, request=number,
        )  # fmt: skip
    drawing.hop(shadow, 1, 0, tag_of(0, 5), send=(202, 300), receive=(150, 400), request=9)
    tables = rows(drawing)
    assert [(h["src"], h["round"], h["segment"], h["bytes"], h["recv_end_ns"]) for h in tables["hops"]] == [
        (0, 1, 0, 8, 400), (0, 1, 1, 16, 401), (0, 1, 2, 24, 402), (1, 1, 0, 8, 400),
    ]  # fmt: skip
    assert {h["role"] for h in tables["hops"]} == {None}


def test_a_nonblocking_hop_binds_from_the_wait_that_found_its_collective_complete(tmp_path: Path, rows: Any) -> None:
    """Rank 1 starts late and sends from its Wait. Its first message came before rank 0 began to wait."""
    drawing, shadow = ranks(tmp_path)
    drawing.nonblocking(0, (100, 110), (600, 4000), "MPI_Iallreduce", request=90)
    drawing.nonblocking(1, (105, 115), (3000, 3500), "MPI_Iallreduce", request=91)
    drawing.span(0, 300, 400, "MPI_Test")
    drawing.span(0, 450, 460, "MPI_Comm_set_name")  # so the test is no poll of the wait
    drawing.hop(shadow, 1, 0, tag_of(0, 1), send=(108, 112), receive=(105, 350), request=1)
    drawing.hop(shadow, 0, 1, tag_of(0, 1), send=(106, 108), receive=(110, 3001), request=2)
    drawing.hop(shadow, 1, 0, tag_of(0, 2), send=(3100, 3110), receive=(360, 3900), request=3)
    tables = rows(drawing)
    hops = {h["send_begin_ns"]: (h["arrived_early"], h["recv_wait_begin_ns"], h["binding"]) for h in tables["hops"]}
    assert hops == {106: (None, 3000, "none"), 108: (True, None, "none"), 3100: (None, 600, "recv")}
    assert path_of(tables) == [(1, "local", 3000, 3100), (0, "shm", 3100, 3900), (0, "local", 3900, 4000)]
    # The run's path leads to rank 1 before its Wait. This time is computing, and not due to the library.
    assert path_of(tables, "run", None) == [
        (1, "mpi", 0, 10), (1, "compute", 10, 105), (1, "local", 105, 115), (1, "compute", 115, 3000),
        (1, "local", 3000, 3100), (0, "shm", 3100, 3900), (0, "local", 3900, 4000), (0, "compute", 4000, 5000),
    ]  # fmt: skip


def test_a_collective_with_a_lost_end_stays_native(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = ranks(tmp_path)
    for rank in (0, 1):
        drawing.collective(rank, 100 + 10 * rank, 400, "MPI_Allreduce")
    exchange(drawing, shadow, 0, 150, 200)
    drawing.hop(shadow, 0, 1, tag_of(0), send=(300, 310), receive=(0, 0), request=70, ends="send")
    tables = rows(drawing)
    assert len(tables["hops"]) == 2
    assert reasons(tables) == ["unmatched"]
    assert path_of(tables) == [(0, "native", 110, 400)]


def test_a_collective_with_a_member_that_shows_nothing_stays_native(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = ranks(tmp_path, 3)
    for rank in range(3):
        drawing.collective(rank, 100 + 10 * rank, 400, "MPI_Allreduce")
    exchange(drawing, shadow, 0, 150, 200)
    tables = rows(drawing)
    assert reasons(tables) == ["silent"]
    assert path_of(tables) == [(0, "native", 120, 400)]


def test_a_member_without_payload_need_not_show_a_message(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = ranks(tmp_path, 3)
    for rank in range(3):
        drawing.collective(
            rank, 100, 400, "MPI_Scatterv", root=0, sent=8 * (rank == 0), received=8 * (rank == 1)
        )  # fmt: skip
    drawing.hop(shadow, 0, 1, tag_of(0), send=(120, 125), receive=(110, 390), receive_wait=115, request=1)
    assert reasons(rows(drawing)) == [None]


def test_an_incomplete_collective_stays_native(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = ranks(tmp_path)
    drawing.collective(0, 100, 400, "MPI_Allreduce")
    drawing.collective(1, 100, None, "MPI_Allreduce", names_comm=True)
    exchange(drawing, shadow, 0, 150, 200)
    tables = rows(drawing)
    assert reasons(tables) == ["incomplete"]
    assert {category for _, category, _, _ in path_of(tables)} == {"native"}


def test_a_collective_without_messages_is_said_to_have_passed_by_shared_memory(tmp_path: Path, rows: Any) -> None:
    """One rank had no data, which is no reason. Messages were not looked for in the last collective."""
    drawing, shadow = ranks(tmp_path)
    silent = "native:no message of the MPI library was seen on this rank"
    for rank in (0, 1):
        drawing.collective(rank, 100, 140, "MPI_Scatterv", root=0, engine=None if rank else silent)
        drawing.collective(rank, 200, 300, "MPI_Allreduce")
        drawing.collective(rank, 400, 500, "MPI_Allreduce")
    exchange(drawing, shadow, 1, 220, 250)
    tables = rows(drawing)
    assert reasons(tables) == ["shared", None, None]
    assert path_of(tables) == [(0, "native", 100, 140)]


def complete_on_helper(drawing: Drawing, shadow: Any) -> None:
    """Adds messages between ranks 0 and 1. A helper thread of rank 0 completes the message for which rank 0's main
    thread waits."""
    helper = drawing.thread(0, "helper")
    for rank in (0, 1):
        drawing.collective(rank, 100 + 10 * rank, 400 - 10 * rank, "MPI_Allreduce")
    drawing.hop(shadow, 0, 1, tag_of(0), send=(120, 125), receive=(115, 150), receive_wait=130, request=1)
    drawing.hop(shadow, 1, 0, tag_of(0), send=(160, 165), receive=(0, 0), request=2, ends="send")
    drawing.span(helper, 50, 390, "MPI_Wait")
    drawing.add(0, events.MpiIrecvRequest(115, drawing.request(2)))
    drawing.add(helper, events.MpiIrecv(300, 1, shadow, tag_of(0), 8, drawing.request(2, waited=True)))


def test_a_wait_that_another_thread_ended_is_known(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = ranks(tmp_path)
    complete_on_helper(drawing, shadow)
    drawing.span(0, 126, 310, "hop wait")
    tables = rows(drawing)
    assert [(h["arrived_early"], h["recv_wait_begin_ns"], h["binding"]) for h in tables["hops"]] == [
        (False, 130, "recv"), (False, 126, "recv"),
    ]  # fmt: skip
    assert reasons(tables) == [None]


def test_a_path_on_which_a_wait_is_undecided_stays_native(tmp_path: Path, rows: Any) -> None:
    """Rank 0's message arrived on another thread, and the time when rank 0 began to wait is unknown."""
    drawing, shadow = ranks(tmp_path)
    complete_on_helper(drawing, shadow)
    tables = rows(drawing)
    assert [h["binding"] for h in tables["hops"]] == ["recv", "undecided"]
    assert reasons(tables) == ["undecided"]
    assert path_of(tables) == [(0, "native", 110, 400)]


def test_a_blocking_send_waited_from_its_begin(tmp_path: Path, rows: Any) -> None:
    """The send's request shows that it waited, but no `hop wait` surrounds it."""
    drawing, shadow = ranks(tmp_path)
    for rank in (0, 1):
        drawing.collective(rank, 100, 900, "MPI_Allreduce")
    exchange(drawing, shadow, 0, 120, 140)
    request = drawing.request(70, waited=True)
    drawing.add(0, events.MpiIsend(200, 1, shadow, tag_of(0), 8, request))
    drawing.add(0, events.MpiIsendComplete(800, request))
    drawing.hop(shadow, 0, 1, tag_of(0), send=(0, 0), receive=(700, 790), request=71, ends="receive")
    (hop,) = [h for h in rows(drawing)["hops"] if h["send_begin_ns"] == 200]
    assert (hop["send_wait_begin_ns"], hop["send_end_ns"], hop["binding"]) == (200, 800, "send")
