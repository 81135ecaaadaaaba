"""C++ programs whose exceptions leave MPI calls or pass them behave the same with and without the collector."""

import functools
import subprocess
from collections import Counter
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_library
from read_spool import function_numbers, read_run

PROGRAMS = Path(__file__).parent / "programs"
NAMES = {number: name for name, number in function_numbers().items()}


def printed(mpi: local_mpi.LocalMpi, *words: str) -> list[str]:
    """The lines of both ranks, sorted."""
    program = str(mpi.compile(PROGRAMS / "throwing.cpp", "-lpthread"))
    threads = ["threads"] if mpi.flavour == "openmpi" else []  # MPICH's lock stays locked, also without the collector
    clean = local_mpi.without_hopscope()
    done = subprocess.run(
        [*mpi.launch(2), *words, program, *threads], capture_output=True, text=True, check=False, timeout=120, env=clean
    )
    assert done.returncode == 0, done.stderr
    assert "hopscope" not in done.stderr
    return sorted(done.stdout.splitlines())


@functools.cache
def printed_alone(mpi: local_mpi.LocalMpi) -> list[str]:
    return printed(mpi)


@pytest.mark.parametrize("tree", ["", "binomial"])
def test_what_is_thrown_is_caught_where_it_is_without_the_collector(
    tree: str, mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    alone = printed_alone(mpi)
    assert "0 message: truncated 1" in alone
    assert "1 broadcast failed" in alone
    trace = tmp_path / "trace"
    variables = [f"LD_PRELOAD={collector_library(mpi.release)}", f"HOPSCOPE_DIR={trace}", f"HOPSCOPE_TREE={tree}"]
    assert printed(mpi, "env", *variables, "HOPSCOPE_KEEP_SPOOL=1") == alone
    assert (trace / "traces.otf2").exists()
    for spool in read_run(trace).spools:
        entered = Counter(NAMES[r.region] for r in spool.of("ENTER"))
        left = Counter(NAMES[r.region] for r in spool.of("LEAVE"))
        assert entered == left, "a call that was thrown out of has ended, too"
        if spool.thread == 0:
            assert entered["MPI_Allreduce"] == 6
            assert entered["MPI_Recv"] == 4
            assert entered["MPI_Waitall"] == 5
            assert entered["MPI_Barrier"] == 2
            assert entered["MPI_Comm_free"] == 2
