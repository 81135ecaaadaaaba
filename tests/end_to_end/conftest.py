"""Real jobs under the collector, and recorded ones with a planted truth."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest
from jobs import BIN, Run
from recorded_jobs import FinishedJob, recorded_job, sample_trace, shared_folder


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A function that runs a program by `hopscope run`, and returns the finished process and the trace directory. A job
    runs once in a test run, so a test that changes its trace must copy it first."""
    shared = shared_folder(tmp_path_factory)

    def run(
        mpi: local_mpi.LocalMpi,
        ranks: int,
        *program: str | Path,
        tree: str | Path | None = None,
        topology: dict[str, Any] | None = None,
        **environment: str,
    ) -> FinishedJob:
        words = [str(BIN / "hopscope"), "run", "--dir", "trace"]
        inputs = [tree] if isinstance(tree, Path) else []
        if tree is not None:
            words += ["--tree", str(tree)]
        files: dict[str, str] = {}
        if topology is not None:
            files["topology.json"] = json.dumps(topology)
            words += ["--topology", "topology.json"]
        words += ["--", *mpi.launch(ranks), *map(str, program)]
        return recorded_job(shared, words, files=files, inputs=inputs, **(mpi.patience() | environment))

    return run


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], hopscope.Trace]:
    """A function that opens the recorded run with a name in sample_traces/planted."""
    shared = shared_folder(tmp_path_factory)
    return lambda name: sample_trace(shared, f"planted/{name}/trace")
