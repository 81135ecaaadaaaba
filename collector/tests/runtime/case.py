"""Shared by the preload's tests: runs a job under real mpirun in its own folder, with and without the preload.

ctest passes the flavour, the preload, the test programs and the launcher in environment variables. The folder of a test
that fails is kept in build/failures/ctest-FLAVOUR-TEST.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

import abandoned_segments
import sanitizer_reports
from read_spool import Record, Run, Spool, function_numbers, read_run

FLAVOUR = os.environ["HOPSCOPE_TEST_FLAVOUR"]
PRELOAD = os.environ["HOPSCOPE_TEST_PRELOAD"]
PROGRAMS = Path(os.environ["HOPSCOPE_TEST_PROGRAMS"])
MPIEXEC = os.environ["HOPSCOPE_TEST_MPIEXEC"]
SANITIZED = os.environ.get("HOPSCOPE_TEST_SANITIZE", "OFF") != "OFF"
NUMBERS = function_numbers()
NAMES = {number: name for name, number in NUMBERS.items()}
FAILURES = Path(__file__).parents[3] / "build" / "failures"
LARGEST = 64 << 20
"""The size in bytes up to which a failed test's folder is kept. Of a larger folder, only the report is kept."""

Key = tuple[object, ...]


def launcher() -> list[str]:
    if FLAVOUR != "openmpi":
        return [MPIEXEC]
    # Containers often run as root, with fewer cores than ranks.
    return [MPIEXEC, "--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def ranks(n: int, program: str, *arguments: str, preload: bool = True, before: str = "") -> list[str]:
    """Returns the command line of a job with n ranks. Each rank prints to a file of its own, because launchers mix the
    lines of ranks. before: shell text that runs first."""
    carried = f"LD_PRELOAD={PRELOAD} " if preload else ""
    number = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    return [
        "-n",
        str(n),
        "sh",
        "-c",
        f'{before}{carried}exec "$0" "$@" >out.{number}',
        str(PROGRAMS / program),
        *arguments,
    ]


def calls(spool: Spool, function: str) -> list[Record]:
    return [r for r in spool.of("ENTER") if r.region == NUMBERS[function]]


def keep_failure(name: str, reports: list[str], home: Path) -> None:
    """Writes a failed test's reports, and copies its folder."""
    folder = FAILURES / f"ctest-{FLAVOUR}-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    load = " ".join(f"{average:.1f}" for average in os.getloadavg())
    (folder / "report.txt").write_text("\n".join([f"{name}, load {load}", *reports]))
    files = [path for path in home.rglob("*") if path.is_file() and not path.is_symlink()]
    if sum(path.stat().st_size for path in files) <= LARGEST:
        shutil.copytree(home, folder / "home", ignore_dangling_symlinks=True)


class Case(unittest.TestCase):
    alone: ClassVar[dict[Key, str]] = {}
    """The outputs of jobs without the preload, so that each such job runs only once."""
    recorded: ClassVar[dict[Key, tuple[Run, str]]] = {}
    """The results of `both_ways`, so that each job runs only once."""

    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="hopscope-test-"))
        self.trace = self.home / "trace"

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        """Runs the test, and keeps its folder if it fails."""
        result = result or self.defaultTestResult()
        counts_before = len(result.failures), len(result.errors)
        with abandoned_segments.removed():
            super().run(result)
        reports = [report for _, report in result.failures[counts_before[0] :] + result.errors[counts_before[1] :]]
        if hasattr(self, "home"):
            if reports:
                keep_failure(self.id().partition(".")[2], reports, self.home)
            shutil.rmtree(self.home, ignore_errors=True)
        return result

    def launch(self, *words: str, code: int | None = 0, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPSCOPE_")}
        environment |= {"HOPSCOPE_DIR": str(self.trace), "HOPSCOPE_ASSEMBLE": "0", **settings}
        if SANITIZED:
            environment |= sanitizer_reports.options(self.home)
        done = subprocess.run(
            [*launcher(), *words],
            env=environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        # Hydra itself sometimes reports a failed job on stdout, also without the collector.
        if code is not None:
            self.assertEqual(done.stdout, "")
        outputs = sorted(self.home.glob("out.*"))
        done.stdout = "".join(path.read_text() for path in outputs)
        for path in outputs:
            path.unlink()
        self.assertEqual(sanitizer_reports.faults(self.home), [])
        if code is not None:
            self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def both_ways(self, n: int, program: str, *arguments: str, **settings: str) -> tuple[Run, str]:
        """Runs a program without and with the preload, and checks that both print the same. Returns the spools and
        stderr. Tests with the same job share one run, whose files exist only during the first of these tests.
        """
        job = (n, program, *arguments)
        key = (*job, *sorted(settings.items()))
        if key not in self.recorded:
            if job not in self.alone:
                self.alone[job] = self.launch(*ranks(n, program, *arguments, preload=False)).stdout
            recorded_job = self.launch(*ranks(n, program, *arguments), **settings)
            self.assertEqual(self.alone[job], recorded_job.stdout)
            self.assertTrue(recorded_job.stdout)
            self.recorded[key] = read_run(self.trace), recorded_job.stderr
        return self.recorded[key]

    def assert_whole(self, run: Run, n: int) -> None:
        """Checks that every spool is closed, that enters and leaves alternate, and that records are in time order. The
        order is not checked next to the MPI library's own messages: a record that is written after them may have the
        earlier time of the call's enter."""
        self.assertEqual(sorted(run.definitions), list(range(n)))
        for spool in run.spools:
            self.assertEqual(spool.state, "closed")
            ticks = [r.ticks for r in spool.records if not r.kind.startswith(("HOP_", "WAIT_"))]
            self.assertEqual(ticks, sorted(ticks))
            open_function = None
            for record in spool.of("ENTER", "LEAVE"):
                if record.kind == "ENTER":
                    self.assertIsNone(open_function)
                    open_function = record.region
                else:
                    self.assertEqual(open_function, record.region)
                    open_function = None
            self.assertIsNone(open_function)
        for rank in range(n):
            self.assertEqual(run.definitions[rank][-1]["def"], "end")
            self.assertGreaterEqual(len(run.defs(rank, "clock")), 2)
