"""Every installed MPI library, from C and through mpi4py: it is detected, gets a fitting collector, and behaves as
before."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import find_mpi
from read_spool import function_numbers, read_run

PROGRAMS = Path(__file__).parent / "programs"
NAMES = {number: name for name, number in function_numbers().items()}
LIBRARIES = [*local_mpi.find_all(), *local_mpi.find_intel()]
LOADED = [mpi for mpi in LIBRARIES if mpi.flavour != "abi"]
"""Libraries for which mpi4py's wheel has an extension."""


def finished(words: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        words, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done


def traced(words: list[str], cwd: Path, **environment: str) -> tuple[list[str], list[Counter[str]]]:
    """Runs a command under `hopscope run`. Returns its output, sorted, and the number of calls of each function by
    rank."""
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--tree", "binomial", "--"]
    done = finished([*run, *words], cwd, HOPSCOPE_KEEP_SPOOL="1", **environment)
    assert (cwd / "trace" / "traces.otf2").is_file(), done.stderr
    spools = read_run(cwd / "trace").spools
    counts = [Counter(NAMES[r.region] for r in spool.of("ENTER")) for spool in spools]
    return sorted(done.stdout.splitlines()), counts


def test_all_four_releases_and_the_standard_abi_are_here_to_be_tested() -> None:
    missing = {"openmpi-4", "mpich-4", "openmpi-5", "mpich-5", "abi-1"} - {mpi.release for mpi in LIBRARIES}
    if missing:
        pytest.skip(f"not here: {', '.join(sorted(missing))} (tools/setup system test, tools/setup python test)")


@pytest.mark.every_release
@pytest.mark.parametrize("release", LIBRARIES, ids=[mpi.release for mpi in LIBRARIES])
def test_a_c_program_is_seen_whole(release: local_mpi.LocalMpi, tmp_path: Path) -> None:
    words = [*release.launch(2), str(release.compile(PROGRAMS / "small_job.c"))]
    plain = sorted(finished(words, tmp_path).stdout.splitlines())
    assert plain == ["rank 0: sum 19 from 1", "rank 1: sum 19 from 0"]
    printed, counts = traced(words, tmp_path)
    assert printed == plain
    expected = {"MPI_Init": 1, "MPI_Allreduce": 10, "MPI_Irecv": 1, "MPI_Send": 1, "MPI_Wait": 1, "MPI_Finalize": 1}
    assert counts == [expected, expected]


@pytest.mark.parametrize("release", LOADED, ids=[mpi.release for mpi in LOADED])
def test_an_mpi4py_program_is_seen_whole(release: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """mpi4py opens the MPI library with RTLD_LOCAL, so that none of its symbols is in the global order."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    library = find_mpi([str(release.compile(PROGRAMS / "small_job.c"))]).path
    assert library is not None
    mpi_variables = {"MPI4PY_MPIABI": release.flavour, "LD_LIBRARY_PATH": str(library.parent)}
    if library.name.startswith("libmpich."):
        # Debian's name for the library that the extension calls libmpi.so.12.
        (tmp_path / "libmpi.so.12").symlink_to(library)
        mpi_variables["LD_LIBRARY_PATH"] = str(tmp_path)
    words = [*release.launch(3), sys.executable, str(PROGRAMS / "python_job.py")]
    plain = sorted(finished(words, tmp_path, **mpi_variables).stdout.splitlines())
    assert len(plain) == 3
    assert plain[1].startswith("1 [15] [0.5, 0.5, 0.5, 0.5] ['from 0', 'from 1', 'from 2'] {'rank': 1} 0")
    printed, counts = traced(words, tmp_path, **mpi_variables)
    assert printed == plain
    for count in counts:
        assert count["MPI_Allreduce"] == 5
        assert count["MPI_Barrier"] == 1
        assert count["MPI_Bcast"] >= 3 + 1
        assert count["MPI_Finalize"] == 1
