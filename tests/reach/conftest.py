"""What kinds of programs the collector reaches: languages, MPI releases, beside other tools, and who is told if not."""

from pathlib import Path

import local_mpi
import pytest

MPIS = local_mpi.find()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder runs alone."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.alone)


@pytest.fixture(scope="session", params=MPIS, ids=[mpi.flavour for mpi in MPIS])
def mpi(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    """Each MPI library in turn."""
    return request.param
