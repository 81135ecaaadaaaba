"""Archives of any tool can be converted and exported, and every analysis answers or gives a reason."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import hopscope
import pytest
from archive_drawing import Drawing
from foreign_drawing import RANKS, add_allreduce, add_gpu, add_metrics, add_openmp, mpi_program, no_mpi
from hopscope.errors import InputError
from hopscope.export import write_perfetto, write_tables
from otf2 import events


def full_program(path: Path) -> Drawing:
    """MPI, OpenMP, a GPU, metrics, and a region without an end."""
    drawing = mpi_program(path)
    for rank in range(RANKS):
        add_openmp(drawing, rank)
        add_gpu(drawing, rank, 5)
    add_metrics(drawing, 0, 9)
    drawing.span(1, 9200, None, "shutdown")
    return drawing


def without_processes(path: Path) -> Drawing:
    """Threads that belong to no location group, as some tools write them."""
    return mpi_program(path, with_processes=False)


@pytest.mark.parametrize("draw", [no_mpi, full_program, without_processes])
def test_every_question_is_answered_or_it_is_said_why_not(draw: Any, tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "trace").write())
    answers = 0
    for command in trace.analyses():
        if any(parameter.type in ("TRACE", "COLLECTIVE") for parameter in command.parameters):
            continue
        for grain in command.grains:
            options = {grain.grain.option: grain.grain.value} if grain.grain and grain.grain.value else {}
            try:
                answer = trace.answer(command.name, **options)
            except InputError as refusal:
                assert str(trace.path) in str(refusal)
                continue
            assert answer.rows or answer.notes, command.name
            answers += 1
    assert answers > 15
    assert not any(row["beyond"] for row in trace.run("check-data").to_pylist())
    rows = write_tables(trace, tmp_path / "arrow", "arrow")
    assert write_tables(trace, tmp_path / "csv", "csv") == rows
    assert write_perfetto(trace, tmp_path / "trace.json") > rows["intervals"]
    trace_events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    slices = {
        (event["pid"], event["tid"]) for event in trace_events if event["ph"] == "X" and event.get("cat") != "path"
    }
    places = {(row["rank"], row["location"]) for row in trace.table("intervals").to_pylist()}
    assert len(slices) == len(places)


def test_a_trace_without_mpi_is_computing_from_beginning_to_end(tmp_path: Path) -> None:
    trace = hopscope.open(no_mpi(tmp_path).write())
    summary = {row["item"]: row for row in trace.run("summary").to_pylist()}
    assert (summary["ranks"]["value"], summary["threads"]["value"], summary["duration"]["value"]) == (1, 2, 1000)
    trust = {row["item"]: row for row in trace.run("trust").to_pylist()}
    assert trust["missing"]["sentence"] == "nothing is known to be missing"
    path = {row["category"]: row["time_ns"] for row in trace.run("critical-path").to_pylist()}
    assert path["compute"] == sum(path.values()) == 1000
    assert any("no MPI collective" in sentence for sentence in trace.caveats())


def test_threads_of_no_process_are_read_as_ranks_of_their_own(tmp_path: Path) -> None:
    # Regression: the message was "The archive holds no events", although otf2-print showed 480,000 of them.
    trace = hopscope.open(without_processes(tmp_path).write())
    assert [(row["rank"], row["host"], row["cluster"]) for row in trace.table("ranks").to_pylist()] == [
        (rank, "unknown", "unknown") for rank in range(RANKS)
    ]
    (collective,) = trace.table("collectives").to_pylist()
    assert (collective["op"], collective["complete"], collective["first_enter_ns"]) == ("MPI_Allreduce", True, 2000)
    assert [row["rank"] for row in trace.table("calls").to_pylist()] == [*range(RANKS)]
    assert any(f"the process of {RANKS} threads" in sentence for sentence in trace.caveats())


def test_kernels_belong_to_the_rank_that_drives_the_gpu_and_metrics_make_no_rank(tmp_path: Path, rows: Any) -> None:
    tables = rows(full_program(tmp_path))
    kernels = Counter(i["rank"] for i in tables["intervals"] if i["region"] == "kernel<float>(int)")
    assert kernels == {0: 5, 1: 5}
    (run,) = tables["run"]
    assert (run["ranks"], run["threads"]) == (2, 7)
    parallel = Counter((i["rank"], i["location"]) for i in tables["intervals"] if "omp" in i["region"])
    assert sorted(parallel.values()) == [1, 1, 1, 1]
    (shutdown,) = [i for i in tables["intervals"] if i["region"] == "shutdown"]
    assert shutdown["end_ns"] is None


@pytest.mark.parametrize(
    "name", ["mpi_allreduce_", "MPI_ALLREDUCE", "PMPI_Allreduce", "mpi_allreduce_f08ts_", "MPI_Allreduce()"]
)
def test_bindings_and_the_profiling_interface_are_the_function(name: str, tmp_path: Path, rows: Any) -> None:
    drawing = mpi_program(tmp_path)
    for rank in range(RANKS):
        add_allreduce(drawing, rank, 3000, name)
    assert [(c["op"], c["complete"]) for c in rows(drawing)["collectives"]] == [("MPI_Allreduce", True)] * 2


# Regression: MPI_Comm_set_name and all large-count forms were of kind "mpi", because the converter had its own list.
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("MPI_Send_c", "p2p"),
        ("MPI_Request_get_status", "wait"),
        ("MPI_Comm_set_name", "comm"),
        ("MPI_Session_init", "init"),
        ("MPI_File_open", "io"),
        ("MPI_Allreduce_init_c", "mpi"),
        ("MPI_Abort", "mpi"),
        ("MPI_Win_fence", "rma"),
    ],
)
def test_a_call_is_an_interval_of_its_functions_kind(name: str, kind: str, tmp_path: Path, rows: Any) -> None:
    drawing = mpi_program(tmp_path)
    drawing.span(0, 3000, 3100, name)
    assert [i["kind"] for i in rows(drawing)["intervals"] if i["region"] == name] == [kind]


def test_collectives_without_their_ends_are_other_mpi_calls_and_that_is_said(tmp_path: Path, rows: Any) -> None:
    drawing = mpi_program(tmp_path)
    for rank in range(RANKS):
        drawing.span(rank, 3000, 3100, "MPI_Bcast")
    tables = rows(drawing)
    assert [c["op"] for c in tables["collectives"]] == ["MPI_Allreduce"]
    assert [i["kind"] for i in tables["intervals"] if i["region"] == "MPI_Bcast"] == ["mpi", "mpi"]
    missing = tables["run"][0]["missing"]
    assert missing == "the communicator of 2 collective calls, counted as other MPI calls"
    assert f"Missing from the trace: {missing}." in hopscope.open(tmp_path).caveats()


def test_messages_without_their_other_end_are_counted(tmp_path: Path, rows: Any) -> None:
    drawing = mpi_program(tmp_path)
    drawing.span(0, 3000, 3100, "MPI_Send")
    drawing.add(0, events.MpiSend(3001, 1, drawing.world, 7, 8))
    drawing.span(1, 4000, 4100, "MPI_Recv")
    drawing.add(1, events.MpiRecv(4050, 0, drawing.world, 8, 8))
    drawing.add(1, events.MpiIrecvRequest(4200, 77))
    tables = rows(drawing)
    assert tables["messages"] == []
    assert tables["run"][0]["missing"] == "the receive of 1 send; the send of 1 receive"


def test_a_size_that_nobody_knew_counts_as_nothing(tmp_path: Path, rows: Any) -> None:
    # Regression: OTF2_UNDEFINED_UINT64 and the like became negative sizes, cancelled sends, or a traceback.
    unknown, drawing = 2**64 - 1, mpi_program(tmp_path)
    for rank in range(RANKS):
        drawing.collective(rank, 3000, 3100, "MPI_Allreduce", sent=unknown, received=2**63)
    drawing.add(0, events.MpiSend(4000, 1, drawing.world, 7, unknown))
    drawing.add(1, events.MpiRecv(4100, 0, drawing.world, 7, unknown))
    tables = rows(drawing)
    assert [(c["bytes_sent"], c["bytes_received"]) for c in tables["calls"]][RANKS:] == [(0, 0)] * RANKS
    assert [m["bytes"] for m in tables["messages"]] == [0]
    assert tables["run"][0]["missing"] is None


def test_two_regions_two_ranks_and_two_communicators_of_one_name_stay_two(tmp_path: Path, rows: Any) -> None:
    drawing = mpi_program(tmp_path, rank_names="MPI Rank 0")
    namesake = drawing.comm("MPI_COMM_WORLD", reversed(range(RANKS)))
    for rank in range(RANKS):
        drawing.collective(rank, 3000, 3100, "MPI_Allreduce", call_site="elsewhere.c", comm=namesake)
    tables = rows(drawing)
    assert [(c["comm"], c["seq"], c["complete"]) for c in tables["collectives"]] == [(0, 0, True), (1, 0, True)]
    assert [c["name"] for c in tables["comms"]] == ["MPI_COMM_WORLD"] * 2
    assert [r["host"] for r in tables["ranks"]] == ["h0", "h1"]


def test_an_anchor_of_another_name_is_found_in_its_directory(tmp_path: Path) -> None:
    mpi_program(tmp_path, archive_name="experiment").write()
    assert hopscope.open(tmp_path).table("collectives").num_rows == 1
