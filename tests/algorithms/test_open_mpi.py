"""Open MPI's own algorithms, each forced, are recognised from the messages that the library really sends."""

import open_mpi
import pytest
from forced_algorithms import needs_open_mpi_4, trace_of_forced_algorithms


@needs_open_mpi_4
def test_every_forced_algorithm_is_recognised(tmp_path_factory: pytest.TempPathFactory) -> None:
    # The algorithm of allgatherv can be forced only from outside, for a whole run, as `make check-algorithms` does.
    operations = {operation for operation, _ in open_mpi.ALGORITHMS} - {"allgatherv"}
    algorithms = open_mpi.recognised_algorithms(trace_of_forced_algorithms(tmp_path_factory))
    assert not open_mpi.differences(algorithms, sorted(operations), open_mpi.RANKS)
    assert len(algorithms) > 250
