"""Leaders on random topologies: the hops that were recorded cross between clusters no more often than promised."""

import json
import random
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import hopscope
import pytest
from crossings import most_crossings
from engine_jobs import by
from hopscope import _plan
from local_mpi import LocalMpi, without_hopscope

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
SERVED = ["allreduce", "reduce", "bcast", "barrier", "allgather", "allgatherv", "reduce_scatter"]
RANKS, ITERATIONS = 9, 5


def topology(clusters: int) -> dict[str, Any]:
    """One or two hosts in each cluster, over which the ranks are dealt."""
    chance = random.Random(clusters)
    places = [(cluster, host) for cluster in range(clusters) for host in range(chance.randint(1, 2))]
    chance.shuffle(places)
    ranks: dict[tuple[int, int], list[int]] = {place: [] for place in places}
    for rank in range(RANKS):
        ranks[places[rank] if rank < len(places) else chance.choice(places)].append(rank)
    hosts = [
        {"name": f"{'ABCD'[cluster]}{host}", "cluster": "ABCD"[cluster], "ranks": on}
        for (cluster, host), on in ranks.items()
        if on
    ]
    # Long beside what a busy machine holds a rank up for.
    links = {"wan": {"latency_ns": 20_000_000}}
    return {"schema_version": 1, "placement": "listed", "hosts": hosts, "emulate": {"links": links}}


def expected(between: str, groups: int) -> int:
    """Of the longest path, in which rounds that fold groups beyond a power of two may not be waited for."""
    return {"all-to-all": 1, "recursive-doubling": (groups - 1).bit_length(), "ring": 2 * (groups - 1)}[between]


@pytest.mark.parametrize("between", _plan.BETWEEN)
@pytest.mark.parametrize("clusters", [2, 3, 4])
def test_a_recorded_path_crosses_between_clusters_no_more_often_than_promised(
    clusters: int, between: str, first_mpi: LocalMpi, tmp_path: Path
) -> None:
    where, tree = topology(clusters), by("leaders", between=between)
    for name, document in (("topology", where), ("tree", tree)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--topology", "topology.json", "--tree", "tree.json"]
    program = [str(first_mpi.compile(PROGRAM)), str(ITERATIONS), "0", *(word for op in SERVED for word in (op, "72"))]
    done = subprocess.run(
        [*run, "--dir", "trace", "--", *first_mpi.launch(RANKS), *program],
        cwd=tmp_path,
        env=without_hopscope(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    trace = hopscope.open(tmp_path / "trace")
    op = {row["collective_id"]: row["op"] for row in trace.table("collectives").to_pylist()}
    hops = {row["hop_id"]: row for row in trace.table("hops").to_pylist()}
    crossed: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for hop in hops.values():
        count, at, number = 0, hop, hop["collective_id"]
        while at is not None and at["collective_id"] == number:
            count += at["link"] == "wan"
            at = hops.get(at["pred_hop_id"])
        crossed[op[number]][number] = max(crossed[op[number]][number], count)
    # A rank that lost its core may send what was due before only after another message came: of most it is held.
    usual = {name: statistics.median_low(of.values()) for name, of in crossed.items()}
    assert len(usual) == len(SERVED)
    assert {name: count for name, count in usual.items() if not 1 <= count <= most_crossings(between, clusters)} == {}
    assert max(usual.values()) == expected(between, clusters)
