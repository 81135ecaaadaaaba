"""The parameters of the published models from a run's hops. Parameters of links come from messages that had their link
to themselves. Parameters of emulated links and of ranks are fitted as for `analyze remap`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from hopscope.format.quantities import duration, in_words
from hopscope.machine.costs import INTRA_HOST, Costs, LinkCost
from hopscope.machine.eager import LATENCIES
from hopscope.machine.hops import Array
from hopscope.machine.link_fit import OUTLYING
from hopscope.machine.parameters.rows import NS_PER_BYTE, Estimate, LinkEnds, Row, row
from hopscope.replay.fitting.fit import fit, fitted_hops
from hopscope.replay.fitting.link_times import Way, untold, ways_of
from hopscope.replay.run.subject import Source, source_of
from hopscope.vocabulary.links import LINKS

LARGE_BYTES = 1 << 20
"""The largest size, in bytes, for which alpha(m) and g(m) get a row. Both are straight lines here."""


@dataclass(frozen=True)
class Fitted:
    """The costs of links and ranks that were fitted to a trace, and the data of the fit."""

    source: Source
    costs: Costs
    ways: Mapping[str, Way]
    """Times of messages, by class of links."""
    sizes: Array
    """Bytes of each hop that a rank waited for."""
    links: Array
    """The class of link of each of these hops, as its index in LINKS."""

    @property
    def used(self) -> list[str]:
        """The classes of links on which ranks waited for a hop."""
        return [name for name, link in self.costs.links.items() if link.hops]

    @property
    def known_links(self) -> set[str]:
        """The classes of links with a known time per message and per byte."""
        return {name for name, way in self.ways.items() if way.alpha is not None and way.beta is not None}

    @property
    def provenance(self) -> str:
        """A sentence on the messages from which the parameters come."""
        subject = self.source.subject
        messages = "the MPI library's own messages" if subject.native else "the engine's hops"
        target = f"of {subject.op} on communicator {subject.comm}"
        if self.costs.machine.emulated:
            return f"From {messages} {target}."
        return (
            f"From {messages}. Times of links: from all collectives, messages that had their link to themselves. Times "
            f"of ranks: from messages {target}."
        )

    @property
    def untold(self) -> list[str]:
        """Sentences on links whose latencies the messages do not show."""
        sentences = untold(self.ways, self.used)
        links_with_alpha = [name for name in self.used if name in self.ways and self.ways[name].alpha is not None]
        overdrawn = [name for name in links_with_alpha if _latency(self.ways[name], self.costs.local.send_ns) is None]
        if overdrawn:
            sentences.append(
                f"L of {in_words(overdrawn)} links is not given: a send takes its rank "
                f"{duration(self.costs.local.send_ns)}, longer than a message is on its way, so ranks may have waited "
                "for a core while they sent."
            )
        return sentences


def fitted_of_trace(table: Callable[[str], pa.Table]) -> Fitted:
    """Fits the costs to the hops of a trace. table: returns a table of its dataset by name. Raises InputError if no
    rank waited for a hop."""
    source = source_of(table)
    costs = fit(source)
    _, hops = fitted_hops(source)
    sizes, links = hops.size[hops.binding], hops.link[hops.binding]
    if not costs.machine.emulated:
        ways = ways_of(source)
        return Fitted(source, _agreeing(costs, ways, source.places.cluster_of_host), ways, sizes, links)
    return Fitted(source, costs, ways_of_emulated(costs, sizes, links), sizes, links)


def ways_of_emulated(costs: Costs, sizes: Array, links: Array) -> dict[str, Way]:
    """Times of emulated links by class. The time per byte comes from the topology file. A class with messages of only
    one size has none, because these do not show it. sizes, links: bytes of each hop that a rank waited for, and the
    index of its class in LINKS."""
    ways: dict[str, Way] = {}
    for name, link in costs.links.items():
        if link.hops:
            beta = Estimate(_per_byte_ns(name, costs), count=link.hops)
            several_sizes = bool(np.ptp(sizes[links == LINKS.index(name)]))
            ways[name] = Way(Estimate(link.latency_ns, count=link.hops), beta if several_sizes else None)
    return ways


def _agreeing(costs: Costs, ways: Mapping[str, Way], host_clusters: Sequence[int]) -> Costs:
    """The costs, with the times of links replaced by those in `ways`, so that replay and formulas use the same
    parameters. The times that messages spend in the hosts' interfaces are subtracted, because the replay adds them."""
    remote_ways = [way for name, way in ways.items() if name != INTRA_HOST]
    message = min([costs.interface_message_ns, *(way.alpha.value / 2 for way in remote_ways if way.alpha is not None)])
    byte = min([costs.interface_per_byte_ns, *(way.beta.value / 2 for way in remote_ways if way.beta is not None)])
    links: dict[str, LinkCost] = {}
    for name, link in costs.links.items():
        way, passed = ways.get(name, Way()), 0 if name == INTRA_HOST else 2
        links[name] = replace(
            link,
            latency_ns=link.latency_ns if way.alpha is None else way.alpha.value - passed * message,
            per_byte_ns=link.per_byte_ns if way.beta is None else way.beta.value - passed * byte,
            eager_bytes=link.eager_bytes if way.limit is None else way.limit,
        )
    classes = costs.classes(host_clusters)

    def is_unchanged(a: int, b: int) -> bool:
        """True if the latency of the pair's class stays almost the same, so that the pair's own latency is still
        right."""
        name = LINKS[classes[a, b]]
        old_latency = costs.links[name].latency_ns
        return abs(links[name].latency_ns - old_latency) <= OUTLYING * old_latency

    pairs = {pair: latency for pair, latency in costs.pairs.items() if is_unchanged(*pair)}
    return replace(costs, links=links, pairs=pairs, interface_message_ns=message, interface_per_byte_ns=byte)


def rows_of_fit(trace_fit: Fitted) -> list[Row]:
    """A row for every parameter that the hops of a trace show."""
    costs = trace_fit.costs
    rows: list[Row] = []
    for name in trace_fit.used:
        rows += _rows_of_link(name, costs.links[name], trace_fit.ways.get(name, Way()), costs)
    if costs.local.combine_per_byte_ns:
        rows.append(row(None, None, "gamma", Estimate(costs.local.combine_per_byte_ns), unit=NS_PER_BYTE))
    return rows


def _per_byte_ns(name: str, costs: Costs) -> float:
    """Time per byte through both hosts' interfaces and the link between them: the slowest of them if the machine
    forwards bytes at once (cut-through), else their sum. An emulated link's time comes from the topology file and is
    not in the fitted costs."""
    interface_ns = 0.0 if name == "shm" else costs.interface_per_byte_ns + costs.machine.interface_per_byte_ns
    link_ns = costs.links[name].per_byte_ns + (_emulated_per_byte_ns(name, costs) if costs.machine.emulated else 0.0)
    return max(link_ns, interface_ns) if costs.machine.cut_through else link_ns + 2 * interface_ns


def _emulated_per_byte_ns(name: str, costs: Costs) -> float:
    """Median time per byte over all pairs of hosts with this class of link, including links that clusters share."""
    machine = costs.machine
    classes = costs.classes(machine.host_clusters)
    per_byte = np.broadcast_to(machine.wire_per_byte_ns, classes.shape)
    if machine.clusters:
        cluster = np.asarray([*machine.host_clusters, *machine.gateways_clusters])
        per_byte = per_byte + machine.shared_per_byte_ns[np.ix_(cluster, cluster)]
    return float(np.median(per_byte[classes == LINKS.index(name)]))


def rendezvous_bytes(link: LinkCost, costs: Costs) -> int | None:
    """Bytes of the shortest message by rendezvous; None if there is none. An emulated link has none: it delays a
    message from the start of its send, so RTS and CTS add no latency."""
    return None if costs.machine.emulated or math.isinf(link.eager_bytes) else int(link.eager_bytes) + 1


def _alpha(ends: LinkEnds, time: Estimate, rendezvous_size: int | None) -> Iterator[Row]:
    """Rows of alpha. A link with rendezvous has four rows: for the smallest and the largest size that is sent eagerly,
    and the same for sizes that are sent by rendezvous."""
    if rendezvous_size is None:
        yield row(ends, "Hockney", "alpha", time)
        return
    for size in (0, rendezvous_size - 1):
        yield row(ends, "Hockney", "alpha", time, size=size)
    for size in (rendezvous_size, max(LARGE_BYTES, 2 * rendezvous_size)):
        yield row(ends, "Hockney", "alpha", time * LATENCIES, size=size)


def _latency(way: Way, send_ns: float) -> Estimate | None:
    """The parameter L: alpha less the sender's overhead; None if alpha is unknown or surely not larger than the
    overhead."""
    if way.alpha is None:
        return None
    rest = (way.alpha - Estimate(send_ns, send_ns, send_ns, way.alpha.count)).at_least_0()
    return rest if rest.high is None or rest.high > 0 else None


def _rows_of_link(name: str, link: LinkCost, way: Way, costs: Costs) -> Iterator[Row]:
    """The rows of one class of links. alpha is the time from the start of a send to the end of its receive, so it
    contains the sender's overhead, but not the receiver's."""
    ends, local = LinkEnds(name), costs.local
    sending, receiving = Estimate(local.send_ns, count=link.hops), Estimate(local.handle_down_ns, count=link.hops)
    gap = Estimate(max(local.send_ns, 0.0 if name == INTRA_HOST else costs.interface_message_ns), count=link.hops)
    if way.alpha is not None:
        yield from _alpha(ends, way.alpha, rendezvous_bytes(link, costs))
    rest = _latency(way, local.send_ns)
    if way.beta is not None:
        yield row(ends, "Hockney", "beta", way.beta, unit=NS_PER_BYTE)
    if rest is not None:
        yield row(ends, "LogGP", "L", rest)
    yield row(ends, "LogGP", "o", (sending + receiving) * 0.5)
    yield row(ends, "LogGP", "g", gap)
    if way.beta is not None:
        yield row(ends, "LogGP", "G", way.beta, unit=NS_PER_BYTE)
    if rest is not None:
        yield row(ends, "PLogP", "L", rest)
    yield row(ends, "PLogP", "o_s", sending)
    yield row(ends, "PLogP", "o_r", receiving)
    if way.beta is not None:
        for size in (0, LARGE_BYTES):
            yield row(ends, "PLogP", "g", gap + way.beta * size, size=size, destinations=1)
