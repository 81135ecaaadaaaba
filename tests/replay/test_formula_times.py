"""Times of formulas, replay and measurement side by side: the collectives that count, and the agreement of the
times."""

import json
from pathlib import Path
from typing import Any

import hopscope
import numpy as np
import pyarrow as pa
import pytest
from hopscope.cli.main import analyze
from hopscope.errors import InputError
from hopscope.machine.formulas import FORMULAS
from hopscope.machine.parameters.rows import NS_PER_BYTE, Estimate, LinkEnds, Row, row
from hopscope.machine.published import Call, Hockney, LogGP, PLogP
from hopscope.machine.routes import published_by_class
from hopscope.machine.schedules import replayed_ns, schedules
from hopscope.native.sequences import leaves
from hopscope.replay.fitting.trace_parameters import fitted_of_trace, rows_of_fit
from hopscope.replay.formula_times import measured, of_machine, of_trace
from hopscope.replay.formula_times.points import Point, points
from recorded_jobs import sample_trace, shared_folder
from samples import POINT_BYTES_PER_SECOND, POINT_LATENCY_NS, POINT_RANKS, POINT_SIZES, POINT_TIMES

HOCKNEY_AND_LOGGP = {
    ("Hockney", "alpha"): 50_000.0,
    ("Hockney", "beta"): 15.0,
    ("LogGP", "L"): 30_000.0,
    ("LogGP", "o"): 8_000.0,
    ("LogGP", "g"): 9_000.0,
    ("LogGP", "G"): 15.0,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return sample_trace(shared_folder(tmp_path_factory), "planted/points/trace")


def parameters(link: str, **fields: Any) -> list[Row]:
    """The parameters of one link, except those of PLogP."""
    units = {"beta": NS_PER_BYTE, "G": NS_PER_BYTE}
    ends = LinkEnds(link, **fields)
    return [
        row(ends, model, name, Estimate(value, count=9), size=1 << 20, unit=units.get(name, "ns"))
        for (model, name), value in HOCKNEY_AND_LOGGP.items()
    ]


def collectives(*rows: tuple[str, int, int, int, int, int, bool]) -> pa.Table:
    """A table of collectives: operation, communicator, bytes, first and last enter, last leave, complete."""
    names = ("op", "comm", "bytes", "first_enter_ns", "last_enter_ns", "last_leave_ns", "complete")
    return pa.table({name: [collective[column] for collective in rows] for column, name in enumerate(names)})


def recognised(op: str, comm: int, size: int, algorithm: str, **columns: Any) -> dict[str, Any]:
    alike = {"ranks": 4, "segment_bytes": 0, "same": None, "source": "tree"}
    return {"op": op, "comm": comm, "bytes": size, "algorithm": algorithm, **alike, **columns}


def test_only_collectives_that_all_ranks_entered_together_count() -> None:
    """A collective that begins at the root's enter, long before the last rank's, takes almost no time after the last
    enter."""
    aligned, skewed, cut_off = (
        ("MPI_Bcast", 0, 64, 0, 50, 1050, True),
        ("MPI_Bcast", 0, 64, 2000, 2900, 3000, True),
        ("MPI_Bcast", 0, 64, 4000, 4001, 4002, False),
    )
    measurements = measured(
        collectives(aligned, skewed, cut_off), [recognised("MPI_Bcast", 0, 64, "binomial")], emulated=False
    )
    (only,) = measurements.items()
    assert only[0] == Point("MPI_Bcast", "binomial", 4, 64)
    assert (only[1].times, only[1].skewed) == ([1000.0], 1)


def test_a_point_is_named_as_published_with_the_block_of_an_alltoall() -> None:
    rows = [
        recognised("MPI_Alltoall", 0, 400, "pairwise"),
        recognised("MPI_Barrier", 0, 0, "dissemination"),
        recognised("MPI_Reduce", 0, 8192, "chain", segment_bytes=1024),
        recognised("MPI_Bcast", 0, 64, "binary", same="binomial, hierarchical"),
        recognised("MPI_Bcast", 0, 8, "unrecognised"),
        recognised("MPI_Alltoall", 0, 8, "linear"),
    ]
    table = collectives(*((row["op"], 0, row["bytes"], 0, 0, 10, True) for row in rows))
    assert set(measured(table, rows, emulated=False)) == {
        Point("MPI_Alltoall", "pairwise", 4, 100),
        Point("MPI_Barrier", "bruck", 4, 0),
        Point("MPI_Reduce", "pipeline", 4, 8192, 1024),
        Point("MPI_Bcast", "binary", 4, 64),
        Point("MPI_Bcast", "binomial", 4, 64),
    }


def test_calls_that_ran_by_several_algorithms_are_of_none() -> None:
    rows = [recognised("MPI_Bcast", 0, 64, name) for name in ("binomial", "chain")]
    assert measured(collectives(("MPI_Bcast", 0, 64, 0, 0, 10, True)), rows, emulated=False) == {}


def test_a_barrier_of_two_ranks_is_of_no_algorithm() -> None:
    """Regression: such a barrier was predicted to take twice the measured time. The flat algorithm sends its two
    messages one after the other, the others send them at once."""
    rows = [recognised("MPI_Barrier", 0, 0, "dissemination", ranks=2, same="linear")]
    assert measured(collectives(("MPI_Barrier", 0, 0, 0, 0, 10, True)), rows, emulated=False) == {}


def test_over_emulated_links_the_library_s_own_collectives_do_not_count() -> None:
    """The messages of the library's own collectives are not delayed, so these would look far faster than any model."""
    rows = [recognised("MPI_Bcast", 0, 64, "binomial", source="native"), recognised("MPI_Bcast", 0, 8, "binomial")]
    table = collectives(*(("MPI_Bcast", 0, size, 0, 0, 10, True) for size in (64, 8)))
    assert [point.bytes for point in measured(table, rows, emulated=True)] == [8]
    assert [point.bytes for point in measured(table, rows, emulated=False)] == [64, 8]


def test_points_reach_to_the_longest_message_and_the_most_ranks() -> None:
    grid = points([Point("MPI_Bcast", "pipeline", 6, 3000, 1000)], 8, 4096, "MPI_Bcast")
    assert {point.ranks for point in grid} == {2, 4, 6, 8}
    assert {point.bytes for point in grid} == {8, 64, 512, 3000, 4096}
    assert {(p.algorithm, p.bytes) for p in grid if p.segment_bytes} == {("pipeline", 3000), ("pipeline", 4096)}


def test_a_machine_s_times_are_those_of_the_formulas_and_of_the_replay() -> None:
    rows = of_machine(parameters("wan", source="a", destination="b"), 4, operation="MPI_Bcast")
    (binary_row,) = [r for r in rows if (r["algorithm"], r["ranks"], r["bytes"]) == ("binary", 4, 512)]
    loggp = LogGP(30_000.0, 8_000.0, 9_000.0, 15.0)
    assert binary_row["loggp_ns"] == FORMULAS["MPI_Bcast", "binary", LogGP](Call(4, 512), loggp)
    assert binary_row["replay_ns"] == replayed_ns("MPI_Bcast", "binary", Call(4, 512), loggp)
    assert binary_row["hockney_ns"] == 2 * (2 * 50_000 + 512 * 15)
    assert (binary_row["plogp_ns"], binary_row["measured_ns"], binary_row["link"]) == (None, None, "wan")


def test_the_farthest_links_are_taken_and_a_pair_of_hosts_stands_back_behind_its_class() -> None:
    pair = [row(LinkEnds("lan", "a", "b", True), "Hockney", name, Estimate(1.0)) for name in ("alpha", "beta")]
    rows = [*pair, *parameters("lan"), *parameters("shm")]
    assert {row["link"] for row in of_machine(rows, 2)} == {"lan"}
    assert {row["hockney_ns"] for row in of_machine(rows, 2, operation="MPI_Barrier")} > {50_000.0}
    assert {row["link"] for row in of_machine(rows, 2, link="shm")} == {"shm"}
    with pytest.raises(InputError, match="'wan'; choose one of lan, shm"):
        of_machine(rows, 2, link="wan")
    with pytest.raises(InputError, match="no formula for MPI_Scan"):
        of_machine(rows, 2, operation="MPI_Scan")


def test_an_interface_s_time_for_a_byte_is_in_the_parameters_of_the_links_behind_it(run: hopscope.Trace) -> None:
    """Regression: the interface's time was left out, so LogGP's G was 0.07 ns, though the emulated interface takes 50
    ns."""
    rows = {
        (estimate.model, estimate.parameter): estimate.value for estimate in rows_of_fit(fitted_of_trace(run.table))
    }
    assert rows["LogGP", "G"] == rows["Hockney", "beta"] == pytest.approx(1e9 / POINT_BYTES_PER_SECOND, rel=0.05)
    assert rows["Hockney", "alpha"] == pytest.approx(POINT_LATENCY_NS, rel=0.1)


SURE = [
    *(("MPI_Bcast", "binary", 3, size) for size in POINT_SIZES),
    *(("MPI_Reduce", "binary", 3, size) for size in POINT_SIZES),
    *(("MPI_Alltoall", "pairwise", POINT_RANKS, size) for size in POINT_SIZES),
    ("MPI_Barrier", "bruck", POINT_RANKS, 0),
]
"""Points at which the model knows the times of all links that are used: 3 ranks are a complete binary tree, and
pairwise exchanges have no contention."""


def rows_of_points(run: hopscope.Trace) -> dict[tuple[str, str, int, int], dict[str, Any]]:
    fitted = fitted_of_trace(run.table)
    measurements = measured(run.table("collectives"), run.algorithms().to_pylist(), emulated=True)
    rows = of_trace(fitted, measurements, rows_of_fit(fitted))
    return {(r["operation"], r["algorithm"], r["ranks"], r["bytes"]): r for r in rows if r["collectives"]}


def test_measurements_meet_the_replay_where_the_formulas_hold(run: hopscope.Trace) -> None:
    point_rows = rows_of_points(run)
    for key in SURE:
        assert point_rows[key]["measured_ns"] == pytest.approx(point_rows[key]["replay_ns"], rel=0.05), key


def test_formulas_and_replay_meet_where_the_formulas_hold(run: hopscope.Trace) -> None:
    point_rows = rows_of_points(run)
    for key in SURE:
        assert point_rows[key]["collectives"] + point_rows[key]["skewed"] == POINT_TIMES
        assert point_rows[key]["replay_ns"] == pytest.approx(point_rows[key]["loggp_ns"], rel=0.05), key
    # The formula's complete tree has one level more than 4 ranks need; the replay uses the real messages.
    wide = point_rows["MPI_Bcast", "binary", POINT_RANKS, POINT_SIZES[-1]]
    assert wide["loggp_ns"] > 1.5 * wide["replay_ns"]


def test_a_machine_s_parameters_are_the_replay_s_too(run: hopscope.Trace) -> None:
    """Regression: the replay beside the formulas used the trace's links, of 2 ms, though the file had 30 us."""
    fitted = fitted_of_trace(run.table)
    rows = of_trace(fitted, {}, parameters("lan", source="h0", destination="h1"))
    loggp = LogGP(30_000.0, 8_000.0, 9_000.0, 15.0)
    replayed = {tuple(row[name] for name in Point._fields): row["replay_ns"] for row in rows}
    assert {point[:2] for point, time in replayed.items() if time is not None} > {("MPI_Bcast", "binomial")}
    for point, time in replayed.items():
        assert time == replayed_ns(point[0], point[1], Point(*point).call, loggp)


def test_ranks_joined_by_links_that_the_machine_file_lacks_are_not_replayed(run: hopscope.Trace) -> None:
    rows = of_trace(fitted_of_trace(run.table), {}, parameters("wan", source="h0", destination="h1"))
    assert {row["replay_ns"] for row in rows} == {None}
    assert None not in {row["loggp_ns"] for row in rows}


def test_each_message_is_replayed_with_the_parameters_of_its_own_links() -> None:
    """Rank 0 sends a byte to rank 1 over distant links, and then to rank 2 on its own host."""
    far, local = LogGP(30_000.0, 8_000.0, 9_000.0), LogGP(1_000.0, 200.0, 300.0)
    classes = np.asarray([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    linear = schedules("MPI_Bcast", "linear", Call(3, 1))
    assert linear is not None
    left = leaves([linear], range(3), published_by_class([far, local], classes, 1))[0].tolist()
    # Both overheads and the latency. The second message leaves when the rank has sent the first one.
    assert left[1:] == [8_000 + 30_000 + 8_000, 8_000 + 200 + 1_000 + 200]


def test_the_command_takes_a_trace_with_a_machine_s_parameters(
    run: hopscope.Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["formulas", str(run.path), "--format", "json", "--operation", "MPI_Barrier"]
    assert analyze.main(words, standalone_mode=False) == 0
    captured = capsys.readouterr()
    rows = json.loads(captured.out)
    assert {row["algorithm"] for row in rows} == {"flat", "double ring", "recursive doubling", "bruck"}
    assert "note: Parameters from the engine's hops of" in captured.err
    models = {name: {row[f"{name}_ns"] is not None for row in rows} for name in ("hockney", "loggp", "plogp")}
    assert models == {"hockney": {True}, "loggp": {True}, "plogp": {True}}
    missing = [*words, "--machine", str(tmp_path / "none.json")]
    with pytest.raises(InputError, match=r"none\.json"):
        analyze.main(missing, standalone_mode=False)


def test_every_operation_has_all_three_models() -> None:
    """The columns are named after the models."""
    assert {model for _, _, model in FORMULAS} == {Hockney, LogGP, PLogP}
