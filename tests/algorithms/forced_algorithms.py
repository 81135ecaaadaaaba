"""One run of every algorithm that Open MPI 4 can be forced to use, shared by several test files."""

from pathlib import Path

import local_mpi
import open_mpi
import pytest
from recorded_jobs import fill_once, shared_folder

OPEN_MPI_4 = [mpi for mpi in local_mpi.find() if mpi.release == "openmpi-4"]
needs_open_mpi_4 = pytest.mark.skipif(not OPEN_MPI_4, reason="needs Open MPI 4")


def trace_of_forced_algorithms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of the run on communicators of all `open_mpi.RANKS`, made once in a test run. No test may change it."""
    key = ("forced algorithms", OPEN_MPI_4[0].release, open_mpi.RANKS)
    _, trace = fill_once(
        shared_folder(tmp_path_factory), key, lambda folder: str(open_mpi.run(OPEN_MPI_4[0], folder, open_mpi.RANKS))
    )
    return Path(trace)
