"""Leaders of groups exchange: results are the library's, and messages between clusters do not exceed the documented
number."""

from collections import Counter, defaultdict
from typing import Any

import engine_jobs
import pytest
from engine_jobs import HOP_IRECV, HOP_ISEND, FinishedJob, algorithm_file, served, ticks_of
from hopscope.native import _plan
from local_mpi import LocalMpi

MS = 1_000_000
SEQ_AT = 16
"""Lowest bit of the call's number in a hop's tag."""
# The ranks of each cluster: evenly, unevenly, one alone, all together, or placed in turn.
CLUSTERS = {
    "even": {"A": [0, 1, 2, 3], "B": [4, 5, 6, 7]},
    "uneven": {"A": [0, 1, 2, 3, 4], "B": [5], "C": [6, 7]},
    "apart": {"A": [0, 3, 6], "B": [1, 4, 7], "C": [2, 5]},
    "one group": {"A": [0, 1, 2, 3, 4, 5, 6, 7]},
}
IN_A_ROW = ["even", "uneven", "one group"]


def topology(clusters: dict[str, list[int]], ranks: int = 8, **emulate: Any) -> dict[str, Any]:
    """A topology with two hosts in each cluster. The second host has the cluster's last ranks."""
    hosts = []
    for name, members in clusters.items():
        cluster_ranks = [rank for rank in members if rank < ranks]
        half = (len(cluster_ranks) + 1) // 2
        hosts += [
            {"name": f"{name}{i}", "cluster": name, "ranks": part}
            for i, part in enumerate((cluster_ranks[:half], cluster_ranks[half:]))
            if part
        ]
    return {"schema_version": 1, "placement": "listed", "hosts": hosts, "emulate": emulate}


def leaders(exchange: str, inner_tree: dict[str, Any] | None = None, **rule: Any) -> dict[str, Any]:
    """A tree file by which the engine runs all operations of the algorithm `leaders` with this algorithm."""
    file = algorithm_file("leaders", between=exchange, **rule)
    if inner_tree:
        file["trees"] = {"in": inner_tree}
        file["rules"][0]["inside"] = "in"
    return file


ALL_OPERATIONS = -1
"""A set of bits with all operations."""


def compare(mpi: LocalMpi, ranks: int, tree: dict[str, Any], sites: dict[str, Any], seed: int) -> FinishedJob:
    """Runs random calls of every kind in one job, and compares their results with the library's. The last calls use
    operations that do not all commute."""
    words = ["random-more", seed, 40, ALL_OPERATIONS, "blocks", seed, 45, served("blocks", tree)]
    words += ["derived-more", seed, 30, served("derived-more", tree)]
    job = engine_jobs.check(mpi, ranks, tree, *words, topology=sites)
    assert job.is_correct, job
    assert job.operations_by_engine == set(tree["rules"][0]["operations"])
    return job


COVERING_PAIRS = [("even", "ring"), ("uneven", "recursive-doubling"), ("apart", "all-to-all"), ("one group", "ring")]
"""Pairs that cover each distribution of ranks and each exchange. A slice has all pairs."""
PAIRS = [
    pytest.param(place, exchange, marks=[] if (place, exchange) in COVERING_PAIRS else pytest.mark.statistics)
    for place in CLUSTERS
    for exchange in _plan.BETWEEN
]


@pytest.mark.parametrize(("place", "exchange"), PAIRS)
def test_any_groups_give_what_the_library_gives(place: str, exchange: str, first_mpi: LocalMpi) -> None:
    job = compare(first_mpi, 8, leaders(exchange, {"shape": "binomial"}), topology(CLUSTERS[place]), 7)
    if place not in IN_A_ROW or (exchange == "ring" and place != "one group"):
        assert "operation does not commute" in job.reasons


@pytest.mark.parametrize("ranks", [2, 3, 5, 6, 7])
def test_any_number_of_ranks_on_nested_groups_gives_the_same(ranks: int, first_mpi: LocalMpi) -> None:
    exchange = _plan.BETWEEN[ranks % len(_plan.BETWEEN)]
    level = _plan.LEVELS[ranks % len(_plan.LEVELS)]
    compare(first_mpi, ranks, leaders(exchange, level=level), topology(CLUSTERS["apart"], ranks), ranks)


@pytest.mark.parametrize("exchange", _plan.BETWEEN)
def test_every_library_gives_its_own_results(exchange: str, mpi: LocalMpi) -> None:
    compare(mpi, 3, leaders(exchange), topology({"A": [0, 1], "B": [2]}), 11)


@pytest.mark.parametrize(
    ("place", "exchange"),
    [("even", "all-to-all"), ("uneven", "recursive-doubling"), ("one group", "all-to-all")],
)
def test_operations_that_do_not_commute_run_where_groups_are_ranks_in_a_row(
    place: str, exchange: str, first_mpi: LocalMpi
) -> None:
    operations = ["MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"]
    tree = leaders(exchange, {"shape": "binomial"})
    tree["rules"][0]["operations"] = operations
    sites = topology(CLUSTERS[place])
    job = engine_jobs.check(first_mpi, 8, tree, "derived-more", 5, 40, served("derived-more", tree), topology=sites)
    assert job.is_correct, job
    assert job.by_engine > 0
    assert "operation does not commute" not in job.reasons


@pytest.mark.parametrize("exchange", _plan.BETWEEN)
def test_sums_are_the_same_on_all_ranks_and_repeat_bit_for_bit(exchange: str, first_mpi: LocalMpi) -> None:
    tree = leaders(exchange)
    tree["rules"].insert(0, {**tree["rules"][0], "operations": ["MPI_Allreduce"], "segment_bytes": 64})
    sites = topology({"A": [0, 3], "B": [1], "C": [2]})
    job = engine_jobs.check(first_mpi, 4, tree, "sums", 3, topology=sites)
    assert job.is_correct, job
    assert job.by_engine == 4 * 11


@pytest.mark.parametrize("exchange", _plan.BETWEEN)
def test_a_rank_without_memory_is_waited_for_by_none(exchange: str, first_mpi: LocalMpi) -> None:
    job = engine_jobs.check(first_mpi, 3, leaders(exchange), "memory", topology=topology({"A": [0, 2], "B": [1]}))
    assert "afterwards" not in job.stderr, job


@pytest.mark.parametrize("exchange", _plan.BETWEEN)
def test_lengths_that_do_not_fit_hang_nobody(exchange: str, first_mpi: LocalMpi) -> None:
    tree = leaders(exchange)
    only = served("lengths", tree)
    sites = topology({"A": [0, 3], "B": [1], "C": [2]}, 4)
    job = engine_jobs.check(first_mpi, 4, tree, "lengths", 0, 0, only, topology=sites)
    assert job.is_correct, job
    assert job.by_engine > 0


@pytest.mark.parametrize(("exchange", "crossing", "in_a_row"), [("all-to-all", 2, 1), ("ring", 4, 2)])
def test_a_sum_of_two_sites_takes_no_less_than_one_latency_or_a_ring_s_two(
    exchange: str, crossing: int, in_a_row: int, first_mpi: LocalMpi
) -> None:
    latency = 10 * MS
    sites = topology({"A": [0, 2], "B": [1, 3]}, links={"wan": {"latency_ns": latency}})
    site = {rank: host["cluster"] for host in sites["hosts"] for rank in host["ranks"]}
    job = engine_jobs.check(first_mpi, 4, leaders(exchange), "sums", 3, topology=sites)
    assert job.is_correct, job
    ticks: dict[int, list[int]] = defaultdict(list)
    crossed: Counter[int] = Counter()
    for rank, records in enumerate(job.records):
        for r in records:
            if r.kind in (HOP_ISEND, HOP_IRECV):
                ticks[r.tag >> SEQ_AT].append(r.ticks)
                crossed[r.tag >> SEQ_AT] += r.kind == HOP_ISEND and site[rank] != site[r.peer]
    # tests/plan/test_crossings.py proves for the schedules that no path crosses more often.
    assert list(crossed.values()) == [crossing] * 11
    fastest = min(max(times) - min(times) for times in ticks.values())
    assert fastest >= ticks_of(job, in_a_row * latency - 100_000)
