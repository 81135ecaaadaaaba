"""Diagnoses runs without a problem: `check_balanced.py [--runs 30] [--beside 10] [--journal FILE] [--whole]`.

Runs `situations.c` without a plant, alone and beside computing processes, on 2 and 4 ranks. Prints the number of runs
with a PROBLEM, and the number of those that blame work of the ranks themselves, which no load on the machine excuses.
Alone there should be no PROBLEM. That needs an idle machine, so the load before each run is printed too. With --whole,
exits with 1 unless both numbers are 0.

A journal keeps the finished runs: with the same journal, a new start continues the old one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import hopscope
import local_mpi
from busy_cores import busy

BIN = Path(sys.executable).parent
PROGRAM = Path(__file__).parent / "programs" / "situations.c"
ARGUMENTS = ("balanced", "100", "5", "0")
RELEASES, RANKS = ("openmpi-5", "mpich-5"), (2, 4)
OWN_WORK = ("imbalance", "serial-section", "rotating-delay", "slow-host", "late-sender", "late-receiver", "wrong-order")
"""Kinds of problems that blame the work of ranks and its order."""


@dataclass(frozen=True)
class Case:
    """A series of runs. beside: the number of processes that compute meanwhile."""

    release: str
    ranks: int
    beside: int


def entries(case: Case) -> list[dict[str, Any]]:
    """The entries of one run's diagnosis other than OK."""
    mpi = next(mpi for mpi in local_mpi.find_all() if mpi.release == case.release)
    job = [*mpi.launch(case.ranks), str(mpi.compile(PROGRAM)), *ARGUMENTS]
    with tempfile.TemporaryDirectory() as scratch, busy(case.beside):
        trace = Path(scratch) / "trace"
        words = [str(BIN / "hopscope"), "run", "--dir", str(trace), "--", *job]
        subprocess.run(words, check=True, capture_output=True, timeout=600, env=os.environ | mpi.patience())
        rows = hopscope.open(trace).diagnose().to_pylist()
    return [{name: row[name] for name in ("kind", "severity", "sentence")} for row in rows if row["severity"] != "OK"]


def finished(journal: Path | None) -> list[dict[str, Any]]:
    """The runs in the journal."""
    if journal is None or not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_text().splitlines()]


def count(runs: list[dict[str, Any]]) -> tuple[int, int, int]:
    """Counts the runs with a PROBLEM, those with a PROBLEM that blames the ranks' own work, and those with noise."""
    problems = [[entry["kind"] for entry in run["entries"] if entry["severity"] == "PROBLEM"] for run in runs]
    noisy = sum(any(entry["kind"] == "noise" for entry in run["entries"]) for run in runs)
    blamed = sum(any(kind in OWN_WORK for kind in kinds) for kinds in problems)
    return sum(bool(kinds) for kinds in problems), blamed, noisy


def main() -> int:
    """Does the missing runs and prints the table."""
    local_mpi.share_cores()
    os.environ["HOPSCOPE_DIAGNOSIS"] = "0"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30, help="of each series alone")
    parser.add_argument("--beside", type=int, default=10, help="of each series beside as many processes as cores")
    parser.add_argument("--journal", type=Path, help="where finished runs are kept, a line of JSON each")
    parser.add_argument("--whole", action="store_true", help="fail if a run has what it should not have")
    options = parser.parse_args()
    done = finished(options.journal)
    clean = True
    print("| library | ranks | beside | runs | PROBLEM | of own work | noise | load |", "| --- " * 8 + "|", sep="\n")
    for companions, run_count in ((0, options.runs), (os.cpu_count() or 1, options.beside)):
        for case in (Case(release, ranks, companions) for release in RELEASES for ranks in RANKS):
            runs = [run for run in done if run["case"] == asdict(case)][:run_count]
            while len(runs) < run_count:
                load = os.getloadavg()[0]
                runs.append({"case": asdict(case), "load": load, "entries": entries(case)})
                if options.journal:
                    with options.journal.open("a") as file:
                        file.write(json.dumps(runs[-1]) + "\n")
            if not runs:
                continue
            problems, blamed, noisy = count(runs)
            clean &= not blamed and (companions > 0 or not problems)
            loads = [run["load"] for run in runs]
            row = f"{len(runs)} | {problems} | {blamed} | {noisy} | {min(loads):.1f} to {max(loads):.1f}"
            print(f"| {case.release} | {case.ranks} | {companions} | {row} |", flush=True)
    return int(options.whole and not clean)


if __name__ == "__main__":
    sys.exit(main())
