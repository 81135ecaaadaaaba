"""Fixtures for tests in several folders: the MPI libraries of this machine, and the lanes that tests run in."""

import os
import signal
from collections.abc import Generator

# The threads of a matrix product spin while they wait for one another, which is expensive if tests run side by side.
# This must be set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Otherwise Open MPI waits a second before it kills the ranks of a job that fails. Releases 4 and 5 read these
# variables.
os.environ.setdefault("OMPI_MCA_odls_base_sigkill_timeout", "0")
os.environ.setdefault("PRTE_MCA_odls_base_sigkill_timeout", "0")
# Turn off the diagnosis at a job's end.
os.environ.setdefault("HOPSCOPE_DIAGNOSIS", "0")

import kept_failures
import lanes
import left_behind
import local_mpi
import pytest
from hypothesis import HealthCheck, settings

MPIS = local_mpi.find()

# Draw the same examples in each run, without a deadline: no run fails by chance or because the machine is busy.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

# If a shell starts the tests in the background, Ctrl-C is ignored, also by the programs that tests start. Restore it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--lane",
        choices=("quick", "change", "slice", "all"),
        help="select the tests of a lane; a skip that running/skips.txt lacks fails it, a test of running/unsteady.txt "
        "does not. Without it everything runs that is named",
    )
    parser.addoption("--share", type=float, default=1.0, help="run only this share of the tests, drawn by --seed")
    parser.addoption("--seed", type=int, default=1, help="of the draw for --share")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(lanes.Verdict(config), "lanes")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Selects the tests of the lane, and puts those that start jobs first, so that no core is idle at the end."""
    lane = config.getoption("--lane")
    if lane in ("quick", "change"):
        left_out = [
            item
            for item in items
            if any(item.get_closest_marker(mark) for mark in lanes.SLICES)
            or (lane == "quick" and not lanes.is_pure(item))
        ]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    lanes.draw(config, items)
    items.sort(key=lambda item: not lanes.is_live(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps the files of a failed test. The failure of an unsteady test is reported but does not count."""
    del call
    report = yield
    if report.failed:
        kept_failures.keep(item, report)
        entry = lanes.entry_of("unsteady.txt", item.nodeid)
        if item.config.getoption("--lane") and entry:
            report.outcome = "skipped"
            report.wasxfail = f"unsteady, {entry.reason}"
    return report


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Generator[None]:
    """Fails a test that leaves processes, shared memory or folders of networks behind."""
    if not lanes.is_live(request.node):
        yield
        return
    old_files = left_behind.files()
    yield
    is_unfinished = request.node.get_closest_marker("unfinished") is not None
    assert left_behind.remains(request.node.nodeid, old_files, is_unfinished=is_unfinished) == []


@pytest.fixture(scope="session", params=MPIS, ids=[mpi.flavour for mpi in MPIS])
def mpi(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    """Each of the MPI libraries that tests run under, one after another."""
    return request.param


@pytest.fixture(scope="session")
def first_mpi() -> local_mpi.LocalMpi:
    """One MPI library, for tests that do not depend on the library."""
    if not MPIS:
        pytest.fail("there is no MPI library on this machine: this test has nothing to run under")
    return MPIS[0]
