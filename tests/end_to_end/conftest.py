"""Real jobs under the collector."""

import json
from pathlib import Path
from typing import Any

import local_mpi
import pytest
from jobs import BIN, Ended, Run, ended


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
