"""What a probe measured of what the run's hops do not show: pairs of hosts, sizes, and messages that meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscope.errors import InputError
from hopscope.header import listed
from hopscope.links import link_class
from hopscope.model.costs import SMALL, Costs, Ends, HostPair, LinkCost
from hopscope.model.link_fit import line_of
from hopscope.remap.fitting.probed_messages import Triple, with_meetings, with_sizes
from hopscope.remap.run.program import Places, Source

_ENDS = ("median", "low", "high")


FITS = 0.05
"""A replay that is off by no more than this share is good enough."""


@dataclass(frozen=True)
class _Probed:
    """What a message of so many bytes takes one way between two hosts."""

    pair: HostPair
    one_way: Ends
    bytes: float


def with_what_fits(
    fitted: Triple, source: Source, machine: Mapping[str, Any], error: Callable[[Costs], float]
) -> Triple:
    """`with_machine`, but without the sizes where what ran is replayed badly with them, and twice as well without.
    error: how far the replay of what ran is off, as a share."""
    every = with_machine(fitted, source, machine)
    off = error(every[0])
    if not machine.get("sizes") or off <= FITS:
        return every
    without = with_machine(fitted, source, {**machine, "sizes": ()})
    return without if error(without[0]) < off / 2 else every


def with_machine(fitted: Triple, source: Source, machine: Mapping[str, Any]) -> Triple:
    """The costs with what the probe measured and no hop did; see `measure_between` for what that may be. Raises
    InputError if the machine file is of other hosts."""
    fitted = _with_pairs(fitted, source, machine)
    fitted = with_sizes(fitted, machine.get("sizes", ()), source.places)
    return with_meetings(fitted, machine.get("meetings", ()))


def _with_pairs(fitted: Triple, source: Source, machine: Mapping[str, Any]) -> Triple:
    """The costs with the pairs of hosts that the probe measured and no hop did.

    A hop takes the collector or library longer than a ping takes the probe. By how much, pairs show that both measured:
    the median of that is added, and its least and most at the ends. A ping there and back does not tell its two ways
    apart: where the run measured one of them, the other takes the rest; else by how much one is longer, the run's pairs
    of the same two clusters show. A class of links that no hop
    measured has what a byte takes from the probe.
    """
    places = source.places
    number = _numbers(machine, places)
    probed = [
        _Probed(
            _ordered(*(number[name] for name in entry["hosts"])), _values(entry["one_way_ns"]), entry.get("bytes", 0)
        )
        for entry in machine["latencies"]
        if entry["hosts"][0] != entry["hosts"][1] and isinstance(entry["one_way_ns"], dict)
    ]
    known = fitted[0].measured
    both, new = ([one for one in probed if (known >= _ways(one.pair)) == is_known] for is_known in (True, False))
    if not new:
        return fitted
    two_ways = _two_ways(fitted[0])
    both = [one for one in both if one.pair in two_ways] or both
    beyond = [_one_way_ns(fitted[0], one, places) - one.one_way[0] for one in both] or [0.0]
    added = (float(np.median(beyond)), min(beyond), max(beyond))
    longer = _longer_there(fitted[0], two_ways, places)
    measured = known.union(*(_ways(one.pair) for one in new))
    slopes = _slopes(machine)

    def latencies(at: int) -> dict[HostPair, float]:
        found: dict[HostPair, float] = {}
        for one in new:
            one_way = one.one_way[at] + added[at] - _per_byte_ns(fitted[0], one.pair, places) * one.bytes
            ways = _ways(one.pair)
            for way in ways - known:
                own = one_way + longer.get(_clusters(way, places), (0.0, 0.0, 0.0))[at]
                if _back(way) in known:
                    own = 2 * one_way - _latency_ns(fitted[at], _back(way), places)
                found[way] = max(0.0, own)
        return found

    typical, low, high = (
        replace(
            costs,
            measured=measured,
            pinged=costs.pinged | (measured - known),
            pairs=costs.pairs | latencies(at),
            links={name: _with_slope(link, name, slopes) for name, link in costs.links.items()},
        )
        for at, costs in enumerate(fitted)
    )
    return typical, low, high


def _two_ways(costs: Costs) -> list[HostPair]:
    """The pairs, lower host first, of which the run's hops measured both ways."""
    return [(a, b) for a, b in costs.shortest_ns if a < b and (b, a) in costs.shortest_ns]


def _longer_there(costs: Costs, pairs: Sequence[HostPair], places: Places) -> dict[tuple[int, int], Ends]:
    """By how much the way from one cluster to another takes longer than half of both ways, by these clusters: the
    median, least and most of the pairs of hosts."""
    found: dict[tuple[int, int], list[float]] = {}
    for there in pairs:
        longer = (_latency_ns(costs, there, places) - _latency_ns(costs, _back(there), places)) / 2
        for way, ns in ((there, longer), (_back(there), -longer)):
            source, target = _clusters(way, places)
            if source != target:
                found.setdefault((source, target), []).append(ns)
    return {clusters: (float(np.median(each)), min(each), max(each)) for clusters, each in found.items()}


def _numbers(machine: Mapping[str, Any], places: Places) -> dict[str, int]:
    """The trace's number of each host of a machine file: by its name or, where names differ, by the ranks on it."""
    names = [host["name"] for host in machine["hosts"]]
    if set(names) <= set(places.hosts):
        return {name: places.hosts.index(name) for name in names}
    ranks_of: dict[frozenset[int], int] = {}
    for at in range(len(places.hosts)):
        ranks_of[frozenset(rank for rank, host in places.host_of_rank.items() if host == at)] = at
    found = {host["name"]: ranks_of.get(frozenset(host["ranks"])) for host in machine["hosts"]}
    if None in found.values():
        raise InputError(
            f"the machine file is of the hosts {listed(names)}, the trace of {listed(places.hosts)}; probe with the "
            "launcher's words of the run"
        )
    return {name: at for name, at in found.items() if at is not None}


def _ordered(a: int, b: int) -> HostPair:
    return min(a, b), max(a, b)


def _values(value: Mapping[str, float]) -> Ends:
    expected, low, high = (float(value[end]) for end in _ENDS)
    return expected, low, high


def _ways(pair: HostPair) -> frozenset[HostPair]:
    return frozenset((pair, _back(pair)))


def _back(pair: HostPair) -> HostPair:
    return pair[1], pair[0]


def _clusters(pair: HostPair, places: Places) -> tuple[int, int]:
    return places.cluster_of_host[pair[0]], places.cluster_of_host[pair[1]]


def _class_of(pair: HostPair, places: Places) -> str:
    a, b = _clusters(pair, places)
    return link_class(same_rank=False, same_host=False, same_cluster=a == b)


def _per_byte_ns(costs: Costs, pair: HostPair, places: Places) -> float:
    return costs.links[_class_of(pair, places)].per_byte_ns


def _latency_ns(costs: Costs, pair: HostPair, places: Places) -> float:
    return costs.pairs.get(pair, costs.links[_class_of(pair, places)].latency_ns)


def _one_way_ns(costs: Costs, probed: _Probed, places: Places) -> float:
    """What the run's hops say that it takes: half of both ways, as a ping has it."""
    ways = [_latency_ns(costs, pair, places) for pair in (probed.pair, _back(probed.pair))]
    return sum(ways) / 2 + _per_byte_ns(costs, probed.pair, places) * probed.bytes


def _slopes(machine: Mapping[str, Any]) -> dict[str, tuple[Sequence[float], float]]:
    """By class of links: the sizes that were measured, and what a byte takes."""
    found: dict[str, tuple[Sequence[float], float]] = {}
    for link in machine["links"]:
        points = [
            (float(point["bytes"]), float(point["one_way_ns"]["median"]))
            for point in link["sizes"]
            if isinstance(point["one_way_ns"], dict)
        ]
        if len(points) > 1 and link["link"] not in found and not link["outlying"]:
            sizes, times = (np.asarray(column) for column in zip(*points, strict=True))
            found[link["link"]] = sizes.tolist(), line_of(sizes, times)[1]
    return found


def _with_slope(link: LinkCost, name: str, slopes: Mapping[str, tuple[Sequence[float], float]]) -> LinkCost:
    """Only where no hop tells: what the run measured is its own."""
    if link.hops or name not in slopes:
        return link
    sizes, per_byte = slopes[name]
    told = max(sizes) > SMALL
    ends = {"least_bytes": min(sizes), "most_bytes": max(sizes), "sizes": tuple(sizes)}
    return replace(link, per_byte_ns=per_byte, tells_bytes=told, **ends)
