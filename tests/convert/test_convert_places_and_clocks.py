"""Placement of ranks, the clock of each event, and the accuracy with which two clocks can be compared."""

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import hopscope
import pytest
from archive_drawing import UP, Drawing, Place, hop_tag
from otf2 import events


def test_link_classes_follow_host_and_cluster(tmp_path: Path, rows: Any) -> None:
    places = [Place("a0", "A"), Place("a0", "A"), Place("a1", "A"), Place("b0", "B")]
    drawing = Drawing(tmp_path, places)
    for dst in range(4):
        drawing.span(0, 10 * dst, 10 * dst + 5, "MPI_Isend")
        drawing.add(0, events.MpiIsend(10 * dst, dst, drawing.world, 0, 8, dst))
        drawing.add(dst, events.MpiIrecvRequest(1, 100))
        drawing.add(dst, events.MpiIrecv(100, 0, drawing.world, 0, 8, 100))
    tables = rows(drawing)
    assert [(m["dst"], m["link"]) for m in tables["messages"]] == [(0, "self"), (1, "shm"), (2, "lan"), (3, "wan")]
    assert [(r["host"], r["cluster"], r["world_rank"]) for r in tables["ranks"]] == [
        ("a0", "A", 0),
        ("a0", "A", 1),
        ("a1", "A", 2),
        ("b0", "B", 3),
    ]


def test_ranks_go_by_their_names_not_by_the_order_of_definition(tmp_path: Path, rows: Any) -> None:
    """The first rank that is defined is called MPI Rank 2, the next one 1, and the last one 0."""

    class Backwards(str):
        def format(self, *numbers: object, **_names: object) -> str:
            return f"MPI Rank {2 - int(str(numbers[0]))}"

    drawing = Drawing(tmp_path, [Place("h2"), Place("h1"), Place("h0")], rank_names=Backwards("MPI Rank {}"))
    drawing.span(0, 0, 10, "MPI_Init")
    tables = rows(drawing)
    assert [r["host"] for r in tables["ranks"]] == ["h0", "h1", "h2"]
    assert tables["comms"][0]["members"] == [2, 1, 0]
    assert [i["rank"] for i in tables["intervals"]] == [2]


def test_pid_core_and_end_come_from_the_ranks_properties(tmp_path: Path, rows: Any) -> None:
    places = [Place("h0", pid=41, core=3), Place("h0", pid=42, core=0, complete="no room for the spool")]
    drawing = Drawing(tmp_path, places)
    drawing.span(0, 5, 10, "MPI_Init")
    ranks = rows(drawing)["ranks"]
    assert [(r["pid"], r["core"], r["complete"], r["first_event_ns"], r["last_event_ns"]) for r in ranks] == [
        (41, 3, True, 0, 5),
        (42, 0, False, None, None),
    ]


def test_a_rank_says_how_it_shared_its_cores_if_it_reached_the_end(tmp_path: Path, rows: Any) -> None:
    places = [Place("h0", cores="0-3,8", busy_threads=4, cpu_ns=900, queued_ns=100), Place("h0")]
    sampled = {"computing_ns": 90, "computing_on_core_ns": 50, "computing_queued_ns": 30, "computing_cpu_ns": 60}
    places[0] = dataclasses.replace(places[0], **sampled)
    drawing = Drawing(tmp_path, places)
    drawing.span(0, 5, 10, "MPI_Init")
    ranks = rows(drawing)["ranks"]
    assert [{name: rank[name] for name in sampled} for rank in ranks] == [sampled, dict.fromkeys(sampled)]
    assert [(r["cores"], r["busy_threads"], r["cpu_ns"], r["queued_ns"]) for r in ranks] == [
        ("0-3,8", 4, 900, 100),
        (None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        (["yes", "yes"], None),
        (["yes", "no room for the spool"], None),
        (["yes", "MPI_Finalize was not reached"], "The run did not finish: rank 1 ended before MPI_Finalize."),
        (
            ["MPI_Abort was called", "MPI_Finalize was not reached"],
            "The run did not finish: rank 0 called MPI_Abort, and rank 1 ended before MPI_Finalize.",
        ),
    ],
)
def test_the_run_says_that_it_did_not_finish(ends: list[str], sentence: str | None, tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0", complete=end) for end in ends])
    drawing.span(0, 5, 10, "MPI_Init")
    assert rows(drawing)["run"][0]["unfinished"] == sentence


def test_another_tools_rank_is_complete_if_it_finalized(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0"), Place("h0")], by_hopscope=False)
    for rank in (0, 1):
        drawing.span(rank, 0, 10, "MPI_Init")
    drawing.span(0, 20, 30, "MPI_Finalize")
    ranks = rows(drawing)["ranks"]
    assert [(r["pid"], r["core"], r["clock_host"], r["complete"]) for r in ranks] == [
        (None, None, "h0", True),
        (None, None, "h0", False),
    ]


def test_offsets_bring_the_clocks_together(tmp_path: Path, rows: Any) -> None:
    """Rank 1's machine is 1,000,000 ns ahead at its beginning, and gains 100 ns until its end."""
    drawing = Drawing(tmp_path, [Place("h0"), Place("h1")])
    drawing.clock_offset(0, 0, 0)
    drawing.clock_offset(1, 1_000_000, -1_000_000, 30.0)
    drawing.clock_offset(1, 1_001_000, -1_000_100, 50.0)
    drawing.collective(0, 0, 1_000, "MPI_Barrier")
    drawing.collective(1, 1_000_500, 1_001_000, "MPI_Barrier")
    shadow = drawing.shadow(drawing.world, "flat")
    drawing.hop(shadow, 0, 1, hop_tag(UP, 0), send=(10, 20), receive=(1_000_600, 1_000_700), request=1)
    tables = rows(drawing)
    assert [(c["rank"], c["enter_ns"], c["leave_ns"]) for c in tables["calls"]] == [(0, 0, 1_000), (1, 450, 900)]
    assert tables["hops"][0]["clock_error_ns"] == 50
    assert tables["clocks"] == [
        {"host": "h0", "at_ns": 0, "offset_ns": 0, "error_ns": 0, "bound_ns": 0},
        {"host": "h1", "at_ns": 0, "offset_ns": -1_000_000, "error_ns": 30, "bound_ns": 30},
        {"host": "h1", "at_ns": 900, "offset_ns": -1_000_100, "error_ns": 50, "bound_ns": 50},
    ]
    (run,) = tables["run"]
    assert (run["clock_error_ns"], run["clock_bound_ns"], run["clock_used"]) == (50, 50, "error")


def test_one_machine_that_plays_two_hosts_has_one_clock(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("a0", "A", clock_host="n1"), Place("b0", "B", clock_host="n1")])
    for rank in (0, 1):
        drawing.clock_offset(rank, 0, 0, 500.0)
        drawing.span(rank, 0, 100, "MPI_Init")
    drawing.span(0, 200, 210, "MPI_Send")
    drawing.add(0, events.MpiSend(200, 1, drawing.world, 0, 8))
    drawing.span(1, 200, 300, "MPI_Recv")
    drawing.add(1, events.MpiRecv(299, 0, drawing.world, 0, 8))
    tables = rows(drawing)
    assert [(m["link"], m["clock_error_ns"]) for m in tables["messages"]] == [("wan", 0)]
    assert tables["run"][0]["clock_error_ns"] == 0


def test_clocks_that_nobody_measured_decide_nothing_between_machines(tmp_path: Path, rows: Any) -> None:
    # Two machines whose clocks are a day apart, in an archive without clock offsets. Regression: the clock error was 0,
    # so rank 1 was always last, by a day.
    day = 86_400 * 10**9
    drawing = Drawing(tmp_path, [Place("h0"), Place("h1")], by_hopscope=False)
    for rank in (0, 1):
        for n in range(20):
            drawing.collective(rank, 1000 * n + rank * day, 1000 * n + 500 + rank * day, "MPI_Barrier")
    (run,) = rows(drawing)["run"]
    assert (run["clock_error_ns"], run["clock_bound_ns"]) == (None, None)
    trace = hopscope.open(tmp_path)
    arrivals = trace.last_arrivals().to_pylist()
    assert [(row["share"], row["undecided"]) for row in arrivals] == [(0, 0), (0, 1)]
    assert any("does not say how the clocks of its 2 machines compare" in sentence for sentence in trace.caveats())


def test_run_json_tells_about_the_run_and_knows_both_figures_of_the_clocks(tmp_path: Path, rows: Any) -> None:
    facts: dict[str, Any] = {
        "mpi_library": "Open MPI v4.1.4",
        "command": "./heat 1024",
        "started_at": "2026-11-21T04:00:00Z",
        "mode": "tree",
        "tree_file": '{"name": "flat"}',
        "topology_file": None,
        "emulated": {"links": {"wan": {"latency_ns": 20000000}}},
        "presence": "complete",
        "event_cost_ns": 12.5,
        "missing": ["rank 7 recorded nothing"],
        "clocks": [
            {"host": "h1", "at_ns": 1_000_600, "offset_ns": -1_000_000, "error_ns": 40, "bound_ns": 900},
            {"host": "h0", "at_ns": 100, "offset_ns": 0, "error_ns": 0, "bound_ns": 0},
        ],
    }
    drawing = Drawing(tmp_path, [Place("h0"), Place("h1")])
    drawing.span(0, 100, 400, "MPI_Init")
    (tmp_path / "run.json").write_text(json.dumps(facts))
    tables = rows(drawing)
    assert tables["clocks"] == [
        {"host": "h0", "at_ns": 0, "offset_ns": 0, "error_ns": 0, "bound_ns": 0},
        {"host": "h1", "at_ns": 500, "offset_ns": -1_000_000, "error_ns": 40, "bound_ns": 900},
    ]
    (run,) = tables["run"]
    assert run["tree_hash"] == hashlib.sha256(facts["tree_file"].encode()).hexdigest()
    names = ("mpi_library", "command", "started_at", "mode", "tree_file", "presence", "event_cost_ns", "missing")
    assert [run[name] for name in names] == [
        "Open MPI v4.1.4",
        "./heat 1024",
        "2026-11-21T04:00:00Z",
        "tree",
        '{"name": "flat"}',
        "complete",
        12.5,
        "rank 7 recorded nothing",
    ]
    assert json.loads(run["emulated"]) == facts["emulated"]
    assert (run["clock_error_ns"], run["clock_bound_ns"], run["topology_file"]) == (40, 900, None)


def test_run_json_inside_the_archive_serves_when_the_file_is_gone(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0")], properties={"HOPSCOPE::RUN": '{"command": "./heat"}'})
    drawing.span(0, 100, 400, "MPI_Init")
    assert rows(drawing)["run"][0]["command"] == "./heat"


def test_intervals_tell_kind_depth_and_call_site(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0")])
    drawing.span(0, 0, 100, "main")
    for begin, name in enumerate(
        [
            "MPI_Init_thread",
            "MPI_Comm_dup",
            "MPI_File_write",
            "MPI_Testsome",
            "MPI_Startall",
            "MPI_Type_commit",
            "solve",
        ]
    ):
        drawing.span(0, 10 * begin + 1, 10 * begin + 6, name, "app+0x7")
    drawing.span(0, 90, None, "MPI_Finalize")
    intervals = [(i["region"], i["kind"], i["depth"], i["end_ns"], i["call_site"]) for i in rows(drawing)["intervals"]]
    assert intervals == [
        ("main", "region", 0, 100, None),
        ("MPI_Init_thread", "init", 1, 6, "app+0x7"),
        ("MPI_Comm_dup", "comm", 1, 16, "app+0x7"),
        ("MPI_File_write", "io", 1, 26, "app+0x7"),
        ("MPI_Testsome", "wait", 1, 36, "app+0x7"),
        ("MPI_Startall", "p2p", 1, 46, "app+0x7"),
        ("MPI_Type_commit", "mpi", 1, 56, "app+0x7"),
        ("solve", "region", 1, 66, "app+0x7"),
        ("MPI_Finalize", "finalize", 1, 100, None),
    ]
