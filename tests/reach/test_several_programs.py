"""The trace of a job of several programs names all of them."""

from pathlib import Path

import local_mpi
from traced_worlds import Traced, program, run


# Regression: of two programs, the trace named only that of rank 0.
def test_a_job_of_several_programs_names_all_of_them(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    small = program(mpi, "small_job")
    done = run(mpi, tmp_path, 1, small, "first", ":", "-n", "1", small, "second", ":", "-n", "1", small, "second")
    assert done.returncode == 0, done.stderr
    assert Traced(tmp_path / "trace").facts["command"] == f"{small} first : {small} second"
