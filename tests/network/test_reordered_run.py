"""A rank order written by `analyze reorder`, read by a real launcher on a network of hosts."""

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest
from hopscope.mpi_libraries.rank_files import file_of
from network_jobs import SITES, xfail_unless
from networks import HOPSCOPE, run, topology

pytestmark = pytest.mark.usefixtures("machine_can")

PROGRAM = Path(__file__).parent / "programs" / "halo.c"
# Hosts of the two clusters in turn, so that neighbours in the ring are in different clusters.
DEALT = {
    "schema_version": 1,
    "hosts": [{"name": name, "cluster": name[0].upper()} for name in ("a0", "b0", "a1", "b1")],
    "placement": "round-robin",
    "network": {"links": {"wan": {"latency_ns": 5_000_000, "bytes_per_second": 4e7}}},
}
RELEASES = ("openmpi-4", "openmpi-5")
MPIS = [mpi for mpi in local_mpi.find_all() if mpi.release in RELEASES]
ENDING = [mpi for mpi in local_mpi.find_all() if mpi.release in (*RELEASES, "mpich-5")] + local_mpi.find_intel()


def of_link(trace: Path, link: str) -> list[dict[str, Any]]:
    rows = hopscope.open(trace).table("messages").to_pylist()
    return [row for row in rows if row["link"] == link]


def iteration_ns(trace: Path) -> float:
    """The mean time from one Allreduce to the next."""
    rows = hopscope.open(trace).table("collectives").to_pylist()
    leaves = [row["last_leave_ns"] for row in rows if row["op"] == "MPI_Allreduce"]
    return (max(leaves) - min(leaves)) / (len(leaves) - 1)


@pytest.mark.parametrize("mpi", ENDING, ids=[mpi.release for mpi in ENDING])
def test_a_launcher_starts_ranks_in_the_order_of_the_file_for_it(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    order = ("b0", "a0", "a0", "b0")
    launcher = {"mpich-5": "mpich", "mpich-2021": "intelmpi"}.get(mpi.release, mpi.release)
    file = file_of(launcher, order, "hosts.txt")
    (tmp_path / "hosts.txt").write_text(file.text)
    sites = topology(tmp_path, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": 1_000_000}}})
    done = run(tmp_path, sites, "--", mpi.launcher, *shlex.split(file.command)[1:], str(mpi.compile(SITES)))
    assert done.returncode == 0, done.stderr
    ranks = hopscope.open(tmp_path / "trace").table("ranks").to_pylist()
    assert tuple(row["host"] for row in ranks) == order


@pytest.mark.networks
@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_a_halo_exchange_sends_less_between_clusters(
    mpi: local_mpi.LocalMpi, tmp_path: Path, report: Callable[[str], None]
) -> None:
    (tmp_path / "sites.json").write_text(json.dumps(DEALT))
    program = str(mpi.compile(PROGRAM))
    job = ["--", mpi.launcher, "-n", "8"]
    dealt_job = run(tmp_path, tmp_path / "sites.json", *job, program)
    assert dealt_job.returncode == 0, dealt_job.stderr
    (tmp_path / "trace").rename(tmp_path / "dealt")

    words = [HOPSCOPE, "analyze", "reorder", "dealt", "-o", "hosts.txt", "--format", "json"]
    answer = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    wan, _, _, total = json.loads(answer.stdout)
    xfail_unless(total["chosen"], answer.stderr)
    # The launcher's options are those in the answer.
    _, _, command = answer.stderr.partition(f"wrote hosts.txt; run the program in this order with `mpirun -n {8} ")
    options = shlex.split(command.partition(program)[0])
    assert options, answer.stderr
    ordered_job = run(tmp_path, tmp_path / "sites.json", *job, *options, program)
    assert ordered_job.returncode == 0, ordered_job.stderr

    opened = hopscope.open(tmp_path / "trace")
    hosts = [row["host"] for row in opened.table("ranks").to_pylist()]
    assert hosts == (tmp_path / "hosts.txt").read_text().split()
    # Both neighbours of each rank were in the other cluster; now two of eight edges cross.
    assert (len(of_link(tmp_path / "dealt", "wan")), len(of_link(tmp_path / "trace", "wan"))) == (240, 60)
    if mpi.release == "openmpi-4":  # release 5's `han` follows the hosts, so its hops change with the order
        hops = [row for row in opened.table("hops").to_pylist() if row["link"] == "wan"]
        assert wan["new_messages"] == 60 + len(hops)
    # In two runs, an iteration took 71 and 81 ms before, 32 and 38 ms after; 32 and 27 ms were predicted.
    assert 0 < total["run_gain_low"] <= total["run_gain"] <= total["run_gain_high"]
    before_ns, after_ns = (iteration_ns(tmp_path / name) for name in ("dealt", "trace"))
    report(f"an iteration took {before_ns:,.0f} ns and takes {after_ns:,.0f}; predicted gain {total['run_gain']:.0%}")
    second_answer = subprocess.run([*words[:3], "trace"], cwd=tmp_path, capture_output=True, text=True, check=True)
    xfail_unless("Leave the order as it is" in second_answer.stderr, second_answer.stderr)
