"""How many hops a second the replay of schedules gets through, in one thread.

64 ranks call one collective again and again, each time after random gaps."""

import time
from pathlib import Path

import numpy as np
from hopscope import _replay
from hopscope.model.costs import Costs, LinkCost, LocalCost
from hopscope.model.parameters import LogGP
from hopscope.model.routes import fitted, published
from hopscope.model.sequences import lay, sequence

RANKS, HOPS = 64, 3_000_000
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


def measure(_: Path, repetitions: int = 3) -> list[tuple[str, str]]:
    """Hops in a second of processor time, on a published machine and on hosts of 8 ranks in two clusters."""
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
            laid = lay(rule, operation, [size], hosts, root=root, trees=trees)
            count = max(1, 2 * HOPS // int((laid["other_end"] >= 0).sum()))
            program = sequence(hosts, [0] * count, random.integers(0, 100_000, (RANKS, count)))
            best = 0.0
            for _repetition in range(repetitions):
                begin = time.thread_time()
                hops = _replay.replay(program, [laid], machine)["hops"]
                best = max(best, hops / (time.thread_time() - begin))
            figures.append(f"{best / 1e6:.1f} M hops/s")
        rows.append((f"replay of {operation.removeprefix('MPI_')} {name}", ", ".join(figures)))
    return [("", "a rank on each host, 8 on each"), *rows]
