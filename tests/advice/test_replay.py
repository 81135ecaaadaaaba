"""The compiled replay of programs that are small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hopscope.machine.costs import Costs, LinkCost, LocalCost
from hopscope.machine.routes import fitted
from hopscope.native import _paths, _plan, _replay
from hopscope.native.sequences import lay
from hopscope.replay.run.program import AS_OBSERVED, COLLECTIVE, SEND, WAIT

L, WAN = 100, 1000
"""Latency within a host and between hosts."""
ENTER, UP, DOWN, ONE_SEND, LEAVE = 5, 7, 3, 2, 4


def costs(hosts: int, interface: float = 0, per_byte: float = 0) -> dict[str, Any]:
    links = {name: LinkCost(ns, per_byte) for name, ns in (("self", 0), ("shm", L), ("lan", WAN), ("wan", WAN))}
    local = LocalCost(ENTER, UP, 0, DOWN, ONE_SEND, LEAVE)
    return fitted(Costs(links, local, interface_message_ns=interface), range(hosts))


def program(
    ops: list[list[tuple[int, int, int]]], schedule: int, *, hosts: list[int], transit: tuple[int, ...] = (),
    own_time: tuple[int, ...] = (), leads: int = 0, root: int = -1,
) -> dict[str, Any]:  # fmt: skip
    """A replay's input. ops: for each rank (operation, ref, gap). All ranks are members of every collective, in
    order."""
    ranks = len(ops)
    flat = [op for of_rank in ops for op in of_rank]
    collectives = 1 + max([ref for op, ref, _ in flat if op == COLLECTIVE], default=-1)
    slots = [
        ref * ranks + rank if op == COLLECTIVE else 0 for rank, of_rank in enumerate(ops) for op, ref, _ in of_rank
    ]
    return {
        "first_op": np.cumsum([0, *(len(o) for o in ops)]),
        "op": np.asarray([op for op, _, _ in flat], np.int8),
        "ref": np.asarray([ref for _, ref, _ in flat]),
        "gap_ns": np.asarray([gap for _, _, gap in flat]),
        "hold_ns": np.zeros(len(flat), np.int64),
        "slot": np.asarray(slots),
        "host": np.asarray(hosts, np.int32),
        "transit_ns": np.asarray(transit, np.int64),
        "first_member": np.arange(collectives + 1) * ranks,
        "member": np.tile(np.arange(ranks, dtype=np.int32), collectives),
        "own_time_ns": np.asarray(own_time or [0] * ranks * collectives, np.int64),
        "schedule": np.full(collectives, schedule, np.int32),
        "leads": np.full(collectives, leads, np.int8),
        "root_position": np.full(collectives, root, np.int32),
    }


def lay_over(shape: str, ranks: int, op: str = "MPI_Allreduce", segment: int = 0, size: int = 8) -> _plan.Schedules:
    root = None if op == "MPI_Allreduce" else 0
    rule = {"reduce_tree": "t", "broadcast_tree": "t", "segment_bytes": segment}
    return lay(rule, op, [size], range(ranks), root=root, trees={"t": {"shape": shape}})


def last_leaves(run: dict[str, Any], schedules: _plan.Schedules | None, machine: dict[str, Any]) -> list[float]:
    done = _replay.replay(run, [schedules] if schedules else [], machine)
    assert done["finished"]
    return np.maximum.reduceat(done["leave_ns"], run["first_member"][:-1]).tolist()


def test_an_allreduce_over_a_chain_goes_up_and_down() -> None:
    # The ranks enter at 10, 20 and 50. Rank 2 sends at 55; rank 1 has it at 155 and sends at 162; rank 0 has it at 262
    # and sends down at 269; rank 1 has it at 369 and sends on at 372; rank 2 has it at 472 and leaves at 472 + 3 + 4.
    p = program([[(COLLECTIVE, 0, gap)] for gap in (10, 20, 50)], 0, hosts=[0, 0, 0])
    assert last_leaves(p, lay_over("chain", 3), costs(1)) == [479]


def test_a_reduce_and_a_broadcast_take_their_half() -> None:
    p = program([[(COLLECTIVE, 0, gap)] for gap in (10, 20, 50)], 0, hosts=[0, 0, 0])
    assert last_leaves(p, lay_over("chain", 3, "MPI_Reduce"), costs(1)) == [269 + LEAVE]
    # Rank 0 enters at 10 and sends at 15; rank 1 has it at 115 and sends at 118; rank 2 has it at 218.
    p = program([[(COLLECTIVE, 0, gap)] for gap in (10, 20, 50)], 0, hosts=[0, 0, 0])
    assert last_leaves(p, lay_over("chain", 3, "MPI_Bcast"), costs(1)) == [218 + DOWN + LEAVE]


def test_an_interface_serves_one_message_at_a_time() -> None:
    # A flat tree over four hosts; all ranks enter at 0. Messages leave their hosts at 5 + 50, arrive together at 1055,
    # and leave the root's interface at 1105, 1155 and 1205. In the children's order the root has combined them at 1112,
    # 1162 and 1212. From 1212 on it sends three, which leave at 1262, 1312 and 1362 and arrive at 2312, 2362 and 2412.
    p = program([[(COLLECTIVE, 0, 0)] for _ in range(4)], 0, hosts=[0, 1, 2, 3])
    assert last_leaves(p, lay_over("flat", 4), costs(4, interface=50)) == [2412 + DOWN + LEAVE]


def test_segments_follow_one_another_through_a_pipeline() -> None:
    # A broadcast of 8 bytes over a chain of 3 ranks in one host, in two segments of 4 bytes, at 10 ns per byte. Rank 0
    # sends at 5 and 7; rank 1 has them at 145 and 147. It sends the first on at 148, has sent it at 150, and sends the
    # second on at 153. Rank 2 has them at 288 and 293.
    p = program([[(COLLECTIVE, 0, 0)] for _ in range(3)], 0, hosts=[0, 0, 0])
    assert last_leaves(p, lay_over("chain", 3, "MPI_Bcast", segment=4), costs(1, per_byte=10)) == [293 + DOWN + LEAVE]


def test_a_message_holds_its_receiver_and_a_collective_the_rest() -> None:
    # Rank 0 computes 500 and sends. Rank 1 waits for it from 10 on, has it at 500 + 30, computes 5 and enters at 535.
    ops = [[(SEND, 0, 500), (COLLECTIVE, 0, 1)], [(WAIT, 0, 10), (COLLECTIVE, 0, 5)]]
    p = program(ops, AS_OBSERVED, hosts=[0, 0], transit=(30,), own_time=(8, 9))
    done = _replay.replay(p, [], costs(1))
    assert (done["enter_ns"].tolist(), done["leave_ns"].tolist()) == ([501, 535], [543, 544])


def test_a_root_that_waits_for_nobody_goes_on() -> None:
    # The root of a Bcast leaves at 10 + 1, and enters the next one at 11 + 5, long before rank 1 enters the first.
    ops = [[(COLLECTIVE, 0, 10), (COLLECTIVE, 1, 5)], [(COLLECTIVE, 0, 900), (COLLECTIVE, 1, 0)]]
    p = program(ops, AS_OBSERVED, hosts=[0, 0], own_time=(1, 2, 3, 4), leads=_paths.leads_of("MPI_Bcast"), root=0)
    assert _replay.replay(p, [], costs(1))["leave_ns"].tolist() == [11, 902, 19, 906]


@pytest.mark.parametrize(
    ("op", "own_time", "left"),
    [
        # Rank 0 enters at 10, rank 1, which is the root, at 20, and rank 2 at 50.
        ("MPI_Allreduce", (100, 1, 3), 50 + 100),
        ("MPI_Bcast", (100, 1, 3), 20 + 100),
        ("MPI_Bcast", (1, 100, 3), 20 + 100),
        ("MPI_Reduce", (100, 1, 3), 10 + 100),
        ("MPI_Reduce", (1, 100, 3), 50 + 100),
        ("MPI_Scan", (100, 1, 3), 10 + 100),
        ("MPI_Scan", (1, 100, 3), 20 + 100),
        ("MPI_Exscan", (1, 1, 100), 50 + 100),
    ],
)
def test_what_ran_otherwise_waits_for_those_that_its_operation_needs(
    op: str, own_time: tuple[int, int, int], left: int
) -> None:
    ops = [[(COLLECTIVE, 0, gap)] for gap in (10, 20, 50)]
    p = program(ops, AS_OBSERVED, hosts=[0, 0, 0], own_time=own_time, leads=_paths.leads_of(op), root=1)
    assert last_leaves(p, None, costs(1)) == [left]


def test_ranks_that_wait_for_one_another_are_noticed() -> None:
    ops = [[(WAIT, 0, 0), (SEND, 1, 0)], [(WAIT, 1, 0), (SEND, 0, 0)]]
    p = program(ops, 0, hosts=[0, 0], transit=(1, 1))
    assert not _replay.replay(p, [], costs(1))["finished"]


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    p = program([[(COLLECTIVE, 0, 0)] for _ in range(3)], 0, hosts=[0, 0, 0])
    with pytest.raises(ValueError, match="operation 0 names a message or a collective that is not there"):
        _replay.replay({**p, "slot": np.asarray([99, 1, 2])}, [lay_over("flat", 3)], costs(1))
    with pytest.raises(TypeError, match="op: not a contiguous array"):
        _replay.replay({**p, "op": p["op"].astype(np.int64)}, [lay_over("flat", 3)], costs(1))
