"""The engine under real MPI jobs, with every MPI library of this machine."""

from pathlib import Path

import pytest
from engine_jobs import MPIS
from local_mpi import LocalMpi


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder runs alone."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.alone)


@pytest.fixture(scope="session", params=MPIS, ids=[mpi.flavour for mpi in MPIS])
def mpi(request: pytest.FixtureRequest) -> LocalMpi:
    """Each MPI library in turn."""
    return request.param


@pytest.fixture(scope="session")
def first_mpi() -> LocalMpi:
    """One MPI library, for what does not depend on which."""
    if not MPIS:
        pytest.fail("there is no MPI library on this machine: the engine has nothing to run on")
    return MPIS[0]
