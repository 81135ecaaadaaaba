"""Runs in which the engine and the MPI library take turns: the collectives that each of them runs, and the comparison
of their times."""

import json
from collections.abc import Generator
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.advice.tune.alternation import in_turns, times_of_turns, turn_of
from hopscope.advice.tune.bench import Bench
from hopscope.advice.tune.budget import Budget
from hopscope.advice.tune.candidate import TREE, Candidate
from hopscope.advice.tune.job import TRACE, Job, run_job
from hopscope.advice.tune.journal import Journal
from hopscope.advice.tune.pool import Recorded

MIX = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
ITERATIONS = 60
TURN = 7 * 2
"""The number of collectives in a turn, which is an eighth of the iterations. Each iteration has an Allreduce and a
Bcast."""
FLAT = json.dumps(
    {
        "schema_version": 1,
        "trees": {"t": {"shape": "flat"}},
        "rules": [{"operations": ["MPI_Allreduce"], "reduce_tree": "t"}],
    }
)


@pytest.fixture(scope="module")
def job(first_mpi: local_mpi.LocalMpi) -> Generator[Job]:
    """A loop of two collectives on three ranks. The engine runs one of the collectives."""
    words = *first_mpi.launch(3), str(first_mpi.compile(MIX)), str(ITERATIONS), "0", "allreduce", "8", "bcast", "64"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in first_mpi.patience().items():
            patch.setenv(name, value)
        yield Job(words, hopscope.open)


@pytest.fixture(scope="module")
def trace(job: Job, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a run in which the engine and the MPI library take turns."""
    folder = tmp_path_factory.mktemp("turns")
    tree = folder / TREE
    tree.write_text(in_turns(FLAT, TURN))
    assert run_job(job, {}, folder / "run", limit_s=120, tree=tree).outcome == "measured"
    return folder / "run" / TRACE


def test_library_and_engine_take_turns_by_the_sequence_number_on_all_ranks_alike(trace: Path) -> None:
    rows = hopscope.open(trace).sql("select op, seq, rank, engine from calls join collectives using (collective_id)")
    calls = rows.to_pylist()
    allreduces = [row for row in calls if row["op"] == "MPI_Allreduce"]
    assert len(allreduces) == 3 * ITERATIONS
    for row in allreduces:
        engine = "native:turn of the MPI library" if row["seq"] // TURN % 2 == 0 else "tree"
        assert row["engine"] == engine, row
    assert {row["engine"] for row in calls if row["op"] == "MPI_Bcast"} == {"native"}


def test_a_turn_is_an_eighth_of_the_iterations_and_both_sides_are_timed(trace: Path) -> None:
    opened = hopscope.open(trace)
    assert turn_of(opened, None) == TURN
    assert turn_of(opened, 39) is None
    times = times_of_turns(opened)
    assert times is not None
    assert min(times) > 0


def test_runs_that_eliminate_an_engines_candidate_have_the_librarys_figure_too(
    job: Job, trace: Path, tmp_path: Path
) -> None:
    bench = Bench(job, Journal(tmp_path, {}), Budget(None, 9))
    bench.take_turns_like(Recorded(hopscope.open(trace), job.words, on_network=False))
    engine = Candidate("engine: flat", "tree", files={TREE: FLAT}, tree=True)
    eliminated = bench.measure("elimination", 0, engine)
    confirmed = bench.measure("confirmation", 0, engine)
    assert eliminated.figure is not None
    assert eliminated.library is not None
    assert confirmed.figure is not None
    assert confirmed.library is None
