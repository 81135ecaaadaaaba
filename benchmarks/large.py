"""Conversion and analyses of synthetic traces of any length, compared with merely reading them.

The yardstick is `count_events`, in which two processes only count events with libotf2's local readers. All figures are
taken in the same run, each in a process of its own, whose peak memory the system gives (ru_maxrss). Processor time is
shown beside time, because another process on the machine lengthens only the time.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from measure import ROOT

MIXES = ("collectives", "messages")
"""Main contents of synthetic traces."""

_CONVERT = """
import json, sys, time
from pathlib import Path
from hopscope.dataset.convert import ensure_dataset
stages = {}
made = ensure_dataset(Path(sys.argv[1]), progress=lambda stage, *_: stages.setdefault(stage, time.perf_counter()))
walks = time.perf_counter() - stages["finding paths"] if "finding paths" in stages else None
tables = json.loads((made / "manifest.json").read_text())["tables"]
rows = {table: sum(file["rows"] for file in files) for table, files in tables.items()}
print(json.dumps({"walks": walks, "rows": rows}))
"""
_REMAP = """
import sys
import hopscope
from hopscope.advice.remap import remap
remap(hopscope.open(sys.argv[1]))
"""
_QUERIES = (
    "check-data", "collectives", "delayed-hops", "iterations", "last-arrivals", "late-ranks", "noise", "places",
    "regions", "summary", "tree-edges", "trust", "wan-share",
    "critical-path",
    *(f"critical-path {grouping}" for grouping in ("place", "cluster", "edge", "host", "operation", "rank")),
)  # fmt: skip
"""Queries of the dataset, each in its own process: an analysis, and its grain if not the default."""
_QUESTION = """
import sys, time
import hopscope
trace = hopscope.open(sys.argv[1])
begin = time.perf_counter()
trace.run(sys.argv[2], **dict(zip(["by"], sys.argv[3:])))
print(time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Spent:
    """The cost of a child process: seconds, processor seconds and peak memory in MiB; and its output."""

    seconds: float
    processor: float
    mebibytes: float
    words: str


def program(name: str) -> Path:
    """A C program of benchmarks/programs, linked to libotf2. Builds it if its source or schemas/otf2.h is newer."""
    source, target = ROOT / "benchmarks" / "programs" / f"{name}.c", ROOT / "build" / "programs" / name
    newest = max(file.stat().st_mtime for file in (source, ROOT / "schemas" / "otf2.h"))
    if not target.exists() or target.stat().st_mtime < newest:
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "otf2"], capture_output=True, text=True, check=True
        ).stdout.split()
        subprocess.run(["cc", "-std=gnu11", "-O2", f"-I{ROOT}", "-o", str(target), str(source), *flags], check=True)
    return target


def spend(words: list[str]) -> Spent:
    """Runs a program to its end. Raises RuntimeError if it fails."""
    begin = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        output = child.stdout.read() if child.stdout else ""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed ({child.returncode})")
    seconds = time.perf_counter() - begin
    return Spent(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def measure(folder: Path, events: int, mix: str, repetitions: int = 3) -> list[tuple[str, str]]:
    """Rows for the report about a trace of one of MIXES."""
    trace = folder / f"synthetic-{mix}-{events}"
    spend([str(program("synthetic_trace")), str(trace), str(events), mix])
    size = sum(file.stat().st_size for file in trace.rglob("*.evt"))
    counting: list[Spent] = []
    converting: list[Spent] = []
    for _ in range(repetitions):
        shutil.rmtree(trace / "dataset", ignore_errors=True)
        counting.append(spend([str(program("count_events")), str(trace / "traces.otf2")]))
        converting.append(spend([sys.executable, "-c", _CONVERT, str(trace)]))
    match = re.search(r"events=(\d+)", counting[0].words)
    written = int(match.group(1)) if match else events
    yardstick = statistics.median(spent.seconds for spent in counting)
    yardstick_processor = statistics.median(spent.processor for spent in counting)
    convert = statistics.median(spent.seconds for spent in converting)
    convert_processor = statistics.median(spent.processor for spent in converting)
    reports = [json.loads(spent.words) for spent in converting]
    counts = reports[0]["rows"]
    walks = [report["walks"] for report in reports if report["walks"] is not None]
    dataset = sum(file.stat().st_size for file in (trace / "dataset").rglob("*.parquet"))
    rows = [
        (
            f"{written:,} events, {counts['hops']:,} hops, {counts['messages']:,} messages, "
            f"{size / written:.0f} B an event: counted by libotf2",
            f"{yardstick:.2f} s (1.0)",
        ),
        (
            "  converted to Parquet, whole, with every path",
            f"{convert:.2f} s ({convert / yardstick:.1f}), of the processor {convert_processor:.1f} s "
            f"({convert_processor / yardstick_processor:.1f}), "
            f"peak {max(spent.mebibytes for spent in converting):.0f} MiB, {dataset / written:.1f} B an event",
        ),
    ]
    if walks:
        seconds = statistics.median(walks)
        rows.append(
            ("  of that, after the last event: leads, the run's path", f"{seconds:.2f} s ({seconds / yardstick:.2f})")
        )
    costs = {name: spend([sys.executable, "-c", _QUESTION, str(trace), *name.split()]) for name in _QUERIES}
    for name, spent in sorted(costs.items(), key=lambda cost: -float(cost[1].words)):
        seconds = float(spent.words)
        rows.append(
            (f"  analyze {name}", f"{seconds:.2f} s ({seconds / yardstick:.2f}), peak {spent.mebibytes:.0f} MiB")
        )
    shutil.rmtree(trace)
    return rows


def measure_parts(folder: Path, events: int) -> list[tuple[str, str]]:
    """A row for the report: `analyze remap` of a trace whose collectives have three sizes, evaluated together."""
    trace = folder / f"synthetic-parts-{events}"
    spend([str(program("synthetic_trace")), str(trace), str(events), "parts"])
    spend([sys.executable, "-c", _CONVERT, str(trace)])
    spent = spend([sys.executable, "-c", _REMAP, str(trace)])
    shutil.rmtree(trace)
    return [
        (
            f"analyze remap of {events:,} events, three parts, 64 ranks",
            f"of the processor {spent.processor:.1f} s, peak {spent.mebibytes:.0f} MiB",
        )
    ]
