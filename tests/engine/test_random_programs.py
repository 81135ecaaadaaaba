"""A few random programs leave the same bytes with and without the collector; `make check-random` runs many."""

from pathlib import Path

import pytest
import random_programs
from hypothesis import HealthCheck, given, reject, settings
from local_mpi import LocalMpi
from random_programs import Job, compare, jobs

seeded = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def compare_many(mpi: LocalMpi, examples: int) -> None:
    """Runs this number of random programs."""
    programs_run = by_engine = 0

    @settings(seeded, max_examples=examples)
    @given(job=jobs(5, least_steps=10))
    def programs(job: Job) -> None:
        nonlocal programs_run, by_engine
        try:
            outcome = compare(mpi, job)
        except RuntimeError:
            reject()  # the library itself fails
        assert not outcome.difference, outcome.difference
        programs_run += 1
        by_engine += outcome.by_engine

    programs()
    assert programs_run > examples // 2
    assert by_engine > 0


def test_random_programs_leave_the_same_bytes_with_and_without_the_collector(mpi: LocalMpi) -> None:
    compare_many(mpi, 3)


@pytest.mark.statistics
def test_many_random_programs_leave_the_same_bytes_with_and_without_the_collector(mpi: LocalMpi) -> None:
    compare_many(mpi, 20)


def test_a_result_that_the_collector_changes_is_seen_with_its_rank_and_step(
    first_mpi: LocalMpi, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "lane\ncollective bcast 0 0 3 int - 0 0 1\ncollective allreduce 0 0 3 int sum 0 0 1\n"
    run = random_programs.run

    def with_another_result(words: list[str], hashes: Path, ranks: int, timeout: int) -> tuple[str, list[list[str]]]:
        if hashes.name == "under":
            Path(words[-2]).write_text(program.replace("sum", "max"))
        return run(words, hashes, ranks, timeout)

    monkeypatch.setattr(random_programs, "run", with_another_result)
    difference = compare(first_mpi, Job(2, program, None)).difference
    assert difference.startswith("other results:\nrank 0: collective allreduce")
    assert "bcast" not in difference.partition(program)[0]
    assert "rank 1:" in difference
