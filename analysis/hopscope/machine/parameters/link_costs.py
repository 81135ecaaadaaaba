"""Replaces costs of links that were fitted to a run's hops by those that a probe measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hopscope.machine.costs import Costs, LinkCost
from hopscope.machine.parameters.probed import points_of


def with_probed_links(machine: dict[str, Any], costs: Costs, hosts: Sequence[str]) -> Costs:
    """The costs of a run with the links of a machine file. hosts: the names of the run's hosts.

    Emulated links, the ranks' own times and the limits of eager messages stay as they are.
    """
    if costs.machine.emulated:
        return costs
    usual = {link["link"]: link for link in reversed(machine["links"]) if not link["outlying"]}
    links = {name: _cost(cost, usual[name]) if name in usual else cost for name, cost in costs.links.items()}
    probed = {host["name"] for host in machine["hosts"]}
    numbers = [number for number, name in enumerate(hosts) if name in probed]
    pairs = frozenset((a, b) for a in numbers for b in numbers if a != b)
    # The probed time per byte contains that of the interfaces.
    return replace(
        costs,
        links=links,
        interface_message_ns=0.0,
        interface_per_byte_ns=0.0,
        pairs={},
        measured=costs.measured | pairs,
    )


def _cost(cost: LinkCost, link: dict[str, Any]) -> LinkCost:
    """The costs of a class of links, from the file's shortest and longest messages. Unchanged if the file has fewer
    than two sizes."""
    points = [point for point in points_of(link) if point.one_way is not None]
    if len(points) < 2:
        return cost
    first, last = points[0], points[-1]
    assert first.one_way is not None and last.one_way is not None
    sending, receiving = (
        overhead.value if overhead else 0.0 for overhead in (first.send_overhead, first.receive_overhead)
    )
    per_byte = max(0.0, (last.one_way.value - first.one_way.value) / (last.bytes - first.bytes))
    # The latency begins with the send, and ends before the receiver's own time.
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
