"""Plans from a topology file's `network`, and refusals. No network is made."""

import json
from pathlib import Path

import pytest
from hopscope.errors import InputError
from hopscope.launch.command import launcher_options
from hopscope.launch.inputs import check_topology
from hopscope.launch.network.launchers import slots
from hopscope.launch.network.plan import hosts_text, plan
from hopscope.launch.network.spec import Link, read_network
from networks import topology

WAN = {"links": {"wan": {"latency_ns": 20_000_000}}}


def test_hosts_have_addresses_in_the_order_of_the_file(tmp_path: Path) -> None:
    spec = read_network(topology(tmp_path, {"A": 2, "B": 1}, WAN))
    assert hosts_text(spec).splitlines() == ["127.0.0.1 localhost", "10.77.0.1 a0", "10.77.0.2 a1", "10.77.0.3 b0"]


def test_every_two_clusters_have_one_relay(tmp_path: Path) -> None:
    spec = read_network(topology(tmp_path, {"A": 1, "B": 1, "C": 1}, WAN))
    relays = [line for line in plan(spec).splitlines() if line.startswith("relay")]
    assert relays == [
        "relay cluster:0 wan1 cluster:1 wan0 relay-0 20000000 0 0 20000000 0 0",
        "relay cluster:0 wan2 cluster:2 wan0 relay-1 20000000 0 0 20000000 0 0",
        "relay cluster:1 wan2 cluster:2 wan1 relay-2 20000000 0 0 20000000 0 0",
    ]


def test_a_relay_has_the_latency_and_the_rate_of_either_way(tmp_path: Path) -> None:
    pair = {"from": "B", "to": "A", "latency_ns": 30_000_000}
    network = {"links": {"wan": {"latency_ns": 20_000_000, "bytes_per_second": 1e7}}, "cluster_pairs": [pair]}
    spec = read_network(topology(tmp_path, {"A": 2, "B": 2}, network))
    (relay,) = (line for line in plan(spec).splitlines() if line.startswith("relay"))
    assert relay.partition("relay-0 ")[2] == "20000000 10000000.0 0 30000000 10000000.0 0"


def test_a_pair_of_clusters_differs_from_the_others_in_what_it_says(tmp_path: Path) -> None:
    pair = {"from": "A", "to": "B", "bytes_per_second_trace": [1e6, 2e6], "trace_step_ns": 1000}
    spec = read_network(topology(tmp_path, {"A": 1, "B": 1}, {**WAN, "cluster_pairs": [pair]}))
    assert spec.links == {
        ("A", "B"): Link((20_000_000,), (1e6, 2e6), 1000),
        ("B", "A"): Link((20_000_000,)),
    }


def test_a_pair_with_a_single_value_has_no_trace(tmp_path: Path) -> None:
    wan = {"latency_trace_ns": [5, 6], "trace_step_ns": 1000}
    pair = {"from": "A", "to": "B", "latency_ns": 7}
    spec = read_network(topology(tmp_path, {"A": 1, "B": 1}, {"links": {"wan": wan}, "cluster_pairs": [pair]}))
    assert spec.links["A", "B"].latencies_ns == (7,)
    assert spec.links["B", "A"].latencies_ns == (5, 6)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("mpirun -n 2 ./sh -f input --host x", ["-n", "2"]),
        ("mpirun --map-by sh -n 4 --host a0 sh -H b", ["--map-by", "sh", "-n", "4", "--host", "a0"]),
        ("mpirun -n 2 sh -np 3", ["-n", "2"]),
        ("mpirun --hostfile ./sh --map-by seq -n 2 /bin/sh -f", ["--hostfile", "./sh", "--map-by", "seq", "-n", "2"]),
        ("mpirun --mca plm_rsh_agent sh -n 2 sh", ["--mca", "plm_rsh_agent", "sh", "-n", "2"]),
    ],
)
def test_options_of_the_program_are_not_the_launchers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, options: list[str]
) -> None:
    """Regression: in `./app -f input` the option counted as the launcher's list of hosts, so all ranks ran on one
    host."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sh").write_text("")
    assert launcher_options(words.split()) == options


def test_an_interface_is_limited_at_both_ends_of_its_cable(tmp_path: Path) -> None:
    spec = read_network(topology(tmp_path, {"A": 1}, {"host_interface": {"bytes_per_second": 1e6}}))
    limited = [line.split()[1] for line in plan(spec).splitlines() if "tbf rate 8000000bit" in line]
    assert limited == ["cluster:0", "a0"]


@pytest.mark.parametrize(
    ("ranks", "hosts", "expected"), [(8, 4, [2, 2, 2, 2]), (5, 3, [2, 2, 1]), (1, 3, [1, 0, 0]), (0, 2, [0, 0])]
)
def test_blocks_differ_by_one_at_most(ranks: int, hosts: int, expected: list[int]) -> None:
    assert slots(ranks, hosts) == expected


@pytest.mark.parametrize(
    ("clusters", "network", "fields", "message"),
    [
        (
            {"A": 1},
            {"cluster_pairs": [{"from": "A", "to": "Z"}]},
            {},
            "'A' to 'Z' is not a pair of two of the clusters A",
        ),
        ({"A": 1}, WAN, {"placement": "listed"}, 'it cannot use the placement "listed"; use "block"'),
        ({"A b": 1}, WAN, {}, "'a b0' cannot be the name of a host"),
        ({"A": 1}, {"links": {"lan": {}}}, {}, "'lan' was unexpected"),
        ({"A": 1}, {"links": {"wan": {"latency_trace_ns": [1]}}}, {}, "'trace_step_ns' is a dependency"),
        ({"A": 1, "a": 1}, WAN, {}, "could not tell the hosts a0"),
        ({"A": 1, "B": 1}, {"cluster_pairs": [{"from": "A", "to": "B"}] * 2}, {}, "A to B is listed twice"),
        ({"A": 1}, {"links": {"wan": {"latency_ns": 10**22}}}, {}, "is greater than the maximum"),
        ({"A": 1}, WAN, {"emulate": {}}, "`network` and `emulate` exclude one another"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_place(
    tmp_path: Path, clusters: dict[str, int], network: dict[str, object], fields: dict[str, object], message: str
) -> None:
    file = topology(tmp_path, clusters, network, **fields)
    with pytest.raises(InputError) as error:
        read_network(file)
    assert message in str(error.value)
    assert str(file) in str(error.value)


def test_a_file_without_a_network_says_what_to_add(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps({"schema_version": 1, "hosts": [{"name": "a", "cluster": "A"}]}))
    check_topology(file)
    with pytest.raises(InputError, match="has no `network`; add one, such as"):
        read_network(file)
