"""Programs that mark their own regions, in every language: with the collector they are in the trace, without it
harmless."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hopscope
import local_mpi
import pytest

PROGRAMS = Path(__file__).parent / "programs"
INCLUDE = local_mpi.ROOT / "collector" / "include"


Written = Callable[[local_mpi.LocalMpi, Path], list[str]]


def in_c(mpi: local_mpi.LocalMpi, folder: Path) -> list[str]:
    return [str(mpi.compile(PROGRAMS / "marked.c", "-I", str(INCLUDE)))]


def in_cxx(mpi: local_mpi.LocalMpi, folder: Path) -> list[str]:
    compiler = shutil.which(str(Path(mpi.compiler).with_name(Path(mpi.compiler).name.replace("mpicc", "mpicxx"))))
    assert compiler, f"{mpi.release} has no C++ compiler wrapper here"
    # MPI's former C++ interface comes with the header, but does not compile without warnings.
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    words = [compiler, "-x", "c++", *flags, "-I", str(INCLUDE)]
    subprocess.run([*words, "-o", str(folder / "marked"), str(PROGRAMS / "marked.c")], check=True, timeout=100)
    return [str(folder / "marked")]


def in_fortran(mpi: local_mpi.LocalMpi, folder: Path) -> list[str]:
    assert mpi.fortran, f"{mpi.release} has no Fortran bindings here (Debian: gfortran and the library's -dev package)"
    sources = [str(INCLUDE / "hopscope" / "region.f90"), str(PROGRAMS / "marked.f90")]
    words = [mpi.fortran, "-Wall", "-J", str(folder), "-o", str(folder / "marked"), *sources]
    subprocess.run(words, check=True, timeout=100)
    return [str(folder / "marked")]


def in_python(mpi: local_mpi.LocalMpi, folder: Path) -> list[str]:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")
    return [sys.executable, str(PROGRAMS / "marked.py")]


RELEASES: dict[Written, tuple[str, ...]] = {
    in_c: ("openmpi-4", "mpich-5"),
    in_cxx: ("openmpi-4", "mpich-5"),
    in_fortran: ("openmpi-4", "mpich-4"),  # libraries with Fortran bindings
    in_python: ("openmpi-4",),  # the library that mpi4py loads by default
}
JOBS = [(written, mpi) for written, names in RELEASES.items() for mpi in local_mpi.find_all() if mpi.release in names]


@pytest.mark.every_release
@pytest.mark.parametrize(("written", "mpi"), JOBS, ids=[f"{written.__name__}-{mpi.release}" for written, mpi in JOBS])
def test_regions_are_in_the_trace_and_do_nothing_without_the_collector(
    written: Written, mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    words = [*mpi.launch(2), *written(mpi, tmp_path)]
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", "trace", "--"]
    for prefix in ([], run):
        done = subprocess.run([*prefix, *words], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == ["sum 1", "sum 1"]
    trace = hopscope.open(tmp_path / "trace")
    rows = trace.run("regions").to_pylist()
    assert [(row["region"], row["rank"], row["visits"]) for row in rows] == [
        ("solve", 0, 5),
        ("solve", 1, 5),
        ("output", 0, 5),
        ("output", 1, 5),
    ]
    for row in rows:
        assert (row["mpi_ns"] > 0) == (row["region"] == "solve")
        assert row["mpi_ns"] < row["time_ns"] or row["time_ns"] == 0
    assert "user regions" in trace.summary()["item"].to_pylist()
    nested = trace.sql(
        """select count(*) as n from intervals as i inner join intervals as o on i.location = o.location
        where i.region = 'output' and o.region = 'solve' and i.depth = 1 and o.depth = 0
        and i.begin_ns >= o.begin_ns and i.end_ns <= o.end_ns"""
    )
    assert nested["n"].to_pylist() == [10]
