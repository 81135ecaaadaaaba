"""A sender that waited for its receiver's post differs from one that did not, whatever other messages were buffered.

Regression: ten MPI_Bsend of 256 KiB made all later messages of that size count as buffered. So a rank that was 15 ms
late to receive 40 MPI_Send was not blamed.
"""

from pathlib import Path
from typing import Any

import pytest
from archive_drawing import Drawing, Place
from otf2 import events

SIZE = 256 * 1024
TRANSFER = 80_000
MS = 1_000_000


class Messages:
    """Messages of one size from rank 0 to rank 1. A receive ends one transfer time after its post, as if the message
    were copied then."""

    def __init__(self, path: Path) -> None:
        self.drawing = Drawing(path, [Place("h0"), Place("h0")])
        self.requests = 0

    def add(self, call: str, begin: int, end: int, post: int, *, wait: str = "") -> None:
        """Adds a message that `call` sends from begin to end. wait: a call that completes it at end, so that `call`
        only starts it."""
        drawing = self.drawing
        if wait:
            self.requests += 1
            drawing.span(0, begin, begin + 100, call)
            drawing.add(0, events.MpiIsend(begin + 50, 1, drawing.world, 7, SIZE, self.requests))
            drawing.span(0, begin + 200, end, wait)
            drawing.add(0, events.MpiIsendComplete(end - 1, self.requests))
        else:
            drawing.span(0, begin, end, call)
            drawing.add(0, events.MpiSend(begin + 1, 1, drawing.world, 7, SIZE))
        drawing.span(1, post, post + TRANSFER, "MPI_Recv")
        drawing.add(1, events.MpiRecv(post + TRANSFER - 1, 0, drawing.world, 7, SIZE))

    def prompt(self, begin: int) -> None:
        """Adds a message that its receiver waits for, which shows the time of a transfer."""
        self.drawing.span(0, begin, begin + TRANSFER, "MPI_Send")
        self.drawing.add(0, events.MpiSend(begin + 1, 1, self.drawing.world, 7, SIZE))
        self.drawing.span(1, begin - MS, begin + TRANSFER, "MPI_Recv")
        self.drawing.add(1, events.MpiRecv(begin + TRANSFER - 1, 0, self.drawing.world, 7, SIZE))

    def bindings(self, rows: Any) -> list[str]:
        return [message["binding"] for message in rows(self.drawing)["messages"]]


@pytest.mark.parametrize("buffered", [("MPI_Bsend", ""), ("MPI_Bsend_c", ""), ("MPI_Ibsend", "MPI_Waitall")])
def test_sends_that_the_program_buffered_say_nothing_about_other_messages(
    buffered: tuple[str, str], tmp_path: Path, rows: Any
) -> None:
    messages = Messages(tmp_path)
    call, wait = buffered
    for number in range(3):
        begin = 10 * MS * number
        messages.add(call, begin, begin + 5_000, begin + 5 * MS, wait=wait)
    messages.prompt(40 * MS)
    # MPI_Waitall might have waited for another message. But no other message of this size was complete before its post.
    messages.add("MPI_Isend", 50 * MS, 64 * MS + TRANSFER, 64 * MS, wait="MPI_Waitall")
    assert messages.bindings(rows) == ["none"] * 3 + ["recv", "send"]


def test_a_buffered_send_never_waits_for_its_receiver(tmp_path: Path, rows: Any) -> None:
    # Rank 0 loses its core in MPI_Bsend, and gets it back just after rank 1's post.
    messages = Messages(tmp_path)
    messages.prompt(10 * MS)
    messages.add("MPI_Send", 20 * MS, 20 * MS + 5_000, 25 * MS)
    messages.add("MPI_Bsend", 30 * MS, 40 * MS + 10_000, 40 * MS)
    assert messages.bindings(rows) == ["recv", "none", "none"]


@pytest.mark.parametrize(
    ("call", "wait", "delay", "binding"),
    [
        ("MPI_Send", "", TRANSFER, "send"),
        ("MPI_Rsend", "", TRANSFER, "send"),
        ("MPI_Isend", "MPI_Wait", TRANSFER, "send"),
        # The call took much longer than the transfer. The message may have been buffered like the others.
        ("MPI_Send", "", 4 * MS, "none"),
        # These calls might have waited for another message.
        ("MPI_Sendrecv", "", TRANSFER, "none"),
        ("MPI_Isend", "MPI_Waitall", TRANSFER, "none"),
    ],
)
def test_a_call_of_its_own_that_ends_with_the_post_waited_for_it(  # noqa: PLR0917 - one per column
    call: str, wait: str, delay: int, binding: str, tmp_path: Path, rows: Any
) -> None:
    messages = Messages(tmp_path)
    for number in range(3):  # of the same size, buffered by the MPI library
        begin = 10 * MS * number
        messages.add("MPI_Isend", begin, begin + 5_000, begin + 5 * MS, wait="MPI_Waitall")
    messages.prompt(40 * MS)
    messages.add(call, 50 * MS, 64 * MS + delay, 64 * MS, wait=wait)
    assert messages.bindings(rows) == ["none"] * 3 + ["recv", binding]


@pytest.mark.parametrize(("wait", "binding"), [(5 * TRANSFER, "send"), (3 * TRANSFER, "none")])
def test_a_short_wait_may_end_with_the_post_by_chance(wait: int, binding: str, tmp_path: Path, rows: Any) -> None:
    messages = Messages(tmp_path)
    messages.add("MPI_Send", 0, 5_000, 5 * MS)
    messages.prompt(10 * MS)
    messages.add("MPI_Send", 20 * MS, 20 * MS + wait + TRANSFER, 20 * MS + wait)
    assert messages.bindings(rows) == ["none", "recv", binding]
