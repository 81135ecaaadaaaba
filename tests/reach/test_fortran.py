"""Fortran programs: each of the three interfaces, with every wrapped function, is recorded once and unchanged."""

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_library
from read_spool import Run, function_numbers, read_run

SOURCE = Path(__file__).parent / "programs" / "every_call.F90"
NUMBERS = function_numbers()
NAMES = {number: name for name, number in NUMBERS.items()}
INTERFACES = ["MPIF_H", "USE_MPI", "USE_MPI_F08"]
TREES = {"MPIF_H": "", "USE_MPI": "binomial", "USE_MPI_F08": ""}
LIBRARIES = [mpi for mpi in local_mpi.find_all() if mpi.release in ("openmpi-4", "mpich-4")]
"""Libraries with Fortran bindings."""
WAYS = [
    pytest.param(mpi, interface, id=f"{mpi.release}-{interface}")
    for mpi in [*LIBRARIES, *local_mpi.find_intel()]
    for interface in INTERFACES
    # Intel's module mpi_f08 is for Intel's compiler only.
    if mpi in LIBRARIES or interface != "USE_MPI_F08"
]


def is_without_idup(mpi: local_mpi.LocalMpi) -> bool:
    """True for Open MPI 4, which itself sometimes hangs if an MPI_Comm_idup and an MPI_Isend are under way together."""
    return mpi.release == "openmpi-4"


def program(mpi: local_mpi.LocalMpi, interface: str) -> Path:
    assert mpi.fortran, f"{mpi.release} has no Fortran bindings here (Debian: gfortran and the library's -dev package)"
    # With mpif.h, one function takes buffers of several types, which these flags permit.
    flags = ["-cpp", f"-D{interface}", "-O1", "-w", "-fallow-argument-mismatch"]
    return mpi.compile(SOURCE, *flags, *["-DWITHOUT_IDUP"] * is_without_idup(mpi))


def calls_in_text(mpi: local_mpi.LocalMpi, interface: str) -> Counter[str]:
    """Number of calls of each wrapped function in the program's text."""
    text = SOURCE.read_text()
    left_out = ["USE_MPI_F08"] * (interface == "USE_MPI_F08") + ["WITHOUT_IDUP"] * is_without_idup(mpi)
    for name in left_out:
        text = re.sub(rf"#ifndef {name}\n.*?#endif", "", text, flags=re.DOTALL)
    return Counter(name for name in re.findall(r"^ *call (MPI_\w+)", text, flags=re.MULTILINE) if name in NUMBERS)


def printed(mpi: local_mpi.LocalMpi, executable: Path, *prefix: str, **environment: str) -> list[str]:
    """The lines of both ranks, sorted."""
    done = subprocess.run(
        [*mpi.launch(2), *prefix, str(executable)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return sorted(done.stdout.splitlines())


def recorded(run: Run, rank: int) -> Counter[str]:
    return Counter(NAMES[r.region] for spool in run.of(rank) for r in spool.of("ENTER"))


@pytest.mark.every_release
@pytest.mark.parametrize(("mpi", "interface"), WAYS)
def test_every_fortran_call_is_recorded_once_at_its_place(
    mpi: local_mpi.LocalMpi, interface: str, tmp_path: Path
) -> None:
    executable = program(mpi, interface)
    expected = calls_in_text(mpi, interface)
    trace = tmp_path / "trace"
    settings = {"HOPSCOPE_DIR": str(trace), "HOPSCOPE_ASSEMBLE": "0", "HOPSCOPE_TREE": TREES[interface]}
    lines = printed(mpi, executable, "env", f"LD_PRELOAD={collector_library(mpi.release)}", **settings)
    assert len(lines) > 40
    assert lines == printed(mpi, executable)
    run = read_run(trace)
    for rank in (0, 1):
        assert recorded(run, rank) == expected
        # Each call of the text has its own call site in the program's code, instead of one in the library's bindings.
        sites = run.defs(rank, "call_site")
        assert {site["module"] for site in sites} == {str(executable)}
        assert len(sites) == expected.total()


def symbols(library: str, option: str) -> set[str]:
    listing = subprocess.run(["nm", "-D", option, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


@pytest.mark.every_release
@pytest.mark.parametrize("mpi", LIBRARIES, ids=[mpi.release for mpi in LIBRARIES])
def test_the_bindings_make_a_c_call_of_every_wrapped_function(mpi: local_mpi.LocalMpi) -> None:
    """If the bindings worked in another way, a Fortran call would never reach a wrapper."""
    executable = program(mpi, "USE_MPI_F08")
    libraries = subprocess.run(["ldd", str(executable)], capture_output=True, text=True, check=True).stdout
    bindings = re.findall(r"lib(?:mpi_mpifh|mpi_usempi\w*|mpichfort|mpifort)\.so\S* => (\S+)", libraries)
    assert bindings
    fortran = set[str]().union(*(symbols(library, "--defined-only") for library in bindings))
    calls = {name.removeprefix("P") for library in bindings for name in symbols(library, "--undefined-only")}
    functions = {name for name in NUMBERS if f"{name.lower()}_" in fortran}
    assert len(functions) > 80
    assert functions - calls == set()
