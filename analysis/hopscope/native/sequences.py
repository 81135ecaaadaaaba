"""Makes schedules, and replays sequences of collectives that run by them. When a collective begins, ranks, interfaces
and links may still be busy with the previous one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscope.native import _plan, _replay

Array = np.ndarray[Any, Any]

_COLLECTIVE = 2


def lay(
    rule: dict[str, Any],
    operation: str,
    lengths: Sequence[int],
    hosts: Sequence[int],
    clusters: Sequence[int] | None = None,
    *,
    root: int | None = None,
    unit_bytes: int = 1,
    trees: dict[str, Any] | None = None,
) -> _plan.Schedules:
    """The schedules of all ranks for one collective. rule: as in a tree file, but without `operations`, such as
    {"algorithm": "ring"}.

    hosts, clusters: a number for each rank; None: all ranks are in one cluster. trees: the trees that the rule names.
    The other arguments are those of `hopscope.native._plan.TreeFile.schedules`. Raises ValueError in the collector's
    words.
    """
    file: dict[str, Any] = {"schema_version": 1, "rules": [{**rule, "operations": [operation]}]}
    read = _plan.TreeFile(json.dumps({**file, "trees": trees} if trees else file).encode())
    places = [0] * len(hosts) if clusters is None else clusters
    return read.schedules(0, operation, hosts, places, lengths, root, unit_bytes)


def sequence(hosts: Sequence[int], schedules: Sequence[int], gaps_ns: Array) -> dict[str, Array]:
    """A program as `hopscope.native._replay` takes it, in which all ranks call the same collectives.

    hosts: the host of each rank. schedules: the number of each collective's schedule. gaps_ns (ranks x collectives):
    the time that each rank computes before it enters each collective.
    """
    ranks, count = len(hosts), len(schedules)
    member = np.tile(np.arange(ranks, dtype=np.int32), count)
    return {
        "first_op": np.arange(ranks + 1, dtype=np.int64) * count,
        "op": np.full(ranks * count, _COLLECTIVE, np.int8),
        "ref": np.tile(np.arange(count, dtype=np.int64), ranks),
        "gap_ns": np.ascontiguousarray(np.broadcast_to(gaps_ns, (ranks, count)).ravel().astype(np.int64)),
        "hold_ns": np.zeros(ranks * count, np.int64),
        "slot": (np.arange(count)[None, :] * ranks + np.arange(ranks)[:, None]).ravel().astype(np.int64),
        "host": np.asarray(hosts, np.int32),
        "transit_ns": np.zeros(0, np.int64),
        "first_member": np.arange(count + 1, dtype=np.int64) * ranks,
        "member": member,
        "schedule": np.asarray(schedules, np.int32),
        "own_time_ns": np.zeros(len(member), np.int64),
        "leads": np.zeros(count, np.int8),
        "root_position": np.full(count, -1, np.int32),
    }


def leaves(
    schedules: Sequence[_plan.Schedules],
    hosts: Sequence[int],
    machine: dict[str, Any],
    schedule_numbers: Sequence[int] = (0,),
    gaps_ns: Array | float = 0,
) -> Array:
    """The time at which each rank leaves each collective, in ns (collectives x ranks). schedule_numbers: the schedule
    of each collective, as a position in `schedules`."""
    program = sequence(hosts, schedule_numbers, np.asarray(gaps_ns))
    done = _replay.replay(program, list(schedules), machine)
    if not done["finished"]:
        raise RuntimeError("a schedule never finishes: its generator is wrong")
    return done["leave_ns"].reshape(len(schedule_numbers), len(hosts))


def duration_ns(schedules: _plan.Schedules, machine: dict[str, Any]) -> float:
    """The duration of one collective that all ranks, each on its own host, enter together."""
    return float(leaves([schedules], range(len(schedules["first_step"]) - 1), machine).max())
