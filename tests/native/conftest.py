"""The releases of MPI libraries whose own messages Hopscope records."""

from pathlib import Path

import local_mpi
import pytest
from messages import MPICH, OPEN_MPI
from recorded_jobs import shared_folder


@pytest.fixture(params=OPEN_MPI, ids=[mpi.release for mpi in OPEN_MPI])
def open_mpi(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    """Each release of Open MPI in turn."""
    return request.param


@pytest.fixture(params=MPICH, ids=[mpi.release for mpi in MPICH])
def mpich(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    """Each release of MPICH in turn."""
    return request.param


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for jobs that several tests use."""
    return shared_folder(tmp_path_factory)


@pytest.fixture
def many_ranks_on_few_cores() -> None:
    """Makes ranks of MPICH give up their cores while they wait. By themselves they poll, and keep the cores from one
    another."""
    local_mpi.share_cores()
