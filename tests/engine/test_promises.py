"""The engine never hangs, hides an error, mixes up communicators, or omits the reason of a native call."""

from typing import Any

import engine_jobs
import local_mpi
import pytest
from engine_jobs import tree_file
from local_mpi import LocalMpi

SLOW_LINKS = {
    "schema_version": 1,
    "placement": "round-robin",
    "hosts": [{"name": "a0", "cluster": "A"}, {"name": "b0", "cluster": "B"}],
    "emulate": {
        "links": {"wan": {"latency_ns": 3_000_000, "bytes_per_second": 1e9}},
        "host_interface": {"per_message_ns": 10_000},
    },
}


# Debian's MPICH does not check arguments, and crashes on wrong ones. The ABI is MPICH 5's here once more.
CHECKING = [mpi for mpi in local_mpi.find_all() if mpi.release not in ("mpich-4", "abi-1")]


@pytest.fixture(params=CHECKING, ids=[mpi.release for mpi in CHECKING])
def checking_mpi(request: pytest.FixtureRequest) -> LocalMpi:
    """Each MPI library that checks arguments."""
    return request.param


MIXED_RULES = {
    "schema_version": 1,
    "trees": {"tree": {"shape": "binomial"}},
    "rules": [
        {"operations": engine_jobs.OPERATIONS, "reduce_tree": "tree"},
        {
            "operations": ["MPI_Scan", "MPI_Exscan", "MPI_Allgather", "MPI_Allgatherv"],
            "algorithm": "recursive-doubling",
        },
        {"operations": engine_jobs.ALGORITHMS["pairwise"], "algorithm": "pairwise"},
        {"operations": ["MPI_Gather", "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv"], "algorithm": "linear"},
    ],
}


def test_errors_are_those_of_the_library_and_reach_the_users_handler_alone(checking_mpi: LocalMpi) -> None:
    job = engine_jobs.check(checking_mpi, 3, MIXED_RULES, "errors")
    assert job.is_correct, job


@pytest.mark.parametrize("transport", ["shm", "mpi"])
def test_a_message_longer_than_its_buffer_is_the_error_that_the_library_makes_of_it(
    transport: str, first_mpi: LocalMpi
) -> None:
    job = engine_jobs.check(first_mpi, 2, tree_file("flat"), "truncation", transport=transport)
    assert job.is_correct, job


# Regression: if the root of a Gather expected less than the members sent, the engine wrote behind the root's buffer and
# returned MPI_SUCCESS. If the root of a Scatter sent less than it received, the engine read behind the buffer. The
# root's own block was taken for the size of all blocks.
BLOCKS = ["MPI_Gather", "MPI_Scatter"]
WRONG_LENGTHS: dict[str, dict[str, Any]] = {
    **{shape: tree_file(shape, operations=[*engine_jobs.OPERATIONS, *BLOCKS]) for shape in ("chain", "binomial")},
    **{
        name: engine_jobs.algorithm_file(name)
        for name in ("linear", "pairwise", "ring", "bruck", "recursive-doubling", "leaders")
    },
}

BY_MPI_TOO = ("chain", "linear", "leaders")
BY_MEMORY = (*BY_MPI_TOO, "ring", "recursive-doubling")
"""Rules that run over shared memory in every lane, those of BY_MPI_TOO also over MPI messages. A slice runs all."""
LENGTHS_BY = [
    pytest.param(
        name,
        transport,
        marks=[] if name in (BY_MEMORY if transport == "shm" else BY_MPI_TOO) else pytest.mark.statistics,
    )
    for name in WRONG_LENGTHS
    for transport in ("shm", "mpi")
]


@pytest.mark.parametrize(("name", "transport"), LENGTHS_BY)
def test_lengths_that_do_not_fit_are_errors_that_touch_nothing_outside_a_buffer(
    name: str, transport: str, mpi: LocalMpi
) -> None:
    tree = WRONG_LENGTHS[name]
    only = engine_jobs.served("lengths", tree)
    by_mpi = int(transport == "mpi")
    # MPICH is slow if ranks outnumber cores. Only the chain needs a third rank.
    ranks = 4 if mpi.flavour == "openmpi" else 3 if name == "chain" else 2
    job = engine_jobs.check(mpi, ranks, tree, "lengths", 0, by_mpi, only, transport=transport)
    assert job.is_correct, job
    assert job.by_engine > 0


def test_so_are_those_over_emulated_links(first_mpi: LocalMpi) -> None:
    tree = WRONG_LENGTHS["binomial"]
    only = engine_jobs.served("lengths", tree_file("binomial", operations=BLOCKS))
    job = engine_jobs.check(first_mpi, 4, tree, "lengths", 0, 1, only, topology=SLOW_LINKS)
    assert job.is_correct, job


def test_no_thread_ever_meets_another_error_handler_than_the_applications(mpi: LocalMpi) -> None:
    # Regression: handlers were replaced while the engine made a communicator, and while it asked for an operation's
    # datatypes.
    job = engine_jobs.check(mpi, 2, tree_file("binomial"), "handlers", 0, 30)
    assert job.is_correct, job
    assert job.by_engine == 2 * 30


def test_communicators_come_and_go_and_intercommunicators_go_native(mpi: LocalMpi) -> None:
    turns = 300 if mpi.flavour == "openmpi" else 60
    job = engine_jobs.check(mpi, 4, tree_file("chain"), "lifetimes", 0, turns)
    assert job.is_correct, job
    assert "intercommunicator" in job.reasons
    assert job.by_engine > turns


def test_an_application_keeps_most_of_the_communicators_that_there_are(mpi: LocalMpi) -> None:
    # MPICH has about 2,000 communicators. The engine takes at most 100 for itself; calls on the others go native.
    job = engine_jobs.check(mpi, 2, tree_file("flat"), "many", 0, 1200)
    assert job.is_correct, job
    assert job.by_engine == 2 * 2 * 100
    assert "no communicator left for the engine" in job.reasons


def test_two_threads_use_two_communicators_at_once(mpi: LocalMpi) -> None:
    job = engine_jobs.check(mpi, 3, tree_file("binary", segment_bytes=256), "threads", 0, 150)
    assert job.is_correct, job
    assert job.by_engine == 3 * 2 * 150


def test_threads_that_make_communicators_of_the_same_members_do_not_mix_them_up(mpi: LocalMpi) -> None:
    # The engine keeps the state of a freed communicator for the next one of these members.
    job = engine_jobs.check(mpi, 3, tree_file("binomial"), "turnover", 0, 100)
    assert job.is_correct, job
    assert job.by_engine == 3 * 100  # the calls of the first thread


def test_what_does_not_commute_goes_native_and_says_so(mpi: LocalMpi) -> None:
    job = engine_jobs.check(mpi, 3, tree_file("flat"), "derived", 5, 40)
    assert job.is_correct, job
    assert "operation does not commute" in job.reasons


def test_a_tree_of_another_size_goes_native_and_says_so(first_mpi: LocalMpi) -> None:
    tree = tree_file({"shape": "explicit", "parents": [None, 0, 1]})
    job = engine_jobs.check(first_mpi, 4, tree, "pairs")
    assert job.is_correct, job
    assert job.reasons == {"tree tree is for 3 ranks"}
    assert job.by_engine == 0


@pytest.mark.parametrize("segment_bytes", [0, 100_000])
def test_eight_megabytes_over_slow_links_do_not_hang(segment_bytes: int, first_mpi: LocalMpi) -> None:
    tree = tree_file("chain", segment_bytes=segment_bytes)
    job = engine_jobs.check(first_mpi, 3, tree, "large", topology=SLOW_LINKS)
    assert job.is_correct, job
    assert job.by_engine == 3 * 9


@pytest.mark.parametrize("topology", [None, SLOW_LINKS], ids=["plain", "emulated"])
def test_a_rank_without_memory_is_missed_by_all_and_waited_for_by_none(
    topology: dict[str, object] | None, mpi: LocalMpi
) -> None:
    # In a chain, rank 1 has to receive rank 2's part, but has no memory for it.
    job = engine_jobs.check(mpi, 3, tree_file("chain"), "memory", topology=topology)
    assert job.is_correct, job
    assert job.by_engine == 3 * 3


def test_a_rank_without_memory_is_no_matter_where_it_needs_none(first_mpi: LocalMpi) -> None:
    job = engine_jobs.check(first_mpi, 3, tree_file("binomial"), "memory")
    # Rank 1 is a leaf, so the call succeeds. The program expects an error and reports the success.
    assert job.code != 0
    assert "nobody has missed rank 1's part" in job.stderr
    assert "afterwards" not in job.stderr
