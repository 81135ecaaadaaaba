"""`hopscope probe` under every MPI library of this machine: its files, its refusals, and its end."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import jsonschema
import local_mpi
import pytest
from hopscope.advice.sweep.grid import OPERATIONS
from hopscope.launch.inputs import check_topology, schema
from hopscope.launch.probing import with_probe
from hopscope.machine.probe import session
from hopscope.machine.probe.session import Job, running

HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))
MPIS = local_mpi.find_all()
PIPE_BYTES = 1 << 15
"""Bytes that are in a pipe of 64 KiB at least, while its writer waits for room."""


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [HOPSCOPE, "probe", *words],
        cwd=folder,
        env=local_mpi.without_hopscope(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def probe(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    with start(folder, *words) as job:
        output = job.communicate(timeout=250)
    return subprocess.CompletedProcess(words, job.returncode, *output)


def left_in(folder: Path) -> list[str]:
    """Processes of a probe that was started in a folder."""
    pids: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
            if b"hopscope-probe" in words and (process / "cwd").readlink() == folder:
                pids.append(process.name)
        except OSError:
            continue
    return pids


def has_exited(folder: Path) -> bool:
    """True if no process of the probe is left. A launcher ends before its ranks."""
    deadline = time.monotonic() + 100
    while left_in(folder) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not left_in(folder)


@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_a_probe_writes_a_machine_file_and_a_topology_file(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    mpi_words = ["--mpi", "abi"] if mpi.flavour == "abi" else []
    done = probe(tmp_path, "--seconds", "3", *mpi_words, "--", *mpi.launch(3))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    machine = json.loads((tmp_path / "machine.json").read_text())
    jsonschema.validate(machine, schema("machine.schema.json"))
    assert {"openmpi": "Open MPI", "mpich": "MPICH", "abi": "MPICH"}[mpi.flavour] in machine["made"]["library"]
    assert machine["hosts"] == [{"name": os.uname().nodename, "cluster": "A", "ranks": [0, 1, 2]}]
    # The number of measured points depends on the machine. test_probing.py checks the values of points.
    assert machine["links"][0]["link"] == "shm"
    assert check_topology(tmp_path / "topology.json")["hosts"] == [{"name": os.uname().nodename, "cluster": "A"}]
    assert has_exited(tmp_path)


@pytest.mark.unfinished
def test_an_interrupt_ends_the_job_and_writes_nothing(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    with start(tmp_path, "--", *first_mpi.launch(3)) as job:
        assert job.stderr is not None
        while "measuring for" not in job.stderr.readline():
            pass
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=60)
    assert job.returncode == 130
    assert list(tmp_path.iterdir()) == []
    assert has_exited(tmp_path)


def bytes_to_read(file: IO[bytes]) -> int:
    """The number of bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(file, termios.FIONREAD, bytes(4)), sys.byteorder)


def keep_busy(job: Job, activity: str) -> None:
    """Sends a command that takes long, and waits until the job works on it."""
    commands = {"measuring": f"overhead 8 20 {500_000_000} 0:1", "talking": f"pingpong 8 {60_000} {1 << 40} 0:1"}
    stdin, stdout = job.process.stdin, job.process.stdout
    assert stdin is not None and stdout is not None
    stdin.write(commands[activity].encode() + b"\n")
    stdin.flush()
    deadline = time.monotonic() + 100
    # Either the launcher has read the command, or the output is more than a pipe holds and its writer waits.
    while bytes_to_read(stdin) > 0 if activity == "measuring" else bytes_to_read(stdout) < PIPE_BYTES:
        assert time.monotonic() < deadline, "the job does not come to the command"
        time.sleep(0.01)


@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
@pytest.mark.parametrize("busy", ["no", "measuring", "talking"])
@pytest.mark.unfinished
def test_a_job_ends_by_itself_or_by_the_first_signal_whatever_it_does(
    mpi: local_mpi.LocalMpi, busy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: Open MPI 5 needed a signal to end, because its launcher does not pass on the end of its input. Other
    libraries had to be killed if an interrupt came during a long measurement or while the output was more than a pipe
    holds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "END_SECONDS", 200.0)  # waiting for the next signal exceeds the time limit
    signals: list[signal.Signals] = []
    send_signal = subprocess.Popen.send_signal

    def noted(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        signals.append(number)
        send_signal(process, number)

    monkeypatch.setattr(subprocess.Popen, "send_signal", noted)
    launcher = with_probe([*mpi.launch(2)], "abi" if mpi.flavour == "abi" else None)
    with suppress(KeyboardInterrupt), running(launcher, {}) as job:
        assert len(job.measure("pingpong", 8, 2, 1 << 30, "0:1")) == 1
        if busy != "no":
            keep_busy(job, busy)
            raise KeyboardInterrupt
    assert signals in ([], [signal.SIGTERM] if busy != "no" else [])
    assert has_exited(tmp_path)


@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_collectives_are_timed_by_their_root_alone_and_leave_no_message_over(
    mpi: local_mpi.LocalMpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    launcher = with_probe([*mpi.launch(3)], "abi" if mpi.flavour == "abi" else None)
    with running(launcher, {}) as job:
        for operation in OPERATIONS:
            for size in (0, 12, 300_000):
                times = job.measure("collective", size, 4, operation, "0:1,2")
                assert {rank: len(rank_times) for rank, rank_times in times.items()} == {0: 4}
                assert all(time > 0 for time in times[0])
        # Some of the ranks, in another order.
        times = job.measure("collective", 8, 3, "bcast", "2:1")
        assert {rank: len(rank_times) for rank, rank_times in times.items()} == {2: 3}
        assert len(job.measure("pingpong", 8, 2, 1 << 30, "0:1")[0]) == 2


def refused(folder: Path, words: Sequence[str]) -> str:
    done = probe(folder, *words)
    assert done.returncode == 2, done.stderr
    assert not (folder / "topology.json").exists()
    return done.stderr


def test_a_probe_refuses_what_it_cannot_do(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    program = str(first_mpi.compile(Path(__file__).parents[1] / "reach" / "programs" / "small_job.c"))
    assert "leave it out" in refused(tmp_path, ["--", *first_mpi.launch(2), program])
    assert "at least two ranks" in refused(tmp_path, ["--seconds", "1", "--", *first_mpi.launch(1)])
    assert "ended by itself" in refused(tmp_path, ["--", *first_mpi.launch(2), "--no-such-option"])
    refusal = refused(tmp_path, ["--mpi", first_mpi.release, "--seconds", "1", "--", *first_mpi.launch(1)])
    assert "is not the launcher's library" in refusal
    (tmp_path / "machine.json").write_text("mine")
    assert "machine.json already exists" in refused(tmp_path, ["--", *first_mpi.launch(2)])
    assert (tmp_path / "machine.json").read_text() == "mine"


def test_a_topology_file_of_another_probe_is_kept_and_told_before_anything_is_measured(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    (tmp_path / "topology.json").write_text("another")
    done = probe(tmp_path, "-o", "new.json", "--seconds", "1", "--", *first_mpi.launch(2))
    assert (done.returncode, "measuring for" in done.stderr) == (2, False)
    assert "topology.json already exists; name the file to write with --topology-out" in done.stderr
    assert not (tmp_path / "new.json").exists()
    assert (tmp_path / "topology.json").read_text() == "another"


def test_what_cannot_be_written_is_said_before_anything_is_measured(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    """Regression: a missing folder was noticed after two minutes of measuring, and a topology with the machine file's
    name overwrote it."""
    launch = ["--seconds", "1", "--", *first_mpi.launch(2)]
    for words, reason in (
        (["-o", "none/machine.json"], "cannot write none/machine.json"),
        (["-o", "m.json", "--topology-out", "none/t.json"], "cannot write none/t.json"),
        (["-o", "topology.json"], "both name topology.json"),
        (["-o", "."], "directory"),
        (["--seconds", "nan"], "must be a number"),
        (["--seconds", "inf"], "must be a number"),
    ):
        refusal = refused(tmp_path, [*words, *launch[2 if "--seconds" in words else 0 :]])
        assert reason in refusal
        assert "measuring for" not in refusal and "Traceback" not in refusal
    assert list(tmp_path.iterdir()) == []
