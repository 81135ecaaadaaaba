"""What the tests of the preload share: a job under real mpirun in a folder of its own, with the preload and without it.

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
HEADERS = Path(__file__).parents[2] / "include" / "hopscope"
NUMBERS = function_numbers(HEADERS / "functions.h")
NAMES = {number: name for name, number in NUMBERS.items()}


def launcher() -> list[str]:
    if FLAVOUR != "openmpi":
        return [MPIEXEC]
    # Root and more ranks than cores are normal in containers.
    return [MPIEXEC, "--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def ranks(n: int, program: str, *arguments: str, preload: bool = True, before: str = "") -> list[str]:
    """Each rank writes to a file of its own: launchers mix lines. `before` is shell text that comes first."""
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
        # Of a job that ends badly Hydra may say so itself, on stdout, now and then: without the collector too.
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
        """Runs without and with the preload; stdout must be the same. The spools, and what was said on stderr."""
        bare = self.launch(*ranks(n, program, *arguments, preload=False))
        seen = self.launch(*ranks(n, program, *arguments), **settings)
        self.assertEqual(bare.stdout, seen.stdout)
        self.assertTrue(bare.stdout)
        return read_run(self.trace), seen.stderr

    def assert_whole(self, run: Run, n: int) -> None:
        """Every spool is closed, in order of time, with as many enters as leaves, never one inside another."""
        self.assertEqual(sorted(run.definitions), list(range(n)))
        for spool in run.spools:
            self.assertEqual(spool.state, "closed")
            ticks = [r.ticks for r in spool.records]
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
