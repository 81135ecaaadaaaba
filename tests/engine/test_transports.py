"""A transport changes only the speed of hops. The transports are shared memory, MPI messages, and MPI messages where
shared memory is not available."""

import fcntl
import os
import secrets
import time
from pathlib import Path

import engine_jobs
import pytest
from engine_jobs import tree_file
from local_mpi import LocalMpi

SHARED_MEMORY = Path("/dev/shm")
WINDOWS = "hopscope-*-????????????????-????????????????"
DEADLINE_S = 60


def windows_left() -> set[Path]:
    """The windows of shared memory that remain and belong to no rank. A rank locks its window until all ranks have
    mapped it and its name is removed, so a window that can be locked belongs to none."""
    left = set()
    for window in SHARED_MEMORY.glob(WINDOWS):
        try:
            with window.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.add(window)
        except (BlockingIOError, FileNotFoundError):
            continue
    return left


@pytest.mark.parametrize("transport", ["mpi", "shm"])
@pytest.mark.parametrize("mode", ["random", "derived"])
def test_results_are_the_same_over_every_transport(mode: str, transport: str, mpi: LocalMpi) -> None:
    tree = tree_file("binomial", segment_bytes=64)
    job = engine_jobs.check(mpi, 3, tree, mode, 17, 40, transport=transport)
    assert job.is_correct, job
    assert job.by_engine > 0


def assert_megabytes_come_whole(mpi: LocalMpi, segment_bytes: int, megabytes: int, transport: str) -> None:
    """Asserts that all megabytes arrive, and the application's own message beside them."""
    tree = tree_file("chain", segment_bytes=segment_bytes)
    job = engine_jobs.check(mpi, 3, tree, "large", megabytes << 17, transport=transport)
    assert job.is_correct, job
    assert job.by_engine == 3 * 9


@pytest.mark.parametrize(("segment_bytes", "megabytes"), [(0, 8), (2500, 1), (100_000, 8)])
def test_megabytes_come_whole_through_shared_memory(segment_bytes: int, megabytes: int, first_mpi: LocalMpi) -> None:
    # 2,500 bytes do not fit into a slot of a channel, 100,000 not into the two buffers of a lane, 8 MB not into any
    # lane.
    assert_megabytes_come_whole(first_mpi, segment_bytes, megabytes, "shm")


def test_megabytes_come_whole_in_messages(mpi: LocalMpi) -> None:
    assert_megabytes_come_whole(mpi, 100_000, 8, "mpi")


@pytest.mark.parametrize(("transport", "shared_memory"), [("mpi", 0), ("shm", 1)])
def test_hops_go_through_shared_memory_where_it_is_asked_for(transport: str, shared_memory: int, mpi: LocalMpi) -> None:
    old_windows = windows_left()
    job = engine_jobs.check(mpi, 3, tree_file("flat"), "shared", shared_memory, transport=transport)
    assert job.is_correct, job
    # Another job's rank may be about to lock its new window.
    deadline = time.monotonic() + DEADLINE_S
    while left := windows_left() - old_windows:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def test_memory_that_a_killed_job_left_behind_is_removed_by_the_next_and_a_living_one_s_is_not(
    first_mpi: LocalMpi,
) -> None:
    window = SHARED_MEMORY / f"hopscope-shared-{os.getuid()}-{secrets.token_hex(8)}-{secrets.token_hex(8)}"
    # The file gets its name after it is locked, because other jobs clean up too.
    unnamed = SHARED_MEMORY / f"unnamed-{secrets.token_hex(8)}"
    with unnamed.open("wb") as file:
        # A rank does this while it makes its window. The lock ends with the process, however that ends.
        fcntl.flock(file, fcntl.LOCK_SH)
        unnamed.rename(window)
        assert engine_jobs.check(first_mpi, 2, tree_file("flat"), "shared", 1).is_correct
        assert window.exists()
    assert engine_jobs.check(first_mpi, 2, tree_file("flat"), "shared", 1).is_correct
    assert not window.exists()


def test_where_one_rank_cannot_have_the_memory_all_use_messages(mpi: LocalMpi) -> None:
    job = engine_jobs.check(mpi, 3, tree_file("flat"), "shared", 2, transport="shm")
    assert job.is_correct, job


def test_two_threads_use_messages_on_two_communicators(first_mpi: LocalMpi) -> None:
    job = engine_jobs.check(first_mpi, 3, tree_file("binary"), "threads", 0, 150, transport="mpi")
    assert job.is_correct, job
    assert job.by_engine == 3 * 2 * 150


def test_a_rank_without_memory_is_missed_over_messages_too(first_mpi: LocalMpi) -> None:
    job = engine_jobs.check(first_mpi, 3, tree_file("chain"), "memory", transport="mpi")
    assert job.is_correct, job
