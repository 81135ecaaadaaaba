"""Costs of messages, fitted to simulated runs whose network is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from hopscope.machine.emulated import REAL
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import fit_links
from hopscope.machine.local_costs import fit_local
from hopscope.replay.fitting.fit import fit
from hopscope.replay.run.subject import source_of
from simulated_network import HANDLE, MS, Network, Run, cluster_with_interfaces, iterate, round_robin, sites, table_of


def costs_of(network: Network, shape: str, **options: Any) -> Any:
    return fit(
        source_of(iterate(Run(network, {"shape": shape}, jitter=options.pop("jitter", 0)), **options).trace().table)
    )


def test_the_fit_recovers_the_network() -> None:
    costs = costs_of(sites(), "binomial-mpich")
    assert costs.links["wan"].latency_ns == pytest.approx(20 * MS, rel=0.01)
    assert costs.links["lan"].latency_ns == pytest.approx(50_000, rel=0.05)
    assert costs.interface_message_ns == 0
    assert costs.local.handle_up_ns == pytest.approx(HANDLE, abs=1)
    assert costs.local.enter_ns == pytest.approx(1_000, abs=1)
    assert costs.links["shm"].hops == 0  # the binomial tree over this placement has no hop within a host,
    assert costs.links["shm"].latency_ns == costs.links["lan"].latency_ns  # so shm counts as no faster than lan


def test_the_fit_finds_an_outlying_pair_of_hosts() -> None:
    network = round_robin(9, {"a": "A", "b": "A", "c": "A"}, shm=1_000, lan=50_000)
    network.pairs["c", "a"] = 900_000
    costs = costs_of(network, "flat")
    assert costs.pairs == {(2, 0): pytest.approx(900_000, rel=0.02)}
    assert costs.links["lan"].latency_ns == pytest.approx(50_000, rel=0.05)


def test_a_pair_measured_one_way_is_as_slow_the_other_way() -> None:
    network = round_robin(4, {name: name.upper() for name in "abcd"}, shm=1_000, lan=50_000, wan=8 * MS)
    network.pairs = {("c", "d"): 40 * MS, ("d", "c"): 40 * MS}
    trace = iterate(Run(network, {"shape": "chain"})).trace()
    trace.tables["hops"] = trace.tables["hops"].filter(pc.equal(trace.tables["hops"]["role"], "up"))
    costs = fit(source_of(trace.table))
    assert costs.pairs == {(3, 2): pytest.approx(40 * MS, rel=0.01), (2, 3): pytest.approx(40 * MS, rel=0.01)}
    assert costs.measured == {(1, 0), (2, 1), (3, 2)}


@pytest.mark.parametrize(("shape", "jitter"), [("binomial-lam", 0), ("binomial-mpich", 80_000)])
def test_the_fit_finds_that_interfaces_serve_one_message_at_a_time(shape: str, jitter: int) -> None:
    costs = costs_of(cluster_with_interfaces(), shape, work=5 * MS, jitter=jitter)
    assert costs.interface_message_ns == pytest.approx(100_000, rel=0.15)


def test_uneven_latencies_do_not_pass_for_interfaces() -> None:
    network = round_robin(16, {f"h{i}": "A" for i in range(4)}, shm=1_000, lan=200_000)
    for shape in ("binomial-lam", "flat", "chain"):
        costs = costs_of(network, shape, jitter=200_000)
        assert costs.interface_message_ns == 0
        assert costs.links["lan"].latency_ns == pytest.approx(300_000, rel=0.1)


def test_bytes_are_told_from_latency_where_sizes_differ() -> None:
    network = round_robin(8, {f"h{i}": "A" for i in range(4)}, shm=1_000, lan=50_000)
    network.per_byte = 0.5
    link = costs_of(network, "binomial-mpich", sizes=(8, 100_000, 1_000_000)).links["lan"]
    assert link.per_byte_ns == pytest.approx(0.5, rel=0.02)
    assert link.latency_ns == pytest.approx(50_000, rel=0.1)


def test_long_messages_of_one_size_do_not_become_time_per_message() -> None:
    # Regression: if 1 MiB took an interface 87 ms, a message of any size took 87 ms.
    network = round_robin(16, {f"h{i}": "A" for i in range(4)}, shm=1_000, lan=MS)
    network.interface = 10 * MS
    costs = costs_of(network, "flat", sizes=(1 << 20,), iterations=10)
    assert costs.interface_message_ns == 0
    assert costs.interface_per_byte_ns == pytest.approx(10 * MS / (1 << 20), rel=0.1)


def hops(**columns: Any) -> Hops:
    count = len(columns["sent"])
    zeros = dict.fromkeys(Hops.__dataclass_fields__, np.zeros(count, np.int64))
    return Hops(**{**zeros, "binding": np.ones(count, bool)} | {name: np.asarray(c) for name, c in columns.items()})


def test_a_class_that_no_hop_measured_is_never_faster_than_a_faster_one() -> None:
    # Messages take 900 ns within a host, and 100 ns over the WAN by two odd hops. LAN links lie between the two, and
    # are taken to be no faster than the host.
    costs = fit_links(
        hops(
            sent=[0] * 4, received=[900, 900, 100, 100], link=[1, 1, 3, 3], src=[0, 1, 0, 2], dst=[1, 0, 2, 0],
            src_host=[0, 0, 0, 1], dst_host=[0, 0, 1, 0],
        )
    )  # fmt: skip
    assert (costs.links["lan"].latency_ns, costs.links["lan"].hops) == (900, 0)


def test_a_direction_of_a_pair_that_is_faster_is_known_from_two_hops() -> None:
    """Regression: a pair of hosts took 25 ms there and 10 ms back, and in 20 of 23 iterations nobody waited for the
    messages back. The three other hops were too few for a cost of the pair's own, so a tree was predicted to take 52.4
    ms instead of 39.8 ms."""

    def pairs(outbound: int, inbound: int, **columns: Any) -> dict[tuple[int, int], float]:
        ends = [0] * outbound + [1] * inbound
        peers = [1 - end for end in ends]
        return fit_links(
            hops(
                sent=[0] * len(ends), received=[25 * MS] * outbound + [10 * MS] * inbound, link=[3] * len(ends),
                src=ends, dst=peers, src_host=ends, dst_host=peers, collective=range(len(ends)), **columns,
            )
        ).pairs  # fmt: skip

    assert pairs(20, 2) == {(1, 0): 10 * MS}
    # A single hop may be matched wrongly, and clocks may be off by the difference. Slower messages may have been
    # delayed.
    assert pairs(20, 1) == pairs(20, 2, clock_error=[0] * 20 + [20 * MS] * 2) == pairs(2, 20) == {}


def test_a_leader_s_wait_for_another_one_is_no_cost_of_sending() -> None:
    # Rank 0 sends to the other leader, receives its message after 20 ms, and sends to rank 2 below it.
    costs = fit_local(
        hops(
            sent=[0, 0, 20 * MS], received=[20 * MS - 10, 20 * MS - 10, 21 * MS], src=[0, 1, 0], dst=[1, 0, 2],
            up=[False] * 3,
        ),
        np.zeros((2, 3)), np.full((2, 3), 22 * MS), table_of("steps", []), REAL,
    )  # fmt: skip
    assert (costs.send_ns, costs.handle_down_ns) == (0, 10)


def test_a_sender_that_is_blocked_is_not_slow_to_leave() -> None:
    # Rank 1 sends to the root at 0 and is blocked until 20 ms, when the root posts its receive; rank 2's message
    # arrives at once. Regression: the 20 ms counted as the time to leave, and a run of 22 ms was replayed in 42 ms.
    blocked = hops(sent=[0, 0], received=[21 * MS, 21 * MS], posted=[20 * MS, 0], src=[1, 2], dst=[0, 0], up=[True] * 2)
    left = np.asarray([[20 * MS + 30, 30], [21 * MS, 21 * MS]])
    assert fit_local(blocked, np.zeros((2, 2)), left, table_of("steps", []), REAL).leave_ns == 30


@pytest.mark.parametrize(
    ("sizes", "cost"), [((1 << 12, 1 << 20), (100.0, 0.25)), ((1 << 20,), (0.0, 0.25)), ((64,), (100.0, 0.0))], ids=str
)
def test_copies_take_what_those_of_the_run_took(sizes: tuple[int, ...], cost: tuple[float, float]) -> None:
    # A copy takes 100 ns and a quarter of a nanosecond per byte. If all copies have one size, the time of a long copy
    # counts as that of its bytes, and the time of a short copy as that of the call.
    rows = [
        {"collective_id": 0, "rank": 0, "location": 0, "kind": "copy", "bytes": size, "begin_ns": 0, "end_ns": end}
        for size, end in ((size, 100 * (cost[0] > 0) + size // 4 * (cost[1] > 0)) for size in sizes)
    ]
    hop = hops(sent=[0], received=[1], up=[True], src=[1], dst=[0])
    local = fit_local(hop, np.zeros((2, 1)), np.ones((2, 1)), table_of("steps", rows), REAL)
    assert (local.copy_ns, local.copy_per_byte_ns) == pytest.approx(cost)
