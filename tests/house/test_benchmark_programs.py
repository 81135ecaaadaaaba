"""The benchmarks' program checks its sums: a wrong sum gives no measurement."""

import os
import subprocess
from pathlib import Path

import local_mpi
import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "programs" / "allreduce.c"

WRONG_ONCE = """
#include <mpi.h>
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    static int calls;
    int error = PMPI_Allreduce(in, out, count, type, op, comm);
    if (++calls == 1234)
        ((int *)out)[ELEMENT] += 1;
    return error;
}
"""


@pytest.mark.parametrize(("integers", "element"), [(1, 0), (8, 1)])
def test_one_wrong_sum_among_thousands_ends_the_benchmark(
    integers: int, element: int, first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    (tmp_path / "wrong.c").write_text(WRONG_ONCE)
    wrong = tmp_path / "wrong.so"
    options = ["-shared", "-fPIC", f"-DELEMENT={element}"]
    subprocess.run([first_mpi.compiler, *options, "-o", str(wrong), str(tmp_path / "wrong.c")], check=True)
    words = [str(first_mpi.compile(PROGRAM)), "world", str(integers), "2000", "100"]

    def run(**variables: str) -> subprocess.CompletedProcess[str]:
        assignments = [f"{name}={value}" for name, value in variables.items()]
        return subprocess.run(
            [*first_mpi.launch(2), "env", *assignments, *words],
            capture_output=True, text=True, check=False, timeout=120, env=os.environ,
        )  # fmt: skip

    right = run()
    assert (right.returncode, right.stdout.startswith("ns=")) == (0, True), right.stderr
    wrong_run = run(LD_PRELOAD=str(wrong))
    assert wrong_run.returncode != 0
    assert "ns=" not in wrong_run.stdout
    # 1,000 calls before the measurement; the 1,234th is wrong.
    assert f"call 1234, element {element}: the sum is" in wrong_run.stderr
