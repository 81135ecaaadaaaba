"""Finds collectives that follow the hosts: on each host, only one leader exchanges messages with other hosts.

Open MPI's `han`, most of MPICH's algorithms and the engine's `hierarchical` and `leaders` do so. In another rank order,
other ranks are the leaders, so a hop of such a collective stays between the same two hosts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array
from hopscope.mpi_libraries.rank_files import launcher_of
from hopscope.replay.run.places import Places

_BY_RANK = "openmpi-4"
"""The launcher of a library whose algorithms depend on rank numbers alone, never on hosts. If each host has a block of
consecutive ranks, its binomial trees only look as if they followed the hosts."""
_ENGINE = "hierarchical|leaders"


def led_hops(table: Callable[[str], pa.Table], places: Places) -> Array:
    """Mask of the rows of the table `hops` whose collectives follow the hosts."""
    hops = table("hops")
    if not len(hops):
        return np.zeros(0, bool)
    collective, kind = _kinds(table, hops)
    ranks = np.concatenate([hops[end].to_numpy().astype(np.int64) for end in ("src", "dst")])
    hosts = places.baseline[places.rows_of(ranks)]
    is_remote = hosts[: len(hops)] != hosts[len(hops) :]
    # For each collective and host, the ranks that exchange messages with other hosts.
    first, number = np.unique(collective, return_inverse=True)
    remote_ends, rank_count = np.tile(is_remote, 2), int(ranks.max()) + 1
    of_rank = np.unique(((np.tile(number, 2) * len(places.hosts) + hosts) * rank_count + ranks)[remote_ends])
    of_host, leaders = np.unique(of_rank // rank_count, return_counts=True)
    is_led = np.zeros(len(first), bool)
    is_led[of_host // len(places.hosts)] = True
    is_led[of_host[leaders > 1] // len(places.hosts)] = False
    is_led &= np.bincount(number, weights=~is_remote) > 0
    # The first collective on a communicator sets it up with extra messages. So a kind of collectives counts as
    # following the hosts if most of its collectives do.
    of_kind = np.empty(len(first), np.int64)
    of_kind[number] = kind
    kinds, group = np.unique(of_kind, return_inverse=True)
    mostly = np.bincount(group, weights=is_led) * 2 > np.bincount(group)
    return np.isin(kind, kinds[mostly]) & _may_follow(table, hops)


def _kinds(table: Callable[[str], pa.Table], hops: pa.Table) -> tuple[Array, Array]:
    """The collective_id of each hop, and the number of its kind: hops with the same communicator and operation share a
    kind."""
    collective = hops["collective_id"].to_numpy().astype(np.int64)
    collectives = table("collectives")
    ids = collectives["collective_id"].to_numpy()
    words = [
        f"{comm} {op}" for comm, op in zip(collectives["comm"].to_pylist(), collectives["op"].to_pylist(), strict=True)
    ]
    if not len(ids):
        return collective, np.zeros(len(hops), np.int64)
    _, number = np.unique(words, return_inverse=True)
    order = np.argsort(ids)
    return collective, number[order[np.minimum(np.searchsorted(ids[order], collective), len(ids) - 1)]]


def _may_follow(table: Callable[[str], pa.Table], hops: pa.Table) -> Array:
    """Mask of the rows of `hops` whose collective's algorithm may depend on hosts."""
    run = table("run").to_pylist()[0]
    native = launcher_of(run.get("mpi_library")) != _BY_RANK
    calls = table("calls")
    words = [pc.fill_null(calls[column], "") for column in ("tree", "algorithm")]
    by_host = pc.or_(*(pc.match_substring_regex(word, _ENGINE) for word in words))
    trees = pc.unique(calls.filter(by_host)["collective_id"])
    from_engine = pc.equal(hops["source"], "tree").to_numpy()
    return np.where(from_engine, pc.is_in(hops["collective_id"], value_set=trees).to_numpy(), native)
