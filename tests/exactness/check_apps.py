"""Real applications with and without the collector: make check-apps.

    check_apps.py [--whole] [--only REGEX]

Debian's LAMMPS, HPCC and ScaLAPACK test programs run without the collector, observed, and with the engine, which runs
every collective that it can, over shared memory and over MPI messages. Observed, the output must be the same to the
last digit, apart from times. With the engine, which adds in another order, fractions may differ within a bound. Each
archive is converted, the dataset's rules are checked, and its calls are counted. Prints a table and a sentence for each
difference, and exits with 1 if there are any.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import local_mpi
from applications import PACKAGES, Application, applications
from hopscope.launch import collector_library
from outputs import compare
from traces import faults_of, rows
from tree_mixtures import MIXTURES

_FIRST, _SECOND, _THIRD = MIXTURES
WAYS = {"observed": None, "engine, shm": (_FIRST, "shm"), "engine, mpi": (_THIRD, "mpi")}
PATIENCE_SECONDS = 240
# Output that changes from run to run without the collector cannot be compared.
FRACTIONS_CHANGE = "  (fractions change by themselves: held against the bound)"
WORDS_CHANGE = "  (its verdicts change by themselves, without the collector, too: only code and trace are compared)"
CALL_COUNTS = "SELECT count(*) AS calls, count(*) FILTER (engine = 'tree') AS by_engine FROM calls"
# The largest addition to the largest process. The collector may use 16 MiB, and its recording has a window of 1 MiB.
MOST_ADDED_MIB = 17
# A process inherits the peak memory of the process that forked it. So a small process stands in between.
MEASURED = """
import pathlib, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
pathlib.Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


@dataclass
class FinishedRun:
    """A finished run."""

    code: int
    results: str
    messages: list[str]
    """The collector's lines on stderr."""
    largest_mib: float
    """The largest resident size of any of its processes."""
    hung: bool
    """True if the run was ended after PATIENCE_SECONDS."""


def run(application: Application, mpi: local_mpi.LocalMpi, folder: Path, way: str | None) -> FinishedRun:
    """Runs an application in a new folder. way: None runs it without the collector."""
    folder.mkdir(parents=True)
    application.prepare(folder)
    variables = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if way is not None:
        variables |= {"LD_PRELOAD": str(collector_library(mpi.release)), "HOPSCOPE_DIR": str(folder / "trace")}
        # The first analyze command makes the archive, so that the peak memory is that of the run.
        variables["HOPSCOPE_ASSEMBLE"] = "0"
        if engine := WAYS[way]:
            (folder / "tree.json").write_text(json.dumps(MIXTURES[engine[0]]))
            variables |= {"HOPSCOPE_TREE": str(folder / "tree.json"), "HOPSCOPE_TRANSPORT": engine[1]}
    clean = local_mpi.without_hopscope()
    with (folder / "stdout").open("wb") as output, (folder / "stderr").open("wb") as err:
        job = subprocess.Popen(
            [sys.executable, "-S", "-c", MEASURED, "memory", *mpi.launch(application.ranks), *application.words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=err,
            cwd=folder,
            env=clean | variables,
            start_new_session=True,
        )
        hung = False
        try:
            job.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            hung = True
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGTERM)
                job.wait()
    memory = folder / "memory"
    largest = int(memory.read_text()) / 1024 if memory.exists() else 0
    messages = [
        line for line in (folder / "stderr").read_text(errors="replace").splitlines() if line.startswith("hopscope")
    ]
    try:
        results = application.results(folder, (folder / "stdout").read_text(errors="replace"))
    except (OSError, ValueError):
        results = ""
    return FinishedRun(job.returncode, results, messages, largest, hung)


class Check:
    """One application under one MPI library: its lines of the table, and its differences."""

    def __init__(self, application: Application, mpi: local_mpi.LocalMpi, folder: Path) -> None:
        self.application, self.mpi, self.folder = application, mpi, folder
        self.differences: list[str] = []
        self.repeats: list[FinishedRun] = []  # further runs without the collector, made on demand

    def lines(self) -> Iterator[str]:
        """Runs the application in all ways, and yields the lines of the table."""
        name = f"{self.application.name:24} {self.mpi.release:9}"
        alone = run(self.application, self.mpi, self.folder / "alone", None)
        if alone.hung:
            yield f"{name} left out: without the collector it does not end within {PATIENCE_SECONDS} s either"
            return
        if not alone.results:
            self.differences.append("it does not run without the collector")
            yield f"{name} does not run: exit code {alone.code}; see {self.folder}"
            return
        change_note = ""
        for number, way in enumerate(WAYS):
            traced_run = run(self.application, self.mpi, self.folder / str(number), way)
            rules = self.application.rules
            same_order = WAYS[way] is None and not change_note
            comparison = compare(alone.results, traced_run.results, rules, same_order)
            if comparison.differences and not change_note:
                change_note = self._changes_by_itself(alone)
                comparison = compare(alone.results, traced_run.results, rules, same_order and not change_note)
            if change_note == WORDS_CHANGE:
                comparison.differences = []
            # If the program itself fails, the exit code that the launcher passes on changes from run to run.
            as_before = traced_run.code == alone.code or (traced_run.code != 0 and alone.code != 0)
            faults = [] if as_before else [f"exit code {traced_run.code} instead of {alone.code}"]
            faults += comparison.differences
            added = traced_run.largest_mib - alone.largest_mib
            faults += [f"{added:.0f} MiB of memory added"] if added > MOST_ADDED_MIB else []
            trace_faults, calls, by_engine = _checked_trace(self.folder / str(number) / "trace")
            faults += trace_faults
            faults += ["no call seen"] if not calls else []
            faults += ["no call by the engine"] if WAYS[way] and not by_engine else []
            self.differences += [f"{way}: {fault}" for fault in faults]
            equal = "same" if same_order and not change_note else f"{comparison.largest:.0e}"
            equal = "DIFFERENT" if faults else ("(none)" if change_note == WORDS_CHANGE else equal)
            yield (
                f"{name} {way:12} {comparison.exact:7} {comparison.fractions:7} {comparison.residuals:7}  {equal:9} "
                f"{calls:8} {by_engine:8} {added:6.1f}{change_note}"
            )
            for line in sorted(set(traced_run.messages)):
                yield f"    the collector said: {line}"

    def _changes_by_itself(self, alone: FinishedRun) -> str:
        """A note if the output also changes from run to run without the collector; else empty."""
        for number in range(len(self.repeats), 3):
            self.repeats.append(run(self.application, self.mpi, self.folder / f"again-{number}", None))
        for same_order, change in ((False, WORDS_CHANGE), (True, FRACTIONS_CHANGE)):
            for repeat in self.repeats:
                if compare(alone.results, repeat.results, self.application.rules, same_order).differences:
                    return change
        return ""


def _checked_trace(trace: Path) -> tuple[list[str], int, int]:
    """Faults of a trace, the number of its collective calls, and the number of those that the engine ran."""
    faults = faults_of(trace)
    try:
        counts = rows(trace, "sql", CALL_COUNTS)
    except RuntimeError as trouble:
        return [*faults, str(trouble)], 0, 0
    return faults, counts[0]["calls"], counts[0]["by_engine"]


def _install() -> None:
    """Installs the packages, if this is Debian and the user is root."""
    state = ["dpkg-query", "-W", "-f", "${db:Status-Status}"]
    missing = [
        name
        for name in PACKAGES
        if subprocess.run([*state, name], capture_output=True, text=True, check=False).stdout != "installed"
    ]
    if not missing:
        return
    root = [] if os.geteuid() == 0 else ["sudo"]
    print(f"installing {', '.join(missing)}", file=sys.stderr)
    apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q", "--no-install-recommends"]
    done = subprocess.run([*apt, *missing], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"check-apps: these Debian packages are needed: {' '.join(missing)}\n{done.stderr.strip()}")


def main() -> int:
    """Runs all applications."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--whole", action="store_true", help="ScaLAPACK in all four precisions: some hours")
    options.add_argument("--only", default="", help="a regular expression for names")
    arguments = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    _install()
    local_mpi.share_cores()
    libraries = {mpi.flavour: mpi for mpi in local_mpi.find()}
    selection = [candidate for candidate in applications(arguments.whole) if re.search(arguments.only, candidate.name)]
    folder, differences = Path(tempfile.mkdtemp(prefix="hopscope-apps-")), 0
    print(
        f"{'application':24} {'MPI':9} {'way':12} {'exact':>7} {'within':>7} {'small':>7}  {'largest':9} {'calls':>8} "
        f"{'engine':>8} {'MiB':>6}"
    )
    for number, application in enumerate(selection):
        for flavour in application.flavours:
            if flavour not in libraries:
                sys.exit(f"check-apps: {application.name} wants {flavour}, which is not on this machine")
            place = folder / f"{number}-{flavour}"
            check = Check(application, libraries[flavour], place)
            for line in check.lines():
                print(line, flush=True)
            for difference in check.differences:
                print(f"    DIFFERENT: {difference}", flush=True)
            differences += len(check.differences)
            if not check.differences:
                shutil.rmtree(place)
    if differences:
        print(f"{differences} differences; what the runs left is in {folder}")
        return 1
    shutil.rmtree(folder)
    print("no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
