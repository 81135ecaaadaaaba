"""Fortran programs: each of the three interfaces, every wrapped function, seen once and changed in nothing."""

import os
import re
import subprocess
from collections import Counter
from contextlib import suppress
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_library
from read_spool import Run, function_numbers, read_run

SOURCE = Path(__file__).parent / "programs" / "every_call.F90"
NUMBERS = function_numbers()
NAMES = {number: name for name, number in NUMBERS.items()}
INTERFACES = ["MPIF_H", "USE_MPI", "USE_MPI_F08"]


def program(mpi: local_mpi.LocalMpi, interface: str) -> Path:
    if mpi.fortran is None:
        pytest.skip(f"{mpi.flavour} has no Fortran bindings here (Debian: gfortran and the library's -dev package)")
    # By mpif.h one function takes buffers of several types, which is what choice buffers are.
    flags = ["-cpp", f"-D{interface}", "-O1", "-w", "-fallow-argument-mismatch"]
    return mpi.compile(SOURCE, *flags)


def calls_in_text(interface: str) -> Counter[str]:
    """How often the program's text calls each wrapped function."""
    text = SOURCE.read_text()
    if interface == "USE_MPI_F08":
        text = re.sub(r"#ifndef USE_MPI_F08\n.*?#endif", "", text, flags=re.DOTALL)
    return Counter(name for name in re.findall(r"^ *call (MPI_\w+)", text, flags=re.MULTILINE) if name in NUMBERS)


def printed(words: list[str], timeout: int = 60, **environment: str) -> list[str]:
    done = subprocess.run(
        words, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=timeout
    )
    assert done.returncode == 0, done.stderr
    return sorted(done.stdout.splitlines())


def lines(mpi: local_mpi.LocalMpi, made: Path, **environment: str) -> list[str]:
    if environment:
        return printed(
            [*mpi.launch(2), "env", f"LD_PRELOAD={collector_library(mpi.flavour)}", str(made)], **environment
        )
    words = [*mpi.launch(2), str(made)]
    # Open MPI 4 hangs by itself now and then, where an MPI_Comm_idup meets an MPI_Isend. Otherwise it takes a second.
    with suppress(subprocess.TimeoutExpired):
        return printed(words, timeout=15)
    return printed(words)


def recorded(run: Run, rank: int) -> Counter[str]:
    return Counter(NAMES[r.region] for spool in run.of(rank) for r in spool.of("ENTER"))


@pytest.mark.parametrize("interface", INTERFACES)
def test_every_fortran_call_is_recorded_once_at_its_place(
    mpi: local_mpi.LocalMpi, interface: str, tmp_path: Path
) -> None:
    made = program(mpi, interface)
    wanted = calls_in_text(interface)
    plain = lines(mpi, made)
    assert len(plain) > 40
    for tree in ("", "binomial"):
        trace = tmp_path / f"trace{tree}"
        settings = {"HOPSCOPE_DIR": str(trace), "HOPSCOPE_ASSEMBLE": "0"} | ({"HOPSCOPE_TREE": tree} if tree else {})
        assert lines(mpi, made, **settings) == plain
        run = read_run(trace)
        for rank in (0, 1):
            assert recorded(run, rank) == wanted
            # One place in the program's own code for each call of its text, not one in the library's bindings.
            sites = run.defs(rank, "call_site")
            assert {site["module"] for site in sites} == {str(made)}
            assert len(sites) == wanted.total()


def symbols(library: str, which: str) -> set[str]:
    shown = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in shown.splitlines()}


def test_the_bindings_make_a_c_call_of_every_wrapped_function(mpi: local_mpi.LocalMpi) -> None:
    """Where they did it in another way, a Fortran call would never come by a wrapper."""
    made = program(mpi, "USE_MPI_F08")
    needed = subprocess.run(["ldd", str(made)], capture_output=True, text=True, check=True).stdout
    bindings = re.findall(r"lib(?:mpi_mpifh|mpi_usempi\w*|mpichfort|mpifort)\.so\S* => (\S+)", needed)
    assert bindings
    fortran = set[str]().union(*(symbols(library, "--defined-only") for library in bindings))
    calls = {name.removeprefix("P") for library in bindings for name in symbols(library, "--undefined-only")}
    there = {name for name in NUMBERS if f"{name.lower()}_" in fortran}
    assert len(there) > 80
    assert there - calls == set()
