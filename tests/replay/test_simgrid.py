"""The replay agrees with SimGrid's SMPI, which shares neither code nor assumptions with it: 64 ranks over two
clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hopscope.machine.hops import Array
from hopscope.native.sequences import lay, leaves
from simgrid import SimulatedMachine, simulated_leaves, why_not

pytestmark = pytest.mark.skipif(why_not() is not None, reason=f"NOT COMPARED WITH SIMGRID: {why_not()}")

RANKS, HOSTS = 64, 8
CLUSTER = [host // 4 for host in range(HOSTS)]
HOST = [rank * HOSTS // RANKS for rank in range(RANKS)]
LEADERS = {"algorithm": "leaders", "level": "cluster"}
RULES: dict[str, dict[str, Any]] = {
    **{shape: {"reduce_tree": shape, "broadcast_tree": shape} for shape in ("binomial", "chain", "flat")},
    "recursive doubling": {"algorithm": "recursive-doubling"},
    "ring": {"algorithm": "ring"},
    "leaders, all to all": {**LEADERS, "between": "all-to-all"},
    "leaders, ring": {**LEADERS, "between": "ring"},
}
# SimGrid treats times that differ by less than 1e-9 s as equal. A path of a hundred messages is wrong by at most 1e-7
# s, out of 50 ms or more.
EXACTLY = 1e-5


def uneven(seed: int) -> tuple[Array, Array]:
    """Latencies and times per byte of pairs of hosts. They differ between all pairs of clusters and between both
    directions."""
    chance = np.random.default_rng(seed)
    is_remote = np.not_equal.outer(CLUSTER, CLUSTER)
    latency = np.where(is_remote, 10e6, 50e3) * chance.uniform(0.5, 2, (HOSTS, HOSTS))
    per_byte = np.where(is_remote, 20.0, 1.0) * chance.uniform(0.5, 2, (HOSTS, HOSTS))
    np.fill_diagonal(latency, 1000.0)
    np.fill_diagonal(per_byte, 0.1)
    return latency, per_byte


def replay_and_simulate(
    rule: str, operation: str, size: int, machine: SimulatedMachine, folder: Path, *, calls: int = 3
) -> tuple[Array, Array]:
    """The times at which each rank leaves each of some calls, by the replay and by SimGrid. If there is only one call,
    the ranks enter it together."""
    choice = RULES[rule]
    root = 0 if operation in ("MPI_Bcast", "MPI_Reduce") else None
    clusters = [CLUSTER[host] for host in HOST]
    trees = {rule: {"shape": rule}} if "reduce_tree" in choice else None
    schedule = lay(choice, operation, [size], HOST, clusters, root=root, trees=trees)
    gaps = 1000 * np.random.default_rng(7).integers(0, 3000, (RANKS, calls)) * (calls > 1)
    predicted = leaves([schedule], HOST, machine.for_replay(), [0] * calls, gaps)
    return predicted, simulated_leaves([schedule], HOST, machine, folder, schedule_numbers=[0] * calls, gaps_ns=gaps)


@pytest.mark.parametrize("size", [8, 65536])
@pytest.mark.parametrize("rule", RULES)
def test_every_rank_leaves_an_allreduce_when_simgrid_says(rule: str, size: int, tmp_path: Path) -> None:
    # Each pair of hosts has its own link, and each message costs its ranks 2 and 3 us.
    machine = SimulatedMachine(*uneven(1), send_ns=2000.0, receive_ns=3000.0)
    predicted, simulated = replay_and_simulate(rule, "MPI_Allreduce", size, machine, tmp_path)
    assert simulated == pytest.approx(predicted, rel=EXACTLY)


@pytest.mark.parametrize("rule", ["binomial", "chain", "flat"])
@pytest.mark.parametrize("operation", ["MPI_Bcast", "MPI_Reduce"])
def test_ranks_that_wait_for_nobody_go_on_as_in_simgrid(operation: str, rule: str, tmp_path: Path) -> None:
    # The root of a broadcast, and the leaves of a reduction, are one call ahead of the others.
    machine = SimulatedMachine(*uneven(2), send_ns=2000.0, receive_ns=3000.0)
    predicted, simulated = replay_and_simulate(rule, operation, 65536, machine, tmp_path)
    assert simulated == pytest.approx(predicted, rel=EXACTLY)


@pytest.mark.parametrize("rule", ["chain", "flat"])
def test_an_interface_has_sent_the_last_byte_at_one_time_whether_messages_queue_or_share_it(
    rule: str, tmp_path: Path
) -> None:
    # 100 MB/s in each direction for a host. SimGrid shares that rate among messages, but in the replay they queue. So
    # both have only the last message at the same time: the root's 56th in a flat broadcast to equally distant hosts,
    # the only one in a chain. An envelope of 16 bytes may change its order with another: 10 ns per byte for each of 56.
    latency = np.where(np.eye(HOSTS, dtype=bool), 1000.0, 10e6)
    machine = SimulatedMachine(latency, np.zeros((HOSTS, HOSTS)), interface_per_byte_ns=10.0)
    predicted, simulated = replay_and_simulate(rule, "MPI_Bcast", 65536, machine, tmp_path, calls=1)
    assert simulated.max() == pytest.approx(predicted.max(), abs=56 * 16 * 10)
    assert predicted.max() > (10e6 + 56 * 65536 * 10 if rule == "flat" else 7 * (10e6 + 65536 * 10))


def test_a_wrong_latency_would_be_noticed(tmp_path: Path) -> None:
    latency, per_byte = uneven(1)
    predicted, _ = replay_and_simulate("binomial", "MPI_Allreduce", 8, SimulatedMachine(latency, per_byte), tmp_path)
    latency[np.not_equal.outer(CLUSTER, CLUSTER)] *= 1.001
    _, simulated = replay_and_simulate("binomial", "MPI_Allreduce", 8, SimulatedMachine(latency, per_byte), tmp_path)
    assert simulated.max() != pytest.approx(predicted.max(), rel=EXACTLY)
