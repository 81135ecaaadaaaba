"""A program that makes operations by the thousand costs the collector no memory for each."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import tree_mixtures
from hopscope import _plan
from hopscope.launch import collector_library
from local_mpi import LocalMpi

PROGRAM = Path(__file__).parent / "programs" / "many_operations.c"
NUMBER = 20_000
MOST_KIB = 512


def told(mpi: LocalMpi, folder: Path, **variables: str) -> tuple[int, int]:
    """Wrong results, and by how many KiB the memory has grown."""
    words = [*mpi.launch(2), str(mpi.compile(PROGRAM)), str(NUMBER)]
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=True, timeout=200
    )
    wrong, _, kib, _ = done.stdout.split()
    return int(wrong), int(kib)


@pytest.mark.parametrize("mixture", tree_mixtures.MIXTURES)
def test_a_mixture_leaves_no_operation_to_the_library(mixture: str) -> None:
    named = [name for rule in tree_mixtures.MIXTURES[mixture]["rules"] for name in rule["operations"]]
    assert sorted(named) == sorted(operation.name for operation in _plan.operations())


@pytest.mark.parametrize("mixture", tree_mixtures.MIXTURES)
def test_operations_by_the_thousand_cost_no_memory(mpi: LocalMpi, mixture: str, tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(json.dumps(tree_mixtures.MIXTURES[mixture]))
    _, alone = told(mpi, tmp_path)
    variables = {"LD_PRELOAD": str(collector_library(mpi.release)), "HOPSCOPE_DIR": str(tmp_path / "trace")}
    wrong, under = told(mpi, tmp_path, HOPSCOPE_TREE=str(tmp_path / "tree.json"), **variables)
    assert wrong == 0
    assert under <= alone + MOST_KIB
