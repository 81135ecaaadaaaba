"""Published cases over emulated links: LAM-MPI's Allreduce of one integer on hosts of 2, 4 and 8 ranks, and a 61st
process in the wrong one of two clusters.

LAM's trees ignore hosts. On hosts of eight ranks, two groups per host that send straight to the root beat one group,
because each local message costs its parent time, which the emulation includes. One set of costs serves all hosts: how
long a message occupies a rank and an interface, and its latency inside a host and between two. We chose the costs to
come near the five published ratios and their order. So the ratios only show that so few costs explain them. The costs
are milliseconds, so that the software of 32 ranks on few cores is small beside them.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import BIN, allreduce_ns, interleaved
from published import Row, crossings, heading, ratio

RANKS = 32
ONE_INTEGER = ["world", "1", "6", "1"]
LAM = "binomial-lam"
COSTS = {
    "rank": {"per_message_ns": 4_000_000},
    "host_interface": {"per_message_ns": 4_000_000},
    "links": {"shm": {"latency_ns": 6_000_000}, "lan": {"latency_ns": 12_000_000}},
}
SITES = {"links": {"wan": {"latency_ns": 20_000_000}}}


@dataclass(frozen=True)
class Grouped:
    """A tree over groups of a host's ranks. A rank's parent is the first rank of its group. The parent of the first
    rank is the root or, with `layer`, the first rank of its host."""

    groups_a_host: int
    layer: bool = False

    def parents(self, hosts: int) -> list[int | None]:
        """The parent of each rank; rank r is on host r % hosts."""
        size = RANKS // hosts // self.groups_a_host

        def parent(rank: int) -> int:
            host, place = rank % hosts, rank // hosts
            first = host + place // size * size * hosts
            if rank != first:
                return first
            return host if self.layer and rank != host else 0

        return [None, *map(parent, range(1, RANKS))]

    def write(self, file: Path, hosts: int) -> str:
        """Writes the tree file. A parent sends to other hosts first, then within its own host; each time first to ranks
        that are parents."""
        parents = self.parents(hosts)
        children = {
            str(parent): sorted(
                (rank for rank in range(RANKS) if parents[rank] == parent),
                key=lambda rank, parent=parent: (rank % hosts == parent % hosts, rank not in parents, rank),
            )
            for parent in range(RANKS)
            if parent in parents
        }
        tree = {"shape": "explicit", "parents": parents, "children": children}
        rule = {"operations": ["MPI_Allreduce"], "reduce_tree": "grouped"}
        file.write_text(json.dumps({"schema_version": 1, "trees": {"grouped": tree}, "rules": [rule]}))
        return str(file)


TREES = {
    "one root a host": Grouped(1),
    "another layer": Grouped(2, layer=True),
    "two groups": Grouped(2),
}
CASES = {
    16: {"one root a host": 1.52},
    8: {"one root a host": 1.79},
    4: {"one root a host": 1.81, "another layer": 1.71, "two groups": 1.98},
}
"""The published speed-up of each tree over LAM's, by number of hosts."""


def measure(folder: Path, repetitions: int = 3) -> list[Row]:
    """Rows for the report."""
    rows = [heading(f"Emulated hosts, Allreduce of one integer on {RANKS} ranks: faster than LAM's trees by")]
    for hosts in CASES:
        rows += _trees(folder, hosts, repetitions)
    rows.append(heading("Two emulated clusters, Allreduce of one integer over LAM's trees"))
    return rows + _wrong_cluster(folder, repetitions)


def _topology(file: Path, hosts: list[dict[str, Any]], emulate: dict[str, Any], placement: str) -> Path:
    file.write_text(json.dumps({"schema_version": 1, "hosts": hosts, "placement": placement, "emulate": emulate}))
    return file


def _trees(folder: Path, hosts: int, repetitions: int) -> list[Row]:
    """Rows on LAM's trees and others on this number of hosts; on 8 hosts, also on the remapper's tree."""
    names = [{"name": f"h{host}", "cluster": "lan"} for host in range(hosts)]
    topology = _topology(folder / "hosts.json", names, COSTS, "round-robin")
    published = CASES[hosts]
    files = {LAM: LAM} | {name: TREES[name].write(folder / f"{hosts} {name}.json", hosts) for name in published}

    def run(name: str) -> float:
        return allreduce_ns(RANKS, ONE_INTEGER, tree=files[name], topology=topology, trace=folder / name)

    title = f"{hosts} hosts of {RANKS // hosts}"
    counts: list[Row] = []
    if hosts == 8:
        run(LAM)
        counts.append(
            crossings(f"{title}: messages between hosts, reduce + broadcast (computed)", (28, 7), folder / LAM, "lan")
        )
        suggested = folder / "suggested.json"
        words = [str(BIN / "analyze"), "remap", str(folder / LAM), "-o", str(suggested)]
        subprocess.run(words, check=True, capture_output=True)
        if suggested.exists():
            files["the remapper's own tree"] = str(suggested)
    ns = interleaved(repetitions, {name: lambda name=name: run(name) for name in files})
    gains = {name: ns[LAM] / ns[name] for name in files}
    rows = [ratio(f"{title}: {name}", published.get(name), gains[name]) for name in files if name != LAM]
    if len(published) > 1:
        fastest = [", ".join(sorted(published, key=gain.__getitem__, reverse=True)) for gain in (published, gains)]
        rows.append((f"  {title}: the fastest first", *fastest, "same" if fastest[0] == fastest[1] else "differs"))
    return rows + counts


def _wrong_cluster(folder: Path, repetitions: int) -> list[Row]:
    """Rows on 60 processes in two clusters, where one message each way crosses in sequence; and on a 61st process in
    the first cluster, whose parents are both in the second.
    """

    def run(ranks: int) -> float:
        first, second = [*range(28), *range(60, ranks)], list(range(28, 60))
        hosts = [{"name": "a", "cluster": "A", "ranks": first}, {"name": "b", "cluster": "B", "ranks": second}]
        topology = _topology(folder / "clusters.json", hosts, SITES, "listed")
        return allreduce_ns(ranks, ONE_INTEGER, tree=LAM, topology=topology, trace=folder / str(ranks))

    ns = interleaved(repetitions, {str(ranks): lambda ranks=ranks: run(ranks) for ranks in (60, 61)})
    return [
        crossings("60 processes: messages between the clusters, reduce + broadcast", (2, 32), folder / "60", "wan"),
        ratio("time of 61 processes against 60", 2, ns["61"] / ns["60"], "nearly"),
    ]
