"""Replaces the costs of links that were fitted to a run's hops by costs that a probe measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hopscope.machine.costs import Costs, LinkCost
from hopscope.machine.parameters.probed import points_of


def with_probed_links(machine: dict[str, Any], costs: Costs, hosts: Sequence[str]) -> Costs:
    """The costs of a run, with the links' costs from a machine file. machine: the file's content. hosts: the names of
    the run's hosts.

    Costs of emulated links, the ranks' own times and the limits of eager messages do not change.
    """
    if costs.machine.emulated:
        return costs
    usual = {link["link"]: link for link in reversed(machine["links"]) if not link["outlying"]}
    links = {name: _cost(cost, usual[name]) if name in usual else cost for name, cost in costs.links.items()}
    probed = {host["name"] for host in machine["hosts"]}
    numbers = [number for number, name in enumerate(hosts) if name in probed]
    pairs = frozenset((a, b) for a in numbers for b in numbers if a != b)
    # The probed time per byte already contains the interfaces' time.
    return replace(
        costs,
        links=links,
        interface_message_ns=0.0,
        interface_per_byte_ns=0.0,
        pairs={},
        measured=costs.measured | pairs,
    )


def _cost(cost: LinkCost, link: dict[str, Any]) -> LinkCost:
    """The costs of a class of links, from the shortest and the longest message of `link`, an entry of a machine file;
    `cost` if the entry has fewer than two measured sizes."""
    points = [point for point in points_of(link) if point.one_way is not None]
    if len(points) < 2:
        return cost
    first, last = points[0], points[-1]
    assert first.one_way is not None and last.one_way is not None
    sending, receiving = (
        overhead.value if overhead else 0.0 for overhead in (first.send_overhead, first.receive_overhead)
    )
    per_byte = max(0.0, (last.one_way.value - first.one_way.value) / (last.bytes - first.bytes))
    # A cost's latency contains the sender's own time, but not the receiver's.
    return LinkCost(
        max(0.0, first.one_way.value - receiving),
        per_byte,
        first.one_way.count,
        last.bytes,
        tuple(float(point.bytes) for point in points),
        send_ns=sending,
        receive_ns=receiving,
        eager_bytes=cost.eager_bytes,
    )
