"""Real jobs under the collector: every test here starts MPI programs, with every MPI library of this machine."""

import json
from pathlib import Path
from typing import Any

import local_mpi
import pytest
from jobs import BIN, MPIS, Ended, Run, ended


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder runs alone."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.alone)


@pytest.fixture(scope="session", params=MPIS, ids=[mpi.flavour for mpi in MPIS])
def mpi(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    """Each MPI library in turn."""
    return request.param


@pytest.fixture(scope="session")
def first_mpi() -> local_mpi.LocalMpi:
    """One MPI library, for what does not depend on which."""
    if not MPIS:
        pytest.fail("there is no MPI library on this machine: the end-to-end tests have nothing to run under")
    return MPIS[0]


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program by `hopscope run` in a folder of its own; returns how it ended and its trace directory."""

    def run(
        mpi: local_mpi.LocalMpi,
        ranks: int,
        *program: str | Path,
        tree: str | Path | None = None,
        topology: dict[str, Any] | None = None,
        **environment: str,
    ) -> Ended:
        folder = tmp_path_factory.mktemp("run")
        words = [str(BIN / "hopscope"), "run", "--dir", "trace"]
        if tree is not None:
            words += ["--tree", str(tree)]
        if topology is not None:
            (folder / "topology.json").write_text(json.dumps(topology))
            words += ["--topology", "topology.json"]
        words += ["--", *mpi.launch(ranks), *map(str, program)]
        return ended(words, folder / "trace", folder, **environment)

    return run
