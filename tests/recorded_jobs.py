"""Jobs that run once in a test run and that several tests use, in any of its processes.

The first test that needs a job runs it. The others, also in other modules and in other processes of pytest-xdist, get
the same trace. Two jobs are the same if their words, their variables and the files that they read are equal. So a test
that changes files of a job must copy them first, and a test about running twice must start its own jobs.

    @pytest.fixture(scope="session")
    def shared(tmp_path_factory):
        return shared_folder(tmp_path_factory)

    job = recorded_job(shared, ["hopscope", "run", ...], files={"tree.json": text}, HOPSCOPE_NATIVE="1")
    trace = sample_trace(shared, "planted/on_time/trace")
"""

import dataclasses
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hopscope
import pytest

SAMPLES = Path(__file__).parents[1] / "sample_traces"
READ_BY_JOBS = ("HOPSCOPE_", "OMPI_", "OPAL_", "MPICH_", "MPIR_", "I_MPI_", "UCX_", "FI_", "LD_")
"""Beginnings of the variables of the environment that change a job."""


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of this test run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


def fill_once(shared: Path, key: object, make: Callable[[Path], Any]) -> tuple[Path, Any]:
    """The folder of this key, and the answer of `make`. The first call fills the folder with `make`, whose answer must
    fit JSON.

    If `make` raises, the next call tries again.
    """
    name = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    folder, answer = shared / name, shared / f"{name}.json"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not answer.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            text = json.dumps(make(folder))
            answer.write_text(text)
    return folder, json.loads(answer.read_text())


@dataclass(frozen=True)
class FinishedJob:
    """A job or command that has ended, with its output."""

    code: int
    out: str
    err: str
    trace: Path


def finish(words: Sequence[str], trace: Path, cwd: Path, *, timeout: float = 240, **environment: str) -> FinishedJob:
    """Run a command to its end."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
    return FinishedJob(done.returncode, done.stdout, done.stderr, trace)


def recorded_job(
    shared: Path,
    words: Sequence[str],
    *,
    files: Mapping[str, str] | None = None,
    inputs: Sequence[Path] = (),
    **environment: str,
) -> FinishedJob:
    """The finished job of these words, in its own folder, where its trace is called `trace`.

    files: the files in that folder when the job starts, name -> text. inputs: files elsewhere that the words name.
    """
    contents = files or {}
    settings = {name: value for name, value in os.environ.items() if name.startswith(READ_BY_JOBS)} | environment
    texts = [path.read_text() for path in inputs]

    def run(folder: Path) -> dict[str, Any]:
        for name, text in contents.items():
            (folder / name).write_text(text)
        job = finish(words, folder / "trace", folder, **environment)
        return dataclasses.asdict(job) | {"trace": str(job.trace)}

    _, answer = fill_once(shared, ("job", [*words], sorted(contents.items()), texts, sorted(settings.items())), run)
    return FinishedJob(answer["code"], answer["out"], answer["err"], Path(answer["trace"]))


def sample_trace(shared: Path, name: str) -> hopscope.Trace:
    """A sample trace, from a copy whose dataset is made anew in each test run. No test may change it."""

    def copy(folder: Path) -> None:
        shutil.copytree(SAMPLES / name, folder / "trace", ignore=shutil.ignore_patterns("dataset"))

    folder, _ = fill_once(shared, ("sample", name), copy)
    return hopscope.open(folder / "trace")


def planted_truths() -> dict[str, list[dict[str, Any]]]:
    """Rows that answers must have, by the name of the run in sample_traces/planted."""
    return json.loads((SAMPLES / "planted" / "planted.json").read_text())
