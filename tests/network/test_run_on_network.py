"""Jobs of all four MPI libraries on a network, untouched: their messages cross the slow link, and the path shows it."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hopscope
import local_mpi
import pytest
from networks import HOPSCOPE, in_a_quiet_moment, run, topology

pytestmark = pytest.mark.usefixtures("machine_can")

PROGRAM = Path(__file__).parents[1] / "native" / "programs" / "sites.c"
MIX = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
DELAY_NS = 20_000_000
MPIS = [mpi for mpi in local_mpi.find_all() if mpi.flavour in ("openmpi", "mpich")]
QUIET = [mpi for mpi in MPIS if mpi.release != "mpich-4"]
OPEN_MPIS = [mpi for mpi in MPIS if mpi.flavour == "openmpi"]


@pytest.mark.alone
@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_the_path_of_an_allreduce_crosses_the_slow_link(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    file = topology(tmp_path, {"A": 2, "B": 2}, {"links": {"wan": {"latency_ns": DELAY_NS}}})
    words = ["--", mpi.launcher, "-n", "8", str(mpi.compile(PROGRAM))]
    variables = {"HOPSCOPE_NATIVE": "mpich" if mpi.flavour == "mpich" else "1"}
    # Release 5 leaves messages inside a host for shared memory after a few collectives.
    variables["MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD"] = "1000000"
    # Release 4 over UCX often waits for ever in MPI_Finalize if connecting takes long, also without the collector:
    # some ranks have closed their end while others still wait for an answer. An interrupt leaves a trace of all else.
    hangs = mpi.release == "mpich-4"
    done = run(tmp_path, file, *words, interrupt_after=20 if hangs else None, **variables)
    assert done.returncode == 0 or hangs, done.stderr
    trace = hopscope.open(tmp_path / "trace")
    assert [row["complete"] for row in trace.table("collectives").to_pylist()] == [True] * 60
    hosts = {row["rank"]: row["host"] for row in trace.table("ranks").to_pylist()}
    assert hosts == dict(enumerate(("a0", "a0", "a1", "a1", "b0", "b0", "b1", "b1")))
    wan = [hop for hop in trace.table("hops").to_pylist() if hop["link"] == "wan"]
    assert min(hop["recv_end_ns"] - hop["send_begin_ns"] for hop in wan) >= DELAY_NS
    sums = {c["collective_id"] for c in trace.table("collectives").to_pylist() if c["op"] == "MPI_Allreduce"}
    crossings = [
        row["end_ns"] - row["begin_ns"]
        for row in trace.table("path_stretches").to_pylist()
        if row["category"] == "wan" and row["path"] == "collective" and row["path_collective_id"] in sums
    ]
    assert any(DELAY_NS <= time <= 1.25 * DELAY_NS for time in crossings), crossings
    # What passed between the sites is known, and no hop between hosts went through memory.
    links = json.loads((tmp_path / "trace" / "run.json").read_text())["network"]
    assert [(link["from"], link["to"], link["latency_ns"]) for link in links] == [
        ("A", "B", DELAY_NS),
        ("B", "A", DELAY_NS),
    ]
    assert all(link["packets"] > len(wan) / 4 and link["dropped"] == 0 for link in links)
    kinds = {row["kind"] for row in trace.run("caveats").to_pylist()}
    assert "memory" not in kinds
    items = [row["item"] for row in trace.run("summary").to_pylist() if row["section"] == "network"]
    assert items == ["A to B", "B to A"]


@pytest.mark.alone
@pytest.mark.parametrize("mpi", QUIET, ids=[mpi.release for mpi in QUIET])
def test_the_link_s_latency_is_in_the_models_whatever_queues_for_it(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """The root of the long broadcasts runs ahead, so that they fill the link: alpha was 17 to 137 ms for 1 ms."""
    calls = [*["bcast", "16000"] * 8, "allreduce", "8", "allreduce", "16000"]
    words = ["--", mpi.launcher, "-n", "4", str(mpi.compile(MIX)), "12", "500", *calls]

    def modelled(folder: Path) -> None:
        file = topology(
            folder, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": DELAY_NS, "bytes_per_second": 2_000_000}}}
        )
        done = run(folder, file, *words, HOPSCOPE_NATIVE="mpich" if mpi.flavour == "mpich" else "1")
        assert done.returncode == 0, done.stderr
        (found,) = hopscope.open(folder / "trace").modelled().to_pylist()
        rows = [row for row in found["parameters"] if row["link"] == "wan"]
        assert [row["parameter"] for row in rows if row["parameter"] in ("alpha", "beta")] == ["alpha", "beta"]
        alpha, beta = (row for row in rows if row["parameter"] in ("alpha", "beta"))
        # Nothing is faster than the link; a busy machine makes the upper ends longer.
        assert alpha["low"] <= 1.25 * DELAY_NS, alpha
        assert alpha["high"] >= 0.9 * DELAY_NS, alpha
        assert beta["low"] <= 1.25 * 500, beta

    in_a_quiet_moment(tmp_path, modelled)


def test_ranks_are_dealt_in_turn_if_the_file_says_so(tmp_path: Path) -> None:
    network = {"links": {"wan": {"latency_ns": 1_000_000}}}
    file = topology(tmp_path, {"A": 1, "B": 1}, network, placement="round-robin")
    for mpi in QUIET:
        folder = tmp_path / mpi.release
        folder.mkdir()
        done = run(folder, file, "--", mpi.launcher, "-n", "4", str(mpi.compile(PROGRAM)))
        assert done.returncode == 0, done.stderr
        ranks = hopscope.open(folder / "trace").table("ranks").to_pylist()
        assert [row["host"] for row in ranks] == ["a0", "b0", "a0", "b0"], mpi.release


@pytest.mark.parametrize("mpi", OPEN_MPIS, ids=[mpi.release for mpi in OPEN_MPIS])
def test_networks_whose_hosts_have_the_same_names_run_at_the_same_time(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """Open MPI named its files in /tmp after host and process, so half of such runs ended in MPI_Init."""
    folders = [tmp_path / str(number) for number in range(4)]
    program = mpi.compile(PROGRAM)

    def once(folder: Path) -> subprocess.CompletedProcess[str]:
        folder.mkdir()
        file = topology(folder, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": 1_000_000}}})
        return run(folder, file, "--", mpi.launcher, "-n", "2", str(program))

    with ThreadPoolExecutor(len(folders)) as pool:
        for done in pool.map(once, folders):
            assert done.returncode == 0, done.stderr


def test_hosts_of_a_topology_file_on_one_machine_are_told_to_share_its_memory(tmp_path: Path) -> None:
    """Hops between them took 34 us through memory, under the name of a slow link, and nothing said so."""
    mpi = MPIS[0]
    hosts = [{"name": "a0", "cluster": "A"}, {"name": "b0", "cluster": "B"}]
    (tmp_path / "two.json").write_text(json.dumps({"schema_version": 1, "hosts": hosts, "placement": "block"}))
    for tree in ([], ["--tree", "binomial"]):
        directory = tmp_path / f"trace{len(tree)}"
        words = [HOPSCOPE, "run", *tree, "--topology", "two.json", "--dir", str(directory), "--", *mpi.launch(4)]
        environment = local_mpi.without_hopscope()
        subprocess.run([*words, str(mpi.compile(PROGRAM))], cwd=tmp_path, env=environment, check=True, timeout=120)
        trace = hopscope.open(directory)
        assert "memory" in {row["kind"] for row in trace.run("caveats").to_pylist()}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--", "mpirun.openmpi", "true"], "so their number must be known"),
        (["--mpi", "openmpi", "--", "sleep", "1"], "--net does not know the launcher 'sleep'"),
        (["--topology", "x.json", "--", "mpirun.openmpi", "-n", "2", "true"], "drop --topology"),
    ],
)
def test_what_cannot_run_is_told_before_anything_starts(tmp_path: Path, words: list[str], said: str) -> None:
    file = topology(tmp_path, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": 1_000_000}}})
    done = run(tmp_path, file, *words, PATH=os.environ["PATH"])
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
