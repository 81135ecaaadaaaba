"""The part of mpi4py's own tests that asks most of a collector, with and without it; `make check-mpi4py` runs all."""

from pathlib import Path

import pytest
import tree_mixtures
from local_mpi import LocalMpi, share_cores
from suite_comparison import compare
from suite_runs import Run, Way, sources

MOST = r"^test_(cco_buf|cco_obj|cco_obj_inter|comm|op|attributes|errhandler|msgzero)$"
# Where ranks outnumber cores MPICH takes minutes.
RANKS = {"openmpi": 3, "mpich": 2}
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module", autouse=True)
def suite() -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    try:
        sources()
    except RuntimeError as trouble:
        pytest.skip(str(trouble))
    share_cores()


def test_mpi4py_tests_end_alike_with_and_without_the_collector(mpi: LocalMpi, tmp_path: Path) -> None:
    trees = list(tree_mixtures.MIXTURES.values())
    ways = [Way("observed"), Way("engine", trees[1])]
    found = compare(Run(mpi, RANKS[mpi.flavour], tmp_path, MOST), ways, print)
    assert found.differences == []
    passed = sum(outcome == "passed" for outcome in found.alone.of.values())
    assert passed > 500
    assert len(found.unsteady) < 10


def test_a_collector_that_changes_a_result_and_one_that_ends_the_job_are_noticed(
    first_mpi: LocalMpi, tmp_path: Path
) -> None:
    library = first_mpi.compile(PROGRAMS / "wrong_collector.c", "-shared", "-fPIC", name="libwrong_collector.so")
    run = Run(first_mpi, 2, tmp_path, "^test_(op|errorcode)$")
    found = compare(run, [Way("wrong", library=library)], print)
    tests = {line.split()[1] for line in found.differences}
    assert "test_op.TestOp.testIsCommutative" in tests
    assert any("test_errorcode" in line and "ends the job: exit code 9" in line for line in found.differences)
    assert found.unsteady == set()
