"""The replay of any schedule on what the replay of trees was made for: what is not a schedule, fitted costs, emulated
machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hopscope import _paths, _replay
from hopscope.model.costs import Costs, LinkCost, LocalCost
from hopscope.model.machine import REAL, Machine, machine_of
from hopscope.model.routes import fitted
from hopscope.model.sequences import lay, leaves
from hopscope.model.trees import Shape
from hopscope.remap.candidates import Candidate
from hopscope.remap.program import AS_OBSERVED, BOTH, BROADCAST, COLLECTIVE, REDUCE, SEND, WAIT
from test_replay import last_leaves, program

HOSTS, CLUSTERS = ("a0", "a1", "b0", "b1"), (0, 0, 1, 1)
RANKS = (0, 1, 2, 3, 0, 1, 2, 3)
"""The host of each rank."""
LOCAL = LocalCost(5, 7, 0.25, 3, 2, 4)
LINK = {"from": "A", "to": "B", "latency_ns": 20_000, "bytes_per_second": 1e9}
MACHINES: dict[str, dict[str, Any] | None] = {
    "real": None,
    "interfaces": {"host_interface": {"per_message_ns": 300, "bytes_per_second": 1e9}},
    "cut through": {"host_interface": {"per_message_ns": 300, "bytes_per_second": 1e9, "cut_through": True}},
    "links": {"links": {"wan": {"latency_ns": 20_000, "bytes_per_second": 1e8}}, "rank": {"per_message_ns": 50}},
    "shared link": {"cluster_pairs": [LINK, {**LINK, "from": "B", "to": "A"}]},
    "gateways": {
        "cluster_pairs": [{**LINK, "gateways": {"from": "a0", "to": "door"}}],
        "host_interface": {"per_message_ns": 300, "bytes_per_second": 1e9},
    },
}


def costs_on(emulate: dict[str, Any] | None) -> Costs:
    of: Machine = REAL if emulate is None else machine_of(emulate, HOSTS, CLUSTERS, ("A", "B"))
    times = {"self": 0.0, "shm": 700.0, "lan": 5_000.0, "wan": 20_000.0}
    costs = Costs({name: LinkCost(latency) for name, latency in times.items()}, LOCAL, machine=of)
    if emulate is None:
        costs.interface_message_ns = 250.0
        costs.links["shm"].per_byte_ns, costs.links["wan"].per_byte_ns = 0.5, 2.0
    return costs


@pytest.mark.parametrize("emulate", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("shape", ["chain", "binomial"])
@pytest.mark.parametrize(
    ("operation", "mode"), [("MPI_Bcast", BROADCAST), ("MPI_Reduce", REDUCE), ("MPI_Allreduce", BOTH)]
)
def test_one_collective_over_a_tree(operation: str, mode: int, shape: str, emulate: dict[str, Any] | None) -> None:
    costs = costs_on(emulate)
    gaps = [100 * rank for rank in range(8)]
    spec = Shape({"shape": shape})
    up, down = (spec.tree(0, broadcast=down, hosts=RANKS, clusters=[0] * 8) for down in (False, True))
    run = program([[(COLLECTIVE, 0, gap)] for gap in gaps], mode, hosts=list(RANKS), size=400)
    by_tree = last_leaves(run, Candidate(shape, spec, spec, 0, ((up, down),)).arrays(), costs.arrays(CLUSTERS))
    rooted = None if operation == "MPI_Allreduce" else 0
    laid = lay(
        {"reduce_tree": "t", "broadcast_tree": "t"}, operation, [400], RANKS, root=rooted, trees={"t": {"shape": shape}}
    )
    times = leaves([laid], RANKS, fitted(costs, CLUSTERS), gaps_ns=np.asarray(gaps)[:, None])
    assert times.max() == pytest.approx(by_tree[0], rel=1e-9)


def without_schedules(run: dict[str, Any], **more: Any) -> _replay.Replayed:
    nothing = fitted(costs_on(None), CLUSTERS)
    return _replay.replay({**run, "schedule": np.full(len(run["mode"]), -1, np.int32), **more}, [], nothing)


@pytest.mark.parametrize("gaps", [(10, 20, 50), (50, 20, 10), (20, 50, 10)])
@pytest.mark.parametrize("op", ["MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Scan", "MPI_Exscan", "MPI_Send"])
def test_what_is_no_schedule_waits_for_those_that_its_operation_needs(op: str, gaps: tuple[int, int, int]) -> None:
    ops = [[(COLLECTIVE, 0, gap), (COLLECTIVE, 1, 7 * gap)] for gap in gaps]
    run = program(ops, AS_OBSERVED, hosts=[0, 1, 2], own=(100, 1, 3, 2, 5, 9), leads=_paths.leads_of(op), root=1)
    spec = Shape({"shape": "flat"})
    tree = spec.tree(0, broadcast=True, hosts=[0] * 3, clusters=[0] * 3)
    no_plan = Candidate("flat", spec, spec, 0, ((tree, tree),)).arrays()
    enter, leave, finished = _paths.replay(run, no_plan, costs_on(None).arrays(CLUSTERS))
    found = without_schedules(run)
    assert finished and found["finished"]
    assert found["enter_ns"].reshape(2, 3).max(axis=1).tolist() == enter.tolist()
    assert found["leave_ns"].reshape(2, 3).max(axis=1).tolist() == leave.tolist()


def test_a_root_that_waits_for_nobody_goes_on() -> None:
    # The root of a Bcast leaves at 10 + 1 and enters the next one at 11 + 5, long before rank 1 comes to the first.
    ops = [[(COLLECTIVE, 0, 10), (COLLECTIVE, 1, 5)], [(COLLECTIVE, 0, 900), (COLLECTIVE, 1, 0)]]
    run = program(ops, AS_OBSERVED, hosts=[0, 0], own=(1, 2, 3, 4), leads=_paths.leads_of("MPI_Bcast"), root=0)
    assert without_schedules(run)["leave_ns"].tolist() == [11, 902, 19, 906]


def test_messages_of_the_application_hold_their_receivers() -> None:
    # Rank 0 computes 500 and sends; rank 1 needs it after 10, has it at 500 + 30, computes 5 and enters at 535.
    ops = [[(SEND, 0, 500), (COLLECTIVE, 0, 1)], [(WAIT, 0, 10), (COLLECTIVE, 0, 5)]]
    run = program(ops, AS_OBSERVED, hosts=[0, 0], transit=(30,), own=(8, 9))
    found = without_schedules(run)
    assert (found["enter_ns"].tolist(), found["leave_ns"].tolist()) == ([501, 535], [543, 544])


def test_ranks_that_wait_for_one_another_for_ever_are_noticed() -> None:
    ops = [[(WAIT, 0, 0), (SEND, 1, 0)], [(WAIT, 1, 0), (SEND, 0, 0)]]
    assert not without_schedules(program(ops, BOTH, hosts=[0, 0], transit=(1, 1)))["finished"]
