"""The archive is an ordinary OTF2 trace that other tools read."""

import subprocess
from pathlib import Path

import local_mpi
import pytest
from jobs import HEAT_PLATE, Run


@pytest.fixture(scope="module")
def archive(first_mpi: local_mpi.LocalMpi, traced: Run) -> Path:
    job = traced(first_mpi, 3, first_mpi.compile(HEAT_PLATE), "--size", "64", "--iterations", "10", tree="binomial")
    assert job.code == 0, job.err
    return job.trace / "traces.otf2"


def test_otf2_print_reads_definitions_and_events_without_a_warning(archive: Path) -> None:
    for options in (["-A"], ["-G"], []):
        printed = subprocess.run(["otf2-print", *options, str(archive)], capture_output=True, text=True, check=True)
        assert printed.stderr == ""
        assert printed.stdout


def test_the_otf2_package_of_python_reads_calls_and_hops(archive: Path) -> None:
    otf2 = pytest.importorskip("otf2", reason="the otf2 package for Python is not installed")
    collectives, sends, receives, last = 0, 0, 0, {}
    with otf2.reader.open(str(archive)) as trace:
        locations = list(trace.definitions.locations)
        for location, event in trace.events:
            assert event.time >= last.get(location.name, 0)
            last[location.name] = event.time
            kind = type(event).__name__
            collectives += kind == "MpiCollectiveEnd"
            sends += kind == "MpiIsend" and event.communicator.name.startswith("hops:")
            receives += kind == "MpiIrecv" and event.communicator.name.startswith("hops:")
    assert len(locations) == 3
    assert collectives >= 30
    assert sends == receives == 10 * 4


def test_pipit_reads_the_archive(archive: Path) -> None:
    pipit = pytest.importorskip(
        "pipit", reason="Pipit is not on the package index, so it can only be tested where it is installed"
    )
    if not hasattr(pipit, "Trace"):
        pytest.skip("the installed package called pipit is not the trace analysis library")
    events = pipit.Trace.from_otf2(str(archive.parent)).events
    assert (events["Name"] == "MPI_Allreduce").sum() == 3 * 10 * 2
