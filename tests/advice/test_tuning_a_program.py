"""`hopscope tune` on a real job whose figure depends on a setting and not on the machine: its choice, its files,
resuming, verifying, and candidates that hang."""

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import local_mpi
import pytest
from hopscope.advice.tune.journal import read
from recorded_jobs import fill_once, shared_folder
from started_commands import hopscope

PROGRAM = Path(__file__).parent / "programs" / "told_figure.c"
METRIC = r"figure: ([0-9.]+)"
INTEL = local_mpi.find_intel()
RUNS = 20
"""The number of runs that suffice for one candidate: five of the baseline, one or two blocks, and six pairs."""

Tuned = tuple[subprocess.CompletedProcess[str], Path]
Tune = Callable[..., Tuned]


def tuned(mpi: local_mpi.LocalMpi, place: Path, *options: str, flags: tuple[str, ...] = (), runs: int = RUNS) -> Tuned:
    """Tunes the program, compiled with these flags, in a new folder. Returns the finished process and the tuning's
    directory."""
    place.mkdir(exist_ok=True)
    shutil.copy(mpi.compile(PROGRAM, *flags), place / "app")
    launcher, *launch = mpi.launch(2)
    # With this option no binding is left to try, so algorithms are the first candidates.
    binding = ["--bind-to" if mpi.flavour == "openmpi" else "-bind-to", "none"] if mpi not in INTEL else []
    words = ["--runs", str(runs), "--metric", METRIC, *options, "--", launcher, *binding, *launch, str(place / "app")]
    return patiently(mpi, "-o", place / "tuned", *words), place / "tuned"


def patiently(mpi: local_mpi.LocalMpi, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs `hopscope tune` in an environment in which waiting ranks leave their cores to other tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in mpi.patience().items():
            patch.setenv(name, value)
        return hopscope("tune", *words)


@pytest.fixture
def tune(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> Tune:
    """Tunes the program under one MPI library. The tests that use it have the same outcome under each library."""
    return functools.partial(tuned, first_mpi, tmp_path)


@pytest.fixture
def gained(mpi: local_mpi.LocalMpi, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Tuned:
    """The directory of a tuning that ended with a gain. The tuning runs once, and each test gets a copy."""

    def make(folder: Path) -> list[Any]:
        done, _ = tuned(mpi, folder)
        return [done.returncode, done.stdout, done.stderr]

    folder, (code, stdout, stderr) = fill_once(shared_folder(tmp_path_factory), ("tuned", mpi.release), make)
    shutil.copytree(folder / "tuned", tmp_path / "tuned")
    return subprocess.CompletedProcess([], code, stdout, stderr), tmp_path / "tuned"


def test_a_faster_setting_is_found_confirmed_and_left_as_a_command(gained: Tuned, mpi: local_mpi.LocalMpi) -> None:
    done, folder = gained
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Use allreduce: ")
    journal = read(folder)  # read() also checks the journal against its schema
    assert journal.result is not None
    assert 0.49 < journal.result["gain_low"] < journal.result["gain"] < journal.result["gain_high"] < 0.51
    assert 100 <= journal.baseline["iteration_ns"] < 101
    assert 50 <= journal.result["iteration_ns"] < 51
    assert journal.result["pairs"] == 6
    assert len(journal.measurements) <= RUNS + 1  # one more run records the messages of the result
    command = (folder / "command.txt").read_text()
    assert command == done.stdout.splitlines()[1] + "\n"
    assert "hopscope" not in command
    rerun = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert "figure: 50." in rerun.stdout
    assert (folder / ("rules.conf" if mpi.flavour == "openmpi" else "env.sh")).is_file()
    report = (folder / "report.html").read_text()
    assert "<script" not in report
    assert all(candidate.name in report for candidate in journal.candidates)


@pytest.mark.releases
@pytest.mark.parametrize("intel", INTEL, ids=[mpi.release for mpi in INTEL])
def test_a_preset_of_intel_mpi_is_found_and_left_as_a_command(intel: local_mpi.LocalMpi, tmp_path: Path) -> None:
    done, folder = tuned(intel, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Use allreduce: preset ")
    assert "export I_MPI_ADJUST_ALLREDUCE=" in (folder / "env.sh").read_text()


def test_what_was_interrupted_measures_only_what_it_lacks(gained: Tuned, mpi: local_mpi.LocalMpi) -> None:
    done, folder = gained
    first_journal = read(folder)
    content = json.loads((folder / "tuning.json").read_text())
    content["measurements"] = content["measurements"][:-4]
    content["result"] = None
    (folder / "tuning.json").write_text(json.dumps(content))
    resumed = patiently(mpi, "--resume", "-o", folder)
    assert resumed.returncode == 0, resumed.stderr
    resumed_journal = read(folder)
    assert [(m.phase, m.block) for m in resumed_journal.measurements] == [
        (m.phase, m.block) for m in first_journal.measurements
    ]
    assert resumed_journal.measurements[:-4] == first_journal.measurements[:-4]
    assert resumed.stdout.split("(")[0] == done.stdout.split("(")[0]


def test_a_result_is_verified_by_fresh_pairs_and_for_its_own_ranks_only(gained: Tuned, mpi: local_mpi.LocalMpi) -> None:
    _, folder = gained
    verified = patiently(mpi, "--verify", folder)
    assert (verified.returncode, "still saves 50.0 %" in verified.stdout) == (0, True), verified.stderr
    assert [m.phase for m in read(folder).measurements[-12:]] == ["verification"] * 12
    content = json.loads((folder / "tuning.json").read_text())
    content["target"] |= {"ranks": 3, "hosts": [*content["target"]["hosts"], "elsewhere"]}
    (folder / "tuning.json").write_text(json.dumps(content))
    done = patiently(mpi, "--verify", folder)
    assert done.returncode == 2
    assert "number of ranks is not what" in done.stderr


@pytest.mark.statistics
def test_where_nothing_is_faster_the_program_is_left_as_it_is(tune: Tune) -> None:
    done, folder = tune(flags=("-DALIKE",))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Leave it as it is: ")
    journal = read(folder)
    assert journal.result is not None
    assert journal.result["candidate"] is None
    assert journal.result["iteration_ns"] == journal.baseline["iteration_ns"]
    assert "MPIR_CVAR" not in (folder / "command.txt").read_text()
    assert "--mca coll_tuned" not in (folder / "command.txt").read_text()


@pytest.mark.unfinished
def test_a_candidate_that_hangs_is_ended_with_all_its_processes(tune: Tune) -> None:
    done, folder = tune(flags=("-DHANGS",))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Leave it as it is: ")
    hung = [m.run for m in read(folder).measurements if m.candidate.startswith("allreduce")]
    assert {(run.outcome, run.detail) for run in hung} == {("slow", "3 times slower, or hung")}


def test_output_that_a_check_rejects_ends_with_2_and_names_the_output(tune: Tune) -> None:
    done, folder = tune("--check", "grep -q nothing")
    assert done.returncode == 2
    assert "--check exited with 1" in done.stderr
    assert str(folder / "recorded-baseline" / "output.txt") in done.stderr


def test_too_few_runs_for_a_candidate_are_refused_before_they_are_wasted(tune: Tune) -> None:
    done, folder = tune(runs=10)
    assert done.returncode == 2
    assert "--runs 10 is too few" in done.stderr
    assert len(read(folder).measurements) == 5


@pytest.mark.unfinished
def test_ctrl_c_keeps_what_was_measured_and_leaves_no_process(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    program = first_mpi.compile(PROGRAM)
    folder = tmp_path / "tuned"
    words = ["tune", "-o", str(folder), "--runs", "40", "--", *first_mpi.launch(2), str(program)]
    command = [str(Path(sys.executable).with_name("hopscope")), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        while not (folder / "tuning.json").is_file() or not read(folder).measurements:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    assert f"hopscope tune --resume -o {folder}" in stderr
    assert read(folder).measurements
    assert not [place for place in Path("/proc").glob("[0-9]*/environ") if _belongs(place, folder)]


def _belongs(place: Path, folder: Path) -> bool:
    try:
        return os.fsencode(f"HOPSCOPE_DIR={folder}") in place.read_bytes()
    except OSError:
        return False
