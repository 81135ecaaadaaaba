"""Sentences about a run that has not ended, from drawn facts."""

from typing import Any

from hopscope.launch.inspection import Inspection


def waiting(role: str) -> Inspection:
    """A state in which rank 0 is in an Allreduce and waits for a hop of this role from rank 1, which computes."""
    call = {"function": "MPI_Allreduce", "comm": 0, "seq": 5, "at_ns": 100, "site": "", "symbol": None}
    hop: dict[str, Any] = {"kind": "receive", "comm": 0, "peer": 1, "at_ns": 110, "role": role, "tree": "native:MPI"}
    collective = {"comm": 0, "function": "MPI_Allreduce", "root": None, "at_ns": 100}
    facts = {"state": "running", "recording_stopped": None}
    ranks = [
        {**facts, "rank": 0, "threads": [{"call": call, "last": None, "open": [hop]}],
         "collectives": [{**collective, "seq": 5, "inside": True}]},
        {**facts, "rank": 1, "threads": [{"call": None, "last": None, "open": []}],
         "collectives": [{**collective, "seq": 4, "inside": False}]},
    ]  # fmt: skip
    comms = [{"name": "world", "members": [0, 1]}]
    return Inspection(
        {"ranks": ranks, "comms": comms, "missing": [], "now_ns": None, "modules": [], "started_ns": None}
    )


def test_a_hop_says_its_role_only_where_the_schedule_does() -> None:
    # Regression: every message of the MPI library was called an `exchange hop`, although its role is recognised only
    # after the run.
    assert waiting("up").location(0) == ("in MPI_Allreduce #5 on world, waiting for its up hop from 1", 100)
    unknown = waiting("unknown")
    assert unknown.location(0) == ("in MPI_Allreduce #5 on world, waiting for its hop from 1", 100)
    assert unknown.waits_inside(0) == "hop from 1, at 0.000000 s"
    assert unknown.waits_for(0) == {1}
