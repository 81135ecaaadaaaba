"""Runs a small job whose output nobody reads unless it fails, and leaves no process of it."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL, SIGTERM
from tempfile import TemporaryFile

from hopscope.errors import InputError

_GRACE_S = 10


def run_quietly(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], patience_s: float
) -> tuple[int | None, list[str]]:
    """Run a command in a folder, without input. Returns its exit code, or None if it did not end in `patience_s`
    seconds, and the lines that it printed: its errors, or its output if there are none.

    Raises InputError if the command cannot be started.
    """
    with TemporaryFile() as output, TemporaryFile() as errors:
        try:
            job = subprocess.Popen(
                list(words),
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise InputError(f"cannot start {words[0]}: {error.strerror}") from error
        code = None
        try:
            code = job.wait(patience_s)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if code is None:
                _end(job)
        texts: list[str] = []
        for file in (errors, output):
            file.seek(0)
            texts.append(file.read().decode(errors="replace").strip())
    return code, (texts[0] or texts[1]).splitlines()


def _end(job: subprocess.Popen[bytes]) -> None:
    """End a job, at first by the signal that its launcher hands on to the ranks."""
    for number in (SIGTERM, SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(job.pid, number)
        with suppress(subprocess.TimeoutExpired):
            job.wait(_GRACE_S)
