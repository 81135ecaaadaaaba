"""Leaders of groups: the number of crossings between groups on a path, and the completeness of the results."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from crossings import most_crossings
from hopscope.native import _plan
from hypothesis import given, settings
from hypothesis import strategies as st
from test_schedules import FULL_EXCHANGES, OPERATIONS, hops, sources_of

SERVED = [name for row in _plan.algorithms() if row.in_groups for name in row.operations]
SHAPES: list[dict[str, Any]] = [
    *({"shape": row.name} for row in _plan.shapes() if row.is_simple and not row.counts),
    *({"shape": row.name, "fan_out": 3} for row in _plan.shapes() if row.counts),
    {"shape": "hierarchical", "hosts": {"shape": "chain"}, "ranks": {"shape": "binomial"}},
]
seeded = settings(derandomize=True, deadline=None, database=None)


def rule(operation: str, **keys: Any) -> _plan.TreeFile:
    """A tree file with one rule for leaders, in which `inside` is a shape."""
    shape = keys.pop("inside", None)
    file: dict[str, Any] = {
        "schema_version": 1,
        "rules": [{"operations": [operation], "algorithm": "leaders", **keys, **({"inside": "in"} if shape else {})}],
    }
    if shape:
        file["trees"] = {"in": shape}
    return _plan.TreeFile(json.dumps(file).encode())


def schedules_of(
    operation: str, hosts: list[int], clusters: list[int], root: int = 0, length: int = 12, **keys: Any
) -> _plan.Schedules:
    """The schedules of a call."""
    lengths = [] if operation == "MPI_Barrier" else [length]
    call_root = root if OPERATIONS[operation].has_root else None
    return rule(operation, **keys).schedules(0, operation, hosts, clusters, lengths, call_root)


def crossings(s: _plan.Schedules, group_of: list[int]) -> int:
    """The largest number of messages between groups on any path through the schedules."""
    rank_of = np.repeat(np.arange(len(group_of)), np.diff(s["first_step"]))
    unmet = s["unmet"] + (s["kind"] == _plan.RECEIVE)  # a receive also waits for its message
    crossed = np.zeros(len(unmet), dtype=int)
    ready = [int(row) for row in np.flatnonzero(unmet == 0)]
    for row in ready:
        successors = [(int(successor), 0) for successor in s["edge"][s["first_edge"][row] : s["first_edge"][row + 1]]]
        if s["kind"][row] == _plan.SEND:
            receive = int(s["other_end"][row])
            successors.append((receive, int(group_of[rank_of[row]] != group_of[rank_of[receive]])))
        for successor, crosses in successors:
            crossed[successor] = max(crossed[successor], crossed[row] + crosses)
            unmet[successor] -= 1
            if unmet[successor] == 0:
                ready.append(successor)
    assert len(ready) == len(unmet)
    return int(crossed.max())


@st.composite
def topologies(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Host and cluster of 2 to 20 ranks, in any order. Each host is in one cluster."""
    cluster_of = draw(st.lists(st.integers(0, 4), min_size=1, max_size=8))
    hosts = draw(st.lists(st.integers(0, len(cluster_of) - 1), min_size=2, max_size=20))
    return hosts, [cluster_of[host] for host in hosts]


@pytest.mark.parametrize("exchange", _plan.BETWEEN)
@pytest.mark.parametrize("operation", SERVED)
@seeded
@given(topology=topologies(), shape=st.none() | st.sampled_from(SHAPES), data=st.data())
def test_a_path_crosses_between_groups_no_more_often_than_promised(
    operation: str,
    exchange: str,
    topology: tuple[list[int], list[int]],
    shape: dict[str, Any] | None,
    data: st.DataObject,
) -> None:
    hosts, clusters = topology
    level = data.draw(st.sampled_from(_plan.LEVELS))
    root = data.draw(st.integers(0, len(hosts) - 1))
    segments = {} if not cuts(operation) else {"segment_bytes": data.draw(st.sampled_from([0, 5]))}
    s = schedules_of(operation, hosts, clusters, root, level=level, between=exchange, inside=shape, **segments)
    group_of = clusters if level == "cluster" else hosts
    if not segments.get("segment_bytes"):  # with segments, a path may mix several messages
        assert crossings(s, group_of) <= most_crossings(exchange, len(set(group_of)))
    everyone, sources = set(range(len(hosts))), sources_of(s)
    for rank in everyone:
        gathers_all = operation in FULL_EXCHANGES or rank == root
        needs = {root} if operation == "MPI_Bcast" else everyone if gathers_all else set()
        assert needs <= sources[rank], (rank, sources[rank])


def cuts(operation: str) -> bool:
    return any(row.cuts for row in _plan.algorithms() if row.in_groups and operation in row.operations)


TWO = [0, 0, 0, 1, 1, 1]
"""Two clusters of three ranks, each rank on its own host."""
HOSTS = list(range(6))


def between_clusters(s: _plan.Schedules, clusters: list[int]) -> list[tuple[int, int, int]]:
    """The messages between clusters: from, to, units."""
    return sorted((src, dst, length) for _, src, dst, length in hops(s) if clusters[src] != clusters[dst])


@pytest.mark.parametrize("exchange", _plan.BETWEEN)
def test_two_clusters_exchange_one_sum_each_way_or_its_halves(exchange: str) -> None:
    crossed = between_clusters(schedules_of("MPI_Allreduce", HOSTS, TWO, between=exchange), TWO)
    halves = [(0, 3, 6), (0, 3, 6), (3, 0, 6), (3, 0, 6)]
    assert crossed == (halves if exchange == "ring" else [(0, 3, 12), (3, 0, 12)])


def test_the_root_leads_its_group() -> None:
    assert between_clusters(schedules_of("MPI_Bcast", HOSTS, TWO, root=5), TWO) == [(5, 0, 12)]
    assert between_clusters(schedules_of("MPI_Reduce", HOSTS, TWO, root=1), TWO) == [(3, 1, 12)]


def test_only_blocks_of_the_other_group_cross() -> None:
    uneven = [0, 1, 0, 0, 0, 0]
    assert between_clusters(schedules_of("MPI_Allgather", HOSTS, uneven), uneven) == [(0, 1, 60), (1, 0, 12)]
    scattered = schedules_of("MPI_Reduce_scatter_block", HOSTS, uneven)
    assert between_clusters(scattered, uneven) == [(0, 1, 12), (1, 0, 60)]


def test_hosts_are_nested_in_clusters() -> None:
    # Two clusters of two hosts of two ranks, placed in turn: 0 and 4 on host 0 of cluster 0, and so on.
    hosts, clusters = [0, 1, 2, 3] * 2, [0, 1, 0, 1] * 2
    s = schedules_of("MPI_Barrier", hosts, clusters)
    pairs = sorted((src, dst) for _, src, dst, _ in hops(s))
    host_edges = [(4, 0), (2, 0), (6, 2), (5, 1), (3, 1), (7, 3)]
    assert pairs == sorted([*host_edges, *((dst, src) for src, dst in host_edges), (0, 1), (1, 0)])


def test_leaders_of_hosts_exchange_where_hosts_are_the_groups() -> None:
    s = schedules_of("MPI_Barrier", [0, 0, 1, 1, 2, 2, 3, 3], [0] * 8, level="host", between="recursive-doubling")
    exchanged = sorted((src, dst) for round, src, dst, _ in hops(s) if round > 0)
    assert exchanged == [(0, 2), (0, 4), (2, 0), (2, 6), (4, 0), (4, 6), (6, 2), (6, 4)]
