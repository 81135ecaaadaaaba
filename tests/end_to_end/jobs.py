"""Starts real jobs under the collector, and runs analyses of their traces."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
from click.testing import CliRunner
from hopscope.cli.main import analyze as analyze_group
from recorded_jobs import FinishedJob, finish

__all__ = ["BIN", "HEAT_PLATE", "PROGRAMS", "FinishedJob", "Planted", "Run", "analyze", "by_key", "finish", "two_sites"]

BIN = Path(sys.executable).parent
HEAT_PLATE = local_mpi.ROOT / "demo" / "heat_plate.c"
PROGRAMS = Path(__file__).parent / "programs"

Run = Callable[..., FinishedJob]
Planted = Callable[[str], hopscope.Trace]


def analyze(trace: Path, command: str, *options: str) -> list[dict[str, Any]]:
    """The rows of an analyze command's JSON output. The command runs in this process, because a process for each of the
    many commands would take long."""
    done = CliRunner().invoke(analyze_group, [command, str(trace), *options, "--format", "json"])
    assert done.exit_code == 0, done.exception or done.stderr
    return json.loads(done.stdout)


def by_key(rows: list[dict[str, Any]], key: str) -> dict[Any, dict[str, Any]]:
    """Rows by the value of one column."""
    return {row[key]: row for row in rows}


def two_sites(wan_ms: float) -> dict[str, Any]:
    """A topology of two clusters with one host each, and this emulated latency between them."""
    hosts = [{"name": "a0", "cluster": "A"}, {"name": "b0", "cluster": "B"}]
    links = {"wan": {"latency_ns": int(wan_ms * 1e6)}}
    return {"schema_version": 1, "hosts": hosts, "placement": "block", "emulate": {"links": links}}
