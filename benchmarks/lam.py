"""LAM-MPI's case: a one-integer Allreduce on 32 ranks dealt round-robin over 8 hosts of 4.

LAM's binomial tree knows nothing of hosts; with interfaces that serve one message at a time its crossings queue. A
hierarchical tree was published to be 1.79 times as fast. The emulation gives each message 5 ms on an interface and
1 ms on the way, so that the software of 32 ranks on few cores is small beside it.
"""

import statistics
import subprocess
from pathlib import Path

from measure import BIN, TOPOLOGIES, allreduce_ns

RANKS = 32
CALLS = "12"
PUBLISHED = 1.79


def measure(folder: Path, repetitions: int = 3) -> list[tuple[str, str]]:
    """Rows for the report: times of the trees, interleaved, and their ratios."""
    topology = TOPOLOGIES / "lam_topology.json"
    trees: dict[str, str] = {"binomial-lam": "binomial-lam", "hierarchical": "hierarchical"}
    times: dict[str, list[float]] = {name: [] for name in trees}
    for repetition in range(repetitions):
        for name, tree in list(trees.items()):
            trace = folder / f"lam-{name}-{repetition}"
            times.setdefault(name, []).append(
                allreduce_ns(RANKS, ["world", "1", CALLS, "1"], tree=tree, topology=topology, trace=trace)
            )
        if repetition == 0:
            suggested = folder / "lam-suggested.json"
            words = [str(BIN / "analyze"), "remap", str(folder / "lam-binomial-lam-0"), "-o", str(suggested)]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if suggested.exists():
                trees["remapped"] = str(suggested)
    medians = {name: statistics.median(values) for name, values in times.items()}
    rows = [(f"LAM case, {name}", f"{value / 1e6:.1f} ms") for name, value in medians.items()]
    base = medians["binomial-lam"]
    rows.append(("  hierarchical is faster by", f"{base / medians['hierarchical']:.2f}x (published {PUBLISHED}x)"))
    if "remapped" in medians:
        rows.append(("  the remapper's own tree by", f"{base / medians['remapped']:.2f}x"))
    else:
        rows.append(("  the remapper's own tree", "none was suggested"))
    return rows
