"""If a rank is late to a call that all members make, such as MPI_Comm_dup, the critical path, the last arrivals and the
first entry of the diagnosis name it.

Regression: the path stayed on a rank that waited in such a call, and did not go to the late rank.
"""

from pathlib import Path

import local_mpi
import pytest
from traced_worlds import Traced, program, run

RANKS, LATE = 4, 1
FUNCTIONS = {
    "dup": "MPI_Comm_dup",
    "split": "MPI_Comm_split",
    "cart": "MPI_Cart_create",
    "window": "MPI_Win_allocate",
}


@pytest.mark.parametrize("form", FUNCTIONS)
def test_the_others_wait_for_the_late_member(mpi: local_mpi.LocalMpi, form: str, tmp_path: Path) -> None:
    done = run(mpi, tmp_path, RANKS, program(mpi, "late_members"), form)
    assert done.returncode == 0, done.stderr
    trace = Traced(tmp_path / "trace").trace
    rows = {row["rank"]: row for row in trace.critical_path(by="rank").to_pylist()}
    assert max(rows, key=lambda rank: rows[rank]["compute_ns"]) == LATE
    last = {row["rank"]: row["cause"] for row in trace.run("last_arrivals", by="rank").to_pylist()}
    assert last == {rank: rank == LATE for rank in range(RANKS)}
    computing = [row for row in trace.diagnose().to_pylist() if row["kind"] in ("imbalance", "serial-section")]
    assert computing[0]["ranks"] == [LATE]
    assert computing[0]["call_sites"][0]["mpi"] == FUNCTIONS[form]
