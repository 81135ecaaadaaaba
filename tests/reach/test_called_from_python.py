"""Calls through mpi4py have the line of Python that made them, exactly as Python itself reports it."""

import json
import os
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest
from hopscope.launch import find_mpi

PROGRAM = Path(__file__).parent / "programs" / "called_from_python.py"
SMALL = Path(__file__).parent / "programs" / "small_job.c"
OTHER_PYTHON = Path(__file__).parent / "programs" / "another_python.c"
RELEASES = [mpi for mpi in local_mpi.find_all() if mpi.release in {"openmpi-4", "openmpi-5", "mpich-5"}]

pytest.importorskip("mpi4py", reason="mpi4py is not installed in this environment")


class Job:
    """A run of the program under a collector: its output, the collector's messages, and its trace."""

    def __init__(self, mpi: local_mpi.LocalMpi, folder: Path, **environment: str) -> None:
        library = find_mpi([str(mpi.compile(SMALL))]).path
        assert library is not None
        mpi_variables = {"MPI4PY_MPIABI": mpi.flavour, "LD_LIBRARY_PATH": str(library.parent)}
        hops = str(Path(sys.executable).with_name("hopscope"))
        words = [hops, "run", "--dir", "trace", "--", *mpi.launch(2), sys.executable, str(PROGRAM)]
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **mpi_variables, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        self.err = done.stderr
        main, _, threads = done.stdout.partition("\n\n")
        self.main, self.threads = main.splitlines(), threads.splitlines()
        self.trace = hopscope.open(folder / "trace")
        self.python = json.loads((folder / "trace" / "run.json").read_text())["python"]

    def rows(self, query: str) -> list[dict[str, Any]]:
        return self.trace.sql(query).to_pylist()

    def allreduces(self, location: str) -> list[str]:
        """The lines of one rank's Allreduces on these locations, in time order, without callers."""
        return [place.rpartition(" via ")[2] for place in self.places(location)]

    def places(self, location: str) -> list[str]:
        """The call sites of rank 0's Allreduces on these locations, in the order of time."""
        query = (
            "select places.place from calls join collectives using (collective_id) join places using (call_site)"
            f" where op = 'MPI_Allreduce' and rank = 0 and location {location} 0 order by enter_ns"
        )
        return [row["place"] for row in self.rows(query)]


@pytest.mark.parametrize("mpi", RELEASES, ids=[mpi.release for mpi in RELEASES])
def test_each_collective_has_the_line_that_python_says(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    job = Job(mpi, tmp_path, HOPSCOPE_PYTHON="1")
    assert job.allreduces("=") == job.main
    assert len(set(job.main)) == 31
    assert len(job.threads) == 80
    assert Counter(job.allreduces("<>")) == Counter(job.threads)
    lines = PROGRAM.read_text().splitlines()
    calling, in_thread = (number for number, line in enumerate(lines, 1) if line.strip().startswith("step("))
    wrapped = {place for place in [*job.places("="), *job.places("<>")] if "via step" in place}
    assert wrapped == {
        f"{caller} ({PROGRAM.name}:{number}) via {job.main[0]}"
        for caller, number in (("<module>", in_thread), ("in_thread", calling))
    }
    inner = next(number for number, line in enumerate(lines, 1) if "pkl5.Intracomm(world)" in line)
    wrapper_places = job.rows(
        "select distinct place from calls join places using (call_site) where place like 'through%'"
    )
    assert wrapper_places == [{"place": f"through_mpi4py_itself ({PROGRAM.name}:{inner})"}]
    import_line = next(number for number, line in enumerate(lines, 1) if "from mpi4py import MPI" in line)
    init = job.rows(
        "select distinct places.* from intervals join places using (call_site) where region like 'MPI_Init%'"
    )
    place = f"<module> ({PROGRAM.name}:{import_line})"
    assert [(row["place"], row["how"], row["file"], row["line"]) for row in init] == [
        (place, "archive", str(PROGRAM), import_line)
    ]
    assert job.python is not None
    assert job.python["off"] is None
    # LD_LIBRARY_PATH may lead to the library of another Python of this release.
    assert job.python["version"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}.")
    assert "Python" not in job.err


def test_a_place_of_python_selects_its_calls(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    job = Job(first_mpi, tmp_path)
    generator = next(place for place in job.main if place.startswith("generator "))
    by_place = job.trace.critical_path(by="place").to_pylist()
    assert generator in {row["place"] for row in by_place}
    solver_path = job.trace.critical_path(by="place", place="Solver.reduce (").to_pylist()
    assert {row["place"] for row in solver_path} == {place for place in job.main if place.startswith("Solver.reduce (")}


def test_without_lines_of_python_the_places_are_in_the_extension(first_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """Either no lines are requested, or the interpreter claims another release, which the collector's self-test
    notices."""
    places = "select distinct call_site from calls union select distinct call_site from intervals order by call_site"
    (tmp_path / "none").mkdir()
    plain_job = Job(first_mpi, tmp_path / "none", HOPSCOPE_PYTHON="0")
    assert plain_job.python is None
    sites = [row["call_site"] for row in plain_job.rows(places) if row["call_site"]]
    assert any("/mpi4py/MPI." in site for site in sites)
    assert not [site for site in sites if ".py" in site.rpartition("+0x")[2]]
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("this Python is linked into its program, so a preloaded library cannot change what it says")
    (tmp_path / "wrong").mkdir()
    library = tmp_path / "another_python.so"
    version = 0x030C01F0 if sys.version_info < (3, 12) else 0x030B07F0
    words = [
        first_mpi.compiler,
        "-shared",
        "-fPIC",
        f"-DANOTHER_VERSION={version}ul",
        "-o",
        str(library),
        str(OTHER_PYTHON),
    ]
    subprocess.run(words, check=True)
    wrong = Job(first_mpi, tmp_path / "wrong", HOPSCOPE_PYTHON="1", LD_PRELOAD=str(library))
    assert wrong.main == plain_job.main
    assert wrong.python is not None
    assert wrong.python["off"] == "its texts are not where they should be"
    assert wrong.err.count("lines of Python are not read: its texts are not where they should be") == 1
    assert [row["call_site"] for row in wrong.rows(places) if row["call_site"]] == sites
