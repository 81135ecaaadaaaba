"""Jobs of all four MPI libraries on a network: their own messages cross the slow link, and the path shows it."""

import json
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.launch.network import Network, on_hosts, read_network
from hopscope.replay.fitting.trace_parameters import fitted_of_trace, rows_of_fit
from network_jobs import SITES, WAN_NS, sites_job
from networks import HOPSCOPE, run, topology
from recorded_jobs import shared_folder

pytestmark = pytest.mark.usefixtures("machine_can")

MIX = local_mpi.ROOT / "benchmarks" / "programs" / "mix.c"
MPIS = [mpi for mpi in local_mpi.find_all() if mpi.flavour in ("openmpi", "mpich")]
INTEL = local_mpi.find_intel()
ENDING = [mpi for mpi in MPIS if mpi.release != "mpich-4"]
"""Libraries whose jobs end by themselves."""
OPEN_MPIS = [mpi for mpi in MPIS if mpi.flavour == "openmpi"]
FAST = {"links": {"wan": {"latency_ns": 1_000_000}}}


@pytest.mark.parametrize("hosts", [1, pytest.param(2, marks=pytest.mark.networks)])
@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_the_path_of_an_allreduce_crosses_the_slow_link(
    mpi: local_mpi.LocalMpi, hosts: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trace = hopscope.open(sites_job(shared_folder(tmp_path_factory), mpi, hosts))
    assert [row["complete"] for row in trace.table("collectives").to_pylist()] == [True] * 60
    names = [f"{cluster}{number}" for cluster in "ab" for number in range(hosts)]
    assert [row["host"] for row in trace.table("ranks").to_pylist()] == [name for name in names for _ in range(2)]
    wan = [hop for hop in trace.table("hops").to_pylist() if hop["link"] == "wan"]
    assert min(hop["recv_end_ns"] - hop["send_begin_ns"] for hop in wan) >= WAN_NS
    sums = {c["collective_id"] for c in trace.table("collectives").to_pylist() if c["op"] == "MPI_Allreduce"}
    crossings = [
        row["end_ns"] - row["begin_ns"]
        for row in trace.table("path_stretches").to_pylist()
        if row["category"] == "wan" and row["path"] == "collective" and row["path_collective_id"] in sums
    ]
    assert any(time >= WAN_NS for time in crossings), crossings
    # The traffic between the sites is known, and no hop between hosts went through memory.
    links = json.loads((trace.path / "run.json").read_text())["network"]
    assert [(link["from"], link["to"], link["latency_ns"]) for link in links] == [
        ("A", "B", WAN_NS),
        ("B", "A", WAN_NS),
    ]
    assert all(link["packets"] > len(wan) / 4 and link["dropped"] == 0 for link in links)
    kinds = {row["kind"] for row in trace.limits()}
    assert "memory" not in kinds
    items = [row["item"] for row in trace.run("trust").to_pylist() if row["section"] == "network"]
    assert items == ["A to B", "B to A"]


@pytest.mark.releases
@pytest.mark.parametrize("intel", INTEL, ids=[mpi.release for mpi in INTEL])
def test_messages_of_intel_mpi_cross_the_slow_link(
    intel: local_mpi.LocalMpi, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trace = hopscope.open(sites_job(shared_folder(tmp_path_factory), intel))
    assert [row["complete"] for row in trace.table("collectives").to_pylist()] == [True] * 60
    assert [row["host"] for row in trace.table("ranks").to_pylist()] == ["a0", "a0", "b0", "b0"]
    wan = [hop for hop in trace.table("hops").to_pylist() if hop["link"] == "wan"]
    assert min(hop["recv_end_ns"] - hop["send_begin_ns"] for hop in wan) >= WAN_NS


@pytest.mark.networks
@pytest.mark.parametrize("mpi", ENDING, ids=[mpi.release for mpi in ENDING])
def test_the_link_s_latency_is_in_the_models_whatever_queues_for_it(
    mpi: local_mpi.LocalMpi, tmp_path: Path, report: Callable[[str], None]
) -> None:
    """Regression: the root of long broadcasts runs ahead and fills the link, so alpha was 17 to 137 ms instead of 1
    ms."""
    calls = [*["bcast", "16000"] * 8, "allreduce", "8", "allreduce", "16000"]
    words = ["--", mpi.launcher, "-n", "4", str(mpi.compile(MIX)), "12", "500", *calls]
    wan = {"latency_ns": WAN_NS, "bytes_per_second": 2_000_000}
    file = topology(tmp_path, {"A": 1, "B": 1}, {"links": {"wan": wan}})
    done = run(tmp_path, file, *words, HOPSCOPE_NATIVE="mpich" if mpi.flavour == "mpich" else "1")
    assert done.returncode == 0, done.stderr
    parameters = rows_of_fit(fitted_of_trace(hopscope.open(tmp_path / "trace").table))
    rows = [row for row in parameters if row.link == "wan" and row.parameter in ("alpha", "beta")]
    assert [row.parameter for row in rows] == ["alpha", "beta"]
    # No message is faster than the link.
    assert rows[0].high >= 0.9 * WAN_NS, rows[0]
    for row, truth in zip(rows, (WAN_NS, 500), strict=True):
        report(f"{row.parameter}: {row.low:,.0f} to {row.high:,.0f} ns, the link's is {truth:,}")


@pytest.mark.parametrize("mpi", ENDING, ids=[mpi.release for mpi in ENDING])
def test_ranks_are_dealt_in_turn_if_the_file_says_so(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    file = topology(tmp_path, {"A": 1, "B": 1}, FAST, placement="round-robin")
    done = run(tmp_path, file, "--", mpi.launcher, "-n", "4", str(mpi.compile(SITES)))
    assert done.returncode == 0, done.stderr
    ranks = hopscope.open(tmp_path / "trace").table("ranks").to_pylist()
    assert [row["host"] for row in ranks] == ["a0", "b0", "a0", "b0"]


@pytest.mark.parametrize("mpi", OPEN_MPIS, ids=[mpi.release for mpi in OPEN_MPIS])
def test_open_mpi_keeps_its_files_in_the_folder_of_its_network(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """Regression: Open MPI named its files in /tmp after host and process, so networks with the same host names shared
    them."""
    network = Network(read_network(topology(tmp_path, {"A": 1, "B": 1}, FAST)), tmp_path / "network", 1)
    words, _ = on_hosts([mpi.launcher, "-n", "2", "./app"], network)
    option = {"openmpi-4": "orte_tmpdir_base", "openmpi-5": "prte_tmpdir_base"}[mpi.release]
    assert words[words.index(option) + 1] == str(network.folder)


@pytest.mark.networks
def test_networks_whose_hosts_have_the_same_names_run_at_the_same_time(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """Regression: Open MPI named its files in /tmp after host and process, so half of such runs ended in MPI_Init."""
    folders = [tmp_path / str(number) for number in range(4)]
    program = mpi.compile(SITES)

    def run_in_folder(folder: Path) -> subprocess.CompletedProcess[str]:
        folder.mkdir()
        file = topology(folder, {"A": 1, "B": 1}, FAST)
        return run(folder, file, "--", mpi.launcher, "-n", "2", str(program))

    with ThreadPoolExecutor(len(folders)) as pool:
        for done in pool.map(run_in_folder, folders):
            assert done.returncode == 0, done.stderr


def test_hosts_of_a_topology_file_on_one_machine_are_told_to_share_its_memory(tmp_path: Path) -> None:
    """Regression: hops between such hosts took 34 us through memory but counted as hops over a slow link, without a
    warning."""
    mpi = OPEN_MPIS[0]
    hosts = [{"name": "a0", "cluster": "A"}, {"name": "b0", "cluster": "B"}]
    (tmp_path / "two.json").write_text(json.dumps({"schema_version": 1, "hosts": hosts, "placement": "block"}))
    for tree in ([], ["--tree", "binomial"]):
        directory = tmp_path / f"trace{len(tree)}"
        words = [HOPSCOPE, "run", *tree, "--topology", "two.json", "--dir", str(directory), "--", *mpi.launch(2)]
        environment = local_mpi.without_hopscope()
        subprocess.run([*words, str(mpi.compile(SITES))], cwd=tmp_path, env=environment, check=True, timeout=120)
        trace = hopscope.open(directory)
        assert "memory" in {row["kind"] for row in trace.limits()}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--", "mpirun.openmpi", "true"], "so their number must be known"),
        (["--mpi", "openmpi", "--", "sleep", "1"], "--net does not know the launcher 'sleep'"),
        (["--topology", "x.json", "--", "mpirun.openmpi", "-n", "2", "true"], "drop --topology"),
    ],
)
def test_what_cannot_run_is_told_before_anything_starts(tmp_path: Path, words: list[str], message: str) -> None:
    file = topology(tmp_path, {"A": 1, "B": 1}, FAST)
    done = run(tmp_path, file, *words, PATH=os.environ["PATH"])
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
