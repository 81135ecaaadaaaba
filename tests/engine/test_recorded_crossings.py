"""Leaders of clusters: the engine's messages are those of the schedules, and recorded paths cross between clusters no
more often than documented.

tests/plan/test_crossings.py proves the number of crossings on any path through a schedule.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import hopscope
import pytest
from crossings import most_crossings
from engine_jobs import algorithm_file
from local_mpi import LocalMpi
from recorded_jobs import recorded_job, sample_trace, shared_folder
from scheduled_messages import recorded_messages, scheduled_messages

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
SERVED = ["allreduce", "reduce", "bcast", "barrier", "allgather", "allgatherv", "reduce_scatter"]
RANKS = 9
EXCHANGES = [(2, "all-to-all"), (2, "ring"), (3, "ring"), (3, "recursive-doubling"), (4, "recursive-doubling")]
"""Numbers of clusters, and the exchange of their leaders."""


def topology(clusters: int) -> dict[str, Any]:
    """A topology with two hosts in each cluster. The ranks are placed on them unevenly."""
    ranks_of: dict[str, list[int]] = {}
    for rank in range(RANKS):
        host = f"{'ABCD'[rank * rank % clusters]}{rank // 2 % 2}"
        ranks_of.setdefault(host, []).append(rank)
    hosts = [{"name": host, "cluster": host[0], "ranks": ranks} for host, ranks in ranks_of.items()]
    return {"schema_version": 1, "placement": "listed", "hosts": hosts}


@pytest.mark.parametrize(("clusters", "exchange"), EXCHANGES)
def test_the_engine_sends_what_the_schedules_of_the_leaders_say(
    clusters: int, exchange: str, first_mpi: LocalMpi, tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = {
        "topology.json": json.dumps(topology(clusters)),
        "tree.json": json.dumps(algorithm_file("leaders", between=exchange)),
    }
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--topology", "topology.json", "--tree", "tree.json"]
    program = [str(first_mpi.compile(PROGRAM)), "2", "0", *(word for op in SERVED for word in (op, "72"))]
    words = [*run, "--dir", "trace", "--", *first_mpi.launch(RANKS), *program]
    job = recorded_job(shared_folder(tmp_path_factory), words, files=files)
    assert job.code == 0, job.err
    trace = hopscope.open(job.trace)
    recorded = recorded_messages(trace)
    assert recorded.keys() == {f"MPI_{name.capitalize()}" for name in SERVED}
    assert recorded == scheduled_messages(files["tree.json"].encode(), trace)


@pytest.mark.parametrize(
    ("clusters", "exchange", "longest"),
    [(2, "all-to-all", 1), (3, "ring", 4), (3, "recursive-doubling", 2), (4, "recursive-doubling", 2)],
)
def test_a_recorded_path_crosses_between_clusters_no_more_often_than_promised(
    clusters: int, exchange: str, longest: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # With three clusters, nobody waits for the rounds that fold the third one, so the longest path has two crossings,
    # not four.
    trace = sample_trace(shared_folder(tmp_path_factory), f"planted/leaders_{clusters}_{exchange}/trace")
    op_of = {row["collective_id"]: row["op"] for row in trace.table("collectives").to_pylist()}
    hops = {row["hop_id"]: row for row in trace.table("hops").to_pylist()}
    crossed: dict[str, int] = defaultdict(int)
    for hop in hops.values():
        count, last = 0, hop
        while last is not None and last["collective_id"] == hop["collective_id"]:
            count += last["link"] == "wan"
            last = hops.get(last["pred_hop_id"])
        op = op_of[hop["collective_id"]]
        crossed[op] = max(crossed[op], count)
    assert crossed.keys() == {f"MPI_{name.capitalize()}" for name in SERVED}
    assert {op: count for op, count in crossed.items() if not 1 <= count <= most_crossings(exchange, clusters)} == {}
    assert max(crossed.values()) == longest
