"""The times at which packets leave one direction of a link, worked out by hand."""

import subprocess
from pathlib import Path

import pytest

NETWORK = Path(__file__).parents[2] / "analysis" / "native" / "network"


@pytest.fixture(scope="session")
def line(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("line") / "delay_line"
    sources = [Path(__file__).with_name("delay_line.cpp"), NETWORK / "delay_line.cpp", NETWORK / "lateness.cpp"]
    words = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", NETWORK, "-o", program, *sources]
    subprocess.run([str(word) for word in words], check=True)
    return program


def departures(line: Path, *words: str) -> list[str]:
    return subprocess.run([str(line), *words], capture_output=True, text=True, check=True).stdout.splitlines()


def test_latency_overlaps_between_packets(line: Path) -> None:
    assert departures(line, "1000", "0", "0", "5:100", "6:100") == ["1005:100", "1006:100", "packets 2 dropped 0"]


def test_bytes_follow_one_another(line: Path) -> None:
    # 1 GB/s is a byte in each ns: the second packet waits until the first one has left at 105, the third finds the line
    # free.
    assert departures(line, "1000", "1e9", "0", "5:100", "6:50", "400:10")[:-1] == ["1105:100", "1155:50", "1410:10"]


def test_all_that_crosses_shares_the_rate(line: Path) -> None:
    # Two senders, each of which could fill the line: 100 B and 300 B every 100 ns, at a byte in each ns. So 20 packets
    # leave in 4,000 ns, in the order of arrival, each when all packets before it have left: 100, 400, 500, 800 and so
    # on.
    packets = [f"{time_ns}:{size}" for time_ns in range(0, 1000, 100) for size in (100, 300)]
    leaves = [f"{400 * number + offset}:{size}" for number in range(10) for offset, size in ((1100, 100), (1400, 300))]
    assert departures(line, "1000", "1e9", "0", *packets)[:-1] == leaves


def test_a_line_that_is_not_full_adds_nothing_but_latency_and_its_bytes(line: Path) -> None:
    # 64 B every 20 ms on a link of 10 MB/s and 20 ms: each packet arrives 20.0064 ms after its send.
    packets = [f"{number * 20_000_000}:64" for number in range(12)]
    leaves = [f"{number * 20_000_000 + 20_006_400}:64" for number in range(12)]
    assert departures(line, "20000000", "1e7", "0", *packets)[:-1] == leaves


def test_a_shorter_latency_lets_nobody_overtake(line: Path) -> None:
    # From the first packet on, the latency is 900 ns for 100 ns, then 10 ns.
    assert departures(line, "900,10", "0", "100", "0:1", "100:2", "250:3")[:-1] == ["900:1", "900:2", "1150:3"]


def test_a_rate_may_change_with_time(line: Path) -> None:
    assert departures(line, "0", "1e9,1e8", "1000", "0:100", "1000:100")[:-1] == ["100:100", "2000:100"]


def test_a_full_line_drops(line: Path) -> None:
    packets = ["0:65536"] * 4097
    assert departures(line, "1", "1e9", "0", *packets)[-1] == "packets 4096 dropped 1"
