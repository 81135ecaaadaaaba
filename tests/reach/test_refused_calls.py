"""Collective calls that the MPI library refuses: they are no collectives and no missing data, and after them the ranks'
collectives still match."""

from collections import Counter
from pathlib import Path

import local_mpi
import pytest
from traced_worlds import Traced, program, run


@pytest.mark.parametrize("tree", ["", "binomial"])
def test_refused_collectives_are_told_and_the_others_stay_in_step(
    mpi: local_mpi.LocalMpi, tree: str, tmp_path: Path
) -> None:
    done = run(mpi, tmp_path, 2, program(mpi, "refused"), HOPSCOPE_TREE=tree)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["rank 0: 5 refused, sum 8", "rank 1: 2 refused, sum 8"]
    traced = Traced(tmp_path / "trace")
    assert traced.facts["missing"] == []
    collectives = [(row["op"], row["seq"], row["complete"]) for row in traced.rows("collectives")]
    assert sorted(collectives) == [("MPI_Allreduce", seq, True) for seq in range(3)]
    # Each sum's hops have both ends: once up and once down, or one in each direction.
    assert len(traced.rows("hops")) == (6 if tree or mpi.flavour == "openmpi" else 0)
    refused = Counter((row["region"], row["rank"]) for row in traced.rows("intervals") if "refused" in row["region"])
    assert refused == {
        **{(f"{name} (refused)", rank): 1 for name in ("MPI_Allreduce", "MPI_Ibarrier") for rank in (0, 1)},
        ("MPI_Bcast (refused)", 0): 2,
        ("MPI_Ireduce (refused)", 0): 1,
    }
    caveats = {row["kind"]: row["sentence"] for row in traced.trace.limits()}
    assert "missing" not in caveats
    assert "refused 7 of the program's collective calls" in caveats["refused"]
