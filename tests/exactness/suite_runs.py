"""Runs mpi4py's own tests as MPI jobs, and collects the outcome of each test on each rank.

A test that ends the job (a crash, an abort, no progress) does not end the run: it is noted, and a new job runs the
rest.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hopscope.launch import collector_library, find_mpi
from local_mpi import ROOT, LocalMpi, without_hopscope

DRIVER = Path(__file__).parent / "programs" / "recorded_suite.py"
SMALL_JOB = Path(__file__).parents[1] / "reach" / "programs" / "small_job.c"
END = "(the job's end)"

Say = Callable[[str], None]


def sources() -> Path:
    """The folder test/ of the installed mpi4py's source distribution, fetched from PyPI once.

    Raises RuntimeError with pip's message if this fails.
    """
    name = f"mpi4py-{version('mpi4py')}"
    tests = ROOT / "build" / name / "test"
    if not tests.is_dir():
        with tempfile.TemporaryDirectory(prefix="hopscope-mpi4py-") as folder:
            words = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
            words += ["--no-binary", "mpi4py", "--dest", folder, name.replace("-", "==")]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"the sources of {name} could not be fetched: {done.stderr.strip()}")
            subprocess.run(["tar", "-xf", f"{folder}/{name}.tar.gz", "-C", folder], check=True)
            tests.parent.parent.mkdir(parents=True, exist_ok=True)
            # The folder is moved when it is complete, so that an incomplete one is never used.
            subprocess.run(["mv", "-T", f"{folder}/{name}", str(tests.parent)], check=not tests.is_dir())
    return tests


def mpi4py_loads(mpi: LocalMpi, folder: Path) -> dict[str, str]:
    """The variables by which mpi4py's wheel loads this MPI library. The folder gets a link if the wheel needs one."""
    library = find_mpi([str(mpi.compile(SMALL_JOB))]).path
    if library is None:
        raise RuntimeError(f"which file is the library of {mpi.release}?")
    library_folder = library.parent
    if library.name.startswith("libmpich."):
        # Debian's name for the library that the wheel's extension calls libmpi.so.12.
        library_folder = folder
        if not (folder / "libmpi.so.12").exists():
            (folder / "libmpi.so.12").symlink_to(library)
    return {"MPI4PY_MPIABI": mpi.flavour, "LD_LIBRARY_PATH": str(library_folder)}


@dataclass(frozen=True)
class Way:
    """A way to run the tests: without the collector (no variables), or with it and these variables."""

    name: str
    tree: dict[str, Any] | None = None
    transport: str = "shm"
    collector: bool = True
    library: Path | None = None
    """A library to preload instead of the collector, which shows that its faults are noticed."""


ALONE = Way("without the collector", collector=False)


@dataclass
class Outcomes:
    """Outcome of each test on each rank, and the collector's messages."""

    by_test: dict[tuple[str, int], str] = field(default_factory=dict)
    messages: dict[tuple[str, int], str] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    """Tests that ended their job, and the kind of its end."""
    collector_said: set[str] = field(default_factory=set)
    traces: list[Path] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """The tests to run: some modules (a regular expression) on a number of ranks, in a folder."""

    mpi: LocalMpi
    ranks: int
    folder: Path
    modules: str = ""
    patience_seconds: float = 60
    """Seconds without output after which a job counts as hanging."""


def run_suite(run: Run, way: Way, left_out: set[str], say: Say) -> Outcomes:
    """Runs all tests, in as many jobs as necessary."""
    outcomes, done = Outcomes(), set(left_out)
    for number in range(50):
        folder = run.folder / f"{way.name.replace(' ', '-')}.{number}"
        folder.mkdir(parents=True)
        (folder / "left_out").write_text("\n".join(sorted(done)))
        ending = _job(run, way, folder, say)
        lines = [_lines(folder / f"{rank}.jsonl") for rank in range(run.ranks)]
        outcomes.collector_said |= _collector_said(folder / "err")
        outcomes.traces += [folder / "trace"] if way.collector else []
        finished = [_finished(rank_lines) for rank_lines in lines]
        common_tests = set.intersection(*map(set, finished))
        for rank, tests in enumerate(finished):
            for test in common_tests:
                outcomes.by_test[test, rank] = tests[test]["outcome"]
                outcomes.messages[test, rank] = tests[test]["said"]
        done |= common_tests
        if not lines[0]:
            raise RuntimeError(
                f"{run.mpi.release} {way.name}: the job did not come to its first test: {ending}: {folder}"
            )
        culprit = next((test for test in lines[0][0]["tests"] if test not in common_tests), None)
        if culprit is None:
            outcomes.by_test[END, 0] = ending
            return outcomes
        say(f"{culprit} ends the job: {ending}")
        outcomes.stopped[culprit] = ending
        done.add(culprit)
    raise RuntimeError(f"{run.mpi.release} {way.name}: 50 jobs ended before their time: {run.folder}")


def _job(run: Run, way: Way, folder: Path, say: Say) -> str:
    """Runs one job. Returns the kind of its end."""
    variables = mpi4py_loads(run.mpi, folder)
    if way.collector:
        variables |= {
            "LD_PRELOAD": str(way.library or collector_library(run.mpi.release)),
            "HOPSCOPE_DIR": str(folder / "trace"),
            "HOPSCOPE_TRANSPORT": way.transport,
        }
        if way.tree:
            (folder / "tree.json").write_text(json.dumps(way.tree))
            variables["HOPSCOPE_TREE"] = str(folder / "tree.json")
    words = [
        *run.mpi.launch(run.ranks),
        sys.executable,
        str(DRIVER),
        str(sources()),
        str(folder),
        str(folder / "left_out"),
        run.modules,
    ]
    # The launcher's environment has the variables, as under `hopscope run`, so processes that a test spawns have them
    # too.
    clean = without_hopscope()
    with (folder / "out").open("wb") as output, (folder / "err").open("wb") as err:
        job = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=err,
            cwd=folder,
            env=clean | variables,
            start_new_session=True,
        )
        try:
            return _watched(job, folder, run, say)
        finally:
            _end(job)


def _watched(job: subprocess.Popen[bytes], folder: Path, run: Run, say: Say) -> str:
    """Waits for the job's end, or until it has been silent for too long."""
    size, progress_time, report_time = -1, time.monotonic(), time.monotonic()
    while job.poll() is None:
        new_size = sum(path.stat().st_size for path in folder.glob("*.jsonl"))
        if new_size != size:
            size, progress_time = new_size, time.monotonic()
        if time.monotonic() - progress_time > run.patience_seconds:
            return f"no progress for {run.patience_seconds:.0f} s"
        if time.monotonic() - report_time > 30:
            report_time = time.monotonic()
            done = _finished(_lines(folder / "0.jsonl"))
            say(f"{len(done)} tests, now in {(list(done) or ['the first'])[-1].partition('.')[0]}")
        time.sleep(0.05)
    return f"exit code {job.returncode}"


def _end(job: subprocess.Popen[bytes]) -> None:
    """Ends a job. The launcher ends its ranks when it is terminated; remaining processes of its session are killed."""
    if job.poll() is None:
        job.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(5)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[3]) == job.pid:
                os.kill(int(path.parent.name), signal.SIGKILL)
        except (OSError, IndexError):
            continue
    job.wait()


def _lines(path: Path) -> list[dict[str, Any]]:
    """The lines that a rank has written. The last one may be incomplete."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def _finished(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {line["test"]: line for line in lines if "test" in line}


def _collector_said(path: Path) -> set[str]:
    return {line for line in path.read_text(errors="replace").splitlines() if line.startswith("hopscope")}
