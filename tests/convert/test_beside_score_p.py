"""A Score-P archive beside our trace of the same run tells functions, call paths and the function that is late."""

import shutil
from pathlib import Path

import hopscope
import pytest
from click.testing import CliRunner
from dataset_reading import read_dataset
from hopscope.cli.analyze import analyze
from hopscope.dataset.beside.addition import add, remove
from hopscope.dataset.convert import ensure_dataset
from hopscope.dataset.store import Store
from hopscope.errors import InputError

ARCHIVES = Path(__file__).parent / "archives"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """The trace and the Score-P archive of a run of 4 ranks, in which rank 2's `assemble` takes 3 ms more."""
    trace_folder = shutil.copytree(ARCHIVES / "pair-late-rank", tmp_path / "trace_folder")
    return trace_folder, shutil.copytree(ARCHIVES / "pair-late-rank-scorep", tmp_path / "scorep")


def test_every_call_of_the_program_matches_and_clocks_agree_within_a_microsecond(pair: tuple[Path, Path]) -> None:
    trace_folder, scorep = pair
    addition = add(ensure_dataset(trace_folder), scorep)
    # Each rank calls MPI_Init, 50 times MPI_Sendrecv and MPI_Allreduce, and MPI_Finalize.
    assert [(match.thread.rank, len(match.thread.calls.name), len(match.rows)) for match in addition.matches] == [
        (rank, 102, 102) for rank in range(4)
    ]
    assert addition.residual_ns < 1_000


def test_the_diagnosis_names_the_function_that_makes_a_rank_late(pair: tuple[Path, Path]) -> None:
    trace_folder, scorep = pair
    add(ensure_dataset(trace_folder), scorep)
    entry = hopscope.open(trace_folder).diagnose().to_pylist()[0]
    assert (entry["kind"], entry["ranks"], entry["functions"]) == ("imbalance", [2], ["assemble", "spend"])
    assert "Rank 2 computes longer than the others in assemble > spend before MPI_Sendrecv" in entry["sentence"]


def test_call_sites_become_call_paths(pair: tuple[Path, Path]) -> None:
    trace_folder, scorep = pair
    add(ensure_dataset(trace_folder), scorep)
    places = {
        row["place"]
        for row in hopscope.open(trace_folder).places().to_pylist()
        if row["collective_calls"] != row["calls"]
    }
    assert "main > step > exchange" in places
    call = hopscope.open(trace_folder).collective_calls(collective="0:10").to_pylist()[0]
    assert call["place"] == "main > step"


def test_regions_are_in_the_timeline_and_in_every_analysis(pair: tuple[Path, Path]) -> None:
    trace_folder, scorep = pair
    add(ensure_dataset(trace_folder), scorep)
    trace = hopscope.open(trace_folder)
    visits = {(row["region"], row["rank"]): row["visits"] for row in trace.regions().to_pylist()}
    assert visits["assemble", 2] == 50
    # Between two calls of MPI the timeline tells the function. The 20th Allreduce of rank 2 follows its `smooth`.
    enter = trace.sql("select enter_ns from calls where rank = 2 order by enter_ns limit 1 offset 20")["enter_ns"][0]
    stretch = trace.timeline.computing(2, enter.as_py() - 200_000)
    assert stretch is not None
    assert stretch["region"] == "spend"
    (row,) = [row for row in trace.trust().to_pylist() if row["item"] == "beside"]
    assert 0 < row["value"] < 1_000


def test_removal_leaves_the_dataset_as_it_was(pair: tuple[Path, Path]) -> None:
    trace_folder, scorep = pair
    dataset = ensure_dataset(trace_folder)
    before = read_dataset(dataset)
    add(dataset, scorep)
    added = read_dataset(dataset)
    assert added["beside_regions"].num_rows > 1_000
    assert added["calls"] != before["calls"]
    add(dataset, scorep)
    assert read_dataset(dataset) == added
    remove(dataset)
    assert read_dataset(dataset) == before
    assert hopscope.open(trace_folder).regions().num_rows == 0
    assert ensure_dataset(trace_folder) == dataset  # not converted again


def test_the_option_adds_once_for_all_commands(pair: tuple[Path, Path]) -> None:
    trace_folder, scorep = pair
    added = CliRunner().invoke(analyze, [str(trace_folder), "--beside", str(scorep)])
    assert "in assemble > spend before" in " ".join(added.output.split())
    assert "408 of the 408 calls of MPI of 4 threads" in added.output
    assert "assemble" in CliRunner().invoke(analyze, ["regions", str(trace_folder)]).output
    removed = CliRunner().invoke(analyze, [str(trace_folder), "--beside", "none"])
    assert "assemble" not in removed.output


def test_an_archive_of_another_run_is_refused(pair: tuple[Path, Path], tmp_path: Path) -> None:
    trace_folder, _ = pair
    other_run = shutil.copytree(ARCHIVES / "scorep-8.4-mpi-4ranks", tmp_path / "another")
    with pytest.raises(InputError, match="this very run"):
        add(ensure_dataset(trace_folder), other_run)
    with pytest.raises(InputError, match="is the trace itself"):
        add(ensure_dataset(trace_folder), trace_folder)
    assert Store(ensure_dataset(trace_folder)).rows("beside_regions") == 0
