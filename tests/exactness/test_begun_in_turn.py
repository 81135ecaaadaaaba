"""Programs that MPI libraries accept beyond the standard must not hang under the engine.

Regression: mpi4py's test_ulfm did. Its ranks begin a nonblocking collective before and after a barrier. The number that
identifies the barrier's messages counts both kinds of calls, so they did not match.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest
import tree_mixtures
from hopscope.launch import collector_library
from local_mpi import LocalMpi

PROGRAM = Path(__file__).parent / "programs" / "begun_in_turn.c"
JOBS = [
    (mpi, mixture, transport)
    for number, (mpi, mixture) in enumerate(tree_mixtures.two_for_each_library())
    for transport in [("shm", "mpi")[number % 2]]
]


@pytest.mark.parametrize(
    ("mpi", "mixture", "transport"),
    JOBS,
    ids=[f"{mpi.flavour}-{transport}-{mixture}" for mpi, mixture, transport in JOBS],
)
def test_a_nonblocking_collective_may_begin_on_either_side_of_a_barrier(
    mpi: LocalMpi, mixture: str, transport: str, tmp_path: Path
) -> None:
    (tmp_path / "tree.json").write_text(json.dumps(tree_mixtures.MIXTURES[mixture]))
    variables = {
        "LD_PRELOAD": str(collector_library(mpi.release)),
        "HOPSCOPE_DIR": str(tmp_path / "trace"),
        "HOPSCOPE_TREE": str(tmp_path / "tree.json"),
        "HOPSCOPE_TRANSPORT": transport,
    }
    done = subprocess.run(
        [*mpi.launch(2), str(mpi.compile(PROGRAM))],
        cwd=tmp_path,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
