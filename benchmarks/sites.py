"""Published cases, measured on networks of namespaces, which delay the MPI library's own messages too.

The cases: LAM's trees, run by the engine and by the library; a 16th process in the wrong one of two clusters; long
messages that cross a slow link more often than needed; many senders at once.
"""

import json
import statistics
from pathlib import Path
from typing import Any

from measure import PROGRAM, PROGRAMS, figures, interleaved, local_mpi, why_no_network
from published import Row, crossings, heading, ratio

LAM = "binomial-lam"
OPEN_MPI_AS_LAM = (
    *("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm", "2"),
    *("--mca", "coll_tuned_reduce_algorithm", "5", "--mca", "coll_tuned_bcast_algorithm", "6"),
)
"""Options that make Open MPI reduce and broadcast over binomial trees, which have the same parents as LAM's."""
LATENCY_NS = 20_000_000
BYTES_PER_SECOND = 4e7
ONE_INTEGER = ["world", "1", "10", "1"]
FIFTEEN = {"a0": 7, "b0": 8}
SIXTEEN = {**FIFTEEN, "a1": 1}
"""The ranks of each host. With FIFTEEN, one message each way crosses between the sites in sequence. The 16th rank is in
A, but both its parents are in B."""


def measure(folder: Path, repetitions: int = 3) -> list[Row]:
    """Rows for the report, or one row with the reason if this machine cannot run the cases."""
    sites = _network(folder / "sites.json", {"a0": "A", "b0": "B", "a1": "A"}, {"latency_ns": LATENCY_NS})
    reason = why_no_network(sites) if local_mpi.find()[0].flavour == "openmpi" else "they need Open MPI"
    if reason:
        return [heading(f"The cases over networks of namespaces were left out: {reason}")]
    return [
        *_as_a_script(folder, repetitions),
        heading(f"Two sites of namespaces, {LATENCY_NS // 1_000_000} ms apart"),
        *_wrong_cluster(folder, sites, repetitions),
        *_sizes(folder, repetitions),
        *_senders(folder, sites),
    ]


def _network(file: Path, cluster_of: dict[str, str], wan: dict[str, Any], **settings: Any) -> Path:
    hosts = [{"name": name, "cluster": cluster} for name, cluster in cluster_of.items()]
    file.write_text(json.dumps({"schema_version": 1, "hosts": hosts, "network": {"links": {"wan": wan}}, **settings}))
    return file


def _run(
    network: Path,
    hosts: dict[str, int],
    arguments: list[str],
    *options: str,
    trace: Path,
    tree: str | None = None,
    program: Path = PROGRAM,
) -> list[dict[str, float]]:
    """The figures of a program. hosts: the number of ranks on each host, in this order. options: the launcher's."""
    options_used = ["--host", ",".join(f"{host}:{ranks}" for host, ranks in hosts.items()), *options]
    ranks = sum(hosts.values())
    return figures(program, ranks, arguments, trace=trace, tree=tree, network=network, launcher_options=options_used)


def _as_a_script(folder: Path, repetitions: int) -> list[Row]:
    """Rows on LAM's trees as a tree file for Hopscope's engine, against the library's own code for the same trees. The
    hosts are 1 ms apart, so that the load of the few cores matters less.
    """
    hosts = {f"h{host}": 4 for host in range(4)}
    network = _network(
        folder / "hosts.json", {host: host for host in hosts}, {"latency_ns": 1_000_000}, placement="round-robin"
    )
    ranks = range(1, sum(hosts.values()))
    trees = {
        "reduce": [None, *(rank & (rank - 1) for rank in ranks)],
        "broadcast": [None, *(rank - (1 << rank.bit_length() - 1) for rank in ranks)],
    }
    rule = {"operations": ["MPI_Allreduce"], "reduce_tree": "reduce", "broadcast_tree": "broadcast"}
    explicit = {name: {"shape": "explicit", "parents": parents} for name, parents in trees.items()}
    script = folder / "script.json"
    script.write_text(json.dumps({"schema_version": 1, "trees": explicit, "rules": [rule]}))

    def run(tree: str | None, *options: str) -> float:
        calls = ["world", "1", "200", "1"]
        return _run(network, hosts, calls, *options, tree=tree, trace=folder / "trace")[0]["ns"]

    jobs = {"native": lambda: run(None, *OPEN_MPI_AS_LAM), "script": lambda: run(str(script))}
    ns = interleaved(repetitions, jobs)
    return [
        heading(f"{len(hosts)} hosts of namespaces, 1 ms apart, Allreduce of one integer on {len(ranks) + 1} ranks"),
        ratio("time of LAM's trees as a tree file against native", 1, ns["script"] / ns["native"]),
    ]


def _wrong_cluster(folder: Path, network: Path, repetitions: int) -> list[Row]:
    """Rows on 15 and 16 processes, a quarter of the published 60 and 61, placed alike."""

    def run(name: str, hosts: dict[str, int], tree: str | None, *options: str) -> float:
        return _run(network, hosts, ONE_INTEGER, *options, tree=tree, trace=folder / name)[0]["ns"]

    ns = interleaved(
        repetitions,
        {
            "15": lambda: run("15", FIFTEEN, LAM),
            "16": lambda: run("16", SIXTEEN, LAM),
            "native 15": lambda: run("native", FIFTEEN, None, *OPEN_MPI_AS_LAM),
            "native 16": lambda: run("native", SIXTEEN, None, *OPEN_MPI_AS_LAM),
        },
    )
    messages = "messages between the sites of 60 ranks, here of 15, reduce + broadcast"
    return [
        crossings(messages, (2, 32), folder / "15", "wan", fewer_ranks=True),
        ratio("time of 61 ranks against 60, here of 16 against 15: LAM's trees", 2, ns["16"] / ns["15"], "nearly"),
        ratio("  the same by Open MPI itself", 2, ns["native 16"] / ns["native 15"], "nearly"),
    ]


def _sizes(folder: Path, repetitions: int) -> list[Row]:
    """Rows on LAM's ten messages between the sites against one each way, from 4 B to 4 MB."""
    link = {"latency_ns": LATENCY_NS, "bytes_per_second": BYTES_PER_SECOND}
    network = _network(folder / "narrow.json", {"a0": "A", "b0": "B"}, link)
    sizes = {"4 B": 1, "4 KB": 1024, "64 KB": 16384, "4 MB": 1 << 20}
    calls = [word for integers in sizes.values() for word in (str(integers), "3" if integers > 1 << 16 else "5", "1")]
    times: dict[str, list[list[float]]] = {LAM: [], "hierarchical": []}
    for _ in range(repetitions):
        for tree, runs in times.items():
            lines = _run(network, FIFTEEN, ["world", *calls], tree=tree, trace=folder / "trace")
            runs.append([line["ns"] for line in lines])
    lam, hierarchical = ([statistics.median(of_size) for of_size in zip(*runs, strict=True)] for runs in times.values())
    published = {"4 B": (1.0, ""), "4 KB": (1.0, ""), "64 KB": (None, ""), "4 MB": (None, "more")}
    rows: list[Row] = []
    for size, lam_ns, hierarchical_ns in zip(sizes, lam, hierarchical, strict=True):
        figure, words = published[size]
        rows.append(
            ratio(f"time of 10 messages between the sites against 2, {size}", figure, lam_ns / hierarchical_ns, words)
        )
    return rows


def _senders(folder: Path, network: Path) -> list[Row]:
    """Rows on round trips of pairs of ranks, one pair and eight at once, between the sites and inside one."""
    rows: list[Row] = []
    for path, peer_host, calls, published in (("between the sites", "b0", 20, 1), ("inside a site", "a1", 500, None)):
        pairs = {"a0": 8, peer_host: 8}
        lines = _run(network, pairs, [str(calls)], trace=folder / "trace", program=PROGRAMS / "round_trips.c")
        ns = {(line["pairs"], line["bytes"]): line["ns"] for line in lines}
        rows += [
            ratio(f"round trip {path}, {size} B: 8 senders against 1", published, ns[8, size] / ns[1, size])
            for size in (4, 4096)
        ]
    return rows
