"""The models' parameters from a run's hops, as `analyze remap` fits them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from hopscope.links import LINKS
from hopscope.model.costs import Costs, LinkCost
from hopscope.parameters.rows import NS_PER_BYTE, Estimate, LinkEnds, Row, row
from hopscope.remap.events import events_of
from hopscope.remap.fit import fit, fitted_hops
from hopscope.remap.program import source_of

LARGE_BYTES = 1 << 20
"""The other end of the line that g(m) is here."""


def rows_of_trace(table: Callable[[str], pa.Table]) -> tuple[list[Row], str]:
    """Every parameter that the hops of a trace show, and which collectives they are of, in a sentence. table: of its
    dataset by name. Raises InputError if no rank waited for a hop."""
    source = source_of(table)
    subject = source.subject
    events = events_of(source) if subject.native else None
    costs, low, high = fit(source, events)
    rows: list[Row] = []
    hops = fitted_hops(source)
    for name, link in costs.links.items():
        if link.hops:
            latency = low.links[name].latency_ns, high.links[name].latency_ns
            sizes = hops.size[hops.binding & (hops.link == LINKS.index(name))]
            rows += _rows_of_link(name, link, latency, costs, several_sizes=bool(np.ptp(sizes)))
    if costs.local.combine_per_byte_ns:
        rows.append(row(None, None, "gamma", Estimate(costs.local.combine_per_byte_ns), unit=NS_PER_BYTE))
    ran = "the MPI library's own messages" if subject.native else "the engine's hops"
    return rows, f"From {ran} of {subject.op} on communicator {subject.comm}."


def _rows_of_link(
    name: str, link: LinkCost, latency: tuple[float, float], costs: Costs, *, several_sizes: bool
) -> Iterator[Row]:
    """A latency is fitted from the beginning of a send to the end of the receive, so it contains the sender's overhead
    and not the receiver's. One size of messages says nothing about bytes, so it gives no model that needs them."""
    ends = LinkEnds(name)
    local = costs.local
    time = Estimate(link.latency_ns, *latency, link.hops)
    per_byte = Estimate(link.per_byte_ns, count=link.hops)
    sending, receiving = Estimate(local.send_ns, count=link.hops), Estimate(local.handle_down_ns, count=link.hops)
    gap = Estimate(max(local.send_ns, 0.0 if name == "shm" else costs.interface_message_ns), count=link.hops)
    yield row(ends, "Hockney", "alpha", time)
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
