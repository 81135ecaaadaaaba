"""Emulated machines in the replay: shared links, the ranks' time per message, gateways, cut-through.

The due times are those of collector/tests/engine/test_links.c, to the nanosecond.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hopscope.advice.remap import remap, sentence
from hopscope.machine.costs import Costs, LinkCost, LocalCost
from hopscope.machine.emulated import Machine, machine_of
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import fit_links
from hopscope.machine.routes import fitted as machine_of_costs
from hopscope.native.sequences import lay
from hopscope.native.trees import Shape
from hopscope.replay.fitting.fit import fit
from hopscope.replay.run.program import COLLECTIVE
from hopscope.replay.run.subject import source_of
from hopscope.vocabulary.links import LINKS
from simulated_network import Run, first_tree, round_robin
from test_replay import last_leaves, program

HOSTS = ("a0", "a1", "b0", "b1")
A0, A1, B0, B1 = range(4)
CLUSTERS = (0, 0, 1, 1)
MS = 1_000_000


def machine(**emulate: Any) -> Machine:
    """An emulated machine with two hosts in cluster A and two in B."""
    return machine_of(emulate, HOSTS, CLUSTERS, ("A", "B"))


def delays(emulated: Machine, *messages: tuple[int, int, int, int], posted: list[int] | None = None) -> list[float]:
    """The delay of each message (from, to, bytes, sent at) beyond its latency. Rank r is on host r. posted: the time of
    each receive; by default a receive is posted when its message is sent."""
    src, dst, size, sent = (np.asarray(column) for column in zip(*messages, strict=True))
    zeros, ready = np.zeros(len(src), np.int64), sent if posted is None else np.asarray(posted)
    return emulated.delays(
        Hops(zeros, src, dst, src, dst, zeros, zeros, zeros, size, sent, sent, ready, zeros, zeros)
    ).tolist()


def test_all_messages_between_two_clusters_share_one_link() -> None:
    link = {"from": "A", "to": "B", "bytes_per_second": 1e6}
    shared = machine(links={"wan": {"latency_ns": 20, "bytes_per_second": 1e6}}, cluster_pairs=[link])
    messages = [(A0, B0, 500_000, 0), (A1, B1, 500_000, 0), (B0, A0, 500_000, 0), (B1, A1, 500_000, 0)]
    assert delays(shared, *messages) == [500 * MS, 1000 * MS, 500 * MS, 500 * MS]


def test_gateways_serve_all_that_passes_also_where_they_have_no_rank() -> None:
    link = {"from": "A", "to": "B", "latency_ns": 1000, "gateways": {"from": "a0", "to": "b0"}}
    by_ranks = machine(cluster_pairs=[link], host_interface={"per_message_ns": 10})
    assert delays(by_ranks, (A1, B1, 0, 0), (A0, B0, 0, 25), (A0, A1, 0, 26)) == [60, 25, 34]
    door = {**link, "gateways": {"from": "door", "to": "b0"}}
    assert delays(machine(cluster_pairs=[door], host_interface={"per_message_ns": 10}), (A0, B1, 0, 0)) == [60]


def test_cut_through_counts_bytes_once_at_the_slowest() -> None:
    wan = {"latency_ns": 1000, "bytes_per_second": 5e8}
    interface = {"per_message_ns": 10, "bytes_per_second": 1e9}
    messages = [(A0, B0, 100, 0), (A1, B0, 100, 0)]
    whole = machine(links={"wan": wan}, host_interface=interface)
    assert delays(whole, *messages) == [110 + 200 + 110, 110 + 200 + 220]
    passed_on = machine(links={"wan": wan}, host_interface={**interface, "cut_through": True})
    assert delays(passed_on, *messages) == [10 + 200 + 10, 10 + 200 + 20]


def test_a_message_whose_receive_is_posted_late_lets_others_in_before() -> None:
    # Regression: the message counted as received by the interface at 40. So it seemed 60 late in the run, and a short
    # message behind long ones 35 ms early. It arrives at 30, and the interface receives it from 95 on, behind the other
    # message, which takes from 80 to 90.
    emulated = machine(links={"wan": {"latency_ns": 20}}, host_interface={"per_message_ns": 10})
    assert delays(emulated, (A0, B0, 0, 0), (A1, B0, 0, 50), posted=[95, 0]) == [100 - 20, 90 - 50 - 20]
    # Alone, it is received when its receive is posted.
    assert delays(emulated, (A0, B0, 0, 0), posted=[95]) == [95 - 20]


def fitted_to(emulated: Machine, *hops: tuple[int, int, int, int]) -> Costs:
    """Costs fitted to hops (from, to, bytes, time), which follow one another. Their receivers wait for all of them."""
    src, dst, size, time = (np.asarray(column) for column in zip(*hops, strict=True))
    far = np.asarray(CLUSTERS)[src] != np.asarray(CLUSTERS)[dst]
    link = np.where(src == dst, LINKS.index("shm"), np.where(far, LINKS.index("wan"), LINKS.index("lan")))
    zeros, sent, waited = np.zeros(len(src), np.int64), np.arange(len(src)) * 1000 * MS, np.ones(len(src), bool)
    arrival = sent + time
    observed = Hops(zeros, src, dst, src, dst, link, zeros, zeros, size, sent, arrival, sent, waited, zeros)
    return fit_links(observed, emulated)


def test_each_way_of_an_emulated_pair_keeps_its_own_latency() -> None:
    # Regression: 31.5 ms back is within a quarter of 26.5 ms there. So both ways took 26.5 ms in the replay, which
    # predicted 31.0 ms for a barrier of 33.5 ms.
    outbound, inbound = {"from": "A", "to": "B", "latency_ns": 26 * MS}, {"from": "B", "to": "A", "latency_ns": 31 * MS}
    emulated = machine(cluster_pairs=[outbound, inbound])
    software = 100_000
    costs = fitted_to(emulated, *[(A0, B0, 8, 26 * MS + software)] * 2, (B0, A0, 8, 31 * MS + software))
    assert costs.pairs[A0, B0] == costs.pairs[A1, B1] == 26 * MS + software
    assert costs.pairs[B0, A0] == costs.pairs[B1, A1] == 31 * MS + software


def test_of_long_messages_of_one_size_inside_hosts_the_bytes_take_the_time() -> None:
    # Regression: the replay gave each of four segments of 256 KiB the 1.7 ms that a message of 1 MiB had taken.
    emulated = machine(links={"shm": {"latency_ns": 50_000}, "lan": {"latency_ns": MS}})
    costs = fitted_to(emulated, (A0, A0, 1 << 20, 50_000 + (1 << 20)), (A0, A1, 1 << 20, MS))
    assert costs.links["shm"].per_byte_ns == pytest.approx(1.0)
    assert costs.pairs[A0, A0] == pytest.approx(50_000)


def test_a_pair_of_hosts_goes_before_a_pair_of_clusters_and_that_before_the_class() -> None:
    emulated = machine(
        links={"wan": {"latency_ns": 20, "bytes_per_second": 1e9}},
        cluster_pairs=[{"from": "A", "to": "B", "latency_trace_ns": [8, 10], "bytes_per_second_trace": [1e9, 5e8]}],
        pairs=[{"from": "a0", "to": "b1", "latency_ns": 7, "bytes_per_second": 5e8}],
    )
    latency = np.asarray(emulated.latency_ns)
    assert (latency[A0, B0], latency[A0, B1], latency[B0, A0], latency[A0, A1]) == (9, 7, 20, 0)
    wire = np.asarray(emulated.wire_per_byte_ns)
    assert (wire[A0, B0], wire[A0, B1], wire[B0, A0]) == (0, 2, 1)
    assert emulated.shared_per_byte_ns.tolist() == [[0, 1.5], [0, 0]]
    assert emulated.has_traces
    assert not machine(links={"wan": {"latency_ns": 20}}).has_traces


def replayed(parents: list[int]) -> float:
    """The replayed time of an Allreduce over a tree on four eight-way hosts. Ranks send to children on other hosts
    first."""
    hosts = [rank // 8 for rank in range(32)]
    emulated = machine_of({"rank": {"per_message_ns": 2000}}, list("wxyz"), (0,) * 4, ("A",))
    links = {"self": LinkCost(0.0), "shm": LinkCost(5000.0), "lan": LinkCost(20_000.0), "wan": LinkCost(0.0)}
    children = {
        str(rank): sorted(direct_children, key=lambda child, host=hosts[rank]: (hosts[child] == host, child))
        for rank in range(32)
        if (direct_children := [child for child in range(1, 32) if parents[child] == rank])
    }
    shape = Shape({"shape": "explicit", "parents": [None, *parents[1:]], "children": children})
    schedules = lay({"reduce_tree": "t"}, "MPI_Allreduce", [8], hosts, trees={"t": shape.spec})
    run = program([[(COLLECTIVE, 0, 0)] for _ in hosts], 0, hosts=hosts)
    return last_leaves(run, schedules, machine_of_costs(Costs(links, LocalCost(), machine=emulated), (0,) * 4))[0]


def test_two_groups_of_four_beat_one_root_and_that_beats_another_layer() -> None:
    # Published for four eight-way hosts: 1,322 us, 1,444 us and 1,534 us.
    one_root = [rank - rank % 8 if rank % 8 else 0 for rank in range(32)]
    two_groups = [rank - rank % 4 if rank % 4 else 0 for rank in range(32)]
    layer = [rank - 4 if rank % 8 == 4 else parent for rank, parent in enumerate(two_groups)]
    # A leaf sends in 2, the message takes 5, the parent receives seven in 14 and sends in 2, the message takes 20, the
    # root receives three in 6; then the same way back.
    assert replayed(one_root) == 2 * 49_000
    assert replayed(two_groups) == 2 * 47_000
    # The first rank of a host's second group adds: 5 for the message, 6 to receive three, 2 to send. On the way back it
    # is the last of four.
    assert replayed(layer) == 50_000 + 56_000


def test_a_link_is_still_busy_with_the_collective_before() -> None:
    # Two broadcasts one after another from rank 0. Its host sends each to two hosts of B over one link, on which 8
    # bytes take 80 ns. Rank 0 is done at once, so the second broadcast's messages queue behind the first one's.
    shared = machine(cluster_pairs=[{"from": "A", "to": "B", "bytes_per_second": 1e8}])
    costs = Costs({name: LinkCost(0.0) for name in ("self", "shm", "lan", "wan")}, LocalCost(), machine=shared)
    ops = [[(COLLECTIVE, 0, 0), (COLLECTIVE, 1, 0)] for _ in range(3)]
    schedules = lay({"broadcast_tree": "t"}, "MPI_Bcast", [8], range(3), root=0, trees={"t": {"shape": "flat"}})
    run = program(ops, 0, hosts=[A0, B0, B1])
    assert last_leaves(run, schedules, machine_of_costs(costs, CLUSTERS)) == [160, 320]


@pytest.mark.parametrize("shape", [pytest.param("flat", marks=pytest.mark.predictions), "binomial-mpich"])
def test_predictions_of_an_emulated_machine_hold(shape: str, tmp_path: Path) -> None:
    # 16 ranks placed in turn on two hosts in each of two sites. A message costs its sender and its receiver 50 us each.
    # The sites share a link of 10 MB/s in each direction.
    network = round_robin(16, {"a0": "A", "a1": "A", "b0": "B", "b1": "B"}, shm=10_000, lan=100_000, wan=2 * MS)
    network.rank, network.interface = 50_000, 20_000
    network.shared = {("A", "B"): 100, ("B", "A"): 100}

    def run_over(spec: dict[str, Any]) -> Run:
        run = Run(network, spec, size=10_000)
        for _ in range(20):
            run.compute(lambda rank: MS + 1000 * rank)
            run.allreduce()
        return run

    run = run_over({"shape": shape})
    costs = fit(source_of(run.trace().table))
    assert costs.links["wan"].latency_ns == pytest.approx(2 * MS, rel=0.01)
    output = tmp_path / "tree.json"
    rows = remap(run.trace(), output, algorithms="tree").to_pylist()
    assert rows[0]["model_error"] < 0.01
    best = next(row for row in rows if row["chosen"])
    tree = first_tree(json.loads(output.read_text()))
    assert run_over(tree).iteration_ns() == pytest.approx(best["predicted_ns"], rel=0.02)


def test_predictions_say_that_they_take_the_means_of_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    network = round_robin(4, {"a0": "A", "b0": "B"}, shm=10_000, lan=100_000, wan=2 * MS)
    network.rank = 50_000
    run = Run(network, {"shape": "flat"})
    for _ in range(5):
        run.allreduce()
    assert "means" not in sentence(remap(run.trace(), None))
    emulated = json.loads(network.emulated() or "")
    emulated["links"]["wan"] = {"latency_trace_ns": [MS, 3 * MS]}
    monkeypatch.setattr(network, "emulated", lambda: json.dumps(emulated))
    table = remap(run.trace(), None)
    assert sentence(table).endswith("Every prediction uses the mean of each emulated trace, not its course over time.")


def test_what_no_hop_measured_of_an_emulated_machine_is_known() -> None:
    # In a chain over three sites, no message goes between the first and the last site. Regression: that pair counted as
    # an extrapolation, and the links of a class without a hop in the run took no longer than the next faster class.
    network = round_robin(3, {"a0": "A", "b0": "B", "c0": "C"}, shm=10_000, lan=100_000, wan=2 * MS)
    network.rank = 50_000
    run = Run(network, {"shape": "chain"})
    for _ in range(10):
        run.compute(lambda rank: MS + 1000 * rank)
        run.allreduce()
    costs = fit(source_of(run.trace().table))
    assert costs.measured == {(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)}
    assert costs.pairs[0, 2] == costs.pairs[2, 0] == pytest.approx(2 * MS, rel=0.01)
    assert costs.pairs[0, 0] == pytest.approx(10_000, abs=1_000)  # there are no two ranks on one host
