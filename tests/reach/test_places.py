"""Call sites of real programs, by name and line, under each MPI library."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest

PROGRAMS = Path(__file__).parent / "programs"


def places(mpi: local_mpi.LocalMpi, program: Path, folder: Path) -> list[dict[str, Any]]:
    """Call sites of the Allreduces of a run whose program has a relative path."""
    hops = str(Path(sys.executable).with_name("hopscope"))
    words = [hops, "run", "--dir", str(folder / "trace"), "--", *mpi.launch(2), f"./{program.name}"]
    done = subprocess.run(
        words, cwd=program.parent, env=os.environ, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return (
        hopscope.open(folder / "trace")
        .sql("select distinct on (place) places.* from calls join places using (call_site) order by call_site")
        .to_pylist()
    )


def line_of(source: Path, comment: str) -> int:
    return next(number for number, line in enumerate(source.read_text().splitlines(), 1) if comment in line)


def test_a_c_program_is_seen_by_function_and_line(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    source = PROGRAMS / "places.c"
    [place] = places(mpi, mpi.compile(source, "-g"), tmp_path)
    inner_line, outer_line = line_of(source, "/* here */"), line_of(source, "/* around it */")
    assert place["place"] == f"sum (places.c:{inner_line}) in step (places.c:{outer_line})"
    assert (place["how"], place["file"], place["line"]) == ("line", str(source), inner_line)


def test_a_program_without_debug_information_is_seen_by_symbol(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # Without lines, each call of an unrolled loop is a caller of its own.
    sites = places(first_mpi, first_mpi.compile(PROGRAMS / "places.c"), tmp_path)
    assert {(site["how"], site["line"]) for site in sites} == {("symbol", None)}
    assert all(re.search(r"(^|via )step\+0x", site["place"]) for site in sites)


FORTRAN = [mpi for mpi in local_mpi.find_all() if mpi.release in ("openmpi-4", "mpich-4")]


@pytest.mark.every_release
@pytest.mark.parametrize("library", FORTRAN, ids=[mpi.release for mpi in FORTRAN])
def test_a_fortran_module_is_seen_by_its_name(library: local_mpi.LocalMpi, tmp_path: Path) -> None:
    assert library.fortran, "there are no Fortran bindings here (Debian: gfortran and the library's -dev package)"
    source = PROGRAMS / "places.F90"
    [place] = places(library, library.compile(source, "-g", "-O1", "-w", "-cpp"), tmp_path)
    assert place["place"] == f"heat::advance (places.F90:{line_of(source, '! here')})"
