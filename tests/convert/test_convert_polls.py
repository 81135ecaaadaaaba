"""A row of polls is one wait from its first poll on, whatever it waits for, and costs what a single call would cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hopscope
import pytest
from archive_drawing import EXCHANGE, Drawing, Place, hop_tag
from hopscope import timeline
from hopscope.vocabulary.words import CATEGORIES
from otf2 import events
from otf2.enums import CollectiveOp

Calls = list[tuple[int, int, str]]
"""Begin, end and function of each call."""


def two_ranks(path: Path) -> Drawing:
    return Drawing(path, [Place("h0"), Place("h0")])


# The begin of the wait that the last call of each row ends, and the computing between it and the start. In the last two
# rows, rank 0 computes between the tests for as long as a fourth of the first, and sends.
FIRST = (20_000, 100_000, "MPI_Test")
ROWS = [
    ([(20_000, 200_000, "MPI_Wait")], 20_000, 10_000),
    ([FIRST, (103_000, 200_000, "MPI_Test")], 20_000, 10_000),
    (
        [(20_000, 100_000, "MPI_Iprobe"), (110_000, 150_000, "MPI_Test"), (151_000, 200_000, "MPI_Waitall")],
        20_000,
        10_000,
    ),
    ([FIRST, (120_000, 200_000, "MPI_Test")], 120_000, 30_000),
    ([FIRST, (101_000, 102_000, "MPI_Send"), (103_000, 200_000, "MPI_Test")], 103_000, 12_000),
]


# Regression: the wait for a collective began with the last poll, so that it seemed to cost next to nothing.
@pytest.mark.parametrize("thread", ["the same", "another"])
@pytest.mark.parametrize(("row", "begin", "overlap"), ROWS)
def test_a_wait_for_a_collective_begins_with_the_row_of_polls_that_ends_it(
    *, row: Calls, begin: int, overlap: int, thread: str, tmp_path: Path, rows: Any
) -> None:
    drawing = two_ranks(tmp_path)
    drawing.nonblocking(1, (0, 10_000), (20_000, 190_000), "MPI_Ibarrier", request=2)
    region = drawing.region("MPI_Ibarrier")
    drawing.add(0, events.Enter(0, region))
    drawing.add(0, events.NonBlockingCollectiveRequest(0, 1))
    drawing.add(0, events.Leave(10_000, region))
    poller = 0 if thread == "the same" else drawing.thread(0, "helper")
    for poll in row:
        drawing.span(poller, *poll)
    end = events.NonBlockingCollectiveComplete(199_000, CollectiveOp.BARRIER, drawing.world, 2**32 - 1, 0, 0, 1)
    drawing.add(poller, end)
    tables = rows(drawing)
    (call,) = [call for call in tables["calls"] if call["rank"] == 0]
    assert (call["wait_begin_ns"], call["complete_ns"]) == (begin, 199_000)
    assert call["overlap_ns"] == (overlap if thread == "the same" else None)
    assert [(i["begin_ns"], i["end_ns"], i["region"]) for i in tables["intervals"] if i["rank"] == 0] == row


@pytest.mark.parametrize(("row", "begin", "overlap"), ROWS)
def test_a_wait_for_a_send_begins_with_the_row_of_polls_that_ends_it(
    *, row: Calls, begin: int, overlap: int, tmp_path: Path, rows: Any
) -> None:
    del overlap
    drawing = two_ranks(tmp_path)
    drawing.span(0, 0, 10_000, "MPI_Isend")
    drawing.add(0, events.MpiIsend(5_000, 1, drawing.world, 7, 8, 1))
    for poll in row:
        drawing.span(0, *poll)
    drawing.add(0, events.MpiIsendComplete(199_000, 1))
    drawing.span(1, 0, 200_000, "MPI_Recv")
    drawing.add(1, events.MpiRecv(199_000, 0, drawing.world, 7, 8))
    (message,) = rows(drawing)["messages"]
    assert message["send_wait_begin_ns"] == begin


ROUNDS, ROUND_NS, LATE_NS, DONE_NS = 25, 25_000_000, 20_000_000, 20_060_000
WAYS: dict[str, Calls] = {
    "waited for": [(60_000, DONE_NS, "MPI_Wait")],
    "polled": [
        (60_000, 10_000_000, "MPI_Test"),
        (10_030_000, 15_000_000, "MPI_Iprobe"),
        (15_050_000, DONE_NS, "MPI_Test"),
    ],
}
"""The calls of rank 0 in each round, after its start at 0. Rank 1 computes until 20 ms and then starts and waits."""


def late_rank(path: Path, way: str, name: str, *, hops: bool) -> Drawing:
    drawing = two_ranks(path)
    native = drawing.native(drawing.world)
    persistent = name.endswith("_init")
    for rank in (0, 1):
        drawing.span(rank, 0, 1_000, "MPI_Init")
        drawing.span(rank, (ROUNDS + 1) * ROUND_NS, (ROUNDS + 1) * ROUND_NS + 1_000, "MPI_Finalize")
    for number in range(ROUNDS):
        zero = (number + 1) * ROUND_NS
        late = zero + LATE_NS
        seq = (1 << 32) + number if persistent else None
        *polls, (begin, end, function) = WAYS[way]
        for poll_begin, poll_end, poll in polls:
            drawing.span(0, zero + poll_begin, zero + poll_end, poll)
        last = (zero + begin, zero + end)
        drawing.nonblocking(0, (zero, zero + 5_000), last, name, request=4 * number, seq=seq, call=function)
        drawing.nonblocking(
            1, (late, late + 5_000), (late + 6_000, late + 50_000), name, request=4 * number + 1, seq=seq
        )
        if hops:
            tag = hop_tag(EXCHANGE, number + 40503 * persistent)  # see schemas/otf2.h
            for src, sent, posted, received in ((0, zero, late, late + 6_500), (1, late, zero, late + 55_000)):
                drawing.hop(
                    native,
                    src,
                    1 - src,
                    tag,
                    send=(sent + 1_000, sent + 2_000),
                    receive=(posted + 500, received),
                    request=4 * number + 2 + src,
                )
    return drawing


@pytest.mark.parametrize("hops", [False, True], ids=["without hops", "with hops"])
@pytest.mark.parametrize("name", ["MPI_Iallreduce", "MPI_Allreduce_init"])
def test_a_collective_that_is_polled_costs_what_one_that_is_waited_for_costs(
    tmp_path: Path, name: str, *, hops: bool
) -> None:
    """Rank 1 is late by 20 ms in each of 25 rounds; rank 0 polls meanwhile. Each answer is that of a single wait, but
    for the pauses between polls, which are 80 us a round."""
    answers = {}
    for way in WAYS:
        trace = hopscope.open(late_rank(tmp_path / way, way, name, hops=hops).write())
        assert len(trace.table("hops")) == 2 * ROUNDS * hops
        (problem,) = [row for row in trace.diagnose().to_pylist() if row["severity"] == "PROBLEM"]
        arrivals = {row["rank"]: row for row in trace.last_arrivals().to_pylist()}
        path = {row["rank"]: row for row in trace.critical_path(by="rank").to_pylist()}
        answers[way] = {
            "problem": (problem["kind"], problem["ranks"]),
            "cost": problem["cost_ns"],
            "last": {rank: row["share"] for rank, row in arrivals.items()},
            "caused": arrivals[1]["waiting_ns"],
            "computing": path[1]["compute_ns"],
            "path": sum(row["time_ns"] for row in path.values()),
        }
    waited, polled = answers["waited for"], answers["polled"]
    assert waited["problem"][1] == [1]
    for figure, value in waited.items():
        assert polled[figure] == (pytest.approx(value, rel=0.05) if isinstance(value, int) else value), figure
    assert polled["cost"] > 0.8 * ROUNDS * LATE_NS


def test_the_time_of_all_polls_of_a_row_is_that_of_the_collective_and_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each round rank 0 polls for 9.94, 4.97 and 5.01 ms; it waits until rank 1 does, 0.054 ms before the end."""
    line = hopscope.open(late_rank(tmp_path, "polled", "MPI_Iallreduce", hops=False).write()).timeline
    for exact_rows in (1 << 40, -1):  # from the calls themselves, and from the bins that the conversion made
        monkeypatch.setattr(timeline, "EXACT_ROWS", exact_rows)
        time_ns = line.columns(0, None, 1).time_ns.sum(axis=2)
        assert time_ns[list(CATEGORIES).index("native"), 0] == ROUNDS * 19_920_000
    assert {row["operation"]: row["waiting_ns"] for row in line.operations(0, 1 << 40) if row["waiting_ns"]} == {
        "MPI_Test": ROUNDS * (9_940_000 + 4_956_000),
        "MPI_Iprobe": ROUNDS * 4_970_000,
    }
