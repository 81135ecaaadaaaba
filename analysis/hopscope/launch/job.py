"""Runs a traced job, and assembles its trace if the job itself did not."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.format.json_text import read_json
from hopscope.launch.installed import collector_file

ANCHOR = "traces.otf2"
HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
REFUSED = 2
"""Exit code with which the collector ends a job whose tree or topology it refuses, after a message with the reason."""
FROM_THE_KERNEL = 128
"""The si_code of a signal that a terminal sent (SI_KERNEL). The launcher is in the same process group and gets the
signal, too."""


@dataclass(frozen=True)
class JobEnd:
    """The end of a job: its exit code, and whether it was interrupted."""

    code: int
    """The launcher's exit code, 128 + n if it died from signal n, as shells do."""
    interrupted: bool
    """True if this process got SIGINT, SIGTERM or SIGHUP while the job ran."""


def run_job(words: Sequence[str], variables: Mapping[str, str]) -> JobEnd:
    """Starts a command with variables added to the environment and waits for it.

    SIGINT, SIGTERM and SIGHUP from other processes are handed on to the command; an interrupt from the terminal reaches
    it by itself. This process goes on in every case, so that it can assemble the trace afterwards.
    """
    early_signals: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, _frame: early_signals.append(number)) for number in HANDED_ON
    }
    try:
        try:
            child = subprocess.Popen(list(words), env={**os.environ, **variables})
        except OSError as error:
            raise InputError(f"cannot start {words[0]}: {error.strerror}") from error
        # Block signals only now, because the child would inherit the mask.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*HANDED_ON, signal.SIGCHLD})
        for number in early_signals:
            child.send_signal(number)
        interrupted = bool(early_signals)
        while child.poll() is None:
            received = signal.sigtimedwait({*HANDED_ON, signal.SIGCHLD}, 1.0)
            if received and received.si_signo in HANDED_ON:
                interrupted = True
                if received.si_code != FROM_THE_KERNEL:
                    child.send_signal(received.si_signo)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    code = child.returncode
    return JobEnd(code if code >= 0 else 128 - code, interrupted)


def is_assembled(directory: Path) -> bool:
    """True if a trace directory has its archive."""
    return (directory / ANCHOR).is_file()


def is_unassembled_run(directory: Path) -> bool:
    """True if a directory has recordings of ranks that are not assembled yet."""
    return not is_assembled(directory) and any((directory / "spool").glob("*.defs"))


def may_have_grown(directory: Path) -> bool:
    """True if a trace directory has both its archive and recordings, which may have grown since."""
    return is_assembled(directory) and any((directory / "spool").glob("*.defs"))


def assemble(directory: Path) -> str:
    """Makes the archive from the spools in a trace directory. Returns the messages of the assembling program.

    Raises InputError with these messages if it fails. A directory whose archive has everything that was recorded stays
    as it is. If spools grew or were added since, the archive is made again.
    """
    if is_assembled(directory) and not may_have_grown(directory):
        return ""
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory; name the one that the run wrote (hopscope run prints it)")
    if not is_assembled(directory) and not is_unassembled_run(directory):
        raise InputError(
            f"{directory} contains neither an archive ({ANCHOR}) nor recordings (spool/*.defs); name the trace "
            "directory of a recorded run"
        )
    program = collector_file("hopscope-assemble")
    done = subprocess.run([str(program), str(directory)], capture_output=True, text=True, check=False)
    message = (done.stderr or done.stdout).strip()
    if done.returncode != 0 or not is_assembled(directory):
        raise InputError(message or f"{program.name} could not assemble {directory} (exit code {done.returncode})")
    return message


def join(directory: Path, second: Path) -> None:
    """Lets the next assembly of a trace directory include another run's recordings, which stay where they are.

    Raises InputError if either run has no recordings (any more).
    """
    for run in (directory, second):
        if not any((run / "spool").glob("*.defs")):
            raise InputError(
                f"{run} contains no recordings (spool/*.defs), and only recordings can be joined. A complete trace "
                "keeps them if its job ran with HOPSCOPE_KEEP_SPOOL=1"
            )
    if directory.resolve() == second.resolve():
        raise InputError(f"{second} is the same run; name another one to join")
    link = directory / f"joined-{second.resolve().name}"
    number = 1
    while link.is_symlink() and link.resolve() != second.resolve():
        number += 1
        link = directory / f"joined-{second.resolve().name}-{number}"
    if not link.is_symlink():
        link.symlink_to(second.resolve())


def worlds(directory: Path) -> list[dict[str, Any]]:
    """The worlds of an assembled run, as its run.json lists them; empty if it does not list them."""
    try:
        facts = read_json((directory / "run.json").read_text())
    except (OSError, ValueError):
        return []
    return cast("dict[str, list[dict[str, Any]]]", facts).get("worlds", []) if isinstance(facts, dict) else []


def inspect(directory: Path) -> dict[str, Any]:
    """The facts on each rank from its recording so far, as in schemas/inspection.schema.json up to `missing`.

    Raises InputError if the directory holds no recordings.
    """
    if not any((directory / "spool").glob("*.defs")):
        raise InputError(
            f"{directory} contains no recordings (spool/*.defs). Either its job ended normally and the trace is "
            "complete, or this is not a trace directory; `hopscope inspect` is for jobs that run, hang or were "
            "killed"
        )
    program = collector_file("hopscope-assemble")
    done = subprocess.run([str(program), "--inspect", str(directory)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(done.stderr.strip() or f"{program.name} could not read {directory} (code {done.returncode})")
    return cast("dict[str, Any]", json.loads(done.stdout))
