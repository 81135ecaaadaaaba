"""Starting real jobs under the collector, and asking the analyses about them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import local_mpi
from click.testing import CliRunner
from hopscope.cli.main import analyze as analyze_group

BIN = Path(sys.executable).parent
HEAT_PLATE = local_mpi.ROOT / "demo" / "heat_plate.c"
PROGRAMS = Path(__file__).parent / "programs"

# Where it is allowed, the ranks go before whatever else runs, so that only the planted rank is late.
FIRST = (
    ("chrt", "-r", "5")
    if subprocess.run(["chrt", "-r", "5", "true"], check=False, capture_output=True).returncode == 0
    else ()
)


@dataclass(frozen=True)
class Ended:
    """A job or command that has ended."""

    code: int
    out: str
    err: str
    trace: Path


def ended(words: list[str], trace: Path, cwd: Path, **environment: str) -> Ended:
    """Run a command to its end, within two minutes."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    return Ended(done.returncode, done.stdout, done.stderr, trace)


Run = Callable[..., Ended]


def analyze(trace: Path, command: str, *options: str) -> list[dict[str, Any]]:
    """The rows of an analyze command, as its JSON output says them. It runs in this process, for many start here."""
    done = CliRunner().invoke(analyze_group, [command, str(trace), *options, "--format", "json"])
    assert done.exit_code == 0, done.exception or done.stderr
    return json.loads(done.stdout)


def by_key(rows: list[dict[str, Any]], key: str) -> dict[Any, dict[str, Any]]:
    """Rows by the value of one column."""
    return {row[key]: row for row in rows}


def two_sites(wan_ms: float) -> dict[str, Any]:
    """A topology of two clusters with a host each, and so much emulated latency between them."""
    hosts = [{"name": "a0", "cluster": "A"}, {"name": "b0", "cluster": "B"}]
    links = {"wan": {"latency_ns": int(wan_ms * 1e6)}}
    return {"schema_version": 1, "hosts": hosts, "placement": "block", "emulate": {"links": links}}
