"""A network as it runs: what its links do, who sees whose memory, and that nothing of it is left."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from hopscope.launch.network import Network, made_network, read_network
from leftovers import leftovers, namespaces, processes_of, settled
from networks import topology

pytestmark = [pytest.mark.alone, pytest.mark.usefixtures("machine_can")]

PROGRAMS = Path(__file__).parent / "programs"
HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))
RATE = 10_000_000
SENT = 10_000_000


def on(network: Network, host: str, *words: str) -> str:
    done = subprocess.run([*network.on_host(host), *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def pings_ms(network: Network, host: str, other: str) -> list[float]:
    return json.loads(on(network, host, sys.executable, str(PROGRAMS / "ping.py"), other))


@pytest.fixture(scope="module")
def network(machine_can: None, tmp_path_factory: pytest.TempPathFactory) -> Generator[Network]:
    """Three clusters; A and B are 20 ms apart and share 10 MB/s each way, C is nearer."""
    links = {
        "links": {"wan": {"latency_ns": 20_000_000, "bytes_per_second": RATE}},
        "cluster_pairs": [
            {"from": "A", "to": "C", "latency_ns": 3_000_000},
            {"from": "C", "to": "A", "latency_ns": 4_000_000},
        ],
    }
    file = topology(tmp_path_factory.mktemp("network"), {"A": 2, "B": 2, "C": 1}, links)
    with made_network(read_network(file)) as made:
        yield made


def test_a_round_trip_takes_both_latencies(network: Network) -> None:
    for other, least_ms, most_ms in (("b1", 40, 41), ("c0", 7, 8)):
        times = pings_ms(network, "a0", other)
        assert min(times) >= least_ms
        assert min(times) <= most_ms
    assert min(pings_ms(network, "a0", "a1")) < 1


def test_relays_say_what_they_carried(network: Network) -> None:
    network.carried()
    pings_ms(network, "a1", "b0")
    rows = {(row.source, row.destination): row for row in network.carried()}
    assert len(rows) == 6
    for pair in (("A", "B"), ("B", "A")):
        assert rows[pair].packets >= 12
        assert rows[pair].dropped == 0
        assert 0 < rows[pair].late_p50_ns <= rows[pair].late_p99_ns


def test_bandwidth_is_what_was_asked_and_shared_by_all_that_crosses(network: Network) -> None:
    def transfer(pairs: list[tuple[str, str]]) -> list[list[float]]:
        program = [sys.executable, str(PROGRAMS / "transfer.py"), str(SENT)]
        receivers = [
            subprocess.Popen([*network.on_host(to), *program], stdout=subprocess.PIPE, text=True) for _, to in pairs
        ]
        for receiver in receivers:
            assert receiver.stdout and receiver.stdout.readline() == "listens\n"
        senders = [subprocess.Popen([*network.on_host(source), *program, to]) for source, to in pairs]
        assert [sender.wait(60) for sender in senders] == [0] * len(pairs)
        return [json.loads(receiver.communicate(timeout=60)[0]) for receiver in receivers]

    def rate(received: list[list[float]]) -> float:
        """Of all transfers together, once TCP has found out how much the link carries and until the first one ends."""
        begin, end = max(times[7] for times in received), min(times[-1] for times in received)
        assert begin < end
        parts = sum(float(np.diff(np.interp([begin, end], times, range(len(times))))[0]) for times in received)
        return parts * SENT / 20 / (end - begin)

    assert 0.9 * RATE <= rate(transfer([("a0", "b0")])) <= 1.05 * RATE
    assert 0.9 * RATE <= rate(transfer([("a0", "b0"), ("a1", "b1")])) <= 1.05 * RATE


def test_hosts_have_names_and_memory_of_their_own(network: Network) -> None:
    assert on(network, "b1", "hostname") == "b1\n"
    on(network, "a0", "sh", "-c", "echo here > /dev/shm/mark")
    assert on(network, "a0", "cat", "/dev/shm/mark") == "here\n"
    assert on(network, "a1", "ls", "/dev/shm") == ""
    assert not Path("/dev/shm/mark").exists()


def test_commands_keep_their_folder_code_and_signals(network: Network, tmp_path: Path) -> None:
    words = [*network.on_host("a0"), "sh", "-c", "pwd; exit 7"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (f"{tmp_path}\n", 7)
    words = [
        *network.on_host("a0"),
        "sh",
        "-c",
        "trap 'echo heard; exit 3' TERM; echo up; while :; do sleep 0.05; done",
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout and job.stdout.readline() == "up\n"
        job.terminate()
        assert job.stdout.readline() == "heard\n"
    assert job.returncode == 3
    missing = subprocess.run([*network.on_host("zz"), "true"], capture_output=True, text=True, check=False)
    assert missing.stderr.startswith("hopscope: the network has no host zz; it has a0 a1 b0 b1 c0")


def test_an_agent_runs_commands_from_host_to_host(network: Network) -> None:
    assert on(network, "a0", str(network.agent), "-x", "b0", "echo", "$(hostname)") == "b0\n"


def run_words(file: Path, *words: str) -> list[str]:
    return [HOPSCOPE, "run", "--net", str(file), "--mpi", "openmpi", "--", *words]


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    return topology(tmp_path, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": 1_000_000}}})


def test_runs_leave_nothing_behind(sites: Path, tmp_path: Path) -> None:
    """However a run ends: by itself, by an interrupt, or by SIGKILL at any moment."""
    before = (namespaces(), leftovers())
    words = [sys.executable, "-c", PROGRAMS.joinpath("launch_sleep.py").read_text()]
    for moment, number in ((None, 0), (0.0, 9), (0.2, 9), (0.5, 9), (0.6, 9), (0.9, 9), (1.2, 9), (0.7, 2), (0.8, 15)):
        with subprocess.Popen([*words, str(sites)], cwd=tmp_path, start_new_session=True) as job:
            if moment is not None:
                time.sleep(moment)
                job.send_signal(number)
        assert settled(before, tmp_path), (moment, number, leftovers(), processes_of(tmp_path))


def test_a_network_stays_until_it_is_taken_down(sites: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}

    def net(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [HOPSCOPE, "net", *words], env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    before = namespaces()
    assert "no network of" in net("down", str(sites)).stderr
    up = net("up", str(sites))
    assert up.returncode == 0, up.stderr
    try:
        assert "2 hosts in 2 clusters are up" in up.stderr
        assert net("list").stdout == f"{sites}\n"
        assert net("exec", str(sites), "b0", "--", "hostname").stdout == "b0\n"
        assert "is up already" in net("up", str(sites)).stderr
        same = sites.read_text()
        sites.write_text(same.replace("1000000", "2000000"))
        assert "has changed since its network was made" in net("exec", str(sites), "b0", "true").stderr
        sites.write_text(same)
        inside = [HOPSCOPE, "net", "down", str(sites)]
        assert "run `hopscope net` outside it" in net("exec", str(sites), "b0", "--", *inside).stderr
    finally:
        down = net("down", str(sites))
    assert down.returncode == 0, down.stderr
    assert net("list").stdout == ""
    assert namespaces() == before


def test_a_network_ends_with_the_process_that_keeps_it(sites: Path) -> None:
    before = (namespaces(), leftovers())
    with made_network(read_network(sites)) as network:
        words = [*network.on_host("a0"), "sh", "-c", "echo up; sleep 100"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as job:
            assert job.stdout and job.stdout.readline() == "up\n"
            os.kill(network.process, signal.SIGKILL)
            assert job.wait(20) == 128 + signal.SIGKILL
    assert settled(before, network.folder)


def test_users_without_the_right_are_told(sites: Path, tmp_path: Path) -> None:
    """Whether they may make namespaces or not, one sentence says what is missing."""
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents[:2]:
        folder.chmod(0o755)
    words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--", *run_words(sites, "true")]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    if os.access(sys.executable, os.X_OK) and "Permission denied: '/root" in done.stderr:
        pytest.skip("others may not start this Python")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "the network could not be made" in done.stderr
