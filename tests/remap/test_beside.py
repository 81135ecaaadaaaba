"""Collectives that no part has: their messages are replayed, for behind a faster candidate a rank may wait for them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hopscope.remap import remap
from hopscope.remap.algorithms.recorded import recorded_beside
from hopscope.remap.run.program import source_of
from simulated_network import ENTER, HANDLE, LEAVE, SEND, Run, SimulatedTrace, round_robin

WAN = 20_000_000
PAIR = [0, 1]
"""The members of the other communicator: one rank on each site."""


def bcast_to_the_other_site(run: Run) -> None:
    """From rank 0 to rank 1, on communicator 1."""
    number, enter = len(run.rows["collectives"]), list(run.now)
    sent, needed = enter[0] + ENTER, enter[1] + ENTER
    there = sent + WAN
    run.now[:2] = sent + SEND + LEAVE, max(needed, there) + HANDLE + LEAVE
    run.rows["hops"].append(
        {
            "collective_id": number, "role": "down", "round": 0, "segment": 0, "src": 0, "dst": 1, "src_location": 0,
            "dst_location": 1, "bytes": 8, "send_begin_ns": sent, "send_wait_begin_ns": None, "send_end_ns": sent + 100,
            "recv_post_ns": needed, "recv_wait_begin_ns": needed if there > needed else None,
            "recv_end_ns": max(needed, there), "arrived_early": there <= needed, "link": "wan", "source": "tree",
            "clock_error_ns": 0,
        }
    )  # fmt: skip
    run.rows["calls"] += [
        {
            "collective_id": number, "rank": rank, "location": rank, "enter_ns": enter[rank],
            "leave_ns": run.now[rank], "bytes_sent": 8, "bytes_received": 8, "engine": "tree", "tree": "drawn",
            "call_site": "app+2",
        }
        for rank in PAIR
    ]  # fmt: skip
    run.rows["collectives"].append(
        {
            "collective_id": number, "comm": 1, "seq": number, "op": "MPI_Bcast", "root": 0, "comm_size": 2, "bytes": 8,
            "first_enter_ns": min(enter[:2]), "last_enter_ns": max(enter[:2]), "first_leave_ns": min(run.now[:2]),
            "last_leave_ns": max(run.now[:2]), "complete": True,
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def trace() -> SimulatedTrace:
    """Allreduces to and fro between two sites, each followed by a Bcast that travels right behind the way back."""
    run = Run(round_robin(4, {"a": "A", "b": "B"}, shm=1_000, lan=50_000, wan=WAN), {"shape": "flat"})
    for _ in range(30):
        run.allreduce()
        bcast_to_the_other_site(run)
    made = run.trace()
    comms = made.tables["comms"]
    pair = [{"comm": 1, "name": "pair", "size": 2, "members": PAIR}]
    made.tables["comms"] = pa.concat_tables([comms, pa.Table.from_pylist(pair, schema=comms.schema)])
    made.tables["trees"] = made.tables["trees"].slice(0, 0)
    return made


def test_messages_that_travelled_behind_others_are_waited_for_once_these_are_gone(trace: SimulatedTrace) -> None:
    """The Bcast takes no time of its own, so it was no part, and its root's enter was all that it waited for: an
    exchange between the sites was promised half of the time. But then rank 1 waits for the Bcast, all for rank 1."""
    table = remap(trace, search=0)
    rows = {row["name"]: row for row in table.to_pylist()}
    assert rows["recursive-doubling"]["wan_crossings"] == 1
    assert rows["recursive-doubling"]["predicted_ns"] == pytest.approx(2 * WAN, rel=0.02)
    assert not any(row["chosen"] for row in rows.values())


def test_only_collectives_that_are_no_part_are_beside(trace: SimulatedTrace) -> None:
    source = source_of(trace.table)
    beside = recorded_beside(source)
    assert beside is not None
    assert not set(beside.hops.collective.tolist()) & set(source.subject.simulated.tolist())
    assert len(beside.hops.collective) == 30
