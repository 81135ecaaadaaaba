"""Emulated links against a network of namespaces: the engine runs the same Allreduce on both, with the same topologies.

The emulation delays the engine's messages. The network delays packets, so TCP and the MPI library's protocol play a
part there too. On the topologies of ALIKE this makes little difference; those of UNEMULATED_CASES show how much it can
make.
"""

import json
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

from measure import allreduce_ns, interleaved, local_mpi, why_no_network

MS = 1_000_000
KIB = 1024
REPETITIONS = 3


@dataclass(frozen=True)
class Case:
    """A topology, and the Allreduce that runs on it."""

    name: str
    hosts: dict[str, int]
    """The number of hosts in each cluster."""
    ranks: int
    tree: str
    """The shape of the reduction, and of the broadcast unless `broadcast` names another."""
    bytes: int
    wan: dict[str, Any]
    """The link between any two clusters."""
    pairs: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """Links that differ from `wan`, by directed pair of clusters, such as `AB`."""
    interface: float | None = None
    """Bandwidth of a host's interface, in bytes per second."""
    broadcast: str | None = None
    segment: int | None = None
    eager: int | None = None
    """The bytes up to which Open MPI sends a message at once over TCP; None for its own limit of 64 KiB."""
    calls: int = 12

    def topology(self, kind: str) -> dict[str, Any]:
        """The topology file, with a `network` or with an emulation of it."""
        hosts = [
            {"name": f"{cluster.lower()}{number}", "cluster": cluster}
            for cluster, count in self.hosts.items()
            for number in range(count)
        ]
        # All messages from one cluster to another share one link, also if it is emulated.
        pairs = [
            {"from": source, "to": destination, **self.wan, **self.pairs.get(source + destination, {})}
            for source, destination in permutations(self.hosts, 2)
        ]
        links: dict[str, Any] = {"cluster_pairs": pairs}
        if self.interface:
            links["host_interface"] = {"bytes_per_second": self.interface}
        if kind == "emulate":
            # # As on a network, packets do not wait for the rest of their message.
            links["host_interface"] = {**links.get("host_interface", {}), "cut_through": True}
        return {"schema_version": 1, "hosts": hosts, "placement": "block", kind: links}


def _latency(ms: float, **settings: Any) -> dict[str, Any]:
    return {"latency_ns": round(ms * MS), **settings}


ALIKE = (
    Case("2 sites 20 ms apart", {"A": 2, "B": 2}, 8, "binomial", 8, _latency(20)),
    Case("2 sites 2 ms apart", {"A": 1, "B": 1}, 4, "binomial", 8, _latency(2), calls=60),
    Case("3 sites 50 ms apart", {"A": 2, "B": 1, "C": 1}, 8, "hierarchical", KIB, _latency(50)),
    Case("2 sites, 5 ms there and 25 ms back", {"A": 1, "B": 2}, 6, "flat", 8, _latency(5), {"BA": _latency(25)}),
    Case(
        "3 sites, each pair at its own latency",
        {"A": 1, "B": 2, "C": 1},
        8,
        "binomial",
        KIB,
        _latency(5),
        {"AC": _latency(10), "CA": _latency(12), "BC": _latency(30), "CB": _latency(30)},
    ),
    Case("4 sites 10 ms apart", {"A": 1, "B": 1, "C": 1, "D": 1}, 8, "chain", 8, _latency(10)),
    Case(
        "2 sites, 1 MB/s there and 4 MB/s back",
        {"A": 1, "B": 1},
        4,
        "hierarchical",
        32 * KIB,
        _latency(10, bytes_per_second=1e6),
        {"BA": {"bytes_per_second": 4e6}},
    ),
    Case(
        "2 sites, 4 messages share 2 MB/s",
        {"A": 1, "B": 2},
        6,
        "flat",
        32 * KIB,
        _latency(10, bytes_per_second=2e6),
        broadcast="hierarchical",
    ),
    Case(
        "2 sites, hosts of 4 MB/s",
        {"A": 1, "B": 2},
        6,
        "flat",
        56 * KIB,
        _latency(10),
        interface=4e6,
        broadcast="hierarchical",
    ),
    Case(
        "2 sites, 20 MB/s",
        {"A": 1, "B": 1},
        4,
        "hierarchical",
        1024 * KIB,
        _latency(10, bytes_per_second=20e6),
        segment=32 * KIB,
    ),
)
UNEMULATED_CASES = (
    Case(
        "2 sites, 4 messages each way share 2 MB/s",
        {"A": 1, "B": 2},
        6,
        "flat",
        32 * KIB,
        _latency(10, bytes_per_second=2e6),
    ),
    Case(
        "2 sites, 20 MB/s, one rendezvous",
        {"A": 1, "B": 1},
        4,
        "hierarchical",
        1024 * KIB,
        _latency(10, bytes_per_second=20e6),
    ),
    Case(
        "2 sites, 20 MB/s, no rendezvous",
        {"A": 1, "B": 1},
        4,
        "hierarchical",
        1024 * KIB,
        _latency(10, bytes_per_second=20e6),
        eager=2048 * KIB,
    ),
    Case(
        "2 sites 50 ms apart, no rendezvous",
        {"A": 1, "B": 1},
        4,
        "hierarchical",
        1024 * KIB,
        _latency(50),
        eager=2048 * KIB,
    ),
)


def _tree(case: Case) -> dict[str, Any]:
    shapes = {"reduce_tree": case.tree, "broadcast_tree": case.broadcast or case.tree}
    segment = {"segment_bytes": case.segment} if case.segment else {}
    return {
        "schema_version": 1,
        "trees": {shape: {"shape": shape} for shape in shapes.values()},
        "rules": [{"operations": ["MPI_Allreduce"], **shapes, **segment}],
    }


def _write_topology(case: Case, kind: str, folder: Path) -> Path:
    file = folder / "topology.json"
    file.write_text(json.dumps(case.topology(kind)))
    return file


def _call_time_ns(case: Case, kind: str, folder: Path) -> float:
    topology, tree = _write_topology(case, kind, folder), folder / "tree.json"
    tree.write_text(json.dumps(_tree(case)))
    link_options = {"network": topology} if kind == "network" else {"topology": topology}
    options = ["--mca", "btl_tcp_eager_limit", str(case.eager)] if case.eager else []
    words = ["world", str(case.bytes // 4), str(case.calls), "1"]
    return allreduce_ns(
        case.ranks, words, tree=str(tree), trace=folder / kind, launcher_options=options, **link_options
    )


def measure(folder: Path) -> list[tuple[str, str]]:
    """Rows for the report: an iteration emulated and on the network, and how far the two are apart."""
    local_mpi.share_cores()
    reason = why_no_network(_write_topology(ALIKE[0], "network", folder))
    if reason:
        return [("emulated links against a network", f"not measured: {reason}")]
    rows: list[tuple[str, str]] = []
    for case in (*ALIKE, *UNEMULATED_CASES):
        jobs = {kind: lambda case=case, kind=kind: _call_time_ns(case, kind, folder) for kind in ("emulate", "network")}
        emulated, real = (ns / MS for ns in interleaved(REPETITIONS, jobs).values())
        rows.append(
            (
                f"{case.name}, {case.ranks} ranks, {_tree_name(case)}, {_size(case.bytes)}",
                f"emulated {emulated:.1f} ms, network {real:.1f} ms ({100 * (emulated / real - 1):+.1f} %)",
            )
        )
    return rows


def _tree_name(case: Case) -> str:
    name = f"{case.tree} + {case.broadcast}" if case.broadcast else case.tree
    return f"{name} in segments of {_size(case.segment)}" if case.segment else name


def _size(count: int) -> str:
    return f"{count // KIB} KiB" if count >= KIB else f"{count} B"
