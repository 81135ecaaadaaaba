"""Calls become collectives by their communicator and their number on it, complete or not."""

from pathlib import Path
from typing import Any

import pytest
from archive_drawing import Drawing, Place, hop_tag
from otf2 import events

UP = 0


def two_ranks(path: Path, **options: Any) -> Drawing:
    return Drawing(path, [Place("h0"), Place("h1")], **options)


def test_the_nth_calls_of_all_members_are_one_collective(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    for a, b in ((100, 150), (300, 290)):
        drawing.collective(0, a, a + 60, "MPI_Allreduce", sent=8, received=16)
        drawing.collective(1, b, b + 40, "MPI_Allreduce", sent=24, received=8)
    tables = rows(drawing)
    assert tables["collectives"] == [
        {
            "collective_id": 0, "comm": 0, "seq": 0, "op": "MPI_Allreduce", "root": None, "comm_size": 2, "bytes": 24,
            "first_enter_ns": 0, "last_enter_ns": 50, "last_rank": 1, "first_leave_ns": 60, "last_leave_ns": 90,
            "complete": True, "native_reason": None, "kind": None,
        },
        {
            "collective_id": 1, "comm": 0, "seq": 1, "op": "MPI_Allreduce", "root": None, "comm_size": 2, "bytes": 24,
            "first_enter_ns": 190, "last_enter_ns": 200, "last_rank": 0, "first_leave_ns": 230, "last_leave_ns": 260,
            "complete": True, "native_reason": None, "kind": None,
        },
    ]  # fmt: skip
    names = ("call_id", "collective_id", "rank", "prev_call_id", "released_ns")
    assert [tuple(call[name] for name in names) for call in tables["calls"]] == [
        (0, 0, 0, None, None), (1, 0, 1, None, None), (2, 1, 0, 0, 60), (3, 1, 1, 1, 90),
    ]  # fmt: skip


def test_the_root_is_a_rank_of_the_communicator(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0")] * 3)
    pair = drawing.comm("pair", [2, 0], parent=drawing.world)
    drawing.collective(0, 10, 20, "MPI_Bcast", comm=pair, root=0, sent=0)
    drawing.collective(2, 12, 18, "MPI_Bcast", comm=pair, root=0, received=0)
    tables = rows(drawing)
    pair = {"comm": 1, "name": "pair", "size": 2, "members": [2, 0], "parent": 0, "second_group": None}
    assert tables["comms"][1] == pair
    assert [(c["comm"], c["root"], c["comm_size"], c["complete"]) for c in tables["collectives"]] == [(1, 0, 2, True)]


def test_communicators_count_for_themselves(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    self_comm = drawing.comm_self()
    for rank in (0, 1):
        drawing.collective(rank, 10 + rank, 20, "MPI_Barrier", comm=self_comm)
        drawing.collective(rank, 30 + rank, 40, "MPI_Barrier")
        drawing.collective(rank, 50 + rank, 60, "MPI_Barrier", comm=self_comm)
    tables = rows(drawing)
    assert [(c["name"], c["members"]) for c in tables["comms"]] == [
        ("MPI_COMM_WORLD", [0, 1]),
        ("MPI_COMM_SELF", [0]),
        ("MPI_COMM_SELF", [1]),
    ]
    collectives = [(c["comm"], c["seq"], c["comm_size"], c["complete"]) for c in tables["collectives"]]
    assert collectives == [(1, 0, 1, True), (2, 0, 1, True), (0, 0, 2, True), (1, 1, 1, True), (2, 1, 1, True)]


def test_communicators_of_the_same_members_are_one_unless_the_program_named_them(tmp_path: Path, rows: Any) -> None:
    # A program may split and duplicate in every step. Only communicators with names are kept apart.
    drawing = two_ranks(tmp_path)
    world = drawing.world
    steps = [drawing.comm(name, [0, 1], world) for name in ("", "MPI COMMUNICATOR 4 DUP FROM 0")]
    turned = [drawing.comm("", [1, 0], parent) for parent in (world, steps[1])]
    solver = drawing.comm("solver", [0, 1], world)
    halves = drawing.inter_comm("", [0], [1])
    for place, comm in enumerate([*steps, *turned, solver, halves, world]):
        for rank in (0, 1):
            drawing.collective(rank, 100 * place + rank, 100 * place + 20, "MPI_Barrier", comm=comm)
    drawing.span(0, 900, 920, "MPI_Send")
    drawing.add(0, events.MpiSend(905, 1, steps[1], 7, 8))
    drawing.span(1, 910, 930, "MPI_Recv")
    drawing.add(1, events.MpiRecv(920, 0, steps[1], 7, 8))
    tables = rows(drawing)
    assert [message["comm"] for message in tables["messages"]] == [0]
    assert [(comm["comm"], comm["members"], comm["parent"]) for comm in tables["comms"]] == [
        (0, [0, 1], None), (3, [1, 0], 0), (5, [0, 1], 0), (6, [0, 1], 0),
    ]  # fmt: skip
    assert [(row["comm"], row["seq"], row["complete"]) for row in tables["collectives"]] == [
        (0, 0, True), (0, 1, True), (3, 0, True), (3, 1, True), (5, 0, True), (6, 0, True), (0, 2, True),
    ]  # fmt: skip


def test_a_rank_that_joins_late_says_its_number(tmp_path: Path, rows: Any) -> None:
    """Without the attribute, rank 1's only call would belong to the first collective."""
    drawing = two_ranks(tmp_path)
    for seq in range(3):
        drawing.collective(0, 100 * seq, 100 * seq + 50, "MPI_Barrier")
    drawing.collective(1, 210, 250, "MPI_Barrier", seq=2)
    tables = rows(drawing)
    assert [c["complete"] for c in tables["collectives"]] == [False, False, True]
    assert tables["run"][0]["missing"] == "part of 2 of 3 collectives"


def test_what_is_missing_is_counted_as_numbers_are_written_everywhere(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    for seq in range(1001):
        drawing.collective(0, 100 * seq, 100 * seq + 50, "MPI_Barrier")
    drawing.collective(1, 100_010, 100_050, "MPI_Barrier", seq=1000)
    assert rows(drawing)["run"][0]["missing"] == "part of 1,000 of 1,001 collectives"


def test_a_killed_rank_leaves_an_incomplete_collective(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0"), Place("h0", complete="its process died")])
    drawing.collective(0, 10, None, "MPI_Allreduce", names_comm=True, seq=0)
    drawing.collective(1, 15, None, "MPI_Allreduce", names_comm=True, seq=0)
    tables = rows(drawing)
    assert [(c["leave_ns"], c["engine"]) for c in tables["calls"]] == [(None, "native")] * 2
    assert [(c["last_leave_ns"], c["complete"]) for c in tables["collectives"]] == [(None, False)]
    assert [rank["complete"] for rank in tables["ranks"]] == [True, False]
    assert tables["run"][0]["missing"] == ("the end of rank 1 (its process died); part of 1 of 1 collectives")


def test_a_call_that_names_no_communicator_is_kept_as_an_interval(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    drawing.collective(0, 10, None, "MPI_Allreduce")
    drawing.collective(1, 15, 30, "MPI_Allreduce")
    tables = rows(drawing)
    assert [c["rank"] for c in tables["calls"]] == [1]
    assert [(i["region"], i["kind"], i["end_ns"]) for i in tables["intervals"]] == [("MPI_Allreduce", "mpi", None)]
    assert "the communicator of 1 collective call" in tables["run"][0]["missing"]


def test_the_reason_for_going_native_is_the_engine(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    for rank in (0, 1):
        drawing.collective(rank, 10, 20, "MPI_Allreduce", engine="native:not commutative", call_site="app+0x40")
    tables = rows(drawing)
    assert [(c["engine"], c["tree"], c["call_site"]) for c in tables["calls"]] == [
        ("native:not commutative", None, "app+0x40")
    ] * 2


def test_the_librarys_name_of_the_algorithm_is_each_calls_own(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    drawing.collective(0, 10, 20, "MPI_Bcast", algorithm="binomial")
    drawing.collective(1, 10, 20, "MPI_Bcast", algorithm="chain", engine="native:intercommunicator")
    drawing.collective(0, 30, 40, "MPI_Bcast", engine="tree")
    drawing.collective(1, 30, 40, "MPI_Bcast")
    tables = rows(drawing)
    assert [(c["rank"], c["engine"], c["algorithm"]) for c in tables["calls"]] == [
        (0, "native", "binomial"),
        (1, "native:intercommunicator", "chain"),
        (0, "tree", None),
        (1, "native", None),
    ]


def test_a_call_whose_end_is_lost_ran_on_the_others_tree(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    shadow = drawing.shadow(drawing.world, "chain")
    drawing.collective(0, 10, 90, "MPI_Barrier")
    drawing.collective(1, 12, None, "MPI_Barrier", names_comm=True)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(20, 21), receive=(15, 40), request=1)
    tables = rows(drawing)
    assert [(c["rank"], c["engine"], c["tree"]) for c in tables["calls"]] == [
        (0, "tree", "chain"),
        (1, "tree", "chain"),
    ]


def test_a_nonblocking_collective_has_a_wait_and_an_end(tmp_path: Path, rows: Any) -> None:
    from otf2.enums import CollectiveOp

    drawing = two_ranks(tmp_path, by_hopscope=False)
    for rank in (0, 1):
        region = drawing.region("MPI_Iallreduce")
        drawing.add(rank, events.Enter(100, region))
        drawing.add(rank, events.NonBlockingCollectiveRequest(105, 7))
        drawing.add(rank, events.Leave(110, region))
        drawing.span(rank, 300, 400, "MPI_Wait")
        drawing.add(
            rank,
            events.NonBlockingCollectiveComplete(390, CollectiveOp.ALLREDUCE, drawing.world, 2**32 - 1, 8, 8, 7),
        )
    tables = rows(drawing)
    times = [(c["enter_ns"], c["leave_ns"], c["wait_begin_ns"], c["complete_ns"]) for c in tables["calls"]]
    assert times == [(0, 10, 200, 290)] * 2
    assert [(c["op"], c["complete"]) for c in tables["collectives"]] == [("MPI_Iallreduce", True)]


def test_what_one_thread_started_another_may_complete(tmp_path: Path, rows: Any) -> None:
    from otf2.enums import CollectiveOp

    drawing = two_ranks(tmp_path, by_hopscope=False)
    helper = drawing.thread(0, "helper")
    region = drawing.region("MPI_Ibarrier")
    for rank, completer in ((0, helper), (1, 1)):
        drawing.add(rank, events.Enter(100, region))
        drawing.add(rank, events.NonBlockingCollectiveRequest(105, 7))
        drawing.add(rank, events.Leave(110, region))
        drawing.span(completer, 300, 400, "MPI_Test")
        drawing.add(
            completer,
            events.NonBlockingCollectiveComplete(390, CollectiveOp.BARRIER, drawing.world, 2**32 - 1, 0, 0, 7),
        )
    tables = rows(drawing)
    assert [(c["wait_begin_ns"], c["complete_ns"]) for c in tables["calls"]] == [(200, 290)] * 2


def test_persistent_collectives_are_numbered_apart_and_last_from_start_to_completion(tmp_path: Path, rows: Any) -> None:
    """Both ranks start the same two requests in different orders, between two barriers."""
    from otf2.enums import CollectiveOp, Type

    drawing = two_ranks(tmp_path)
    comm = drawing.attribute("hopscope::comm", Type.UINT32)
    seq = drawing.attribute("hopscope::seq", Type.INT64)
    function = drawing.attribute("hopscope::function", Type.REGION)
    for rank in (0, 1):
        drawing.collective(rank, 10, 20, "MPI_Barrier")
        start = drawing.region("MPI_Start")
        for place, number in enumerate((1, 2) if rank == 0 else (2, 1)):
            name = ("MPI_Allreduce_init", "MPI_Barrier_init")[number - 1]
            begin = 100 + 10 * place
            attributes = {comm: drawing.world._ref, seq: number << 32, function: drawing.region(name)}
            drawing.add(rank, events.Enter(begin, start))
            drawing.add(rank, events.NonBlockingCollectiveRequest(begin, number, attributes=attributes))
            drawing.add(rank, events.Leave(begin + 5, start))
        drawing.span(rank, 200, 300, "MPI_Waitall")
        for number, operation in ((1, CollectiveOp.ALLREDUCE), (2, CollectiveOp.BARRIER)):
            drawing.add(
                rank, events.NonBlockingCollectiveComplete(290, operation, drawing.world, 2**32 - 1, 8, 8, number)
            )
        drawing.collective(rank, 400, 410, "MPI_Barrier")
    tables = rows(drawing)
    assert [(c["op"], c["seq"], c["complete"]) for c in tables["collectives"]] == [
        ("MPI_Barrier", 0, True),
        ("MPI_Allreduce_init", 1 << 32, True),
        ("MPI_Barrier_init", 2 << 32, True),
        ("MPI_Barrier", 1, True),
    ]
    started = [(c["rank"], c["enter_ns"], c["leave_ns"], c["wait_begin_ns"], c["complete_ns"]) for c in tables["calls"]]
    assert started[2:6] == [
        (0, 90, 95, 190, 280),
        (1, 100, 105, 190, 280),
        (0, 100, 105, 190, 280),
        (1, 90, 95, 190, 280),
    ]


def test_threads_of_a_rank_are_counted_together(tmp_path: Path, rows: Any) -> None:
    """Two threads call collectives on one communicator in turn; the calls of both are numbered in time order."""
    drawing = two_ranks(tmp_path)
    helper = drawing.thread(0, "helper")
    drawing.collective(0, 100, 110, "MPI_Barrier")
    drawing.collective(helper, 200, 210, "MPI_Barrier")
    drawing.collective(0, 300, 310, "MPI_Barrier")
    for enter in (100, 200, 300):
        drawing.collective(1, enter + 1, enter + 9, "MPI_Barrier")
    tables = rows(drawing)
    assert [c["complete"] for c in tables["collectives"]] == [True] * 3
    calls = [(c["enter_ns"], c["prev_call_id"]) for c in tables["calls"] if c["rank"] == 0]
    assert calls == [(0, None), (100, None), (200, 0)]


@pytest.mark.parametrize("by_hopscope", [True, False])
def test_all_members_make_a_communicator(by_hopscope: bool, tmp_path: Path, rows: Any) -> None:
    # Regression: a rank that was late to MPI_Comm_split had no cost.
    drawing = two_ranks(tmp_path, by_hopscope=by_hopscope)
    for rank in (0, 1):
        drawing.collective(rank, 10 + 5 * rank, 20, "MPI_Comm_split", names_comm=by_hopscope)
    tables = rows(drawing)
    assert [(c["op"], c["complete"], c["last_rank"]) for c in tables["collectives"]] == [("MPI_Comm_split", True, 1)]
    assert tables["intervals"] == []


def test_an_unfinished_call_that_makes_a_communicator_waits_for_the_others(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path)
    drawing.collective(0, 10, None, "MPI_Comm_split", names_comm=True)
    tables = rows(drawing)
    assert [(c["op"], c["complete"]) for c in tables["collectives"]] == [("MPI_Comm_split", False)]


@pytest.mark.parametrize("function", ["MPI_Comm_create_group", "MPI_Comm_free"])
def test_a_communicator_made_by_its_own_members_or_freed_is_no_collective(
    function: str, tmp_path: Path, rows: Any
) -> None:
    drawing = two_ranks(tmp_path, by_hopscope=False)
    for rank in (0, 1):
        drawing.collective(rank, 10, 20, function)
    tables = rows(drawing)
    assert tables["collectives"] == []
    assert [(i["region"], i["kind"]) for i in tables["intervals"]] == [(function, "comm")] * 2


def test_a_collective_under_another_name_is_known_by_its_event(tmp_path: Path, rows: Any) -> None:
    drawing = two_ranks(tmp_path, by_hopscope=False)
    for rank in (0, 1):
        region = drawing.region("all_reduce_wrapper")
        drawing.add(rank, events.Enter(10, region))
        drawing.add(rank, events.MpiCollectiveBegin(10))
        from otf2.enums import CollectiveOp

        drawing.add(rank, events.MpiCollectiveEnd(20, CollectiveOp.ALLREDUCE, drawing.world, 2**32 - 1, 8, 8))
        drawing.add(rank, events.Leave(21, region))
    tables = rows(drawing)
    assert [(c["op"], c["complete"]) for c in tables["collectives"]] == [("all_reduce_wrapper", True)]
    assert tables["intervals"] == []
