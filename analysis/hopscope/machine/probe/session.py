"""Runs the job in which a probe or a sweep measures (collector/src/probe). Its rank 0 takes commands from the
launcher's standard input and writes the results to standard output."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from hopscope.errors import InputError

START_SECONDS = 120.0
ANSWER_SECONDS = 120.0
END_SECONDS = 10.0
BROKEN_OFF_SECONDS = 0.5
"""Time that a job gets to end by itself after an interrupt or an error. After that it is ended by signals."""
_READ_EVERY_S = 0.05
_BYTES = 1 << 16
_INPUT = "If the launcher did not pass its input on to rank 0, tell it to (srun: --input=0)"


class Machine(Protocol):
    """A job that takes measurement commands."""

    hosts: Sequence[str]
    """The host name of each rank."""
    library: str

    def measure(self, *words: object) -> dict[int, list[float]]:
        """Run a measurement command (collector/src/probe/measure.h). Returns the times in ns by measuring rank."""
        ...


@dataclass
class Job:
    """A running job."""

    process: subprocess.Popen[bytes]
    hosts: Sequence[str] = ()
    library: str = ""
    _read: bytes = b""

    def measure(self, *words: object) -> dict[int, list[float]]:
        """Run a command; see `Machine`. Raises InputError if the job ended or does not answer."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(" ".join(str(word) for word in words).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise InputError(self._end_reason()) from None
        times: dict[int, list[float]] = {}
        for line in self._answer(ANSWER_SECONDS):
            if line[0] == "times":
                times[int(line[1])] = [float(word) for word in line[2:]]
            elif line[0] == "wrong":
                raise ValueError(f"the probe refused {words}: {' '.join(line[1:])}")
        return times

    def introduce(self) -> None:
        """Waits until all ranks have started, and reads their hosts and the library's name. Raises InputError if they
        do not start."""
        hosts: dict[int, str] = {}
        for line in self._answer(START_SECONDS):
            if line[0] == "library":
                self.library = " ".join(line[1:])
            elif line[0] == "rank":
                hosts[int(line[1])] = line[2] if len(line) > 2 else "host"
        self.hosts = [hosts[rank] for rank in range(len(hosts))]

    def _answer(self, seconds: float) -> Generator[list[str]]:
        """Yields the lines of an answer up to `end`, split at spaces. Other lines, such as a launcher's warnings, are
        printed to stderr. seconds: the limit on the whole answer."""
        deadline = time.monotonic() + seconds
        while True:
            words = self._line(deadline).split()
            if words and words[0] in ("times", "ready", "library", "rank", "wrong", "end"):
                if words[0] == "end":
                    return
                yield words
                if words[0] == "wrong":
                    return
            elif words:
                print(*words, file=sys.stderr)

    def _line(self, deadline: float) -> str:
        output = self.process.stdout
        assert output is not None
        with selectors.DefaultSelector() as ready:
            ready.register(output, selectors.EVENT_READ)
            while b"\n" not in self._read:
                if not ready.select(max(0.0, deadline - time.monotonic())):
                    raise InputError(
                        f"the probe's ranks do not answer. {_INPUT}; if the machine is very busy, try again later"
                    )
                chunk = os.read(output.fileno(), _BYTES)
                if not chunk:
                    raise InputError(self._end_reason())
                self._read += chunk
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace")

    def _end_reason(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS)
        code = self.process.returncode
        if code == 0:
            return f"the probe's job ended at once. {_INPUT}"
        return f"the probe's job ended by itself (exit code {code}); the lines above may say why"


@contextmanager
def running(words: Sequence[str], variables: Mapping[str, str]) -> Generator[Job]:
    """Context manager that starts a command as a job and always ends the job afterwards. Raises InputError if it cannot
    be started.

    The job runs in its own terminal session, so an interrupt from the terminal does not reach it. It interrupts this
    process, which then ends the job: with the command `end` or, after BROKEN_OFF_SECONDS, by signals.
    """
    try:
        process = subprocess.Popen(
            list(words),
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise InputError(f"cannot start {words[0]}: {error.strerror}") from error
    job = Job(process)
    patience = BROKEN_OFF_SECONDS
    try:
        job.introduce()
        yield job
        patience = END_SECONDS
    finally:
        _end(process, patience)


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Tells a job to end, and sends it signals if it has not ended after `patience` seconds."""
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(b"end\n")  # Open MPI 5's launcher does not pass on the end of its input
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    for send, seconds in ((None, patience), (signal.SIGTERM, END_SECONDS), (signal.SIGKILL, END_SECONDS)):
        if send is not None:
            process.send_signal(send)
        if _ends(process, seconds):
            break
    process.stdout.close()


def _ends(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Waits for a job, and returns True if it ends within `seconds`. Reads its remaining output, because a job that
    blocks on writing does not end, not even on a signal."""
    assert process.stdout is not None
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while process.poll() is None and time.monotonic() < deadline:
            if ready.select(_READ_EVERY_S) and not os.read(process.stdout.fileno(), _BYTES):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(max(0.0, deadline - time.monotonic()))
    return process.poll() is not None
