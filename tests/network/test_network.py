"""A network in operation: the delays of its links, the separate memory of its hosts, and the removal of everything."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pytest
from hopscope.errors import InputError
from hopscope.launch.network import Network, kept, made_network, read_network
from leftovers import left_in, processes_of
from networks import HOPSCOPE, topology

pytestmark = pytest.mark.usefixtures("machine_can")

PROGRAMS = Path(__file__).parent / "programs"
RATE = 10_000_000
SHORT, LONG = 1_000_000, 10_000_000
"""Bytes of a transfer; the long one takes a second."""
PATIENCE_S = 60


def output_on(network: Network, host: str, *words: str) -> str:
    done = subprocess.run([*network.on_host(host), *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def pings_ms(network: Network, host: str, peer: str) -> list[float]:
    return json.loads(output_on(network, host, sys.executable, str(PROGRAMS / "ping.py"), peer))


@pytest.fixture(scope="module")
def network(machine_can: None, tmp_path_factory: pytest.TempPathFactory) -> Generator[Network]:
    """Three clusters. A and B are 20 ms apart and share 10 MB/s in each direction; C is nearer."""
    links = {
        "links": {"wan": {"latency_ns": 20_000_000, "bytes_per_second": RATE}},
        "cluster_pairs": [
            {"from": "A", "to": "C", "latency_ns": 3_000_000},
            {"from": "C", "to": "A", "latency_ns": 4_000_000},
        ],
    }
    file = topology(tmp_path_factory.mktemp("network"), {"A": 2, "B": 2, "C": 1}, links)
    with made_network(read_network(file)) as site_network:
        yield site_network


def test_a_round_trip_takes_at_least_both_latencies(network: Network) -> None:
    for peer, least_ms in (("b1", 40), ("c0", 7)):
        assert min(pings_ms(network, "a0", peer)) >= least_ms


def test_relays_say_what_they_carried(network: Network) -> None:
    network.carried()
    pings_ms(network, "a1", "b0")
    rows = {(row.source, row.destination): row for row in network.carried()}
    assert len(rows) == 6
    for pair in (("A", "B"), ("B", "A")):
        assert rows[pair].packets >= 12
        assert rows[pair].dropped == 0
        assert 0 < rows[pair].late_p50_ns <= rows[pair].late_p99_ns


def transfer(network: Network, size: int, *pairs: tuple[str, str]) -> tuple[float, list[list[float]]]:
    """Sends this number of bytes from host to host, between several pairs at once. Returns the time of the begin, and
    the times at which each twentieth part has come to each receiver, in s."""
    program = [sys.executable, str(PROGRAMS / "transfer.py"), str(size)]
    receivers = [
        subprocess.Popen([*network.on_host(target), *program], stdout=subprocess.PIPE, text=True) for _, target in pairs
    ]
    for receiver in receivers:
        assert receiver.stdout and receiver.stdout.readline() == "listens\n"
    begin = time.monotonic()
    senders = [subprocess.Popen([*network.on_host(source), *program, target]) for source, target in pairs]
    assert [sender.wait(PATIENCE_S) for sender in senders] == [0] * len(pairs)
    return begin, [json.loads(receiver.communicate(timeout=PATIENCE_S)[0]) for receiver in receivers]


@pytest.mark.parametrize("pairs", [[("a0", "b0")], [("a0", "b0"), ("a1", "b1")]], ids=["alone", "two"])
def test_all_that_crosses_together_is_no_faster_than_the_rate(network: Network, pairs: list[tuple[str, str]]) -> None:
    network.carried()
    begin, received = transfer(network, SHORT, *pairs)
    assert max(times[-1] for times in received) - begin >= len(pairs) * SHORT / RATE
    rows = {(row.source, row.destination): row for row in network.carried()}
    assert rows["A", "B"].bytes >= len(pairs) * SHORT


def test_what_stays_in_a_cluster_passes_no_relay(network: Network) -> None:
    """The relay delays nothing within a cluster. Only a broadcast that asks for an address passes it."""
    network.carried()
    transfer(network, SHORT, ("a0", "a1"))
    assert sum(row.bytes for row in network.carried()) < SHORT / 10


@pytest.mark.networks
def test_times_and_rates_are_near_those_that_were_asked(network: Network, report: Callable[[str], None]) -> None:
    def rate(*pairs: tuple[str, str]) -> float:
        """The rate of all transfers together, from the time when TCP has adapted to the link until the first one
        ends."""
        _, received = transfer(network, LONG, *pairs)
        begin, end = max(times[7] for times in received), min(times[-1] for times in received)
        assert begin < end
        parts = sum(float(np.diff(np.interp([begin, end], times, range(len(times))))[0]) for times in received)
        return parts * LONG / 20 / (end - begin)

    for peer, least_ms in (("b1", 40), ("c0", 7), ("a1", 0)):
        report(f"from a0 to {peer} and back: {min(pings_ms(network, 'a0', peer)):.2f} ms, least {least_ms} ms")
    for pairs in ([("a0", "b0")], [("a0", "b0"), ("a1", "b1")]):
        report(f"{len(pairs)} transfers: {rate(*pairs) / RATE:.1%} of the link's rate")


def test_hosts_have_names_and_memory_of_their_own(network: Network) -> None:
    assert output_on(network, "b1", "hostname") == "b1\n"
    output_on(network, "a0", "sh", "-c", "echo here > /dev/shm/mark")
    assert output_on(network, "a0", "cat", "/dev/shm/mark") == "here\n"
    assert output_on(network, "a1", "ls", "/dev/shm") == ""
    assert not Path("/dev/shm/mark").exists()


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def catches(process: int, number: int) -> bool:
    """True if a process has a handler for a signal."""
    (mask,) = re.findall(r"^SigCgt:\t(\w+)$", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    return bool(int(mask, 16) >> (number - 1) & 1)


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
        # The command may run before the process that started it handles signals.
        wait_for(lambda: catches(job.pid, signal.SIGTERM))
        job.terminate()
        assert job.stdout.readline() == "heard\n"
    assert job.returncode == 3
    missing = subprocess.run([*network.on_host("zz"), "true"], capture_output=True, text=True, check=False)
    assert missing.stderr.startswith("hopscope: the network has no host zz; it has a0 a1 b0 b1 c0")


def test_an_agent_runs_commands_from_host_to_host(network: Network) -> None:
    assert output_on(network, "a0", str(network.agent), "-x", "b0", "echo", "$(hostname)") == "b0\n"


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    return topology(tmp_path, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": 1_000_000}}})


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the networks of this test, by which all of their remains are recognised."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("ends", 0),
        ("starts", signal.SIGKILL),
        ("makes", signal.SIGKILL),
        ("up", signal.SIGKILL),
        ("runs", signal.SIGKILL),
        ("runs", signal.SIGINT),
        ("runs", signal.SIGTERM),
    ],
)
def test_runs_leave_nothing_behind(moment: str, number: int, sites: Path, own_folder: Path) -> None:
    """A run may end by itself, by an interrupt, or by SIGKILL at some moment."""
    words = [sys.executable, str(PROGRAMS / "launch_sleep.py"), str(sites), "0" if moment == "ends" else "1000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as job:
        assert job.stdout
        if moment == "makes":
            wait_for(lambda: list(own_folder.glob("hopscope-net-*/holder")))
        elif moment != "ends":
            assert f"{moment}\n" in iter(job.stdout.readline, "")
        if moment == "runs":
            assert processes_of(own_folder)
        if number:
            job.send_signal(number)
        assert (job.wait(PATIENCE_S) == 0) == (moment == "ends")
    wait_for(lambda: not processes_of(own_folder))
    # If a network is not up yet, its keeper leaves the files to its parent, whose end it may not have noticed.
    if moment != "makes":
        assert left_in(own_folder) == []


def test_a_network_stays_until_it_is_taken_down(sites: Path, own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(own_folder))

    def net(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [HOPSCOPE, "net", *words], capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )

    with pytest.raises(InputError, match="no network of"):
        kept.down(sites)
    up = net("up", str(sites))
    assert up.returncode == 0, up.stderr
    try:
        assert "2 hosts in 2 clusters are up" in up.stderr
        assert list(kept.running_networks()) == [str(sites)]
        assert net("exec", str(sites), "b0", "--", "hostname").stdout == "b0\n"
        with pytest.raises(InputError, match="is up already"):
            kept.up(read_network(sites))
        text = sites.read_text()
        sites.write_text(text.replace("1000000", "2000000"))
        with pytest.raises(InputError, match="has changed since its network was made"):
            kept.find(read_network(sites))
        sites.write_text(text)
        down_command = [HOPSCOPE, "net", "down", str(sites)]
        assert "run `hopscope net` outside it" in net("exec", str(sites), "b0", "--", *down_command).stderr
    finally:
        down = net("down", str(sites))
    assert down.returncode == 0, down.stderr
    assert list(kept.running_networks()) == []
    assert left_in(own_folder) == []


def test_a_network_ends_with_the_process_that_keeps_it(sites: Path, own_folder: Path) -> None:
    with made_network(read_network(sites)) as network:
        words = [*network.on_host("a0"), "sh", "-c", "echo up; sleep 100"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as job:
            assert job.stdout and job.stdout.readline() == "up\n"
            os.kill(network.process, signal.SIGKILL)
            assert job.wait(PATIENCE_S) == 128 + signal.SIGKILL
    assert left_in(own_folder) == []


def test_users_without_the_right_are_told() -> None:
    """A sentence names the missing right, for users who may make namespaces and for others."""
    # A folder of pytest is unsuitable, because each new process of pytest closes it to other users.
    with tempfile.TemporaryDirectory(prefix="anybody-") as open_to_all:
        folder = Path(open_to_all)
        folder.chmod(0o777)
        sites = topology(folder, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": 1_000_000}}})
        words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
        words += [HOPSCOPE, "run", "--net", str(sites), "--mpi", "openmpi", "--", "true"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    if os.access(sys.executable, os.X_OK) and "Permission denied: '/root" in done.stderr:
        pytest.skip("others may not start this Python")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "the network could not be made" in done.stderr
