"""The models' parameters from a run's hops: its links' from the messages that crossed them alone, of emulated links and
of its ranks as `analyze remap` fits them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from hopscope.format.quantities import duration, in_words
from hopscope.machine.costs import INSIDE, Costs, LinkCost
from hopscope.machine.eager import LATENCIES
from hopscope.machine.hops import Array
from hopscope.machine.link_fit import OUTLYING
from hopscope.machine.parameters.rows import NS_PER_BYTE, Estimate, LinkEnds, Row, row
from hopscope.replay.fitting.fit import fit, fitted_hops
from hopscope.replay.fitting.ways import Way, untold, ways_of
from hopscope.replay.run.program import Source, source_of
from hopscope.vocabulary.links import LINKS

LARGE_BYTES = 1 << 20
"""The other end of the lines that alpha(m) and g(m) are here."""


@dataclass(frozen=True)
class Fitted:
    """What the hops of a trace show: the costs of its links and ranks, and how far those may be off."""

    source: Source
    costs: Costs
    ways: Mapping[str, Way]
    """By class of links, what its messages take."""
    sizes: Array
    """Bytes of each hop that a rank waited for."""
    links: Array
    """Its class, by its place in LINKS."""

    @property
    def used(self) -> list[str]:
        """The classes of links on which ranks waited for a hop."""
        return [name for name, link in self.costs.links.items() if link.hops]

    @property
    def known(self) -> set[str]:
        """The classes of links of which it is known what a message and its bytes take."""
        return {name for name, way in self.ways.items() if way.alpha is not None and way.beta is not None}

    @property
    def said(self) -> str:
        """Which collectives it is from, in a sentence."""
        subject = self.source.subject
        ran = "the MPI library's own messages" if subject.native else "the engine's hops"
        of = f"of {subject.op} on communicator {subject.comm}"
        if self.costs.machine.emulated:
            return f"From {ran} {of}."
        return f"From {ran}: links from those of all collectives that met no others, ranks from those {of}."

    @property
    def untold(self) -> list[str]:
        """Which links' latencies the messages do not show, in sentences."""
        said = untold(self.ways, self.used)
        known = [name for name in self.used if name in self.ways and self.ways[name].alpha is not None]
        overdrawn = [name for name in known if _latency(self.ways[name], self.costs.local.send_ns) is None]
        if overdrawn:
            said.append(
                f"L of {in_words(overdrawn)} links is not given: a send takes its rank "
                f"{duration(self.costs.local.send_ns)}, longer than a message is on its way, so ranks may have waited "
                "for a core while they sent."
            )
        return said


def fitted_of_trace(table: Callable[[str], pa.Table]) -> Fitted:
    """Fits the costs to the hops of a trace. table: of its dataset by name. Raises InputError if no rank waited for a
    hop."""
    source = source_of(table)
    costs = fit(source)
    _, hops = fitted_hops(source)
    sizes, links = hops.size[hops.binding], hops.link[hops.binding]
    if not costs.machine.emulated:
        ways = ways_of(source)
        return Fitted(source, _agreeing(costs, ways, source.places.cluster_of_host), ways, sizes, links)
    return Fitted(source, costs, ways_of_emulated(costs, sizes, links), sizes, links)


def ways_of_emulated(costs: Costs, sizes: Array, links: Array) -> dict[str, Way]:
    """What emulated links take, by their class; what they take for bytes is known. One size of messages still says
    nothing about bytes, so it gives no model that needs them. sizes, links: bytes of each hop that a rank waited for,
    and its class."""
    found: dict[str, Way] = {}
    for name, link in costs.links.items():
        if link.hops:
            beta = Estimate(_per_byte_ns(name, costs), count=link.hops)
            several_sizes = bool(np.ptp(sizes[links == LINKS.index(name)]))
            found[name] = Way(Estimate(link.latency_ns, count=link.hops), beta if several_sizes else None)
    return found


def _agreeing(costs: Costs, ways: Mapping[str, Way], host_clusters: Sequence[int]) -> Costs:
    """The costs with what is known of the links, so that the replay has the formulas' parameters. Interfaces that were
    fitted have their part of it."""
    between = [way for name, way in ways.items() if name != INSIDE]
    message = min([costs.interface_message_ns, *(way.alpha.value / 2 for way in between if way.alpha is not None)])
    byte = min([costs.interface_per_byte_ns, *(way.beta.value / 2 for way in between if way.beta is not None)])
    links: dict[str, LinkCost] = {}
    for name, link in costs.links.items():
        way, passed = ways.get(name, Way()), 0 if name == INSIDE else 2
        links[name] = replace(
            link,
            latency_ns=link.latency_ns if way.alpha is None else way.alpha.value - passed * message,
            per_byte_ns=link.per_byte_ns if way.beta is None else way.beta.value - passed * byte,
            eager_bytes=link.eager_bytes if way.limit is None else way.limit,
        )
    classes = costs.classes(host_clusters)

    def is_like(a: int, b: int) -> bool:
        """Whether its class is as the costs had it, so that a pair still differs from it as much."""
        name = LINKS[classes[a, b]]
        was = costs.links[name].latency_ns
        return abs(links[name].latency_ns - was) <= OUTLYING * was

    pairs = {pair: latency for pair, latency in costs.pairs.items() if is_like(*pair)}
    return replace(costs, links=links, pairs=pairs, interface_message_ns=message, interface_per_byte_ns=byte)


def steps_of_fit(found: Fitted) -> list[int]:
    """The sizes at which what a message takes has a step: the longest that goes at once and the first that does not."""
    links = (link for link in found.costs.links.values() if link.hops)
    sizes = {announced_from(link, found.costs) for link in links} - {None}
    return sorted(each for size in sizes if size is not None for each in (size - 1, size))


def rows_of_fit(found: Fitted) -> list[Row]:
    """Every parameter that the hops of a trace show."""
    costs = found.costs
    rows: list[Row] = []
    for name in found.used:
        rows += _rows_of_link(name, costs.links[name], found.ways.get(name, Way()), costs)
    if costs.local.combine_per_byte_ns:
        rows.append(row(None, None, "gamma", Estimate(costs.local.combine_per_byte_ns), unit=NS_PER_BYTE))
    return rows


def _per_byte_ns(name: str, costs: Costs) -> float:
    """Of a message through both interfaces and the link between them: of the slowest if they pass bytes on as they
    come, of one after the other if not. A sender's next message waits for its interface too. What an emulated link
    takes is known from the topology file, and not in what was fitted."""
    each = 0.0 if name == "shm" else costs.interface_per_byte_ns + costs.machine.interface_per_byte_ns
    own = costs.links[name].per_byte_ns + (_emulated_per_byte_ns(name, costs) if costs.machine.emulated else 0.0)
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


def _latency(way: Way, send_ns: float) -> Estimate | None:
    """L: what is left of alpha without the sender's overhead; None if nothing is for certain, or alpha is not known."""
    if way.alpha is None:
        return None
    rest = (way.alpha - Estimate(send_ns, send_ns, send_ns, way.alpha.count)).at_least_0()
    return rest if rest.high is None or rest.high > 0 else None


def _rows_of_link(name: str, link: LinkCost, way: Way, costs: Costs) -> Iterator[Row]:
    """A latency reaches from the beginning of a send to the end of the receive, so it contains the sender's overhead
    and not the receiver's."""
    ends, local = LinkEnds(name), costs.local
    sending, receiving = Estimate(local.send_ns, count=link.hops), Estimate(local.handle_down_ns, count=link.hops)
    gap = Estimate(max(local.send_ns, 0.0 if name == INSIDE else costs.interface_message_ns), count=link.hops)
    if way.alpha is not None:
        yield from _alpha(ends, way.alpha, announced_from(link, costs))
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
