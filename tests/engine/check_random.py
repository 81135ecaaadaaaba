"""Many random programs under every MPI library of this machine: make check-random.

If a program leaves other bytes under the collector than without it, exits with 1, and writes the smallest such program
as files and commands. Programs that the library itself cannot run are counted and skipped.
"""

import argparse
import sys
import time

from hypothesis import HealthCheck, given, reject, seed, settings
from local_mpi import LocalMpi, find, find_intel
from random_programs import Job, compare, jobs

AT_A_TIME = 20


def run_some(mpi: LocalMpi, number: int, most_ranks: int) -> tuple[int, int, int]:
    """Runs random programs. Returns the number of programs, of calls by the engine, and of programs that the library
    itself cannot run. Raises AssertionError with the smallest program that shows a difference."""
    programs = by_engine = refused = 0

    @seed(number)
    @settings(deadline=None, database=None, max_examples=AT_A_TIME, suppress_health_check=list(HealthCheck))
    @given(job=jobs(most_ranks, least_steps=5))
    def check_job(job: Job) -> None:
        nonlocal programs, by_engine, refused
        try:
            outcome = compare(mpi, job)
        except RuntimeError as trouble:
            refused += 1
            print(f"left out: {trouble}", file=sys.stderr)
            reject()
        assert not outcome.difference, outcome.difference
        programs += 1
        by_engine += outcome.by_engine

    check_job()
    return programs, by_engine, refused


def main() -> None:
    """Runs random programs until the time limit."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--ranks", type=int, default=6, help="at most so many")
    options.add_argument("--mpi", help="one library only, such as mpich-5; mpich-2021 is Intel MPI")
    arguments = options.parse_args()
    libraries = [mpi for mpi in [*find(), *find_intel()] if arguments.mpi in (None, mpi.release)]
    if not libraries:
        sys.exit("check-random: there is no MPI library to run programs with")
    end, number = time.monotonic() + arguments.seconds, arguments.seed
    totals = {mpi.release: (0, 0, 0) for mpi in libraries}
    while time.monotonic() < end:
        for mpi in libraries:
            try:
                counts = run_some(mpi, number, arguments.ranks)
            except AssertionError as difference:
                sys.exit(f"check-random: {mpi.release}, seed {number}: {difference}")
            totals[mpi.release] = tuple(map(sum, zip(totals[mpi.release], counts, strict=True)))
        number += 1
    for release, (programs, by_engine, refused) in totals.items():
        print(f"{release}: {programs} programs, {by_engine} calls by the engine, all alike; {refused} left out")


if __name__ == "__main__":
    main()
