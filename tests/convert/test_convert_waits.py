"""A wait is of the kind of the requests that its events name, in archives of any tool."""

from pathlib import Path
from typing import Any

import pytest
from archive_drawing import Drawing, Place
from otf2 import events
from otf2.enums import IoParadigmClass, IoParadigmFlag

WINDOW, FILE, MESSAGE = "window", "file", "message"


def add_ends(drawing: Drawing, rank: int, time: int, *ends: str, complete: bool = True) -> None:
    """Adds the ends of requests, or of unsuccessful tests of them."""
    d = drawing.definitions
    for request, end in enumerate(ends):
        if end == WINDOW:
            window = d.rma_win("window", comm=drawing.world)
            event = events.RmaOpCompleteNonBlocking if complete else events.RmaOpTest
            drawing.add(rank, event(time, window, request))
        elif end == FILE:
            paradigm = d.io_paradigm("MPI-IO", "MPI-IO", IoParadigmClass.PARALLEL, IoParadigmFlag.NONE)
            file = d.io_regular_file("file", scope=drawing.groups[rank].system_tree_parent)
            handle = d.io_handle("file", file=file, io_paradigm=paradigm)
            if complete:
                drawing.add(rank, events.IoOperationComplete(time, handle, 8, request))
            else:
                drawing.add(rank, events.IoOperationTest(time, handle, request))
        else:
            drawing.add(rank, events.MpiIrecvRequest(5, request))
            drawing.add(rank, events.MpiIrecv(time, 1, drawing.world, 7, 8, request))


@pytest.fixture
def drawing(tmp_path: Path) -> Drawing:
    """Rank 0 waits from 100 to 200 for requests that the tests add at 150. Rank 1 sends a message at 120."""
    drawing = Drawing(tmp_path, [Place("h0"), Place("h0")], by_hopscope=False)
    drawing.span(0, 100, 200, "MPI_Waitall")
    drawing.span(1, 120, 130, "MPI_Send")
    drawing.add(1, events.MpiSend(125, 0, drawing.world, 7, 8))
    for rank in (0, 1):
        drawing.span(rank, 300, 310, "MPI_Finalize")
    return drawing


# Regression: the waits for transfers of windows and files were of the category `mpi`.
@pytest.mark.parametrize(
    ("ends", "kind", "category"),
    [
        ([WINDOW], "rma", "rma"),
        ([FILE, FILE], "io", "io"),
        ([MESSAGE], "wait", "p2p"),
        ([MESSAGE, WINDOW], "mixed", "p2p"),  # rank 0 had to wait for the message, which was sent after the wait began
        ([WINDOW, FILE], "mixed", "mpi"),
        ([], "wait", "mpi"),
    ],
)
def test_a_wait_is_of_the_kind_of_its_requests(
    drawing: Drawing, rows: Any, ends: list[str], kind: str, category: str
) -> None:
    add_ends(drawing, 0, 150, *ends)
    tables = rows(drawing)
    assert [row["kind"] for row in tables["intervals"] if row["region"] == "MPI_Waitall"] == [kind]
    assert category in {row["category"] for row in tables["path_stretches"] if row["path"] == "run"}


def test_unsuccessful_tests_are_of_the_kind_of_what_they_tested(drawing: Drawing, rows: Any) -> None:
    for begin in (210, 220):
        drawing.span(0, begin, begin + 5, "MPI_Test")
    add_ends(drawing, 0, 212, FILE, complete=False)
    add_ends(drawing, 0, 222, FILE)
    kinds = [row["kind"] for row in rows(drawing)["intervals"] if row["region"] == "MPI_Test"]
    assert kinds == ["io", "io"]


def test_a_files_own_system_call_inside_a_wait_does_not_make_it_a_wait_for_files(drawing: Drawing, rows: Any) -> None:
    drawing.span(0, 140, 160, "read")
    add_ends(drawing, 0, 150, FILE)
    assert [row["kind"] for row in rows(drawing)["intervals"] if row["region"] == "MPI_Waitall"] == ["wait"]
