"""The application's messages are matched as MPI matches them."""

from pathlib import Path
from typing import Any

import pytest
from archive_drawing import Drawing, Place
from hypothesis import given, settings
from hypothesis import strategies as st
from otf2 import events


def two_ranks(path: Path) -> Drawing:
    return Drawing(path, [Place("h0"), Place("h0")])


def test_a_blocking_pair_waits_from_its_enter(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    drawing.span(0, 100, 130, "MPI_Send")
    drawing.add(0, events.MpiSend(105, 1, drawing.world, 7, 2048))
    drawing.span(1, 50, 150, "MPI_Recv")
    drawing.add(1, events.MpiRecv(145, 0, drawing.world, 7, 2048))
    (message,) = rows(drawing)["messages"]
    assert message == {
        "message_id": 0, "comm": 0, "tag": 7, "src": 0, "dst": 1, "src_location": 0, "dst_location": 1, "bytes": 2048,
        "send_begin_ns": 50, "send_wait_begin_ns": 50, "send_end_ns": 80, "recv_post_ns": 0, "recv_wait_begin_ns": 0,
        "recv_end_ns": 95, "link": "shm", "clock_error_ns": 0, "binding": "recv",
    }  # fmt: skip


def test_nonblocking_ends_wait_from_the_completing_call(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    drawing.span(0, 0, 20, "MPI_Isend")
    drawing.add(0, events.MpiIsend(10, 1, drawing.world, 7, 8, 1))
    drawing.span(0, 100, 140, "MPI_Wait")
    drawing.add(0, events.MpiIsendComplete(130, 1))
    drawing.span(1, 5, 25, "MPI_Irecv")
    drawing.add(1, events.MpiIrecvRequest(15, 1))
    drawing.span(1, 200, 240, "MPI_Waitall")
    drawing.add(1, events.MpiIrecv(230, 0, drawing.world, 7, 8, 1))
    (message,) = rows(drawing)["messages"]
    times = ("send_begin_ns", "send_wait_begin_ns", "send_end_ns", "recv_post_ns", "recv_wait_begin_ns", "recv_end_ns")
    assert [message[time] for time in times] == [0, 100, 130, 15, 200, 230]


def test_an_epoch_waits_for_the_post_unless_it_started_before(tmp_path: Path, rows: Any) -> None:
    # Rank 1 starts at 100, and waits for rank 0's post at 200. It starts again at 400 without a wait, before the post
    # at 500, as a library may that waits in MPI_Win_complete: nothing is known of that wait.
    drawing = two_ranks(tmp_path)
    window = drawing.comm("window", [0, 1])
    for post, start, started in ((200, 100, 250), (500, 400, 410)):
        drawing.span(0, post, post + 20, "MPI_Win_post")
        drawing.add(0, events.MpiSend(post, 1, window, 0, 0))
        drawing.span(1, start, started, "MPI_Win_start")
        drawing.add(1, events.MpiRecv(started - 1, 0, window, 0, 0))
    tables = rows(drawing)
    (message,) = tables["messages"]
    times = [message[name] for name in ("recv_post_ns", "send_begin_ns", "recv_end_ns")]
    assert [time - times[0] for time in times] == [0, 100, 149]
    assert message["binding"] == "recv"


# (begin, end, function) of rank 1's calls before its receive at 200,000. The message is sent at 90,000.
PROBED = [(0, 60_000, "MPI_Iprobe"), (65_000, 190_000, "MPI_Mprobe")]


@pytest.mark.parametrize(
    ("calls", "waits_from"),
    [
        (PROBED, 0),
        ([(0, 60_000, "MPI_Iprobe"), (80_000, 190_000, "MPI_Probe")], 80_000),  # rank 1 computed after the first poll
        ([(0, 100_000, "MPI_Test")], 200_000),  # rank 1 computed as long as it had polled
        ([(0, 190_000, "MPI_Barrier")], 200_000),
        ([(0, 150_000, "MPI_Iprobe"), (150_000, 190_000, "MPI_Send")], 200_000),
    ],
)
def test_a_receive_waits_from_the_first_of_the_polls_that_led_to_it(
    tmp_path: Path, rows: Any, calls: list[tuple[int, int, str]], waits_from: int
) -> None:
    """Regression: a message that the program probed for seemed to have arrived before its receive, so nobody was
    late."""
    drawing = two_ranks(tmp_path)
    drawing.span(0, 0, 1, "MPI_Init")
    drawing.span(0, 90_000, 91_000, "MPI_Send")
    drawing.add(0, events.MpiSend(90_500, 1, drawing.world, 7, 8))
    for begin, end, function in calls:
        drawing.span(1, begin, end, function)
    drawing.span(1, 200_000, 201_000, "MPI_Recv")
    drawing.add(1, events.MpiRecv(200_500, 0, drawing.world, 7, 8))
    (message,) = rows(drawing)["messages"]
    assert (message["recv_post_ns"], message["recv_wait_begin_ns"]) == (waits_from, waits_from)
    assert (message["binding"] == "recv") == (waits_from < 90_000)


def test_receives_match_in_the_order_of_posting_not_of_completing(tmp_path: Path, rows: Any) -> None:
    """The second receive is completed first: MPI_Waitany may check requests in any order."""
    drawing = two_ranks(tmp_path)
    for i, size in enumerate((100, 200)):
        drawing.span(0, 10 * i, 10 * i + 5, "MPI_Isend")
        drawing.add(0, events.MpiIsend(10 * i + 1, 1, drawing.world, 3, size, i))
        drawing.add(1, events.MpiIrecvRequest(20 + i, i))
    drawing.span(1, 50, 90, "MPI_Waitall")
    drawing.add(1, events.MpiIrecv(60, 0, drawing.world, 3, 200, 1))
    drawing.add(1, events.MpiIrecv(70, 0, drawing.world, 3, 100, 0))
    messages = rows(drawing)["messages"]
    assert [(m["send_begin_ns"], m["bytes"], m["recv_end_ns"]) for m in messages] == [(0, 100, 70), (10, 200, 60)]


def test_both_halves_of_a_sendrecv_begin_with_it(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    for rank in (0, 1):
        drawing.span(rank, 100 + rank, 200 + rank, "MPI_Sendrecv")
        drawing.add(rank, events.MpiSend(100 + rank, 1 - rank, drawing.world, 0, 8))
        drawing.add(rank, events.MpiRecv(199 + rank, 1 - rank, drawing.world, 0, 8))
    messages = rows(drawing)["messages"]
    assert [
        (m["src"], m["send_begin_ns"], m["send_end_ns"], m["recv_post_ns"], m["recv_end_ns"]) for m in messages
    ] == [
        (0, 0, 100, 1, 100),
        (1, 1, 101, 0, 99),
    ]


def test_cancelled_requests_take_no_part(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    drawing.add(1, events.MpiIrecvRequest(10, 1))
    drawing.add(1, events.MpiRequestCancelled(20, 1))
    drawing.add(0, events.MpiIsend(10, 1, drawing.world, 5, 8, 1))
    drawing.add(0, events.MpiRequestCancelled(20, 1))
    tables = rows(drawing)
    assert tables["messages"] == []
    assert tables["run"][0]["missing"] is None


def test_what_finds_no_partner_is_counted(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    drawing.span(0, 0, 10, "MPI_Send")
    drawing.add(0, events.MpiSend(0, 1, drawing.world, 1, 8))
    drawing.span(1, 0, 10, "MPI_Recv")
    drawing.add(1, events.MpiRecv(9, 0, drawing.world, 2, 8))
    tables = rows(drawing)
    assert tables["messages"] == []
    assert tables["run"][0]["missing"] == "the receive of 1 send; the send of 1 receive"


def test_a_request_may_be_completed_by_another_thread(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    helper = drawing.thread(1, "helper")
    drawing.span(0, 0, 10, "MPI_Send")
    drawing.add(0, events.MpiSend(0, 1, drawing.world, 1, 8))
    drawing.add(1, events.MpiIrecvRequest(5, 77))
    drawing.span(helper, 20, 40, "MPI_Wait")
    drawing.add(helper, events.MpiIrecv(35, 0, drawing.world, 1, 8, 77))
    (message,) = rows(drawing)["messages"]
    assert (message["recv_post_ns"], message["recv_wait_begin_ns"], message["recv_end_ns"]) == (5, 20, 35)


def test_an_intercommunicators_peers_are_the_other_group(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0")] * 3)
    inter_comm = drawing.inter_comm("between", [0], [1, 2])
    drawing.span(0, 0, 10, "MPI_Send")
    drawing.add(0, events.MpiSend(0, 1, inter_comm, 1, 8))  # rank 1 of the other side: 2
    drawing.span(2, 0, 20, "MPI_Recv")
    drawing.add(2, events.MpiRecv(19, 0, inter_comm, 1, 8))  # rank 0 of the other side: 0
    tables = rows(drawing)
    assert [(m["src"], m["dst"]) for m in tables["messages"]] == [(0, 2)]
    assert tables["comms"][1]["members"] == [0, 1, 2]


@settings(max_examples=30, deadline=None)
@given(
    sends=st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=25),
    seed=st.randoms(use_true_random=False),
)
def test_any_order_of_tags_and_completions_matches_the_nth_with_the_nth(
    tmp_path_factory: Any, sends: list[tuple[int, bool]], seed: Any
) -> None:
    """Message n has n bytes. Receives are posted in an order that keeps each tag's own order, and completed in any
    order."""
    from dataset_reading import read_dataset
    from hopscope.dataset.convert import ensure_dataset

    drawing = two_ranks(tmp_path_factory.mktemp("messages"))
    posts: dict[int, list[int]] = {}
    for n, (tag, blocking) in enumerate(sends):
        drawing.span(0, 10 * n, 10 * n + 9, "MPI_Send" if blocking else "MPI_Isend")
        if blocking:
            drawing.add(0, events.MpiSend(10 * n + 1, 1, drawing.world, tag, n))
        else:
            drawing.add(0, events.MpiIsend(10 * n + 1, 1, drawing.world, tag, n, n))
            drawing.add(0, events.MpiIsendComplete(10 * n + 2, n))
        posts.setdefault(tag, []).append(n)
    order: list[int] = []
    waiting = [list(numbers) for numbers in posts.values()]
    while any(waiting):
        order.append(seed.choice([numbers for numbers in waiting if numbers]).pop(0))
    for i, n in enumerate(order):
        drawing.add(1, events.MpiIrecvRequest(i, n))
    drawing.span(1, 1000, 5000, "MPI_Waitall")
    completed = list(range(len(sends)))
    seed.shuffle(completed)
    for i, n in enumerate(completed):
        drawing.add(1, events.MpiIrecv(2000 + i, 0, drawing.world, sends[n][0], n, n))
    messages = read_dataset(ensure_dataset(drawing.write()))["messages"].to_pylist()
    assert [(m["bytes"], m["send_begin_ns"], m["tag"]) for m in messages] == [
        (n, 10 * n, tag) for n, (tag, _blocking) in enumerate(sends)
    ]
