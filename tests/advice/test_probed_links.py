"""A probe's measurements of links replace those of the hops, in the replay that screens candidates."""

from functools import partial
from typing import Any

import pytest
from hopscope.advice.remap import candidates
from hopscope.machine.costs import Costs, LinkCost, LocalCost
from hopscope.machine.parameters.link_costs import with_probed_links
from hopscope.replay.basis import basis_of
from simulated_network import MS, Run, SimulatedTrace, iterate, sites


def value(median: float) -> dict[str, Any]:
    return {"median": median, "low": median, "high": median, "count": 9}


def machine(wan_ns: float, *, per_byte_ns: float = 1.0) -> dict[str, Any]:
    """The file of a probe of the hosts a and b in two clusters, with one link; both overheads take 100 ns."""
    sizes = [
        {
            "bytes": count,
            "one_way_ns": value(wan_ns + per_byte_ns * count),
            "send_overhead_ns": value(100.0),
            "receive_overhead_ns": value(100.0),
            "gaps": [],
        }
        for count in (1, 1001)
    ]
    link = {"link": "wan", "hosts": ["a", "b"], "ranks": [0, 1], "outlying": False, "sizes": sizes}
    hosts = [{"name": name, "cluster": name.upper(), "ranks": [rank]} for rank, name in enumerate("ab")]
    return {"hosts": hosts, "links": [link]}


def trace() -> SimulatedTrace:
    return iterate(Run(sites(), {"shape": "binomial-mpich"})).trace()


def test_a_probed_link_replaces_what_the_hops_show_of_its_class() -> None:
    fitted = Costs({name: LinkCost(5.0, 7.0, eager_bytes=4096.0) for name in ("shm", "wan")}, LocalCost(), 9.0)
    costs = with_probed_links(machine(20_000.0), fitted, ["a", "b", "c"])
    wan = costs.links["wan"]
    assert (wan.latency_ns, wan.per_byte_ns) == (20_001.0 - 100.0, 1.0)  # the replay adds the receiver's overhead later
    assert (wan.send_ns, wan.receive_ns, wan.eager_bytes, wan.sizes) == (100.0, 100.0, 4096.0, (1.0, 1001.0))
    assert costs.links["shm"] == fitted.links["shm"]
    assert costs.interface_message_ns == 0.0
    assert costs.measured == {(0, 1), (1, 0)}


def test_a_probe_of_the_same_network_predicts_what_the_hops_do() -> None:
    recording = trace()
    (from_hops, from_probe) = (
        candidates(recording, "tree", recost=recost)[0]
        for recost in (None, partial(with_probed_links, machine(20.0 * MS, per_byte_ns=0.0)))
    )
    assert from_probe.name == from_hops.name
    assert from_probe.predicted_ns == pytest.approx(from_hops.predicted_ns, rel=0.02)


def test_a_probe_of_another_network_misses_the_run_and_predicts_nothing() -> None:
    basis = basis_of(trace().table, recost=partial(with_probed_links, machine(10.0 * MS)))
    assert basis.model.baseline_ns == pytest.approx(61 * MS, rel=0.02)  # three crossings each way of 10 ms
    assert "misses the run" in (basis.reason_unpredicted(0) or "")
