"""Every algorithm gives the MPI library's result, or the result that MPI prescribes if the library fails on odd
datatypes.

The simulator (collector/tests/engine) tests each schedule for each operation and number of ranks. Here two mixtures of
all algorithms run with real messages, datatypes and operations.
"""

import functools
from typing import Any

import engine_jobs
import local_mpi
import pytest
from engine_jobs import ALGORITHMS, HOP_IRECV, HOP_ISEND, LEAVE, FinishedJob, algorithm_file, served
from hopscope.native import _plan
from local_mpi import LocalMpi
from read_spool import function_numbers

SHORT = {"bytes": {"max": 600}}
SMALL = {"comm_size": {"max": 3}}
OPERATIONS = {operation.name for operation in _plan.operations()}
ALL_OPERATIONS = 2**32 - 1


def rule(algorithm: str, *operations: str, **fields: Any) -> dict[str, Any]:
    """A rule by which an algorithm runs these operations; without operations, all that it supports."""
    return {"operations": list(operations) or ALGORITHMS[algorithm], "algorithm": algorithm, **fields}


MIXTURES: dict[str, dict[str, Any]] = {
    # Algorithms that keep the order of ranks.
    "doubling": {
        "schema_version": 1,
        "trees": {"binomial": {"shape": "binomial"}},
        "rules": [
            rule("linear", "MPI_Scan", **SHORT),
            rule("dissemination", "MPI_Allgather", "MPI_Alltoall", **SHORT),
            rule("dissemination", "MPI_Barrier", **SMALL),
            rule("recursive-doubling", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan", segment_bytes=64),
            rule("recursive-doubling", "MPI_Allgather", "MPI_Allgatherv", "MPI_Barrier"),
            rule("pairwise"),
            rule("linear", "MPI_Gather", "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv"),
            rule("split-binary", segment_bytes=64),
            {"operations": ["MPI_Reduce"], "reduce_tree": "binomial", "segment_bytes": 64},
        ],
    },
    "rings": {
        "schema_version": 1,
        "trees": {"chain": {"shape": "chain"}},
        "rules": [
            rule("pipeline", "MPI_Allreduce", **SHORT, segment_bytes=64),
            rule("bruck", "MPI_Allgather", **SHORT),
            rule("leaders", "MPI_Bcast", **SHORT),
            rule("ring"),
            rule("bruck", "MPI_Alltoall"),
            rule("pipeline", "MPI_Reduce", "MPI_Bcast", segment_bytes=64),
            rule("double-ring"),
            rule("linear", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Gatherv", "MPI_Scatterv", "MPI_Scan", "MPI_Exscan"),
            {"operations": ["MPI_Gather", "MPI_Scatter"], "reduce_tree": "chain", "broadcast_tree": "chain"},
        ],
    },
}
RANKS = {"openmpi": {"doubling": 7, "rings": 5}}
"""Ranks of each mixture. MPICH is slow if ranks outnumber cores, so it gets 3."""


@functools.cache
def run_mixture(mixture: str, mpi: LocalMpi) -> FinishedJob:
    """One job that runs all checks over a mixture."""
    tree = MIXTURES[mixture]
    blocks, reductions = served("blocks", tree), served("derived-more", tree)
    modes = [
        *("pairs", 2, 0, ALL_OPERATIONS),
        *("pairs-more", 2, 0, ALL_OPERATIONS),
        *("random", 3, 60, ALL_OPERATIONS),
        *("random-more", 3, 60, ALL_OPERATIONS),
        *("blocks", 3, 90, blocks),
        *("derived", 5, 30, reductions),
        *("derived-more", 5, 120, reductions),
    ]
    return engine_jobs.check(mpi, RANKS.get(mpi.flavour, {}).get(mixture, 3), tree, *modes)


IN_A_MIXTURE = {rule["algorithm"] for tree in MIXTURES.values() for rule in tree["rules"] if "algorithm" in rule}


@pytest.mark.parametrize("mixture", MIXTURES)
def test_a_mixture_leaves_no_operation_to_the_library(mixture: str) -> None:
    assert {name for rule in MIXTURES[mixture]["rules"] for name in rule["operations"]} == OPERATIONS


@pytest.mark.parametrize("mixture", MIXTURES)
def test_every_operation_equals_the_library_on_every_datatype(mixture: str, mpi: LocalMpi) -> None:
    job = run_mixture(mixture, mpi)
    assert job.is_correct, job
    assert job.operations_by_engine == OPERATIONS
    names = {line["name"].partition(":")[0] for rank in job.definitions for line in rank if line["def"] == "tree"}
    tree = MIXTURES[mixture]
    assert names - {"native"} == {rule["algorithm"] for rule in tree["rules"] if "algorithm" in rule} | set(
        tree["trees"]
    )


ALONE = [pytest.param(name, marks=pytest.mark.statistics if name in IN_A_MIXTURE else ()) for name in ALGORITHMS]
"""Algorithms that run alone. A new algorithm runs in every lane until a mixture contains it."""


@pytest.mark.parametrize("algorithm", ALONE)
def test_an_algorithm_alone_equals_the_library(algorithm: str, mpi: LocalMpi) -> None:
    tree = algorithm_file(algorithm)
    modes = ["random-more", 7, 40, ALL_OPERATIONS, "derived-more", 7, 30, served("derived-more", tree)]
    if served("blocks", tree):
        modes += ["blocks", 7, 45, served("blocks", tree)]
    job = engine_jobs.check(mpi, 3, tree, *modes)
    assert job.is_correct, job
    assert job.by_engine > 0


def left_to_the_library(job: FinishedJob, reason: str) -> set[str]:
    """The operations with a call that went native for this reason."""
    names = {number: name for name, number in function_numbers().items()}
    numbers = [
        {line["id"] for line in definitions if line["def"] == "reason" and line["text"] == reason}
        for definitions in job.definitions
    ]
    return {
        names[record.region]
        for records, ids in zip(job.records, numbers, strict=True)
        for record in records
        if record.kind == LEAVE and record.c != 1 and record.comm in ids
    }


def test_what_does_not_commute_is_left_to_the_library_by_algorithms_that_do_not_keep_the_order(mpi: LocalMpi) -> None:
    """A tree keeps the order only if the root is the first rank of each subtree, so not for every root of a Reduce."""
    reason = "operation does not commute"
    assert left_to_the_library(run_mixture("doubling", mpi), reason) == {"MPI_Reduce"}
    scattered = {"MPI_Reduce_scatter", "MPI_Reduce_scatter_block"}
    assert left_to_the_library(run_mixture("rings", mpi), reason) == {"MPI_Allreduce", "MPI_Reduce", *scattered}


@pytest.mark.parametrize("algorithm", ["recursive-doubling", "ring"])
def test_rounded_sums_are_near_repeat_bit_for_bit_and_are_the_same_on_all_ranks(algorithm: str, mpi: LocalMpi) -> None:
    ranks = 5 if mpi.flavour == "openmpi" else 3
    job = engine_jobs.check(mpi, ranks, algorithm_file(algorithm), "sums", 3)
    assert job.is_correct, job
    assert job.by_engine == 11 * ranks


def test_exchanges_leave_hops_with_rounds_and_both_ends(first_mpi: LocalMpi) -> None:
    job = engine_jobs.check(first_mpi, 8, algorithm_file("recursive-doubling"), "sums", 3)
    assert job.is_correct, job
    sent = sorted((rank, r.peer, r.tag) for rank, rs in enumerate(job.records) for r in rs if r.kind == HOP_ISEND)
    received = sorted((r.peer, rank, r.tag) for rank, rs in enumerate(job.records) for r in rs if r.kind == HOP_IRECV)
    assert sent == received
    # 11 sums of 8 ranks in 3 rounds. In round n, partners differ in bit n.
    assert len(sent) == 11 * 8 * 3
    assert {(tag & 3, tag >> 2 & 63, peer ^ rank) for rank, peer, tag in sent} == {(2, 1, 1), (2, 2, 2), (2, 3, 4)}


MPIS = local_mpi.find()
OUT_OF_MEMORY = [
    pytest.param(algorithm, MPIS[place % len(MPIS)], id=f"{algorithm}-{MPIS[place % len(MPIS)].release}")
    for place, algorithm in enumerate(["recursive-doubling", "ring"])
    if MPIS
]


@pytest.mark.parametrize(("algorithm", "library"), OUT_OF_MEMORY)
def test_a_rank_without_memory_is_waited_for_by_none(algorithm: str, library: LocalMpi) -> None:
    job = engine_jobs.check(library, 3, algorithm_file(algorithm), "memory")
    assert "afterwards" not in job.stderr, job
