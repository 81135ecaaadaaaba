"""A rank dies in a job with fault tolerance: the survivors get errors and go on, both observed and under a tree."""

import os
import subprocess
import sys
from pathlib import Path

import hopscope
import local_mpi
import pytest

HOPSCOPE = Path(sys.executable).parent / "hopscope"
PROGRAM = Path(__file__).parent / "programs" / "survivors.c"
LIBRARY = next((mpi for mpi in local_mpi.find_all() if mpi.release == "openmpi-5"), None)
"""The release whose launcher has `--with-ft`."""
RANKS = 4

pytestmark = pytest.mark.unfinished


@pytest.mark.parametrize("collective", ["barrier", "allreduce", "bcast"])
@pytest.mark.parametrize("tree", [None, "binomial"])
def test_every_survivor_gets_an_error_and_goes_on(collective: str, tree: str | None, tmp_path: Path) -> None:
    assert LIBRARY is not None
    program = str(LIBRARY.compile(PROGRAM))
    launch = LIBRARY.launch(RANKS)
    words = [launch[0], "--with-ft", "ulfm", *launch[1:], program, collective]
    options = ["--tree", tree] if tree else []
    trace = tmp_path / "trace"
    job = subprocess.run(
        [HOPSCOPE, "run", "--no-diagnosis", *options, "--dir", trace, "--", *words],
        env=os.environ | {"HOPSCOPE_NATIVE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = job.stdout.splitlines()
    assert {line for line in lines if "survivors" in line} == {f"rank {rank}: 3 survivors" for rank in range(3)}
    errors = {line.split(": ")[1] for line in lines if "survivors" not in line}
    assert "failed" in errors, job
    assert errors <= {"failed", "revoked"}, job
    if tree:
        reasons = hopscope.open(trace).sql("select distinct engine from calls where engine like 'native:%'")
        assert reasons.to_pylist() == [{"engine": "native:job with fault tolerance"}]
