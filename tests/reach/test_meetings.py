"""Groups of processes that did not start one another connect at a port (MPI_Comm_accept, MPI_Comm_connect) or over a
socket (MPI_Comm_join), in one job or in two, whose traces are joined afterwards."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import local_mpi
import pytest
from traced_worlds import DYNAMIC, HOPSCOPE, Traced, assert_agrees, assert_matched, program, run, settings


@pytest.fixture(params=DYNAMIC, ids=[mpi.release for mpi in DYNAMIC])
def meeting(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    return request.param


def netmod_variables(mpi: local_mpi.LocalMpi) -> dict[str, str]:
    """Variables for another netmod, because MPICH's names of ports are too short for an address of UCX."""
    return {"MPIR_CVAR_CH4_NETMOD": "ofi"} if mpi.flavour == "mpich" else {}


@contextmanager
def server(mpi: local_mpi.LocalMpi, folder: Path) -> Iterator[list[str]]:
    """Runs the server that two jobs need in order to connect. Yields the launchers' options for it."""
    if mpi.release != "openmpi-4":
        yield []
        return
    place = folder / "server"
    process = subprocess.Popen(
        ["timeout", "100", "ompi-server", "--no-daemonize", "-r", str(place)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 100
        while not (place.exists() and place.read_text().endswith("\n")):
            assert time.monotonic() < deadline and process.poll() is None, "ompi-server does not start"
            time.sleep(0.05)
        yield ["--ompi-server", f"file:{place}"]
    finally:
        process.terminate()
        process.wait()


def test_two_halves_of_a_world_that_meet_are_communicators_of_that_world(
    meeting: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    done = run(meeting, tmp_path, 4, program(meeting, "meetings"), "halves", "port", "2", **netmod_variables(meeting))
    assert done.returncode == 0, done.stderr
    traced = Traced(tmp_path / "trace")
    assert traced.facts["missing"] == []
    assert traced.worlds() == [4]
    assert_agrees(traced, done.stdout)
    assert_matched(traced, done.stdout)


def test_two_jobs_that_met_become_one_trace_when_they_are_named_together(
    meeting: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    jobs: list[subprocess.Popen[str]] = []
    with server(meeting, tmp_path) as words:
        for name in ("accept", "connect"):
            launch = meeting.launch(2)
            command = [launch[0], *words, *launch[1:], program(meeting, "meetings"), name, "port", "2"]
            jobs.append(
                subprocess.Popen(
                    ["timeout", "100", HOPSCOPE, "run", "--dir", name, "--", *command],
                    cwd=tmp_path,
                    env={**os.environ, **settings(meeting), **netmod_variables(meeting)},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
        outputs = [job.communicate() for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], [errors for _, errors in outputs]

    alone = Traced(tmp_path / "accept")
    assert alone.worlds() == [2]
    assert alone.facts["missing"][0].startswith("the other side of 3 connection(s) between worlds")
    assert all(row["complete"] for row in alone.rows("collectives"))

    subprocess.run([HOPSCOPE, "recover", "accept", "connect"], cwd=tmp_path, capture_output=True, check=True)
    joined_trace = Traced(tmp_path / "accept")
    printed = "".join(output for output, _ in outputs)
    assert joined_trace.facts["missing"] == []
    assert joined_trace.worlds() == [2, 2]
    assert [world["spawned"] for world in joined_trace.facts["worlds"]] == [False, False]
    assert_agrees(joined_trace, printed)
    assert_matched(joined_trace, printed)
    assert Traced(tmp_path / "connect").worlds() == [2]  # the other trace is unchanged
