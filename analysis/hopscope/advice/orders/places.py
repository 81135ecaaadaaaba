"""Places of a run's ranks: hosts and clusters by number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array


@dataclass(frozen=True)
class Places:
    """Hosts in order of first appearance. ranks, baseline: of each row of the table `ranks`, its rank and its host's
    number. movable: rows of the ranks that the launcher starts, in the order of MPI_COMM_WORLD."""

    hosts: tuple[str, ...]
    cluster_of_host: tuple[int, ...]
    ranks: Array
    baseline: Array
    movable: Array

    def rows_of(self, ranks: Array) -> Array:
        """The rows of trace-wide ranks in the table `ranks`."""
        order = np.argsort(self.ranks)
        return order[np.searchsorted(self.ranks[order], ranks)]


def places_of(ranks: pa.Table) -> Places:
    """From the table `ranks`. Two hosts of one name in different clusters are two hosts."""
    hosts: dict[tuple[str, str], int] = {}
    clusters: dict[str, int] = {}
    rows = ranks.to_pylist()
    baseline = [hosts.setdefault((row["host"], row["cluster"]), len(hosts)) for row in rows]
    of_host = [clusters.setdefault(cluster, len(clusters)) for _, cluster in hosts]
    first = min((row["world"] for row in rows), default=0)
    started = [
        number for _, number in sorted((row["world_rank"], n) for n, row in enumerate(rows) if row["world"] == first)
    ]
    names = tuple(host for host, _ in hosts)
    numbers = np.asarray([row["rank"] for row in rows], np.int64)
    arrays = np.asarray(baseline, np.int64), np.asarray(started, np.int64)
    return Places(names, tuple(of_host), numbers, *arrays)
