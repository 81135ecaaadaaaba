"""Repeats the published multi-cluster study of cluster_figures.py on one machine: runs its microbenchmark with two
algorithms on five clusters, and analyses the runs.

18 ranks on nine hosts stand for some 140 ranks on 91 hosts; each cluster keeps its share of the ranks. The clusters are
namespaces where this machine can make them, else emulated links. The study published only its largest latencies: 36 ms
from the root and back, 30 ms one way. We chose the others to come near its last arrivals and WAN shares. So an
agreement of these only shows that the analyses find the latencies of the network.
"""

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import hopscope
from cluster_figures import ITERATIONS, Row, Study, rows
from measure import PROGRAMS, figures, local_mpi, why_no_network

TOPOLOGIES = Path(__file__).parent / "topologies"
FILES = {kind: TOPOLOGIES / f"clusters_{kind}.json" for kind in ("network", "emulated")}
RANKS = 18
TREES = ("hierarchical", "leaders")
"""The sequential tree, which knows hosts and clusters, and the exchange between the clusters' leaders."""
SORT_US = 300
"""Sorting time of each rank, instead of 30 ms: nine ranks share a core, so an iteration computes for some ms."""
REPETITIONS, CALLS = 3, 400
EVEN_CALLS = 100
EVEN_LATENCY_NS = 30_000_000
ROOT, NEAR_CLUSTER = 0, "Dominic"
SOR_SIZE = 460
"""A third of the study's size, so that runs take seconds."""
_NO_LIMIT = 1 << 30
_COUNT_COLUMNS = ("iterations", "late_1ms", "late_5ms", "late_10ms", "late_30ms")


@dataclass(frozen=True)
class Machine:
    """The study's machine: a topology file and its kind."""

    file: Path
    kind: str

    def run(self, program: str, arguments: Sequence[str], tree: str, trace: Path) -> Path:
        """Runs a program over a tree. Returns the trace's folder."""
        link_options = {"network": self.file} if self.kind == "network" else {"topology": self.file}
        figures(PROGRAMS / f"{program}.c", RANKS, list(arguments), trace=trace, tree=tree, **link_options)
        return trace


def even(machine: Machine, folder: Path) -> Machine:
    """The topology that the exchange was made for: every two clusters are equally far apart."""
    content = json.loads(machine.file.read_text())
    links = content["network" if machine.kind == "network" else "emulate"]
    clusters = dict.fromkeys(host["cluster"] for host in content["hosts"])
    links["cluster_pairs"] = [
        {"from": source, "to": destination, "latency_ns": EVEN_LATENCY_NS}
        for source, destination in permutations(clusters, 2)
    ]
    file = folder / "even.json"
    file.write_text(json.dumps(content))
    return Machine(file, machine.kind)


def measure(folder: Path) -> list[Row]:
    """Rows for the report."""
    local_mpi.share_cores()
    reason = why_no_network(FILES["network"])
    kind = "emulated" if reason else "network"
    machine = Machine(FILES[kind], kind)
    medium = f"over emulated links, for there is no network: {reason}" if reason else "on a network of namespaces"
    head = f"{RANKS} ranks {medium}; each sorts for {SORT_US / 1000:g} ms, then adds 8 bytes"
    return [(head, "", "", "", ""), *rows(study(machine, folder))]


def study(machine: Machine, folder: Path) -> Study:
    """Makes all runs, and analyses them."""
    values = folder / "changes-%d"
    figures(PROGRAMS / "sor.c", RANKS, ["frosty", "--changes", str(values)])
    uneven = _runs(machine, folder / "uneven", REPETITIONS, [str(CALLS), str(SORT_US), str(values)])
    level = _runs(even(machine, folder), folder / "even", REPETITIONS, [str(EVEN_CALLS), "0", str(values)])
    sequential, exchange = uneven["hierarchical"], uneven["leaders"]
    return Study(
        noise=_noise(sequential),
        arrivals=_arrivals(sequential),
        wan_shares=_wan_shares(sequential),
        root_cluster=_cluster_of(sequential[0])[ROOT],
        near_cluster=NEAR_CLUSTER,
        exchange_gain=_gain(uneven, "iteration_ns"),
        even_exchange_gain=_gain(level, "ns"),
        send_spread_ms=_send_spread_ms(exchange[0]),
        **_events(sequential),
        sor_iterations={data: _sor_iterations(data) for data in ITERATIONS},
    )


def _runs(machine: Machine, folder: Path, repetitions: int, arguments: list[str]) -> dict[str, list[hopscope.Trace]]:
    """The traces of the runs over each tree. The trees take turns."""
    traces: dict[str, list[hopscope.Trace]] = {tree: [] for tree in TREES}
    for repetition in range(repetitions):
        for tree in TREES:
            trace = folder / f"{tree}-{repetition}"
            traces[tree].append(hopscope.open(machine.run("noise_allreduce", arguments, tree, trace)))
    return traces


def _noise(traces: Iterable[hopscope.Trace]) -> dict[int, float]:
    """By a number of ms: the share of all iterations in which any rank had more noise than that."""
    counts: Counter[str] = Counter()
    for trace in traces:
        counts.update(
            {name: value or 0 for name, value in trace.noise().to_pylist()[-1].items() if name in _COUNT_COLUMNS}
        )
    return {ms: counts[f"late_{ms}ms"] / counts["iterations"] for ms in (1, 5, 10, 30)}


def _arrivals(traces: Iterable[hopscope.Trace]) -> dict[str, float]:
    """The share of last arrivals at the root, by the sender's cluster: the mean over the runs."""
    shares: Counter[str] = Counter()
    opened = list(traces)
    for trace in opened:
        cluster_of = _cluster_of(trace)
        for row in trace.last_arrivals(at=ROOT).to_pylist():
            shares[cluster_of[row["child"]]] += row["share"] / len(opened)
    return dict(shares)


def _wan_shares(traces: Sequence[hopscope.Trace]) -> dict[str, float]:
    """The WAN share of each cluster: the mean over the runs."""
    shares = [{row["scope"]: row["share"] for row in trace.wan_share().to_pylist()} for trace in traces]
    return {
        cluster: statistics.mean(run[cluster] for run in shares) for cluster in shares[0] if cluster != "critical_path"
    }


def _gain(runs: dict[str, list[hopscope.Trace]], time: str) -> float:
    """The time over the sequential tree, divided by the time over `leaders`, as `compare` finds them. time: `ns` for an
    Allreduce, or `iteration_ns`. The median of the repetitions counts, because other jobs on the machine may disturb
    single runs.
    """
    gains: list[float] = []
    for base, new in zip(*(runs[tree] for tree in TREES), strict=True):
        compared = new.compare(base=base, statistic="median").to_pylist()
        (row,) = [row for row in compared if row["operation"] == "MPI_Allreduce"]
        gains.append(row[f"base_{time}"] / row[f"new_{time}"])
    return statistics.median(gains)


def _send_spread_ms(trace: hopscope.Trace) -> float:
    """The difference between a leader's message times to the farthest and to the nearest other leader, for the leader
    where it is largest. Each time is a lower quartile, because busy receivers notice many messages late."""
    leaders = {cluster: rank for rank, cluster in sorted(_cluster_of(trace).items(), reverse=True)}
    spreads: list[float] = []
    for leader in leaders.values():
        times: dict[int, list[float]] = defaultdict(list)
        for hop in trace.edge_hops(src=leader, most=_NO_LIMIT).to_pylist():
            if hop["role"] == "exchange":
                times[hop["dst"]].append(hop["took_ns"] / 1e6)
        ways = [statistics.quantiles(way, n=4)[0] for way in times.values()]
        spreads.append(max(ways) - min(ways))
    return max(spreads)


def _events(traces: Sequence[hopscope.Trace]) -> dict[str, Any]:
    """The cost of an event, and the events of an Allreduce."""
    trace = traces[0]
    cost = {row["item"]: row["value"] for row in trace.summary().to_pylist() if row["section"] == "cost"}
    size = sum(file.stat().st_size for file in trace.path.rglob("*.evt"))
    calls = trace.table("collectives").num_rows
    return {
        "bytes_an_event": size / cost["events"],
        "ns_an_event": cost["cost of an event"],
        "events_a_call": cost["events"] / calls,
    }


def _cluster_of(trace: hopscope.Trace) -> dict[int, str]:
    return {row["rank"]: row["cluster"] for row in trace.table("ranks").to_pylist()}


def _sor_iterations(data: str) -> float:
    """Iterations for each point of a side, without the collector. Two ranks suffice: the count does not depend on the
    number of ranks."""
    return figures(PROGRAMS / "sor.c", 2, [data, "--size", str(SOR_SIZE)])[0]["iterations"] / SOR_SIZE
