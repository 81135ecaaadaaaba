"""Compares the cost in a diagnosis with the truth: `python tests/end_to_end/check_costs.py [--runs 5] [--ranks 4]`.

Runs `situations.c` with a plant and without it in turn. Prints the time by which the loop became longer, the cost of
the plant in the first entry, and the ratio of both: medians over the runs. The plants take 5, 15 and 40 % of an
iteration. Prints the number of costs within a fifth of the measured difference. It never fails, because times are no
test.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import hopscope
import local_mpi

BIN = Path(sys.executable).parent
PROGRAM = Path(__file__).parent / "programs" / "situations.c"
KINDS = ("imbalance", "noise", "serial", "sender", "receiver", "rotating")
PLANTS = (0.05, 0.15, 0.40)
WORK_MS, ITERATIONS = 5.0, 96
BETTER_ORDER = ("sender", "receiver")
"""Kinds whose run without the plant does the same work in the better order."""
TOLERANCE = 0.2


def loop_ns(words: list[str]) -> float:
    """Duration of a run's loop, by its own clock."""
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    match = re.search(r"loop_s ([\d.]+)", done.stdout + done.stderr)
    if match is None:
        raise RuntimeError(done.stderr)
    return float(match[1]) * 1e9


def measured(mpi: local_mpi.LocalMpi, ranks: int, kind: str, plant: float, runs: int) -> tuple[float, float, str]:
    """Measured and diagnosed cost of the plant, in ns, and the kind of the first entry."""
    program = str(mpi.compile(PROGRAM))
    plant_ms = WORK_MS * plant / (1 - plant)
    baseline_ms = -plant_ms if kind in BETTER_ORDER else 0.0
    longer: list[float] = []
    costs: list[float] = []
    first = ""
    with tempfile.TemporaryDirectory() as scratch:
        for run in range(runs):
            times: list[float] = []
            for name, ms in (("with", plant_ms), ("without", baseline_ms)):
                trace = Path(scratch) / f"{name}-{run}"
                job = [*mpi.launch(ranks), program, kind, str(ITERATIONS), str(WORK_MS), str(ms), str(run)]
                times.append(loop_ns([str(BIN / "hopscope"), "run", "--dir", str(trace), "--", *job]))
            longer.append(times[0] - times[1])
            entry = hopscope.open(Path(scratch) / f"with-{run}").diagnose().to_pylist()[0]
            costs.append(float(entry["cost_ns"] or 0))
            first = entry["kind"]
    return statistics.median(longer), statistics.median(costs), first


def main() -> int:
    """Prints the table."""
    local_mpi.share_cores()
    os.environ["HOPSCOPE_DIAGNOSIS"] = "0"
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--release", default="openmpi-4")
    options = parser.parse_args()
    mpi = next(mpi for mpi in local_mpi.find_all() if mpi.release == options.release)
    ratios: list[float] = []
    print(f"{mpi.release}, {options.ranks} ranks, medians of {options.runs} runs")
    print("| plant | of an iteration | loop longer by | stated | ratio | first entry |", "| --- " * 6 + "|", sep="\n")
    for kind in KINDS:
        for plant in PLANTS:
            longer, stated, first = measured(mpi, options.ranks, kind, plant, options.runs)
            ratios.append(stated / longer if longer else 0.0)
            row = f"{longer / 1e6:.1f} ms | {stated / 1e6:.1f} ms | {ratios[-1]:.2f} | {first}"
            print(f"| {kind} | {100 * plant:.0f} % | {row} |", flush=True)
    good = sum(abs(ratio - 1) <= TOLERANCE for ratio in ratios)
    print(f"{good} of {len(ratios)} within {100 * TOLERANCE:.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
