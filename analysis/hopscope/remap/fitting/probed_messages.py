"""What a probe measured of messages: of sizes that no hop had, and of those that meet where none met in the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from hopscope.links import LINKS, link_class
from hopscope.model.costs import FREE, HIGHEST, INSIDE, LOWEST, Costs, Ends, Met
from hopscope.remap.judging.meeting import both_ways, interfaces, pair_of, shared
from hopscope.remap.run.program import Places

Triple = tuple[Costs, Costs, Costs]
"""As `fit` gives them: expected, lowest, highest."""
Wait = tuple[str, int, Met]
"""What messages pass and its number, and what they took there."""

ALL_BYTES = 0.5
"""If messages wait for more than this share of what the other's bytes take, they wait for all of them."""
_BETWEEN_HOSTS = LINKS[LINKS.index(INSIDE) + 1 :]
_TIMES = ("one_way_ns", "beside_ns", "least_ns")


def with_sizes(fitted: Triple, sizes: Sequence[Mapping[str, Any]], places: Places) -> Triple:
    """sizes: as `probe.between.measure_between` gives them.

    A hop takes as much longer than one `beside` it as the ping does. Where the run's hops of a class do not tell what a
    byte takes, the probe's messages do; what else they take, messages of such sizes take beyond their line (`off_ns`).
    """
    for name in dict.fromkeys(one["link"] for one in sizes):
        points = [one for one in sizes if one["link"] == name and all(isinstance(one[of], dict) for of in _TIMES)]
        if not (points and fitted[0].links[name].hops):
            continue
        if not fitted[0].links[name].tells_bytes:
            slopes = _slopes(points)
            ends = float(np.median(slopes)), min(slopes), max(slopes)
            clusters = places.cluster_of_host
            expected, low, high = (
                costs.in_bytes({name: max(0.0, each)}, clusters) for costs, each in zip(fitted, ends, strict=True)
            )
            fitted = expected, low, high
        off = tuple((float(one["bytes"]), _off(fitted, name, one), _per_byte(fitted[0], name, one)) for one in points)
        expected, low, high = (_with_off(costs, name, off) for costs in fitted)
        fitted = expected, low, high
    return fitted


def _with_off(costs: Costs, name: str, off: tuple[tuple[float, Ends, float], ...]) -> Costs:
    """The same with sizes that the probe measured: messages between these may be judged, too."""
    link, sizes = costs.links[name], [size for size, *_ in off]
    ends = {"least_bytes": min(link.least_bytes, *sizes), "most_bytes": max(link.most_bytes, *sizes)}
    return replace(costs, links=costs.links | {name: replace(link, off_ns=off, **ends)})


def _off(fitted: Triple, name: str, size: Mapping[str, Any]) -> Ends:
    """How much longer a message takes than each of the costs says, if the one beside it takes what they say."""
    expected, low, high = (
        more + _takes(costs, name, size["beside"]) - _takes(costs, name, size["bytes"])
        for costs, more in zip(fitted, _longer(size), strict=True)
    )
    return expected, low, high


def _per_byte(costs: Costs, name: str, size: Mapping[str, Any]) -> float:
    """What a byte takes on the link: what such a ping took longer than one byte, but for the interfaces. Many in a row
    take that; how far one is off the line of others says nothing of it."""
    longer = size["one_way_ns"]["median"] - size["least_ns"]["median"]
    interfaces_ns = 2 * costs.interface_per_byte_ns * (name in _BETWEEN_HOSTS)
    return max(0.0, longer / max(1, size["bytes"] - 1) - interfaces_ns)


def _slopes(points: Sequence[Mapping[str, Any]]) -> list[float]:
    """What a byte takes: between each size and the one beside it, and between neighbours. Where longer messages are
    announced first, these differ."""
    times = {one["bytes"]: one["one_way_ns"]["median"] for one in points}
    times |= {one["beside"]: one["beside_ns"]["median"] for one in points}
    sizes = sorted(times)
    pairs = [*((one["beside"], one["bytes"]) for one in points), *pairwise(sizes)]
    return [(times[b] - times[a]) / (b - a) for a, b in pairs]


def _longer(size: Mapping[str, Any]) -> Ends:
    """How much longer such a ping took than the one beside it."""
    one, other = size["one_way_ns"], size["beside_ns"]
    return one["median"] - other["median"], one["low"] - other["high"], one["high"] - other["low"]


def _takes(costs: Costs, name: str, size: float) -> float:
    """What a message over a link of a class takes, with the interfaces that it passes."""
    each = costs.interface_message_ns + costs.interface_per_byte_ns * size
    return costs.links[name].message_ns(size) + 2 * each * (name in _BETWEEN_HOSTS)


def with_meetings(fitted: Triple, meetings: Sequence[Mapping[str, Any]]) -> Triple:
    """meetings: as `probe.between.measure_between` gives them. What it costs is for `with_waits`."""
    met = {
        (one["passing"], one["place"]): Met(
            float(one["bytes"]), one["alone_ns"], one["least_wait_ns"], one["most_wait_ns"]
        )
        for one in meetings
    }
    typical, low, high = (replace(costs, met={**costs.met, **met}) for costs in fitted)
    return typical, low, high


def with_waits(costs: Costs, waits: Sequence[Wait], end: int, host_clusters: Sequence[int]) -> Costs:
    """The costs of a candidate whose messages wait for one another. end: EXPECTED, LOWEST or HIGHEST.

    On a link they pass one after the other, or both ways; if the probe's did so only for a part, or only for some
    delays, just the highest costs have it so. An interface takes for a byte what the one waited for the other, in the
    highest costs beside all that messages took alone, and in the lowest nothing.
    """
    through = [met.most_wait_ns / met.bytes for passing, _, met in waits if passing == interfaces.__name__]
    for wait in waits:
        if wait[0] != interfaces.__name__:
            costs = _on_link(costs, wait, end, host_clusters)
    if not through or end == LOWEST or costs.interface_message_ns or costs.interface_per_byte_ns:
        return costs
    if end == HIGHEST:
        return replace(costs, interface_per_byte_ns=max(through))
    return _through_interfaces(costs, float(np.median(through)), host_clusters)


def _on_link(costs: Costs, wait: Wait, end: int, host_clusters: Sequence[int]) -> Costs:
    """On a link between clusters or hosts."""
    passing, place, met = wait
    is_far, a, b = pair_of(place)
    name = link_class(same_rank=False, same_host=False, same_cluster=not is_far)
    if not costs.links[name].tells_bytes:
        costs = costs.in_bytes({name: met.most_wait_ns / met.bytes}, host_clusters)
    always = met.least_wait_ns > max(FREE * met.alone_ns, ALL_BYTES * costs.per_byte_ns(name) * met.bytes)
    if not always and end < HIGHEST:
        return costs
    if passing == shared.__name__:
        return replace(costs, clusters_share=costs.clusters_share | {(a, b)})
    assert passing == both_ways.__name__
    return replace(costs, directions_share=costs.directions_share | {(is_far, a, b)})


def _through_interfaces(costs: Costs, per_byte_ns: float, host_clusters: Sequence[int]) -> Costs:
    """The same if so much of what a byte takes between hosts, or as much as there is, is due to each of the two
    interfaces."""
    known = [name for name in _BETWEEN_HOSTS if costs.links[name].hops]
    costs = costs.in_bytes(
        {name: 2 * per_byte_ns for name in known if not costs.links[name].tells_bytes}, host_clusters
    )
    each = min((per_byte_ns, *(costs.links[name].per_byte_ns / 2 for name in known)))
    less = {
        name: replace(costs.links[name], per_byte_ns=max(0.0, costs.links[name].per_byte_ns - 2 * each))
        for name in _BETWEEN_HOSTS
    }
    return replace(costs, links=costs.links | less, interface_per_byte_ns=each)
