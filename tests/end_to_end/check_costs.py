"""Compares the cost in a diagnosis with the truth: `python tests/end_to_end/check_costs.py [--runs 5] [--ranks 4]`.

Runs `situations.c` with a plant and without it in turn, two of the kinds on a network (which needs root). Prints the
time by which the loop became longer, the cost of the plant in the diagnosis, and the ratio of both: medians over the
runs. The plants take 5, 15 and 40 % of an iteration. Prints the number of costs within a fifth of the measured
difference. If the diagnosis does not name the plant, its first entry counts. It never fails, because times are no test.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).parents[2] / "sample_traces"))

import hopscope
import local_mpi
from samples import RING, SLOW_LINK

BIN = Path(sys.executable).parent
PROGRAM = Path(__file__).parent / "programs" / "situations.c"
KINDS = {
    "imbalance": "imbalance",
    "noise": "noise",
    "serial": "serial-section",
    "sender": "late-sender",
    "receiver": "late-receiver",
    "rotating": "rotating-delay",
    "link": "slow-link",
    "crossings": "crossings",
}
"""The name of each plant in the diagnosis."""
PLANTS = (0.05, 0.15, 0.40)
WORK_MS, ITERATIONS = 5.0, 96
BETTER_ORDER = ("sender", "receiver")
"""Kinds whose run without the plant does the same work in the better order."""
TOLERANCE = 0.2
LATENCY_MS = 0.2
OF_CROSSINGS = {0.05: (1, 0.15), 0.15: (1, 0.65), 0.40: (4, 1.0)}
"""The Allreduces of an iteration, and the latency in ms, with which the additional crossings of a ring take these
shares."""
RECURSIVE_DOUBLING = RING | {
    "OMPI_MCA_coll_tuned_allreduce_algorithm": "3",
    "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling",
}


@dataclass(frozen=True)
class Side:
    """One side of a comparison: the program's arguments, its environment, and its network if it needs one."""

    arguments: str
    network: dict[str, Any] | None = None
    environment: dict[str, str] = field(default_factory=dict)


def sides(kind: str, plant: float) -> tuple[Side, Side]:
    """The runs with the plant and without it. plant: its share of an iteration."""
    plant_ms = WORK_MS * plant / (1 - plant)
    if kind == "link":
        # An iteration crosses the slow link twice: in the halo and in the Allreduce.
        slow, fast = (network("ABCD", LATENCY_MS, LATENCY_MS + ms) for ms in (plant_ms / 2, 0))
        balanced = f"balanced {ITERATIONS} {WORK_MS} 0"
        return Side(balanced, slow), Side(balanced, fast)
    if kind == "crossings":
        calls, latency_ms = OF_CROSSINGS[plant]
        allreduces, hosts = f"algorithm {ITERATIONS} {WORK_MS} {calls}", network("AB", latency_ms, latency_ms)
        return Side(allreduces, hosts, RING), Side(allreduces, hosts, RECURSIVE_DOUBLING)
    baseline_ms = -plant_ms if kind in BETTER_ORDER else 0.0
    with_plant, without = (f"{kind} {ITERATIONS} {WORK_MS} {ms}" for ms in (plant_ms, baseline_ms))
    return Side(with_plant), Side(without)


def network(clusters: str, latency_ms: float, of_slow_link_ms: float) -> dict[str, Any]:
    """A topology with a host in each cluster, and these latencies between them."""
    slow = [
        {"from": src, "to": dst, "latency_ns": int(of_slow_link_ms * 1e6)}
        for src, dst in (SLOW_LINK, SLOW_LINK[::-1])
        if src in clusters
    ]
    links = {"wan": {"latency_ns": int(latency_ms * 1e6)}}
    hosts = [{"name": f"h{cluster}", "cluster": cluster} for cluster in clusters]
    return {"schema_version": 1, "hosts": hosts, "network": {"links": links, "cluster_pairs": slow}}


def loop_ns(trace: Path, side: Side, job: list[str], seed: int) -> float:
    """Duration of a run's loop, by its own clock."""
    words = [str(BIN / "hopscope"), "run", "--dir", str(trace)]
    if side.network is not None:
        file = trace.with_suffix(".json")
        file.write_text(json.dumps(side.network))
        words += ["--net", str(file)]
    words += ["--", *job, *side.arguments.split(), str(seed)]
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | side.environment)
    match = re.search(r"loop_s ([\d.]+)", done.stdout + done.stderr)
    if match is None:
        raise RuntimeError(done.stderr)
    return float(match[1]) * 1e9


def measured(mpi: local_mpi.LocalMpi, ranks: int, kind: str, plant: float, runs: int) -> tuple[float, float, str]:
    """Measured and diagnosed cost of the plant, in ns, and the kind that the diagnosis gave it."""
    program = str(mpi.compile(PROGRAM))
    longer: list[float] = []
    costs: list[float] = []
    name = ""
    with tempfile.TemporaryDirectory() as scratch:
        for run in range(runs):
            times: list[float] = []
            for name, side in zip(("with", "without"), sides(kind, plant), strict=True):
                times.append(loop_ns(Path(scratch) / f"{name}-{run}", side, [*mpi.launch(ranks), program], run))
            longer.append(times[0] - times[1])
            entries = hopscope.open(Path(scratch) / f"with-{run}").diagnose().to_pylist()
            entry = next((entry for entry in entries if entry["kind"] == KINDS[kind]), entries[0])
            costs.append(float(entry["cost_ns"] or 0))
            name = entry["kind"]
    return statistics.median(longer), statistics.median(costs), name


def main() -> int:
    """Prints the table."""
    local_mpi.share_cores()
    os.environ["HOPSCOPE_DIAGNOSIS"] = "0"
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--release", default="openmpi-4")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS])
    options = parser.parse_args()
    mpi = next(mpi for mpi in local_mpi.find_all() if mpi.release == options.release)
    ratios: list[float] = []
    print(f"{mpi.release}, {options.ranks} ranks, medians of {options.runs} runs")
    print("| plant | of an iteration | loop longer by | stated | ratio | named |", "| --- " * 6 + "|", sep="\n")
    for kind in options.kinds:
        for plant in PLANTS:
            longer, stated, name = measured(mpi, options.ranks, kind, plant, options.runs)
            ratios.append(stated / longer if longer else 0.0)
            row = f"{longer / 1e6:.1f} ms | {stated / 1e6:.1f} ms | {ratios[-1]:.2f} | {name}"
            print(f"| {kind} | {100 * plant:.0f} % | {row} |", flush=True)
    good = sum(abs(ratio - 1) <= TOLERANCE for ratio in ratios)
    print(f"{good} of {len(ratios)} within {100 * TOLERANCE:.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
