"""The replay of schedules: its speed in hops a second, in one thread, and its difference from a run.

For the speed, 64 ranks call one collective again and again, each time after random gaps. For the difference, broadcasts
follow one another without a gap over an emulated link, which then carries several of them at once.
"""

import json
import time
from pathlib import Path

import numpy as np
from hopscope.machine.costs import Costs, LinkCost, LocalCost
from hopscope.machine.emulated import machine_of
from hopscope.machine.published import LogGP
from hopscope.machine.routes import fitted, published
from hopscope.native import _replay
from hopscope.native.sequences import lay, leaves, sequence
from hopscope.vocabulary.links import LINKS
from measure import PROGRAMS, figures

RANKS, HOPS = 64, 1_000_000
TREE = {"reduce_tree": "t", "broadcast_tree": "t"}
CASES = (
    ("MPI_Allreduce", "over a binomial tree", TREE, 8),
    ("MPI_Bcast", "over a binomial tree", TREE, 8),
    ("MPI_Bcast", "along a chain, 16 segments", {"algorithm": "pipeline", "segment_bytes": 65536}, 1 << 20),
    ("MPI_Allreduce", "recursive doubling", {"algorithm": "recursive-doubling"}, 8),
    ("MPI_Allreduce", "ring", {"algorithm": "ring"}, 1 << 20),
    ("MPI_Alltoall", "pairwise", {"algorithm": "pairwise"}, 1024),
)
"""Operation, algorithm, rule and bytes."""
LATENCY_NS, BYTES_PER_SECOND = 10_000_000, 4_000_000
BYTES, CALLS = 100_000, 10
HOSTS, CLUSTERS, OF_RANK = ("a0", "b0", "b1"), (0, 1, 1), (0, 0, 1, 1, 2, 2)


def _run_and_replayed(folder: Path, shape: str) -> tuple[str, str]:
    """A row on broadcasts back to back over a tree, with two ranks at one site and four at the other."""
    link = {"latency_ns": LATENCY_NS, "bytes_per_second": BYTES_PER_SECOND}
    emulate = {
        "cluster_pairs": [{"from": "A", "to": "B", **link}, {"from": "B", "to": "A", **link}],
        "host_interface": {"cut_through": True},
    }
    hosts = [{"name": name, "cluster": "AB"[cluster]} for name, cluster in zip(HOSTS, CLUSTERS, strict=True)]
    topology, tree = folder / "topology.json", folder / "tree.json"
    topology.write_text(json.dumps({"schema_version": 1, "hosts": hosts, "placement": "block", "emulate": emulate}))
    trees = {"t": {"shape": shape}}
    rule = {"operations": ["MPI_Bcast"], **TREE}
    tree.write_text(json.dumps({"schema_version": 1, "trees": trees, "rules": [rule]}))
    program, arguments = PROGRAMS / "back_to_back.c", [str(BYTES), str(CALLS)]
    run_ns = figures(program, len(OF_RANK), arguments, trace=folder / shape, tree=str(tree), topology=topology)[0]["ns"]
    machine = machine_of(emulate, HOSTS, CLUSTERS, ("A", "B"))
    links = {name: LinkCost(LATENCY_NS if name == "wan" else 0) for name in LINKS}
    costs = fitted(Costs(links, LocalCost(), machine=machine), CLUSTERS)
    clusters = [CLUSTERS[host] for host in OF_RANK]
    schedule = lay(TREE, "MPI_Bcast", [BYTES], OF_RANK, clusters, root=0, trees=trees)
    replayed = float(leaves([schedule], OF_RANK, costs, [0] * CALLS).max())
    return (
        f"{CALLS} broadcasts back to back, {shape}",
        f"run {run_ns / 1e6:,.0f} ms, replayed {replayed / 1e6:,.0f} ms, replay / run {replayed / run_ns:.3f}",
    )


def measure(folder: Path, repetitions: int = 3) -> list[tuple[str, str]]:
    """Rows for the report: hops in a second of processor time, on a published machine and on hosts of 8 ranks in two
    clusters; then the comparisons with runs."""
    random = np.random.default_rng(64)
    published_machine = published(LogGP(30_400, 8_150, 8_683, 15), RANKS, 1)
    links = {name: LinkCost(ns) for name, ns in (("self", 0), ("shm", 500), ("lan", 20_000), ("wan", 5_000_000))}
    shared = fitted(Costs(links, LocalCost(100, 200, 0, 100, 200, 100), 1000), [0, 0, 0, 0, 1, 1, 1, 1])
    rows: list[tuple[str, str]] = []
    for operation, name, rule, size in CASES:
        figures: list[str] = []
        for hosts, machine in ((range(RANKS), published_machine), ([rank // 8 for rank in range(RANKS)], shared)):
            root = 0 if operation == "MPI_Bcast" else None
            trees = {"t": {"shape": "binomial"}} if rule is TREE else None
            schedule = lay(rule, operation, [size], hosts, root=root, trees=trees)
            count = max(1, 2 * HOPS // int((schedule["other_end"] >= 0).sum()))
            program = sequence(hosts, [0] * count, random.integers(0, 100_000, (RANKS, count)))
            best = 0.0
            for _repetition in range(repetitions):
                begin = time.thread_time()
                hops = _replay.replay(program, [schedule], machine)["hops"]
                best = max(best, hops / (time.thread_time() - begin))
            figures.append(f"{best / 1e6:.1f} M hops/s")
        rows.append((f"replay of {operation.removeprefix('MPI_')} {name}", ", ".join(figures)))
    compared = [_run_and_replayed(folder, shape) for shape in ("flat", "binomial", "chain")]
    return [("", "a rank on each host, 8 on each"), *rows, *compared]
