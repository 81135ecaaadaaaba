"""Random machines of 2 to 4 clusters and programs on them, from seeds: the same seed gives the same case everywhere."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from hopscope.native import _plan

MS = 1_000_000
SIZES = (8, 64, 1024, 8192, 65536, 262_144, 1_048_576)
OPERATIONS = ("allreduce", "bcast", "reduce", "barrier")
BLOCK_SIZES = SIZES[:5]
BLOCK_OPERATIONS = (
    *("gather", "scatter", "allgather", "allgatherv", "alltoall", "alltoallv", "reduce_scatter"),
    *("reduce_scatter_block", "scan", "exscan"),
)
"""Operations whose bytes are those of a block. A recorded run uses any algorithm that can run the first operation."""
RECORDED_ALGORITHMS = ("binomial", "chain", "flat", "binary", "hierarchical", "recursive-doubling")
"""Algorithms of recorded runs. Operations that an algorithm cannot run use the binomial tree."""


@dataclass(frozen=True)
class Case:
    """A random machine, and a program to run on it. Times are in ns, bandwidths in bytes per second."""

    seed: int
    cluster_of: tuple[int, ...]
    """Cluster of each host."""
    host_of: tuple[int, ...]
    """Host of each rank."""
    wan: dict[tuple[int, int], tuple[int, float]]
    """Latency and bandwidth of each directed pair of clusters; all messages between the two share the link."""
    lan: tuple[int, float]
    shm_ns: int
    interface: float | None
    """Bandwidth of each host's interface; None: unlimited."""
    calls: tuple[tuple[str, int], ...]
    """Operations of an iteration and their bytes."""
    work_us: int
    algorithm: str

    @property
    def words(self) -> str:
        """The case in words, for a report."""
        calls = " + ".join(f"{operation} {size} B" if size else operation for operation, size in self.calls)
        shape = "/".join(str(self.cluster_of.count(cluster)) for cluster in sorted(set(self.cluster_of)))
        return f"{self.seed}: {len(self.host_of)} ranks, hosts {shape}, {calls}, ran {self.algorithm}"

    def topology(self, *, network: bool = False) -> dict[str, Any]:
        """The content of a topology file whose links the engine emulates. network: True for a network of namespaces
        instead, in which only the links between clusters are slow."""
        hosts = [
            {
                "name": f"h{host}",
                "cluster": f"c{cluster}",
                "ranks": [rank for rank, rank_host in enumerate(self.host_of) if rank_host == host],
            }
            for host, cluster in enumerate(self.cluster_of)
        ]
        pairs = [
            {"from": f"c{a}", "to": f"c{b}", "latency_ns": latency, "bytes_per_second": rate}
            for (a, b), (latency, rate) in self.wan.items()
        ]
        if network:  # the launcher places the ranks
            placement = "block" if list(self.host_of) == sorted(self.host_of) else "round-robin"
            places = [{"name": host["name"], "cluster": host["cluster"]} for host in hosts]
            links = {"cluster_pairs": pairs}
            return {"schema_version": 1, "hosts": places, "placement": placement, "network": links}
        interface: dict[str, Any] = {"bytes_per_second": self.interface} if self.interface else {}
        links = {
            "shm": {"latency_ns": self.shm_ns},
            "lan": {"latency_ns": self.lan[0], "bytes_per_second": self.lan[1]},
        }
        emulate = {"links": links, "cluster_pairs": pairs, "host_interface": {**interface, "cut_through": True}}
        return {"schema_version": 1, "hosts": hosts, "placement": "listed", "emulate": emulate}

    def tree_file(self) -> dict[str, Any]:
        """The tree file of the recorded run."""
        tree_names = {"reduce_tree": "ran", "broadcast_tree": "ran"}
        operations = [f"MPI_{operation.capitalize()}" for operation, _ in self.calls]
        if self.calls[0][0] in BLOCK_OPERATIONS:
            names = [
                self.algorithm if self.algorithm in serving(operation) else serving(operation)[0]
                for operation in operations
            ]
            rules = [
                {"operations": [operation], **(tree_names if name == "tree" else {"algorithm": name})}
                for operation, name in zip(operations, names, strict=True)
            ]
            return {"schema_version": 1, "trees": {"ran": {"shape": "binomial"}}, "rules": rules}
        rules: list[dict[str, Any]] = [{"operations": operations, **tree_names}]
        shape = self.algorithm
        if self.algorithm == "recursive-doubling":
            shape = "binomial"
            served = [operation for operation in operations if operation in ("MPI_Allreduce", "MPI_Barrier")]
            rules[:0] = [{"operations": served, "algorithm": self.algorithm}] if served else []
        return {"schema_version": 1, "trees": {"ran": {"shape": shape}}, "rules": rules}

    def write(self, folder: Path, *, network: bool = False) -> tuple[Path, Path]:
        """Writes the topology file and the tree file, and returns their paths."""
        files = folder / "topology.json", folder / "ran.json"
        for file, content in zip(files, (self.topology(network=network), self.tree_file()), strict=True):
            file.write_text(json.dumps(content))
        return files


def serving(operation: str) -> list[str]:
    """The engine's algorithms for an operation of MPI, without those that group ranks."""
    return [row.name for row in _plan.algorithms() if operation in row.operations and not row.in_groups]


def random_case(seed: int, *, most_ranks: int = 12, in_blocks: bool = False) -> Case:
    """The case of a seed: 2 to 4 clusters of 1 to 4 hosts, unequal links between clusters, and one operation or a
    mix of two or three. in_blocks: True for operations of BLOCK_OPERATIONS."""
    chance = random.Random(seed)
    clusters = chance.randint(2, 4)
    counts = [chance.randint(1, 4) for _ in range(clusters)]
    while sum(counts) > most_ranks:
        counts[counts.index(max(counts))] -= 1
    cluster_of = [cluster for cluster, count in enumerate(counts) for _ in range(count)]
    host_of = [*range(len(cluster_of))]
    surplus = max(0, min(most_ranks, 2 * len(cluster_of)) - len(host_of))
    host_of += [chance.randrange(len(cluster_of)) for _ in range(chance.randint(0, surplus))]
    if chance.random() < 0.5:
        host_of.sort()
    base, rate = chance.choice((2, 5, 10, 20)) * MS, chance.choice((1e7, 2e7))
    wan = {
        pair: (round(base * chance.uniform(0.5, 2.0)), rate * chance.uniform(0.5, 2.0))
        for pair in permutations(range(clusters), 2)
    }
    mixed = chance.random() < 0.4
    choices, sizes = (BLOCK_OPERATIONS, BLOCK_SIZES) if in_blocks else (OPERATIONS, SIZES)
    operations = chance.sample(choices, chance.randint(2, 3)) if mixed else [chance.choice(choices)]
    calls = tuple((operation, 0 if operation == "barrier" else chance.choice(sizes)) for operation in operations)
    return Case(
        seed,
        tuple(cluster_of),
        tuple(host_of),
        wan,
        (chance.choice((200_000, 500_000, 1_000_000)), chance.choice((2e7, 5e7))),
        chance.choice((20_000, 50_000)),
        chance.choice((None, None, 2e7, 5e7)),
        calls,
        chance.choice((0, 500, 3000)),
        chance.choice(serving(f"MPI_{operations[0].capitalize()}") if in_blocks else RECORDED_ALGORITHMS),
    )
