"""What carries the hops changes nothing but their speed: shared memory, messages of MPI, one where the other cannot."""

import fcntl
import os
import secrets
from pathlib import Path

import engine_jobs
import pytest
from engine_jobs import every
from local_mpi import LocalMpi

LEFT_BEHIND = "hopscope-*-????????????????-????????????????"


@pytest.mark.parametrize("transport", ["mpi", "shm"])
@pytest.mark.parametrize("mode", ["random", "derived"])
def test_results_are_the_same_over_every_transport(mode: str, transport: str, mpi: LocalMpi) -> None:
    tree = every("binomial", segment_bytes=64)
    ended = engine_jobs.check(mpi, 3, tree, mode, 17, 40, transport=transport)
    assert ended.same, ended
    assert ended.by_engine > 0


@pytest.mark.parametrize("transport", ["mpi", "shm"])
@pytest.mark.parametrize("segment_bytes", [0, 2500, 100_000])
def test_eight_megabytes_come_whole_and_the_applications_own_message_beside_them(
    segment_bytes: int, transport: str, mpi: LocalMpi
) -> None:
    # 2,500 bytes are too many for a slot of a channel, 100,000 for the two buffers of a lane, 8 MB for any lane.
    ended = engine_jobs.check(mpi, 3, every("chain", segment_bytes=segment_bytes), "large", transport=transport)
    assert ended.same, ended
    assert ended.by_engine == 3 * 9


@pytest.mark.alone
@pytest.mark.parametrize(("transport", "wanted"), [("mpi", 0), ("shm", 1)])
def test_hops_go_through_shared_memory_where_it_is_asked_for(transport: str, wanted: int, mpi: LocalMpi) -> None:
    there = set(Path("/dev/shm").glob(LEFT_BEHIND))  # of a job that was killed while it made one
    ended = engine_jobs.check(mpi, 3, every("flat"), "shared", wanted, transport=transport)
    assert ended.same, ended
    assert set(Path("/dev/shm").glob(LEFT_BEHIND)) <= there


@pytest.mark.alone
def test_memory_that_a_killed_job_left_behind_is_removed_by_the_next_and_a_living_one_s_is_not(
    first_mpi: LocalMpi,
) -> None:
    name = f"hopscope-shared-{os.getuid()}-{secrets.token_hex(8)}-{secrets.token_hex(8)}"
    window = Path("/dev/shm") / name
    with window.open("wb") as file:
        # As a rank does while it makes its window; the lock goes with the process, however that ends.
        fcntl.flock(file, fcntl.LOCK_SH)
        assert engine_jobs.check(first_mpi, 2, every("flat"), "shared", 1).same
        assert window.exists()
    assert engine_jobs.check(first_mpi, 2, every("flat"), "shared", 1).same
    assert not window.exists()


def test_where_one_rank_cannot_have_the_memory_all_use_messages(mpi: LocalMpi) -> None:
    ended = engine_jobs.check(mpi, 3, every("flat"), "shared", 2, transport="shm")
    assert ended.same, ended


def test_two_threads_use_messages_on_two_communicators(first_mpi: LocalMpi) -> None:
    ended = engine_jobs.check(first_mpi, 3, every("binary"), "threads", 0, 150, transport="mpi")
    assert ended.same, ended
    assert ended.by_engine == 3 * 2 * 150


def test_a_rank_without_memory_is_missed_over_messages_too(first_mpi: LocalMpi) -> None:
    ended = engine_jobs.check(first_mpi, 3, every("chain"), "memory", transport="mpi")
    assert ended.same, ended
