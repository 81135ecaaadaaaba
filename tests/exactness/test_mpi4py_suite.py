"""mpi4py's own tests with and without the collector: a small module, and in a slice the eight most demanding ones.

`make check-mpi4py` runs all.
"""

import io
import itertools
import json
import runpy
import time
import unittest
from pathlib import Path

import pytest
import tree_mixtures
from local_mpi import LocalMpi, share_cores
from suite_comparison import compare
from suite_runs import DRIVER, Run, Way, sources

DEMANDING_MODULES = r"^test_(cco_buf|cco_obj|cco_obj_inter|comm|op|attributes|errhandler|msgzero)$"
QUICK_MODULES = r"^test_(op|msgzero)$"
# If ranks outnumber cores, MPICH takes minutes.
RANKS = {"openmpi": 3, "mpich": 2}
MIXTURE = list(tree_mixtures.MIXTURES.values())[1]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module", autouse=True)
def suite() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    try:
        sources()
    except RuntimeError as trouble:
        pytest.skip(str(trouble))
    share_cores()


def test_a_module_ends_alike_with_and_without_the_collector(first_mpi: LocalMpi, tmp_path: Path) -> None:
    comparison = compare(Run(first_mpi, 2, tmp_path, QUICK_MODULES), [Way("engine", MIXTURE)], print)
    assert comparison.differences == []
    assert comparison.unsteady == set()
    assert sum(outcome == "passed" for outcome in comparison.alone.by_test.values()) > 30


@pytest.mark.statistics
def test_modules_that_ask_most_of_a_collector_end_alike_with_and_without_it(mpi: LocalMpi, tmp_path: Path) -> None:
    comparison = compare(
        Run(mpi, RANKS[mpi.flavour], tmp_path, DEMANDING_MODULES), [Way("observed"), Way("engine", MIXTURE)], print
    )
    assert comparison.differences == []
    assert sum(outcome == "passed" for outcome in comparison.alone.by_test.values()) > 300
    assert len(comparison.unsteady) < 10


def test_a_collector_that_changes_a_result_and_one_that_ends_the_job_are_noticed(
    first_mpi: LocalMpi, tmp_path: Path
) -> None:
    library = first_mpi.compile(PROGRAMS / "wrong_collector.c", "-shared", "-fPIC", name="libwrong_collector.so")
    run = Run(first_mpi, 2, tmp_path, "^test_(op|errorcode)$")
    comparison = compare(run, [Way("wrong", library=library)], print)
    tests = {line.split()[1] for line in comparison.differences}
    assert "test_op.TestOp.testIsCommutative" in tests
    assert any("test_errorcode" in line and "ends the job: exit code 9" in line for line in comparison.differences)
    assert comparison.unsteady == set()


class ManyParts(unittest.TestCase):
    """A test like those of test_util_dtlib, with many parts."""

    __test__ = False  # not a test for pytest, because one part fails on purpose

    def runTest(self) -> None:  # noqa: N802
        """Runs three parts, one of which fails."""
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)


def test_a_long_test_of_many_parts_gives_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    # Regression: beside other programs such a test took longer than the patience, but only under the collector, and was
    # reported as hanging.
    clock = itertools.count(step=4)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    lines = io.StringIO()
    ManyParts().run(runpy.run_path(str(DRIVER))["Recorded"](lines))
    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [next(iter(line)) for line in written] == ["begun", "part", "test"]
    assert written[-1]["outcome"] == "failure AssertionError"
