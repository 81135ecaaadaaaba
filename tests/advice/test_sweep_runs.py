"""`hopscope sweep` under MPI libraries: every point has the default and other methods, the rules are obeyed, and an
interrupted sweep can go on."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import hopscope as analysis
import local_mpi
import pytest
from hopscope.advice.sweep.decision import disputed
from hopscope.advice.sweep.engine import with_engine
from hopscope.advice.sweep.grid import Point
from hopscope.advice.sweep.measured import read
from hopscope.advice.sweep.measuring import REFINING
from hopscope.advice.sweep.methods import Method
from hopscope.launch.inputs import checked_file
from hopscope.launch.job import assemble
from hopscope.launch.probing import collector_of, with_probe
from hopscope.machine.probe.session import running
from started_commands import analyze, hopscope

MODELS = ("hockney", "loggp", "plogp", "replay")
PROGRAM = Path(__file__).parent / "programs" / "allreduces.c"


@pytest.fixture
def swept(mpi: local_mpi.LocalMpi, tmp_path: Path) -> Path:
    """The file of a sweep of Allreduce and Barrier up to 64 B on two ranks."""
    file = tmp_path / "machine-rules.json"
    options = ["--operations", "allreduce,barrier", "--most-bytes", "64", "--budget", "5m", "--mpi", mpi.release]
    done = hopscope("sweep", "-o", file, *options, "--", *mpi.launch(2))
    assert done.returncode == 0, done.stderr
    return file


def test_every_point_has_the_default_and_others_and_a_sweep_goes_on(swept: Path, mpi: local_mpi.LocalMpi) -> None:
    sweep = read(swept)
    assert sweep.made["complete"]
    assert [(p.operation, p.bytes) for p in sweep.points] == [
        *(("allreduce", size) for size in (1, 8, 64)),
        ("barrier", 0),
    ]
    for point in sweep.points:
        by_method = sweep.times_at(point)
        assert "default" in by_method
        assert len(by_method) > 1
        assert all(time > 0 for times in by_method.values() for time in times)
    done = analyze("decide", swept, "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(row["operation"], row["bytes"]) for row in rows] == [(p.operation, p.bytes) for p in sweep.points]

    # If the times of one method are missing, only that method is measured again.
    content = json.loads(swept.read_text())
    missing = next(name for name in content["points"][0]["times_ns"] if name != "default")
    removed_times = content["points"][0]["times_ns"].pop(missing)
    swept.write_text(json.dumps(content))
    options = ["--most-bytes", "64", "--mpi", mpi.release, "--resume"]
    assert hopscope("sweep", "-o", swept, *options, "--", *mpi.launch(2)).returncode == 0
    resumed = read(swept)
    assert len(resumed.times_at(resumed.points[0])[missing]) >= min(3, len(removed_times))
    assert hopscope("sweep", "-o", swept, "--", *mpi.launch(2)).returncode == 2  # an existing file is never overwritten


@pytest.mark.statistics
def test_models_choose_by_what_messages_cost_there_and_disputed_points_are_refined(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    file, parameters = tmp_path / "machine-rules.json", tmp_path / "machine.json"
    options = ["--operations", "bcast,barrier", "--most-bytes", "8", "--budget", "3m"]
    assert hopscope("sweep", "-o", file, *options, "--", *first_mpi.launch(4)).returncode == 0
    sweep = read(file)
    parameters.write_text(json.dumps(sweep.machine))
    sizes = [size["bytes"] for link in checked_file(parameters, "machine")["links"] for size in link["sizes"]]
    assert sorted(sizes) == [1, 128]  # no larger than the sweep needs
    rows = json.loads(analyze("decide", file, "--format", "json").stdout)
    of_four = [row for row in rows if row["ranks"] == 4]
    assert all(
        row[model] in sweep.times_at(Point(row["operation"], 4, row["bytes"])) for row in of_four for model in MODELS
    )

    doubtful = disputed(sweep)
    assert hopscope("sweep", "--refine", file, "--budget", "3m", "--", *first_mpi.launch(4)).returncode == 0
    refined = read(file)
    additions = {key: len(times) - len(sweep.times[key]) for key, times in refined.times.items()}
    assert additions == {(point, name): REFINING * (name in doubtful.get(point, ())) for point, name in sweep.times}


def test_open_mpi_obeys_the_rules_of_a_sweep(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    file, rules = tmp_path / "machine-rules.json", tmp_path / "rules.conf"
    options = ["--operations", "allreduce", "--most-bytes", "8", "--budget", "5m"]
    assert hopscope("sweep", "-o", file, *options, "--", *first_mpi.launch(4)).returncode == 0
    content = json.loads(file.read_text())
    for point in content["points"]:  # as if the linear algorithm were the fastest by far
        point["times_ns"]["basic_linear"] = [1, 1, 1, 1]
    file.write_text(json.dumps(content))
    done = analyze("decide", file, "-o", rules)
    assert done.returncode == 0, done.stderr
    words = shlex.split(done.stderr.rsplit("start programs with: ", 1)[1])
    launcher, *launch = first_mpi.launch(4)
    command = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", str(tmp_path / "trace"), "--"]
    command += [launcher, *words, *launch, str(first_mpi.compile(PROGRAM))]
    subprocess.run(command, check=True, capture_output=True, timeout=250)
    rows = analysis.open(tmp_path / "trace").run("algorithms").to_pylist()
    assert {row["algorithm"] for row in rows} == {"linear"}


def test_the_engine_runs_its_methods_and_the_best_ones_again_by_the_tree_file(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    file, tree = tmp_path / "machine-rules.json", tmp_path / "tree.json"
    options = ["--engine", "--operations", "allreduce", "--most-bytes", "8", "--budget", "5m"]
    assert hopscope("sweep", "-o", file, *options, "--", *first_mpi.launch(4)).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name]  # jobs leave no files
    content = json.loads(file.read_text())
    for point in content["points"]:  # as if the engine's recursive doubling were the fastest by far
        assert "engine recursive-doubling" in point["times_ns"]
        point["times_ns"]["engine recursive-doubling"] = [1, 1, 1, 1]
    file.write_text(json.dumps(content))
    decision = analyze("decide", file, "--tree", tree)
    assert decision.returncode == 0, decision.stderr
    run = hopscope(
        "run", "--dir", tmp_path / "trace", "--tree", tree, "--", *first_mpi.launch(4), first_mpi.compile(PROGRAM)
    )
    assert run.returncode == 0, run.stderr
    assert calls_of(tmp_path / "trace") == {("MPI_Allreduce", "tree", "recursive-doubling")}


def test_a_job_of_the_engine_s_methods_goes_through_the_engine(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    words = with_probe(first_mpi.launch(4))
    column = {"bcast": Method("engine chain", rule={"broadcast_tree": "tree"}, trees={"tree": {"shape": "chain"}})}
    command, variables = with_engine(words, column, collector_of(words), None, tmp_path)
    assert variables["HOPSCOPE_PAUSED"] == "1"
    with running(command, {**variables, "HOPSCOPE_PAUSED": "0"}) as job:
        assert len(job.measure("collective", 64, 5, "bcast", "0:1,2,3")[0]) == 5
    assemble(tmp_path / "recording")
    assert ("MPI_Bcast", "tree", "chain") in calls_of(tmp_path / "recording")


def calls_of(trace: Path) -> set[tuple[str, str, str]]:
    """Operation, engine and algorithm of a trace's collectives."""
    rows = analysis.open(trace).run("algorithms").to_pylist()
    return {(row["op"], row["source"], row["algorithm"]) for row in rows}
