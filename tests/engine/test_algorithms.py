"""Every algorithm gives what the MPI library gives, or what MPI says where the library fails on odd datatypes."""

from typing import Any

import engine_jobs
import pytest
from engine_jobs import ALGORITHMS, HOP_IRECV, HOP_ISEND, by, every, served
from local_mpi import LocalMpi

# By which everything is run that can be: operations by the first algorithm that serves them, in two mixtures.
MIXTURES = {
    "doubling": ["recursive-doubling", "pairwise", "linear", "split-binary"],
    "rings": ["ring", "bruck", "double-ring", "linear", "pipeline"],
}


def mixture(name: str, **rule: Any) -> dict[str, Any]:
    """A tree file with a rule for each algorithm of a mixture."""
    rules = [{"operations": ALGORITHMS[algorithm], "algorithm": algorithm, **rule} for algorithm in MIXTURES[name]]
    return {"schema_version": 1, "rules": rules}


@pytest.mark.parametrize("ranks", range(2, 10))
def test_random_calls_equal_the_library_on_any_number_of_ranks(ranks: int, first_mpi: LocalMpi) -> None:
    tree = mixture("rings" if ranks in (2, 4, 7, 8) else "doubling")
    ended = engine_jobs.check(first_mpi, ranks, tree, "random-more", ranks, 60)
    assert ended.same, ended
    assert ended.by_engine > 0
    ended = engine_jobs.check(first_mpi, ranks, tree, "blocks", ranks, 54, served("blocks", tree))
    assert ended.same, ended
    assert ended.by_engine > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_equals_the_library_under_every_library(algorithm: str, mpi: LocalMpi) -> None:
    tree = by(algorithm)
    ended = engine_jobs.check(mpi, 3, tree, "random-more", 7, 40)
    assert ended.same, ended
    assert ended.by_engine > 0 or algorithm in ("bruck", "linear")
    ended = engine_jobs.check(mpi, 3, tree, "derived-more", 7, 30, served("derived-more", tree))
    assert ended.same, ended
    if served("blocks", tree):
        ended = engine_jobs.check(mpi, 3, tree, "blocks", 7, 45, served("blocks", tree))
        assert ended.same, ended
        assert ended.by_engine > 0


@pytest.mark.parametrize("algorithm", MIXTURES)
def test_every_predefined_operation_on_every_datatype_equals_the_library(algorithm: str, mpi: LocalMpi) -> None:
    ranks = 5 if mpi.flavour == "openmpi" else 3
    for mode in ("pairs", "pairs-more"):
        ended = engine_jobs.check(mpi, ranks, mixture(algorithm), mode, 2)
        assert ended.same, ended
        assert ended.by_engine > 60 * ranks


@pytest.mark.parametrize("algorithm", ["recursive-doubling", "linear", "pairwise"])
def test_what_keeps_the_order_of_ranks_runs_operations_that_do_not_commute(algorithm: str, mpi: LocalMpi) -> None:
    tree = by(algorithm)
    ended = engine_jobs.check(mpi, 4, tree, "derived-more", 5, 40, served("derived-more", tree))
    assert ended.same, ended
    assert "operation does not commute" not in ended.reasons
    assert ended.by_engine > 0


def test_what_does_not_keep_the_order_says_so(first_mpi: LocalMpi) -> None:
    tree = by("ring")
    ended = engine_jobs.check(first_mpi, 4, tree, "derived-more", 5, 40, served("derived-more", tree))
    assert ended.same, ended
    assert "operation does not commute" in ended.reasons


@pytest.mark.parametrize("algorithm", ["recursive-doubling", "ring"])
def test_rounded_sums_are_near_repeat_bit_for_bit_and_are_the_same_on_all_ranks(algorithm: str, mpi: LocalMpi) -> None:
    ended = engine_jobs.check(mpi, 5 if mpi.flavour == "openmpi" else 3, by(algorithm), "sums", 3)
    assert ended.same, ended
    assert ended.by_engine > 0


@pytest.mark.parametrize("shape", ["binomial", "chain", "flat", {"shape": "k-chain", "fan_out": 2}], ids=str)
def test_gather_and_scatter_over_trees_move_every_block(shape: str | dict[str, Any], first_mpi: LocalMpi) -> None:
    tree = every(shape)
    tree["rules"][0]["operations"] = ["MPI_Gather", "MPI_Scatter"]
    ended = engine_jobs.check(first_mpi, 6, tree, "blocks", 3, 72, served("blocks", tree))
    assert ended.same, ended
    assert ended.by_engine > 0


def test_cut_messages_give_the_same(first_mpi: LocalMpi) -> None:
    rules = [
        {"operations": ["MPI_Allreduce", "MPI_Scan", "MPI_Exscan"], "algorithm": "recursive-doubling"},
        {"operations": ["MPI_Bcast"], "algorithm": "split-binary"},
        {"operations": ["MPI_Reduce"], "algorithm": "pipeline"},
    ]
    tree = {"schema_version": 1, "rules": [rule | {"segment_bytes": 64} for rule in rules]}
    ended = engine_jobs.check(first_mpi, 7, tree, "random-more", 3, 80)
    assert ended.same, ended
    assert ended.by_engine > 0


def test_exchanges_leave_hops_with_rounds_and_both_ends(first_mpi: LocalMpi) -> None:
    ended = engine_jobs.check(first_mpi, 8, by("recursive-doubling"), "sums", 3)
    assert ended.same, ended
    sent = sorted((rank, r.peer, r.tag) for rank, rs in enumerate(ended.records) for r in rs if r.kind == HOP_ISEND)
    received = sorted((r.peer, rank, r.tag) for rank, rs in enumerate(ended.records) for r in rs if r.kind == HOP_IRECV)
    assert sent == received
    # 11 sums of 8 ranks in 3 rounds: partners differ in one bit, which is the round's
    assert len(sent) == 11 * 8 * 3
    assert {(tag & 3, tag >> 2 & 63, peer ^ rank) for rank, peer, tag in sent} == {(2, 1, 1), (2, 2, 2), (2, 3, 4)}


@pytest.mark.parametrize("algorithm", ["recursive-doubling", "ring"])
def test_a_rank_without_memory_is_waited_for_by_none(algorithm: str, mpi: LocalMpi) -> None:
    ended = engine_jobs.check(mpi, 3, by(algorithm), "memory")
    assert "afterwards" not in ended.stderr, ended
