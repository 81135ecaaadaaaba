"""A program may create thousands of reduction operations (MPI_Op_create): the collector must not need memory for each
of them."""

import functools
import json
import os
import subprocess
from pathlib import Path

import pytest
import tree_mixtures
from hopscope.launch import collector_library
from hopscope.native import _plan
from local_mpi import LocalMpi

PROGRAM = Path(__file__).parent / "programs" / "many_operations.c"
NUMBER = 10_000
MOST_KIB = 512
"""The largest growth. The memory of a process grows in steps of 256 KiB."""
JOBS = tree_mixtures.two_for_each_library()


def wrong_and_growth(mpi: LocalMpi, folder: Path | None = None, **variables: str) -> tuple[int, int]:
    """The number of wrong results, and the growth of memory in KiB."""
    words = [*mpi.launch(2), str(mpi.compile(PROGRAM)), str(NUMBER)]
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=True, timeout=200
    )
    wrong, _, kib, _ = done.stdout.split()
    return int(wrong), int(kib)


@functools.cache
def growth_alone(mpi: LocalMpi) -> int:
    return wrong_and_growth(mpi)[1]


@pytest.mark.parametrize("mixture", tree_mixtures.MIXTURES)
def test_a_mixture_leaves_no_operation_to_the_library(mixture: str) -> None:
    operations = [name for rule in tree_mixtures.MIXTURES[mixture]["rules"] for name in rule["operations"]]
    assert sorted(operations) == sorted(operation.name for operation in _plan.operations())


@pytest.mark.parametrize(("mpi", "mixture"), JOBS, ids=[f"{mpi.flavour}-{mixture}" for mpi, mixture in JOBS])
def test_operations_by_the_thousand_cost_no_memory(mpi: LocalMpi, mixture: str, tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(json.dumps(tree_mixtures.MIXTURES[mixture]))
    variables = {"LD_PRELOAD": str(collector_library(mpi.release)), "HOPSCOPE_DIR": str(tmp_path / "trace")}
    wrong, growth = wrong_and_growth(mpi, tmp_path, HOPSCOPE_TREE=str(tmp_path / "tree.json"), **variables)
    assert wrong == 0
    assert growth <= growth_alone(mpi) + MOST_KIB
