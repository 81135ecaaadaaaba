"""Jobs under a real Slurm, on two nodes with two ranks each, started by the commands in docs/running.md.

One job tests each protocol between srun and an MPI library. A slice has the other ways to start a job.
"""

import json
import re
import shutil
import time
from collections.abc import Callable, Generator
from pathlib import Path

import hopscope
import local_mpi
import pytest
import slurm
from hopscope.launch.inspection import Facts
from hopscope.launch.network import made_network, read_network
from hopscope.mpi_libraries.rank_files import file_of
from network_jobs import SITES, facts_of, hangs_in_finalize
from networks import topology

pytestmark = pytest.mark.usefixtures("machine_can")

ROOT = Path(__file__).parents[2]
BEATS = ROOT / "tests" / "network" / "programs" / "beats.c"
MPIS = [mpi for mpi in local_mpi.find_all() if mpi.flavour in ("openmpi", "mpich")]
PROTOCOL = {"openmpi": "pmix", "mpich": "pmi2"}
"""The protocol between srun and the MPI library."""
PATIENCE_SECONDS = 120


@pytest.fixture(scope="module")
def cluster(machine_can: None, tmp_path_factory: pytest.TempPathFactory) -> Generator[slurm.Cluster]:
    reason = slurm.why_not()
    if reason:
        pytest.skip(f"jobs under Slurm: {reason}")
    folder = tmp_path_factory.mktemp("slurm")
    file = topology(folder, {"A": 2}, {"links": {"wan": {"latency_ns": 0}}})
    with made_network(read_network(file)) as network:
        yield slurm.Cluster(network, folder)


def documented(launcher: str) -> str:
    """The command in a row of docs/running.md, with four ranks instead of 64."""
    match = re.search(rf"^\| Slurm, {re.escape(launcher)} \| `([^`]+)`", (ROOT / "docs/running.md").read_text(), re.M)
    assert match, f"docs/running.md has no command for {launcher}"
    assert "-n 64" in match[1]
    return match[1].replace("-n 64", "-n 4")


def named_mpi(command: str) -> local_mpi.LocalMpi:
    """The system's MPI library of the flavour that a command names."""
    match = re.search(r"hopscope preload --mpi (\w+)", command)
    assert match
    return next(mpi for mpi in MPIS if mpi.flavour == match[1])


def recorded(folder: Path) -> Facts | None:
    """The facts that the four ranks have recorded so far in a folder's trace directory; None if a rank has not
    begun."""
    spool = next(folder.glob("*/spool"), None)
    return facts_of(spool.parent, 4) if spool else None


def run(
    cluster: slurm.Cluster,
    mpi: local_mpi.LocalMpi,
    folder: Path,
    command: str,
    *,
    source: Path = SITES,
    cancel_once: Callable[[Facts], bool] | None = None,
) -> str:
    """Runs a command with a library's program as ./app. By default srun uses that library's protocol. cancel_once:
    cancels the job once this holds for the recorded facts. Returns the command's output after the job has ended."""
    shutil.copy(mpi.compile(source), folder / "app")
    if mpi.release == "mpich-4" and not cancel_once:
        cancel_once = hangs_in_finalize
    deadline = time.monotonic() + PATIENCE_SECONDS
    cancelled = False
    with cluster.start(["sh", "-c", command], folder, SLURM_MPI_TYPE=PROTOCOL[mpi.flavour]) as process:
        while process.poll() is None or cluster.is_busy():
            time.sleep(0.2)
            facts = recorded(folder) if cancel_once else None
            if time.monotonic() > deadline or (cancel_once and facts and cancel_once(facts)):
                cluster.run("scancel", "--user=root")
                cancelled = True
        output, complaint = process.communicate()
    assert time.monotonic() < deadline, f"{command} never ended: {complaint}"
    assert process.returncode == 0 or cancelled, complaint
    return output


def assert_whole(trace: Path) -> None:
    """Checks that all ranks have every collective, and that each rank is on the node where Slurm started it."""
    opened = hopscope.open(trace)
    assert [row["host"] for row in opened.table("ranks").to_pylist()] == ["a0", "a0", "a1", "a1"]
    assert [row["complete"] for row in opened.table("collectives").to_pylist()] == [True] * 60


@pytest.mark.parametrize("mode", ["observe", pytest.param("tree", marks=pytest.mark.networks)])
@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_srun_starts_what_preload_prints(
    cluster: slurm.Cluster, mpi: local_mpi.LocalMpi, mode: str, tmp_path: Path
) -> None:
    options = "--dir $PWD/trace --tree binomial" if mode == "tree" else "--dir $PWD/trace"
    run(cluster, mpi, tmp_path, f"srun -N 2 -n 4 $(hopscope preload {options} ./app) ./app")
    assert_whole(tmp_path / "trace")
    assert json.loads((tmp_path / "trace" / "run.json").read_text())["mode"] == mode


@pytest.mark.networks
def test_a_batch_script_as_documented(cluster: slurm.Cluster, tmp_path: Path) -> None:
    command = documented("in a batch script")
    (tmp_path / "job.sh").write_text(f"#!/bin/sh\n{command}\n")
    number = run(cluster, named_mpi(command), tmp_path, "sbatch --parsable -n 4 job.sh").strip()
    assert_whole(tmp_path / f"trace-{number}")


@pytest.mark.networks
def test_a_wrapped_command_as_documented(cluster: slurm.Cluster, tmp_path: Path) -> None:
    command = documented("`sbatch --wrap`")
    number = run(cluster, named_mpi(command), tmp_path, command).split()[-1]
    assert_whole(tmp_path / f"trace-{number}")


@pytest.mark.networks
@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_the_launcher_of_a_library_as_documented(
    cluster: slurm.Cluster, mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    """The launcher takes nodes and ranks from Slurm, and starts its daemons by srun."""
    command = documented("the MPI library's own launcher").replace("mpirun", mpi.launcher)
    run(cluster, mpi, tmp_path, command)
    assert_whole(tmp_path / "hopscope-app-1")


@pytest.mark.networks
@pytest.mark.parametrize("mpi", MPIS[:2], ids=[mpi.release for mpi in MPIS[:2]])
def test_a_cancelled_job_loses_nothing(cluster: slurm.Cluster, mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """scancel sends SIGTERM, as Slurm does at the time limit."""
    done = 0

    def has_come_far(facts: Facts) -> bool:
        nonlocal done
        threads = [rank["threads"][0] for rank in facts["ranks"]]
        done = min((thread["last"] or {}).get("seq", -1) + 1 for thread in threads)
        return done > 50

    command = "srun -n 4 $(hopscope preload --dir $PWD/trace ./app) ./app 100 10"
    run(cluster, mpi, tmp_path, command, source=BEATS, cancel_once=has_come_far)
    trace = hopscope.open(tmp_path / "trace")
    ends = [(row["host"], row["complete"]) for row in trace.table("ranks").to_pylist()]
    assert ends == [("a0", False), ("a0", False), ("a1", False), ("a1", False)]
    complete = [row["complete"] for row in trace.table("collectives").to_pylist()]
    assert complete.count(True) >= done
    # A root may have left its Bcast and wait in the Barrier after it.
    assert complete.count(False) <= 2


@pytest.mark.networks
def test_a_rank_order_is_read_by_srun(cluster: slurm.Cluster, tmp_path: Path) -> None:
    hosts = ("a0", "a1", "a1", "a0")
    file = file_of("slurm", hosts, "hosts.txt")
    (tmp_path / "hosts.txt").write_text(file.text)
    mpi = next(mpi for mpi in MPIS if mpi.release == "openmpi-4")
    run(cluster, mpi, tmp_path, f"{file.command} $(hopscope preload --dir $PWD/trace ./app) ./app")
    ranks = hopscope.open(tmp_path / "trace").table("ranks").to_pylist()
    assert tuple(row["host"] for row in ranks) == hosts
