"""What tests in several folders need: the MPI libraries of this machine."""

import os
import signal

# Threads of a matrix product spin while they wait for one another, which costs dear where tests run side by side. This
# has to be set before anybody imports numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import local_mpi
import pytest

MPIS = local_mpi.find()

# Whoever starts the tests in the background of a shell has Ctrl-C ignored, by the programs that tests start too.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", params=MPIS, ids=[mpi.flavour for mpi in MPIS])
def mpi(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    """Each MPI library in turn."""
    return request.param


@pytest.fixture(scope="session")
def first_mpi() -> local_mpi.LocalMpi:
    """One MPI library, for what does not depend on which."""
    if not MPIS:
        pytest.fail("there is no MPI library on this machine: this test has nothing to run under")
    return MPIS[0]
