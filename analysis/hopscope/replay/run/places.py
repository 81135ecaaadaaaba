"""Places of a run's ranks: hosts and clusters by number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array


@dataclass(frozen=True)
class Places:
    """Hosts and clusters, numbered in the order of their first appearance. For each row of the table `ranks`: the
    trace-wide rank (ranks), the number of its host (baseline), and its world with its rank in that world (worlds)."""

    hosts: tuple[str, ...]
    clusters: tuple[str, ...]
    cluster_of_host: tuple[int, ...]
    ranks: Array
    baseline: Array
    worlds: tuple[tuple[int, int], ...]

    @cached_property
    def host_of_rank(self) -> dict[int, int]:
        """The number of each trace-wide rank's host."""
        return dict(zip(self.ranks.tolist(), self.baseline.tolist(), strict=True))

    @cached_property
    def movable(self) -> Array:
        """The rows in `ranks` of the ranks that the launcher starts, in the order of MPI_COMM_WORLD."""
        first = min((world for world, _ in self.worlds), default=0)
        started = sorted((rank, row) for row, (world, rank) in enumerate(self.worlds) if world == first)
        return np.asarray([row for _, row in started], np.int64)

    def rows_of(self, ranks: Array) -> Array:
        """The rows of trace-wide ranks in the table `ranks`."""
        order = np.argsort(self.ranks)
        return order[np.searchsorted(self.ranks[order], ranks)]


def places_of(ranks: pa.Table) -> Places:
    """The places of the ranks in the table `ranks`. Equal names of hosts in different clusters are different hosts."""
    hosts: dict[tuple[str, str], int] = {}
    clusters: dict[str, int] = {}
    rows = ranks.to_pylist()
    baseline = [hosts.setdefault((row["host"], row["cluster"]), len(hosts)) for row in rows]
    of_host = tuple(clusters.setdefault(cluster, len(clusters)) for _, cluster in hosts)
    numbers = np.asarray([row["rank"] for row in rows], np.int64)
    worlds = tuple((row["world"], row["world_rank"]) for row in rows)
    return Places(
        tuple(host for host, _ in hosts), tuple(clusters), of_host, numbers, np.asarray(baseline, np.int64), worlds
    )
