"""The hosts and clusters of a sweep's ranks, and the engine's schedules on them under a tree file's rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hopscope.advice.sweep.grid import Point
from hopscope.native import _plan
from hopscope.native.sequences import lay

_ROOTED: Final = ("bcast", "reduce")


@dataclass(frozen=True)
class Layout:
    """The host and the cluster of each rank, as numbers."""

    hosts: Sequence[int]
    clusters: Sequence[int]

    def schedules(self, point: Point, rule: dict[str, Any], trees: dict[str, Any] | None) -> _plan.Schedules | None:
        """The schedules of a point's ranks under a tree file's rule; None if the engine cannot run the rule there."""
        lengths = [] if point.operation == "barrier" else [point.block_bytes]
        hosts, clusters = self.hosts[: point.ranks], self.clusters[: point.ranks]
        root = 0 if point.operation in _ROOTED else None
        try:
            return lay(rule, point.function, lengths, hosts, clusters, root=root, trees=trees)
        except ValueError:
            return None


def layout_of(hosts: Sequence[str], machine: Mapping[str, Any] | None) -> Layout:
    """The layout of a job on these hosts; without a machine file all are in one cluster."""
    cluster_of = {} if machine is None else {host["name"]: host["cluster"] for host in machine["hosts"]}
    host_names = list(dict.fromkeys(hosts))
    cluster_names = list(dict.fromkeys(cluster_of.get(host) for host in hosts))
    return Layout(
        [host_names.index(host) for host in hosts], [cluster_names.index(cluster_of.get(host)) for host in hosts]
    )
