"""Shared by the preload's tests: runs a job under real mpirun in its own folder, with and without the preload.

ctest names the flavour, the preload, the test programs and the launcher in the environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import sanitizer_reports
from read_spool import Record, Run, Spool, function_numbers, read_run

FLAVOUR = os.environ["HOPSCOPE_TEST_FLAVOUR"]
PRELOAD = os.environ["HOPSCOPE_TEST_PRELOAD"]
PROGRAMS = Path(os.environ["HOPSCOPE_TEST_PROGRAMS"])
MPIEXEC = os.environ["HOPSCOPE_TEST_MPIEXEC"]
SANITIZED = os.environ.get("HOPSCOPE_TEST_SANITIZE", "OFF") != "OFF"
NUMBERS = function_numbers()
NAMES = {number: name for name, number in NUMBERS.items()}


def launcher() -> list[str]:
    if FLAVOUR != "openmpi":
        return [MPIEXEC]
    # Containers often run as root, with fewer cores than ranks.
    return [MPIEXEC, "--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def ranks(n: int, program: str, *arguments: str, preload: bool = True, before: str = "") -> list[str]:
    """Each rank writes to its own file, because launchers mix lines. `before` is shell text to run first."""
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


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="hopscope-test-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.trace = self.home / "trace"

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
        """Runs without and with the preload, which must print the same. Returns the spools and stderr."""
        bare = self.launch(*ranks(n, program, *arguments, preload=False))
        seen = self.launch(*ranks(n, program, *arguments), **settings)
        self.assertEqual(bare.stdout, seen.stdout)
        self.assertTrue(bare.stdout)
        return read_run(self.trace), seen.stderr

    def assert_whole(self, run: Run, n: int) -> None:
        """Every spool is closed and in time order, but for the MPI library's own messages: what is noted after a call
        has the time of its enter. Enters and leaves alternate."""
        self.assertEqual(sorted(run.definitions), list(range(n)))
        for spool in run.spools:
            self.assertEqual(spool.state, "closed")
            ticks = [r.ticks for r in spool.records if not r.kind.startswith(("HOP_", "WAIT_"))]
            self.assertEqual(ticks, sorted(ticks))
            inside = None
            for record in spool.of("ENTER", "LEAVE"):
                if record.kind == "ENTER":
                    self.assertIsNone(inside)
                    inside = record.region
                else:
                    self.assertEqual(inside, record.region)
                    inside = None
            self.assertIsNone(inside)
        for rank in range(n):
            self.assertEqual(run.definitions[rank][-1]["def"], "end")
            self.assertGreaterEqual(len(run.defs(rank, "clock")), 2)
