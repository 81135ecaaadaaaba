"""A rank that comes 15 ms late to receive large messages is what the path and the causes name, whatever carries them.

The sender of such a message waits for the late rank, and everybody above it in the tree for that sender.
"""

from pathlib import Path
from typing import Any

import local_mpi
import pytest
from jobs import FIRST, PROGRAMS, Run, analyze, by_key, two_sites

pytestmark = pytest.mark.alone

MPICH = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "mpich"]
RANKS, LATE_MS, ITERATIONS = 6, 15, 12
KIB = 1024


def planted(
    mpi: local_mpi.LocalMpi,
    traced: Run,
    what: str,
    size: int,
    *,
    ranks: int = RANKS,
    late: int | None = None,
    **how: Any,
) -> Path:
    """A run in which one rank was late (the last, if not named) and no other, by each rank's own clock.

    The machine gets three chances.
    """
    late = ranks - 1 if late is None else late
    program = mpi.compile(PROGRAMS / "late_receiver.c")
    disturbed_ms: list[float] = []
    # A rank of MPICH that waits inside the library keeps its core: with priority for a whole slice of it, 100 ms. With
    # `patience` it does not.
    first = FIRST if mpi.flavour == "openmpi" or "LD_PRELOAD" in how else ()
    for _ in range(3):
        job = traced(mpi, ranks, *first, program, what, size, ITERATIONS, late, LATE_MS, **how)
        assert job.code == 0, job.err
        beyond = f"rank <> {late} and computed_ns > 10e6 and released_ns is not null"
        query = f"select coalesce(sum(computed_ns - 10e6), 0) / 1e6 ms from calls where {beyond}"
        disturbed_ms.append(analyze(job.trace, "sql", query)[0]["ms"])
        if disturbed_ms[-1] <= LATE_MS:
            return job.trace
    pytest.fail(f"other programs held ranks up in every run, by {disturbed_ms} ms: try again when idle")


def assert_the_late_rank_is_named(trace: Path, late: int = RANKS - 1) -> None:
    causes = by_key(analyze(trace, "last-arrivals"), "rank")
    assert causes[late]["cause_share"] > 0.5
    others = [row for rank, row in causes.items() if rank != late]
    assert sum(row["cause_share"] for row in others) < 0.3
    assert sum(row["released_share"] for row in causes.values()) < 0.3
    rows = by_key(analyze(trace, "critical-path", "--by", "rank"), "rank")
    compute = sum(row["compute_ns"] for row in rows.values())
    # All but the first iteration's, in which everybody sleeps 5 ms: 20 ms each. Of other ranks' computing there is only
    # what a busy machine adds; where the path stayed on the sender, it was nearly all.
    assert rows[late]["compute_ns"] > 0.8 * (ITERATIONS - 1) * 20e6
    assert rows[late]["compute_ns"] > 0.6 * compute


@pytest.mark.parametrize("transport", ["shm", "mpi"])
def test_of_a_broadcast_over_a_binomial_tree(transport: str, mpi: local_mpi.LocalMpi, traced: Run) -> None:
    trace = planted(mpi, traced, "bcast", 256 * KIB, tree="binomial", HOPSCOPE_TRANSPORT=transport)
    assert_the_late_rank_is_named(trace)
    # It made its parent wait, which the library's own waits would call `local`, or the sender's.
    held = analyze(trace, "sql", f"select count(*) n from hops where dst = {RANKS - 1} and binding = 'send'")
    assert held[0]["n"] > 0.8 * ITERATIONS


@pytest.mark.parametrize("size", [64 * KIB, 4096 * KIB])
def test_of_smaller_and_larger_messages(size: int, first_mpi: local_mpi.LocalMpi, traced: Run) -> None:
    assert_the_late_rank_is_named(planted(first_mpi, traced, "bcast", size, tree="binomial"))


@pytest.mark.parametrize(
    ("what", "tree"), [("bcast", "flat"), ("scatter", "binomial"), ("gather", "binomial"), ("alltoall", "pairwise")]
)
def test_of_other_operations_and_trees(what: str, tree: str, first_mpi: local_mpi.LocalMpi, traced: Run) -> None:
    assert_the_late_rank_is_named(planted(first_mpi, traced, what, 256 * KIB, tree=tree))


@pytest.mark.parametrize(
    ("what", "size"),
    [("bcast", 64 * KIB), ("bcast", 4096 * KIB), ("scatter", 256 * KIB), ("gather", 256 * KIB), ("alltoall", 64 * KIB)],
)
def test_in_the_messages_of_an_untouched_library(
    what: str, size: int, first_mpi: local_mpi.LocalMpi, traced: Run
) -> None:
    trace = planted(first_mpi, traced, what, size, HOPSCOPE_NATIVE="1")
    assert_the_late_rank_is_named(trace)
    assert analyze(trace, "sql", "select distinct source from hops") == [{"source": "native"}]
    assert by_key(analyze(trace, "critical-path"), "category")["native"]["share"] < 0.01


@pytest.mark.parametrize("release", MPICH, ids=[mpi.release for mpi in MPICH])
@pytest.mark.parametrize(
    ("what", "size"),
    [("bcast", 64), ("bcast", 4096 * KIB), ("scatter", KIB), ("gather", 256 * KIB), ("alltoall", 64 * KIB)],
)
def test_in_the_messages_of_an_untouched_mpich(what: str, size: int, release: local_mpi.LocalMpi, traced: Run) -> None:
    """Small messages lie in shared memory for 15 ms. Before the library was made to look for them, they counted as
    waited for, and the path went to their senders. The last lies behind messages of MPI_Finalize, of which a look of
    MPICH 5 takes one."""
    trace = planted(release, traced, what, size, **local_mpi.MPICH_IN_MESSAGES, **release.patience())
    assert analyze(trace, "sql", "select distinct source from hops") == [{"source": "native"}]
    waited = "select count(*) n from hops where binding = 'recv' and recv_post_ns - send_begin_ns > 10e6"
    assert analyze(trace, "sql", waited) == [{"n": 0}]
    assert_the_late_rank_is_named(trace)
    # The barrier is the first collective to use communicators of the library's own: its messages are not recorded.
    hidden = "select distinct op from path_stretches where category = 'native' and op <> 'MPI_Barrier'"
    assert analyze(trace, "sql", hidden) == []


@pytest.mark.parametrize("late", [3, 4, 5])
def test_over_a_link_that_takes_longer_than_the_rank_is_late(
    late: int, first_mpi: local_mpi.LocalMpi, traced: Run
) -> None:
    # Ranks 3 and 4 get the messages by the link, 5 from 4. The root waits for none of them, so the messages of several
    # iterations are under way at once. What sets the pace is the late rank's own 20 ms, computing or in the link.
    trace = planted(first_mpi, traced, "bcast", 256 * KIB, late=late, tree="binomial", topology=two_sites(20))
    causes = by_key(analyze(trace, "last-arrivals"), "rank")
    assert causes[late]["cause_share"] > 0.9
    path = by_key(analyze(trace, "critical-path", "--by", "rank"), "rank")[late]
    assert path["compute_ns"] + path["hops_ns"] > 0.8 * (ITERATIONS - 1) * 20e6


@pytest.mark.parametrize("what", ["send", "isend"])
def test_of_the_application_s_own_messages(what: str, mpi: local_mpi.LocalMpi, traced: Run) -> None:
    # Two ranks, for the barrier is the library's, and MPICH's waiting ranks do not let go of a core.
    trace = planted(mpi, traced, what, 256 * KIB, ranks=2)
    assert_the_late_rank_is_named(trace, late=1)
    held = analyze(trace, "sql", "select count(*) n from messages where dst = 1 and binding = 'send'")
    assert held[0]["n"] > 0.8 * ITERATIONS
