"""One measured run: the program under the collector in processes of their own, with a limit on its time."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopscope.advice.tune.alternation import times_of_turns
from hopscope.advice.tune.iteration import LEFT_OUT, iteration_time
from hopscope.errors import InputError
from hopscope.format.quantities import duration
from hopscope.launch.job import assemble, is_unassembled_run
from hopscope.query.opened import Open

OUTPUT: Final = "output.txt"
TRACE: Final = "trace"
NO_TURNS: Final = "too few iterations ran wholly by the engine or wholly by the library"
_RUN: Final = "from hopscope.cli.start import main; main()"
_POLL_S: Final = 0.2
_GRACE_S: Final = 10.0
"""Time between asking a job to end and killing what is left of it."""
_TAIL_LINES: Final = 12


@dataclass(frozen=True)
class Job:
    """The common settings of a tuning's runs.

    words: launcher and program. open_trace: `hopscope.open`. net: a topology file with a network. check: a shell
    command that reads the program's output and fails if that is wrong. metric: a regular expression whose first group
    is the figure in the output; None: the figure is the time of an iteration. maximize: a larger metric is better.
    iterations: the number after which a run is ended. left_out: the first 1/left_out of the iterations does not count.
    """

    words: tuple[str, ...]
    open_trace: Open
    net: Path | None = None
    check: str | None = None
    metric: str | None = None
    maximize: bool = False
    iterations: int | None = None
    left_out: int = LEFT_OUT


@dataclass(frozen=True)
class Run:
    """A run's outcome. figure: smaller is better, ns for an iteration time; None unless the outcome is `measured`.
    detail: the reason if the figure is None. library: the library's figure in a run in which it alternates with the
    engine."""

    outcome: str  # measured, failed, rejected, slow
    wall_s: float
    figure: float | None = None
    per: str | None = None
    detail: str | None = None
    library: float | None = None


Progress = Callable[[Path], bool]
"""A function of a run's trace directory that returns True once the run may be ended."""


def run_job(
    job: Job,
    variables: Mapping[str, str],
    folder: Path,
    *,
    limit_s: float | None,
    native: bool = False,
    tree: Path | None = None,
    is_done: Progress | None = None,
    turns: bool = False,
) -> Run:
    """Run a job once and take its figure. folder: new; the trace and the output are in it afterwards.

    limit_s: the time after which all processes of the run are ended and its outcome is `slow`. native: also records the
    messages inside collectives. is_done: ends the run early once it returns True; the run still counts. turns: True if
    the tree file makes engine and library alternate.
    """
    folder.mkdir(parents=True)
    options = ["--no-diagnosis", "--dir", str(folder / TRACE)]
    options += ["--net", str(job.net)] if job.net else []
    options += ["--tree", str(tree)] if tree else []
    environment = {**os.environ, **variables}
    if not native:
        environment["HOPSCOPE_NATIVE"] = "0"
    begin = time.monotonic()
    with (folder / OUTPUT).open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", _RUN, "run", *options, "--", *job.words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        try:
            cause = _wait(process, limit_s, is_done, folder / TRACE)
        except BaseException:
            _end(process, folder / TRACE)
            raise
        if cause != "by itself":
            _end(process, folder / TRACE)
    wall_s = time.monotonic() - begin
    if cause == "limit":
        return Run("slow", wall_s, detail=f"ended after {duration((limit_s or 0.0) * 1e9)}")
    if process.returncode != 0 and cause == "by itself":
        return Run("failed", wall_s, detail=f"exit code {process.returncode}: {_tail(folder / OUTPUT)}")
    return _measured(job, folder, wall_s, turns=turns)


def _measured(job: Job, folder: Path, wall_s: float, *, turns: bool) -> Run:
    output = folder / OUTPUT
    if job.check is not None:
        with output.open("rb") as text:
            done = subprocess.run(job.check, shell=True, stdin=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return Run("rejected", wall_s, detail=f"--check exited with {done.returncode} {_last(done.stderr)}".strip())
    try:
        if job.metric is not None:
            figure = _matched(job.metric, output.read_text(errors="replace"))
            return Run("measured", wall_s, 1 / figure if job.maximize else figure, "metric")
        if is_unassembled_run(folder / TRACE):
            assemble(folder / TRACE)
        if turns:
            times = times_of_turns(job.open_trace(folder / TRACE))
            if times is None:
                return Run("failed", wall_s, detail=NO_TURNS)
            return Run("measured", wall_s, times[0], "iteration", library=times[1])
        of_iteration = iteration_time(job.open_trace(folder / TRACE), job.iterations, job.left_out)
    except InputError as problem:
        return Run("failed", wall_s, detail=str(problem))
    return Run("measured", wall_s, of_iteration.time_ns, of_iteration.unit)


def _matched(metric: str, output: str) -> float:
    """The program's own figure, from the last match of the metric. Raises InputError where the output has no match, or
    where the figure is not a positive number."""
    matches: list[Any] = re.findall(metric, output)
    if not matches:
        raise InputError(f"the output has no match of --metric {metric!r}")
    last = matches[-1] if isinstance(matches[-1], str) else matches[-1][0]
    try:
        figure = float(last)
    except ValueError:
        raise InputError(f"--metric matched {last!r}, which is not a number") from None
    if figure <= 0:
        raise InputError(f"--metric gave {last}; only positive figures can be compared by their ratio")
    return figure


def _wait(process: subprocess.Popen[bytes], limit_s: float | None, is_done: Progress | None, trace: Path) -> str:
    """Waits for a run. Returns the reason to stop waiting: the run ended `by itself`, it reached the time `limit`, or
    it is `done` according to is_done."""
    deadline = None if limit_s is None else time.monotonic() + limit_s
    while True:
        try:
            process.wait(_POLL_S)
            return "by itself"
        except subprocess.TimeoutExpired:
            if deadline is not None and time.monotonic() > deadline:
                return "limit"
            if is_done is not None and is_done(trace):
                return "done"


def _end(process: subprocess.Popen[bytes], trace: Path) -> None:
    """Ends a job with all its processes, wherever the launcher started them on this machine."""
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + _GRACE_S
    while (process.poll() is None or _members(trace)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for number in _members(trace):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(number, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _members(trace: Path) -> list[int]:
    """The numbers of the processes that record into a trace directory."""
    word = b"HOPSCOPE_DIR=" + os.fsencode(trace.resolve())
    numbers: list[int] = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            with suppress(OSError):
                if word in (place / "environ").read_bytes().split(b"\0"):
                    numbers.append(int(place.name))
    return numbers


def discard(folder: Path) -> None:
    """Remove a run's files."""
    shutil.rmtree(folder, ignore_errors=True)


def _tail(output: Path) -> str:
    lines = output.read_text(errors="replace").strip().splitlines()
    return " / ".join(line.strip() for line in lines[-_TAIL_LINES:] if line.strip())


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""
