"""The two topology files of the multi-cluster study: both follow their schemas, and they describe the same clusters."""

from pathlib import Path

from hopscope.launch.inputs import check_topology
from hopscope.launch.network.launchers import slots
from hopscope.launch.network.spec import read_network

TOPOLOGIES = Path(__file__).parents[2] / "benchmarks" / "topologies"
NETWORK, EMULATED = (TOPOLOGIES / f"clusters_{kind}.json" for kind in ("network", "emulated"))


def test_the_network_and_the_emulation_are_one_topology() -> None:
    network, emulated = read_network(NETWORK), check_topology(EMULATED)
    ranks = slots(18, len(network.hosts))
    first = [sum(ranks[:place]) for place in range(len(ranks))]
    of_network = {
        host: (cluster, list(range(start, start + count)))
        for host, cluster, start, count in zip(network.hosts, network.cluster_of, first, ranks, strict=True)
    }
    gates = {host["name"]: host["cluster"] for host in emulated["hosts"] if "ranks" not in host}
    assert {
        host["name"]: (host["cluster"], host["ranks"]) for host in emulated["hosts"] if "ranks" in host
    } == of_network
    assert sorted(gates.values()) == sorted(network.clusters)
    pairs = emulated["emulate"]["cluster_pairs"]
    for pair in pairs:
        values = tuple(pair.get("latency_trace_ns", [pair.get("latency_ns")]))
        assert values == network.links[pair["from"], pair["to"]].latencies_ns
        assert [gates[pair["gateways"][end]] for end in ("from", "to")] == [pair["from"], pair["to"]]
    assert len(pairs) == len(network.links) == 20


def test_the_largest_latencies_are_the_published_ones() -> None:
    links = read_network(NETWORK).links
    largest = {pair: max(link.latencies_ns) / 1e6 for pair, link in links.items()}
    assert (
        max(largest["4W", cluster] + largest[cluster, "4W"] for cluster in ("Dominic", "RoadRunner", "2W", "Blade"))
        == 36
    )
    assert max(largest.values()) == 30
