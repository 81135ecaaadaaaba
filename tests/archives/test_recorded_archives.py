"""The archives of new runs keep the rules of OTF2's other readers, and these read what is in them."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import local_mpi
import otf2
import pytest
from reader_rules import violations_of
from recorded_jobs import FinishedJob, finish

TESTS = Path(__file__).parents[1]
HEAT_PLATE = TESTS.parent / "demo" / "heat_plate.c"
SITUATIONS = TESTS / "end_to_end" / "programs" / "situations.c"
REACH_PROGRAMS = TESTS / "reach" / "programs"
SMALL = ("--size", "64", "--iterations", "10")
HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))

JOBS: dict[str, tuple[Path, tuple[str, ...]]] = {
    "epochs of windows": (REACH_PROGRAMS / "windows.c", ("pairs",)),
    "collective transfers of files": (REACH_PROGRAMS / "files.c", ("checkpoints", "file")),
    "threads one after another": (REACH_PROGRAMS / "threads.c", ("tasks",)),
    "nonblocking collectives": (SITUATIONS, ("overlap", "4", "1", "16")),
    "refused calls": (REACH_PROGRAMS / "refused.c", ()),
    "gaps in the recording": (REACH_PROGRAMS / "pauses.c", ("3",)),
}
"""Programs with their words, by what is special about their archives."""


def job(
    mpi: local_mpi.LocalMpi, folder: Path, program: Path, *words: str, options: tuple[str, ...] = ()
) -> FinishedJob:
    """A run of a program on three ranks under the collector."""
    executable = mpi.compile(program, "-pthread")
    launch = [HOPSCOPE, "run", "--dir", "trace", *options, "--", *mpi.launch(3), str(executable), *words]
    return finish(launch, folder / "trace", folder, **mpi.patience())


@pytest.mark.parametrize("speciality", JOBS)
def test_other_readers_find_nothing_wrong(mpi: local_mpi.LocalMpi, speciality: str, tmp_path: Path) -> None:
    program, words = JOBS[speciality]
    done = job(mpi, tmp_path, program, *words)
    assert done.code == 0, done.err
    assert violations_of(done.trace / "traces.otf2") == []


def test_the_engines_hops_are_messages_for_other_readers(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    done = job(mpi, tmp_path, HEAT_PLATE, *SMALL, options=("--tree", "binomial"))
    assert done.code == 0, done.err
    archive = done.trace / "traces.otf2"
    assert violations_of(archive) == []
    with otf2.reader.open(str(archive)) as trace:
        counts = Counter(
            type(event).__name__
            for _, event in trace.events
            if getattr(event, "communicator", None) and event.communicator.name.startswith("hops:")
        )
    # Ten Allreduces on three ranks, each with two messages up and two down.
    assert counts == {"MpiIsend": 10 * 4, "MpiIrecv": 10 * 4}


@pytest.mark.unfinished
def test_other_readers_accept_what_a_killed_rank_left(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    program = TESTS / "end_to_end" / "programs" / "dies.c"
    done = job(mpi, tmp_path, program, "1", "30", "1000")
    assert done.code != 0
    subprocess.run([HOPSCOPE, "recover", "trace"], cwd=tmp_path, capture_output=True, check=True, timeout=120)
    assert violations_of(done.trace / "traces.otf2") == []
