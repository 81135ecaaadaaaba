"""Decides which lane a test belongs to, and what its outcome counts for.

`make test` runs the tests without a mark of SLICES. `make test-quick` runs those of them that start no program and draw
no page. A slice runs one mark or more (tools/slice), `make test-all` everything. Two lists beside this file are read
here: skips.txt has the tests that a machine may skip, and why; unsteady.txt has those whose failure does not decide.
"""

import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import local_mpi
import pytest

TESTS = Path(__file__).parents[1]
SLICES = ("releases", "networks", "large", "browsers", "predictions", "rebuilds", "statistics")
"""Marks of the tests that `make test` leaves out; pyproject.toml says what each means."""
_STARTERS = frozenset({"local_mpi", "playwright.sync_api"})
"""A test that imports one of these modules may start jobs or a browser."""
_SLOWER = _STARTERS | {"subprocess", "hopscope_dashboard"}
"""A test that imports one of these modules may start a program or draw pages."""


@dataclass(frozen=True)
class Entry:
    """A line of one of the lists: the beginning of a test's name, and the reason."""

    test: str
    reason: str


def entries(name: str) -> list[Entry]:
    """The lines of a list. In each line the test comes before the first two spaces. A `#` begins a comment."""
    lines = (TESTS / "running" / name).read_text().splitlines()
    pairs = [line.partition("  ") for line in lines if line.strip() and not line.startswith("#")]
    return [Entry(test, reason.strip()) for test, _, reason in pairs]


def entry_of(name: str, test: str) -> Entry | None:
    """The list's line for a test; None if it has none. test: its pytest name, such as
    `tests/paths/test_functions.py::test_x[openmpi]`."""
    return next((entry for entry in entries(name) if test.startswith(entry.test)), None)


@cache
def _starts(module: ModuleType, starters: frozenset[str]) -> bool:
    """True if a module of the tests imports one of these modules, itself or through another one."""
    return any(_belongs_to(name, starters) or _starts(support, starters) for name, support in _imported(module))


def _belongs_to(name: str, modules: frozenset[str]) -> bool:
    return name in modules or name.partition(".")[0] in modules


def _imported(module: ModuleType) -> Iterator[tuple[str, ModuleType]]:
    for thing in list(vars(module).values()):
        name = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
        support = sys.modules.get(name) if isinstance(name, str) else None
        if support is None or support is module:
            continue
        if _belongs_to(support.__name__, _SLOWER) or str(getattr(support, "__file__", "")).startswith(str(TESTS)):
            yield support.__name__, support


def is_live(item: pytest.Item) -> bool:
    """True if a test starts jobs or a browser, or may do so."""
    return isinstance(item, pytest.Function) and _starts(item.module, _STARTERS)


def is_pure(item: pytest.Item) -> bool:
    """True if a test starts no program and draws no page."""
    return isinstance(item, pytest.Function) and not _starts(item.module, _SLOWER)


def runs_under_another_release(item: pytest.Item) -> bool:
    """True if one of a test's parameters is an MPI library that `make test` does not run."""
    call = getattr(item, "callspec", None)
    parameters = call.params.values() if call else ()
    libraries = [parameter for parameter in parameters if isinstance(parameter, local_mpi.LocalMpi)]
    return any(library not in local_mpi.find() for library in libraries)


def drawn_places(config: pytest.Config, count: int) -> list[int]:
    """The positions, in order, of the share of `count` items that --share asks for, drawn by --seed."""
    share: float = config.getoption("--share")
    if share >= 1:
        return list(range(count))
    return sorted(random.Random(config.getoption("--seed")).sample(range(count), math.ceil(share * count)))


def draw(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps only the share of the tests that --share asks for, after the selection by -m and -k."""
    sample = set(drawn_places(config, len(items)))
    if len(sample) == len(items):
        return
    config.hook.pytest_deselected(items=[item for place, item in enumerate(items) if place not in sample])
    items[:] = [item for place, item in enumerate(items) if place in sample]


class Verdict:
    """Fails a lane if it has skips that are not listed. Names these and the unsteady failures at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.lane: str | None = config.getoption("--lane")
        self.skipped: list[str] = []
        self.unlisted: list[str] = []
        self.undecided: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Marks tests that run under other than the preferred releases, before -m looks at marks."""
        for item in items:
            if runs_under_another_release(item) and not item.get_closest_marker("every_release"):
                item.add_marker(pytest.mark.releases)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Records a skip or an unsteady failure."""
        if not report.skipped:
            return
        if hasattr(report, "wasxfail"):
            self.undecided.append(report.nodeid)
            return
        self.skipped.append(report.nodeid)
        if entry_of("skips.txt", report.nodeid) is None:
            self.unlisted.append(f"{report.nodeid}: {report.longreprtext.rpartition(': ')[2]}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Makes an unlisted skip a failure."""
        if (
            self.lane
            and self.unlisted
            and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the number of skipped tests, and the unexpected outcomes."""
        if not self.lane:
            return
        line = terminalreporter.write_line
        line(
            f"{len(self.skipped)} skipped, {len(self.unlisted)} unlisted; {len(self.undecided)} failures decide nothing"
        )
        for name in self.unlisted:
            line(f"skipped, but not in tests/running/skips.txt: {name}")
        for name in self.undecided:
            line(f"failed, which does not decide: {name}")
