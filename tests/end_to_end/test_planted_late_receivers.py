"""A rank that comes 15 ms late to receive large messages is what the path and the causes name, whatever carries them.

The sender of such a message waits for the late rank, and everybody above it in the tree for that sender.
"""

from pathlib import Path

import local_mpi
import pytest
from jobs import FIRST, PROGRAMS, Run, analyze, by_key

RANKS, LATE_MS, ITERATIONS = 6, 15, 12
KIB = 1024


def planted(mpi: local_mpi.LocalMpi, traced: Run, what: str, size: int, ranks: int = RANKS, **how: str) -> Path:
    """A run in which the last rank was late, and no other, by each rank's own clock; the machine gets three chances."""
    program = mpi.compile(PROGRAMS / "late_receiver.c")
    disturbed_ms: list[float] = []
    # A rank of MPICH that waits inside the library keeps its core: with priority for a whole slice of it, 100 ms.
    first = FIRST if mpi.flavour == "openmpi" else ()
    for _ in range(3):
        job = traced(mpi, ranks, *first, program, what, size, ITERATIONS, ranks - 1, LATE_MS, **how)
        assert job.code == 0, job.err
        beyond = f"rank <> {ranks - 1} and computed_ns > 10e6 and released_ns is not null"
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
    # All but the first iteration's, in which everybody sleeps 5 ms: 20 ms each, and no other rank's computing.
    assert rows[late]["compute_ns"] > 0.8 * (ITERATIONS - 1) * 20e6
    assert rows[late]["compute_ns"] > 0.8 * compute


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


@pytest.mark.parametrize("what", ["send", "isend"])
def test_of_the_application_s_own_messages(what: str, mpi: local_mpi.LocalMpi, traced: Run) -> None:
    # Two ranks, for the barrier is the library's, and MPICH's waiting ranks do not let go of a core.
    trace = planted(mpi, traced, what, 256 * KIB, ranks=2)
    assert_the_late_rank_is_named(trace, late=1)
    held = analyze(trace, "sql", "select count(*) n from messages where dst = 1 and binding = 'send'")
    assert held[0]["n"] > 0.8 * ITERATIONS
