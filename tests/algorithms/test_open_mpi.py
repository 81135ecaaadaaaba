"""Open MPI's own algorithms, each forced, are recognised from the messages that it really sends."""

from pathlib import Path

import local_mpi
import open_mpi
import pytest

OPEN_MPI_4 = [mpi for mpi in local_mpi.find() if mpi.release == "openmpi-4"]


@pytest.mark.skipif(not OPEN_MPI_4, reason="needs Open MPI 4")
def test_every_forced_algorithm_is_recognised(tmp_path: Path) -> None:
    # allgatherv can only be forced from outside, for a whole run: `make check-algorithms` does.
    operations = {operation for operation, _ in open_mpi.ALGORITHMS} - {"allgatherv"}
    seen = open_mpi.found(open_mpi.run(OPEN_MPI_4[0], tmp_path, open_mpi.RANKS))
    assert not open_mpi.differences(seen, sorted(operations), open_mpi.RANKS)
    assert len(seen) > 250
