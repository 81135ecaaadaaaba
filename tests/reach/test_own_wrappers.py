"""Calls through a program's own wrapper functions: their call sites name the wrappers' callers, also without frame
pointers."""

import os
import subprocess
import sys
from pathlib import Path

import hopscope
import local_mpi
import pytest

PROGRAMS = Path(__file__).parent / "programs"


def places(program: Path, mpi: local_mpi.LocalMpi, folder: Path) -> dict[str, set[str]]:
    """The places of each collective's calls."""
    hops = str(Path(sys.executable).with_name("hopscope"))
    words = [hops, "run", "--dir", str(folder / "trace"), "--", *mpi.launch(2), str(program)]
    done = subprocess.run(words, env=os.environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = (
        hopscope.open(folder / "trace")
        .sql(
            "select distinct op, place from calls join collectives using (collective_id) join places using (call_site)"
        )
        .to_pylist()
    )
    by_function: dict[str, set[str]] = {}
    for row in rows:
        by_function.setdefault(row["op"], set()).add(row["place"])
    return by_function


class Source:
    """A program's source, whose lines end with comments."""

    def __init__(self, name: str, mark: str = "/* {} */") -> None:
        self.path = PROGRAMS / name
        self.mark = mark

    def at(self, function: str, comment: str) -> str:
        """The place of a call in a function, as answers show it."""
        lines = self.path.read_text().splitlines()
        text = self.mark.format(comment)
        return f"{function} ({self.path.name}:{next(i for i, line in enumerate(lines, 1) if line.endswith(text))})"


@pytest.mark.parametrize("flags", [["-O2", "-fomit-frame-pointer"], ["-O0"]], ids=["optimised", "plain"])
def test_a_wrapper_has_its_callers_before_it(mpi: local_mpi.LocalMpi, flags: list[str], tmp_path: Path) -> None:
    source = Source("own_wrappers.c")
    barrier, deep = source.at("barrier", "barrier"), f"{source.at('mean', 'mean')} via {source.at('sum', 'sum')}"
    assert places(mpi.compile(source.path, "-g", *flags), mpi, tmp_path) == {
        "MPI_Barrier": {
            f"{source.at('step', 'step waits')} via {barrier}",
            f"{source.at('finish', 'finish waits')} via {barrier}",
        },
        "MPI_Allreduce": {
            f"{source.at('step', 'step sums')} via {deep}",
            f"{source.at('finish', 'finish sums')} via {deep}",
        },
        "MPI_Bcast": {source.at("share", "share")},
    }


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_an_inline_wrapper_has_its_callers_before_it(mpi: local_mpi.LocalMpi, level: str, tmp_path: Path) -> None:
    source = Source("own_wrappers.cpp")
    barrier, total = source.at("comm::barrier", "barrier"), source.at("comm::sum<double>", "sum")
    assert places(mpi.compile(source.path, "-g", level), mpi, tmp_path) == {
        "MPI_Barrier": {
            f"{source.at('step', 'step waits')} via {barrier}",
            f"{source.at('finish', 'finish waits')} via {barrier}",
        },
        "MPI_Allreduce": {
            f"{source.at('step', 'step sums')} via {total}",
            f"{source.at('finish', 'finish sums')} via {total}",
        },
    }


FORTRAN = [mpi for mpi in local_mpi.find_all() if mpi.release in ("openmpi-4", "mpich-4")]


@pytest.mark.every_release
@pytest.mark.parametrize("library", FORTRAN, ids=[mpi.release for mpi in FORTRAN])
def test_a_wrapper_in_fortran_has_its_callers_before_it(library: local_mpi.LocalMpi, tmp_path: Path) -> None:
    assert library.fortran, "there are no Fortran bindings here (Debian: gfortran and the library's -dev package)"
    source = Source("own_wrappers.F90", "! {}")
    total = source.at("heat::total", "sum")
    program = library.compile(source.path, "-g", "-O1", "-fno-inline", "-w", "-cpp")
    assert places(program, library, tmp_path) == {
        "MPI_Allreduce": {
            f"{source.at('heat::advance', 'advance sums')} via {total}",
            f"{source.at('heat::finish', 'finish sums')} via {total}",
        }
    }
