"""The models' parameters from a run's hops, as `analyze remap` fits them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from hopscope.links import LINKS
from hopscope.model.costs import Costs, LinkCost
from hopscope.model.eager import LATENCIES
from hopscope.model.hops import Array
from hopscope.parameters.rows import NS_PER_BYTE, Estimate, LinkEnds, Row, row
from hopscope.remap.fitting.fit import fit, fitted_hops
from hopscope.remap.run.events import events_of
from hopscope.remap.run.program import Source, source_of

LARGE_BYTES = 1 << 20
"""The other end of the lines that alpha(m) and g(m) are here."""


@dataclass(frozen=True)
class Fitted:
    """What the hops of a trace show: the costs of its links and ranks, and how far those may be off."""

    source: Source
    costs: Costs
    low: Costs
    high: Costs
    sizes: Array
    """Bytes of each hop that a rank waited for."""
    links: Array
    """Its class, by its place in LINKS."""

    @property
    def said(self) -> str:
        """Which collectives it is from, in a sentence."""
        subject = self.source.subject
        ran = "the MPI library's own messages" if subject.native else "the engine's hops"
        return f"From {ran} of {subject.op} on communicator {subject.comm}."


def fitted_of_trace(table: Callable[[str], pa.Table]) -> Fitted:
    """Fits the costs to the hops of a trace. table: of its dataset by name. Raises InputError if no rank waited for a
    hop."""
    source = source_of(table)
    costs, low, high = fit(source, events_of(source) if source.subject.native else None)
    hops = fitted_hops(source)
    return Fitted(source, costs, low, high, hops.size[hops.binding], hops.link[hops.binding])


def steps_of_fit(found: Fitted) -> list[int]:
    """The sizes at which what a message takes has a step: the longest that goes at once and the first that does not."""
    links = (link for link in found.costs.links.values() if link.hops)
    sizes = {announced_from(link, found.costs) for link in links} - {None}
    return sorted(each for size in sizes if size is not None for each in (size - 1, size))


def rows_of_fit(found: Fitted) -> list[Row]:
    """Every parameter that the hops of a trace show."""
    costs = found.costs
    rows: list[Row] = []
    for name, link in costs.links.items():
        if link.hops:
            latency = found.low.links[name].latency_ns, found.high.links[name].latency_ns
            sizes = found.sizes[found.links == LINKS.index(name)]
            rows += _rows_of_link(name, link, latency, costs, several_sizes=bool(np.ptp(sizes)))
    if costs.local.combine_per_byte_ns:
        rows.append(row(None, None, "gamma", Estimate(costs.local.combine_per_byte_ns), unit=NS_PER_BYTE))
    return rows


def _per_byte_ns(name: str, link: LinkCost, costs: Costs) -> float:
    """Of a message through both interfaces and the link between them: of the slowest if they pass bytes on as they
    come, of one after the other if not. A sender's next message waits for its interface too. What an emulated link
    takes is known from the topology file, and not in what was fitted."""
    each = 0.0 if name == "shm" else costs.interface_per_byte_ns + costs.machine.interface_per_byte_ns
    own = link.per_byte_ns + (_emulated_per_byte_ns(name, costs) if costs.machine.emulated else 0.0)
    return max(own, each) if costs.machine.cut_through else own + 2 * each


def _emulated_per_byte_ns(name: str, costs: Costs) -> float:
    """Of the emulated links of a class, and of those that clusters share: the middle of all pairs of hosts."""
    machine = costs.machine
    classes = costs.classes(machine.host_clusters)
    per_byte = np.broadcast_to(machine.wire_per_byte_ns, classes.shape)
    if machine.clusters:
        cluster = np.asarray([*machine.host_clusters, *machine.gateways_clusters])
        per_byte = per_byte + machine.shared_per_byte_ns[np.ix_(cluster, cluster)]
    return float(np.median(per_byte[classes == LINKS.index(name)]))


def announced_from(link: LinkCost, costs: Costs) -> int | None:
    """From how many bytes on a message is announced before it goes; None if none is. An emulated link delays a message
    from its sending on, whether its sender is held or not."""
    return None if costs.machine.emulated or math.isinf(link.eager_bytes) else int(link.eager_bytes) + 1


def _alpha(ends: LinkEnds, time: Estimate, announced: int | None) -> Iterator[Row]:
    """Of a link that announces long messages, both ends of either part."""
    if announced is None:
        yield row(ends, "Hockney", "alpha", time)
        return
    for size in (0, announced - 1):
        yield row(ends, "Hockney", "alpha", time, size=size)
    for size in (announced, max(LARGE_BYTES, 2 * announced)):
        yield row(ends, "Hockney", "alpha", time * LATENCIES, size=size)


def _rows_of_link(
    name: str, link: LinkCost, latency: tuple[float, float], costs: Costs, *, several_sizes: bool
) -> Iterator[Row]:
    """A latency is fitted from the beginning of a send to the end of the receive, so it contains the sender's overhead
    and not the receiver's. One size of messages says nothing about bytes, so it gives no model that needs them."""
    ends = LinkEnds(name)
    local = costs.local
    time = Estimate(link.latency_ns, *latency, link.hops)
    per_byte = Estimate(_per_byte_ns(name, link, costs), count=link.hops)
    sending, receiving = Estimate(local.send_ns, count=link.hops), Estimate(local.handle_down_ns, count=link.hops)
    gap = Estimate(max(local.send_ns, 0.0 if name == "shm" else costs.interface_message_ns), count=link.hops)
    yield from _alpha(ends, time, announced_from(link, costs))
    if several_sizes:
        yield row(ends, "Hockney", "beta", per_byte, unit=NS_PER_BYTE)
    rest = Estimate(
        max(0.0, time.value - sending.value),
        max(0.0, latency[0] - sending.value),
        max(0.0, latency[1] - sending.value),
        link.hops,
    )
    yield row(ends, "LogGP", "L", rest)
    yield row(ends, "LogGP", "o", (sending + receiving) * 0.5)
    yield row(ends, "LogGP", "g", gap)
    if several_sizes:
        yield row(ends, "LogGP", "G", per_byte, unit=NS_PER_BYTE)
    yield row(ends, "PLogP", "L", rest)
    yield row(ends, "PLogP", "o_s", sending)
    yield row(ends, "PLogP", "o_r", receiving)
    if several_sizes:
        for size in (0, LARGE_BYTES):
            yield row(ends, "PLogP", "g", gap + per_byte * size, size=size, destinations=1)
