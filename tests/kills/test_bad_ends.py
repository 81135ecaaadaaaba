"""Bad ends of a program: the trace always has every call that had returned, and says what is missing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_library
from kept_events import (
    FLAGS,
    PROGRAM,
    Log,
    RankEvents,
    assemble,
    functions,
    loss,
    read_archive,
    read_log,
    without_repeated_tests,
)

pytestmark = pytest.mark.unfinished

RANKS = 2
NAMES = functions()
ROUNDS = 40


def is_dead(pid: int) -> bool:
    """True if a process is gone, or is a zombie. A process without a pid has not begun yet."""
    try:
        return pid != 0 and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Job:
    """A job of logged_calls under the collector, in its own folder."""

    def __init__(self, mpi: local_mpi.LocalMpi, folder: Path, trace: Path | None = None) -> None:
        self.mpi = mpi
        self.folder = folder
        self.trace = trace or folder / "trace"
        self.code = -1
        self.output = ""

    def words(self, *arguments: str, pause: int = 0, shell: str = "", rounds: int = ROUNDS) -> list[str]:
        (self.folder / "logs").mkdir()
        prefix = ["sh", "-c", f'{shell} exec "$0" "$@"'] if shell else []
        preload = f"LD_PRELOAD={collector_library(self.mpi.release)}"
        program = str(self.mpi.compile(PROGRAM, *FLAGS))
        return [
            *self.mpi.launch(RANKS),
            *prefix,
            "env",
            preload,
            program,
            str(self.folder / "logs"),
            str(rounds),
            str(pause),
            *arguments,
        ]

    def start(self, words: list[str], **settings: str) -> "subprocess.Popen[str]":
        environment = {**os.environ, "HOPSCOPE_DIR": str(self.trace), "HOPSCOPE_SPOOL_CHUNK_BYTES": "4096", **settings}
        return subprocess.Popen(
            words,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, words: list[str], **settings: str) -> "Job":
        job = self.start(words, **settings)
        self.output, _ = job.communicate(timeout=120)
        self.code = job.returncode
        return self

    def run_until_end_of(self, rank: int, words: list[str]) -> None:
        """Runs the job until this rank has ended, then ends the other ranks. If the rank exited with 0, Hydra would
        wait for the others."""
        job = self.start(words)
        deadline = time.monotonic() + 100
        while job.poll() is None and not is_dead(self.log(rank).pid):
            assert time.monotonic() < deadline, f"rank {rank} does not end"
            time.sleep(0.02)
        job.terminate()
        self.output, _ = job.communicate(timeout=100)
        self.code = job.returncode

    def log(self, rank: int) -> Log:
        return read_log(self.folder / "logs" / f"{rank}.log", NAMES)

    def assert_all_kept(self) -> str:
        """Checks that every logged call is in the archive. Returns the message about missing data."""
        _, message = assemble(self.trace)
        archive = read_archive(self.trace)
        for rank in range(RANKS):
            log = self.log(rank)
            assert log.calls, f"rank {rank} has logged nothing: {self.output}"
            assert log.wrong == 0
            assert loss(log, archive[rank], tree=False) == "", message
        return message


@pytest.mark.parametrize("ending", ["exit", "segfault", "abort", "mpi-abort", "exec"])
def test_a_rank_that_ends_itself_loses_no_event(mpi: local_mpi.LocalMpi, tmp_path: Path, ending: str) -> None:
    job = Job(mpi, tmp_path)
    job.run_until_end_of(1, job.words(ending, "1", "25"))
    assert job.log(1).calls.count("MPI_Allreduce") == 25
    message = job.assert_all_kept()
    assert "MPI_Abort was called" in message if ending == "mpi-abort" else "MPI_Finalize was not reached" in message
    if ending == "mpi-abort":
        assert job.code != 0


def test_a_child_that_does_not_exec_leaves_its_parents_trace_alone(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    job = Job(mpi, tmp_path)
    job.run(job.words("fork", "1", "25"))
    assert job.code == 0, job.output
    assert job.log(1).calls[-1] == "MPI_Finalize"
    assert job.assert_all_kept() == ""


def test_sigterm_at_a_batch_limit_loses_no_event(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    job = Job(mpi, tmp_path)
    running = job.start(job.words(pause=1000, rounds=100_000))
    deadline = time.monotonic() + 100
    while job.log(0).calls.count("MPI_Allreduce") < 100:
        assert time.monotonic() < deadline and running.poll() is None, "the job does not get on"
        time.sleep(0.02)
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=100)
    assert job.log(1).calls.count("MPI_Allreduce") >= 99
    assert "MPI_Finalize was not reached" in job.assert_all_kept()


def test_a_disk_that_fills_up_ends_the_recording_and_not_the_run(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    mount = tmp_path / "small"
    mount.mkdir()
    size = ["mount", "-t", "tmpfs", "-o", "size=1500k", "none", str(mount)]
    mounted = subprocess.run(size, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a small file system here: {mounted.stderr.strip()}")
    try:
        job = Job(mpi, tmp_path, mount / "trace")
        job.run(job.words(rounds=3000), HOPSCOPE_ASSEMBLE="0")
        spools = tmp_path / "trace"
        subprocess.run(["cp", "-r", str(mount / "trace"), str(spools)], check=True)
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=False)
    assert job.code == 0, job.output
    assert "recording stopped on rank" in job.output
    assert "No space left on device" in job.output
    assert all(job.log(rank).calls[-1] == "MPI_Finalize" and not job.log(rank).wrong for rank in range(RANKS))
    _, message = assemble(spools)
    assert "recording stopped: no room for the next chunk of the spool" in message
    archive = read_archive(spools)
    for rank in range(RANKS):
        # Before that point nothing is missing.
        calls = without_repeated_tests(archive[rank].calls)
        assert 1000 < len(calls) < len(job.log(rank).calls)
        assert calls[:-1] == without_repeated_tests(job.log(rank).calls)[: len(calls) - 1]


@pytest.mark.parametrize("obstacle", ["unwritable", "read-only home"])
def test_where_nothing_can_be_written_the_application_runs_on(
    mpi: local_mpi.LocalMpi, tmp_path: Path, obstacle: str
) -> None:
    """Root may write anywhere, so the directory is on a file system that is mounted read-only."""
    place = tmp_path / "place"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro", "none", str(place)], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a read-only file system here: {mounted.stderr.strip()}")
    try:
        job = Job(mpi, tmp_path, place / "trace")
        if obstacle == "unwritable":
            job.run(job.words())
        else:  # the default directory is the working directory
            job.run(job.words(shell=f"cd {place};"), HOPSCOPE_DIR="", HOME=str(place))
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)
    assert job.code == 0, job.output
    assert all(job.log(rank).calls[-1] == "MPI_Finalize" and not job.log(rank).wrong for rank in range(RANKS))
    assert "Read-only file system. The application continues unrecorded" in job.output


def test_runs_killed_at_random_moments_lose_no_event() -> None:
    """A short form of `make check-kills`. A slice runs more of its runs."""
    script = Path(__file__).parent / "check_kills.py"
    done = subprocess.run(
        [sys.executable, str(script), "--runs", "4", "--seed", "5"],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_trace_that_lacks_a_call_is_noticed() -> None:
    """The check can fail."""
    log = Log(calls=["MPI_Init", "MPI_Barrier", "MPI_Barrier"])
    assert "3 calls were logged" in loss(log, RankEvents(2, log.calls[:2]), tree=False)
    assert "not logged" in loss(log, RankEvents(5, [*log.calls, "MPI_Bcast", "MPI_Bcast"]), tree=False)
    assert loss(log, RankEvents(4, log.calls), tree=False) == ""
