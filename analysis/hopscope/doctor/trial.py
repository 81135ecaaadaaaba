"""Runs a small job under the collector with one MPI library, and counts what was recorded."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from hopscope.doctor import allreduce
from hopscope.doctor.finding import Finding, finding_of
from hopscope.doctor.installations import Installation
from hopscope.doctor.libraries import native_hops_variables
from hopscope.errors import InputError
from hopscope.format.quantities import plural
from hopscope.launch.command import Request, environment, launcher_words
from hopscope.launch.installed import fitting_collector
from hopscope.launch.quiet_job import run_quietly
from hopscope.launch.refusals import machine_slots, refusal_here

RANKS = 2
CALLS = 10
PATIENCE_S = 120
Counts = Callable[[Path], tuple[int, int, str | None]]
"""Counts the calls of MPI_Allreduce and the hops in a trace directory, and says why no messages were recorded."""


def trial_finding(installation: Installation, counts: Counts) -> Finding:
    """The outcome of a job of two ranks that call MPI_Allreduce. counts: reads its trace."""
    file = str(installation.file)
    if installation.launcher is None:
        message = f"{installation.name} was not tried, because none of its launchers is here"
        return finding_of("trial", "caution", message, file)
    with tempfile.TemporaryDirectory(prefix="hopscope-doctor-") as folder:
        try:
            return _outcome(installation, counts, Path(folder))
        except InputError as error:
            return finding_of("trial", "problem", error, file)


def _outcome(installation: Installation, counts: Counts, folder: Path) -> Finding:
    assert installation.launcher is not None
    collector = fitting_collector(installation.mpi)
    trace = folder / "trace"
    variables = environment(Request(collector, directory=trace), os.environ)
    variables |= native_hops_variables(installation, collector) or {}
    words = [str(installation.launcher.path), "-n", str(RANKS)]
    if installation.launcher.flavour == "openmpi" and machine_slots() < RANKS:
        words.append("--oversubscribe")
    file = str(installation.file)
    words += [sys.executable, str(allreduce.__file__), file, installation.mpi.flavour, str(CALLS)]
    job = f"A job of {plural(RANKS, 'rank')} under {installation.name}"
    traced_words = launcher_words(words, collector, variables)
    code, lines = run_quietly(traced_words, folder, {**os.environ, **variables}, PATIENCE_S)
    if code != 0:
        reason = next((line for line in lines if line.strip(" -")), "it said nothing")
        fault = "did not end in time" if code is None else f"ended with code {code} ({reason})"
        refusal = refusal_here(words)
        message = f"{job} was refused: {refusal}" if refusal else f"{job} {fault}; run it by hand: {' '.join(words)}"
        return finding_of("trial", "problem", message, file)
    calls, hops, reason = counts(trace)
    sentence = f"{job} recorded {plural(calls, 'call')} of MPI_Allreduce and {plural(hops, 'hop')}"
    if calls != RANKS * CALLS:
        return finding_of("trial", "problem", f"{sentence}, not {RANKS * CALLS} calls; report this as a bug", file)
    return Finding("trial", "ok", sentence + (f" ({reason})" if reason else ""), library=file)
