"""What a candidate leans on that the run did not measure, and how slow that may be at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hopscope.links import LINKS
from hopscope.model.costs import BYTES_MATTER, HIGHEST, LOWEST, NEAR, SMALL, Costs, Ends, HostPair, Met
from hopscope.paths.columns import Array, integers, numbered
from hopscope.remap.candidates.combination import Runs, pieces_of
from hopscope.remap.candidates.laid import classes_of
from hopscope.remap.fitting.probed_messages import Wait, with_waits
from hopscope.remap.judging.meeting import (
    Meeting,
    Passing,
    Sent,
    any_at_interfaces,
    both_ways,
    host_of,
    interfaces,
    meeting_bytes,
    met,
    pair_of,
    shared,
)
from hopscope.remap.run.hops import hops_of, model_hops
from hopscope.remap.run.program import Source, operations_of

LOOKED_AT = 50
"""Collectives in which messages that met are looked for."""
HARDLY_MORE = 1.5
"""Where messages met on a link, others may that have up to so many times as many bytes in all; more take longer."""
PASSINGS: tuple[Passing, ...] = (interfaces, shared, both_ways)
"""Where messages meet."""


Off = tuple[str, Ends, tuple[float, float]]


@dataclass(frozen=True)
class Guesses:
    """What no hop measured: pairs of hosts, from and to; how long messages wait for one another that meet, where none
    met in the run or only far shorter ones; and bytes of messages of which the hops had only far shorter and far longer
    ones.

    interfaces: of hosts. shared: links between clusters that have several messages at once, and both_ways: links
    between clusters or hosts that have messages of both directions at once. sizes: class of link, bytes. off: no guess,
    but what a probe measured: by class of link, how much longer messages take on the mean than a line has it, ns, their
    mean bytes, and what a byte of them takes; and waits: what they take where they meet. pinged: whether it uses pairs
    of hosts that only a probe measured.
    """

    pairs: tuple[HostPair, ...] = ()
    interfaces: tuple[Meeting, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    shared: tuple[Meeting, ...] = ()
    both_ways: tuple[Meeting, ...] = ()
    off: tuple[Off, ...] = ()
    waits: tuple[Wait, ...] = ()
    pinged: bool = False

    def __bool__(self) -> bool:
        return bool(self.pairs or self.interfaces or self.links or self.sizes)

    @property
    def lean_on_a_probe(self) -> bool:
        """Whether a probe measured any of it."""
        return bool(self.pinged or self.off or self.waits)

    @property
    def links(self) -> int:
        """On how many links messages meet."""
        return len({one.name for one in (*self.shared, *self.both_ways)})

    @property
    def bytes(self) -> list[int]:
        """Of messages whose sizes are guessed."""
        return sorted({size for _, size in self.sizes})


@dataclass(frozen=True)
class Measured:
    """What the run's hops measured. met: of each of PASSINGS the most bytes of messages that met there, by link class;
    0: none did."""

    source: Source
    costs: Costs
    met: Mapping[Passing, Array]
    with_probed: dict[tuple[int, object], Costs] = field(default_factory=dict[tuple[int, object], Costs])

    def guesses(self, runs: Runs) -> Guesses:
        """What it needs besides."""
        subject = self.source.subject
        used = runs.host_pairs(subject)
        pairs, pinged = tuple(sorted(used - self.costs.measured)), not used.isdisjoint(self.costs.pinged)
        if self.costs.machine.emulated:
            return Guesses(pairs)
        sizes, off = self._sizes(runs)
        found = {passing: self._meetings(runs, passing) for passing in PASSINGS}
        at_hosts, on_links, opposite = (
            tuple(one for one in found[passing] if self._met(passing, one) is None)
            for passing in (interfaces, shared, both_ways)
        )
        known = ((passing, one, self._met(passing, one)) for passing in PASSINGS for one in found[passing])
        waits = tuple((passing.__name__, one.place, met) for passing, one, met in known if met and met.waits)
        return Guesses(pairs, at_hosts, sizes, on_links, opposite, off, waits, pinged)

    def _met(self, passing: Passing, meeting: Meeting) -> Met | None:
        """What a probe measured there of messages that are not far shorter."""
        met = self.costs.met.get((passing.__name__, meeting.place))
        return met if met and meeting.size <= NEAR * met.bytes else None

    def _meetings(self, runs: Runs, passing: Passing) -> tuple[Meeting, ...]:
        """Where long messages meet of which the run had none that did, or only far shorter or far fewer ones."""
        found: dict[int, Meeting] = {}
        short = np.maximum(SMALL, (HARDLY_MORE if passing is shared else NEAR) * self.met[passing])
        clusters = np.asarray(self.source.places.cluster_of_host)
        for one, part in pieces_of(runs, self.source.subject):
            hosts = np.asarray(part.hosts)
            for sent in one.messages(part):
                link = classes_of(sent, part.hosts, part.clusters)
                long = sent.size > SMALL
                if passing is not interfaces:
                    long &= self._matters(sent.size, link)
                ends = hosts[sent.src[long]], hosts[sent.dst[long]]
                together = [column[long] for column in sent.together]
                ranks = numbered(sent.src[long], sent.dst[long])
                of = Sent(*ends, ranks, sent.size[long], (sent.size / short[link])[long], together)
                for place, meeting in met(passing, of, clusters).items():
                    if place not in found or found[place].size < meeting.size:
                        found[place] = meeting
        return tuple(replace(one, name=self._named(passing, place)) for place, one in sorted(found.items()))

    def _matters(self, size: Array, link: Array) -> Array:
        """Whether so many bytes may occupy a link for a time worth speaking of."""
        links = [self.costs.links[name] for name in LINKS]
        per_byte = np.asarray(
            [self.costs.per_byte_ns(name) + links[at].announced_per_byte_ns for at, name in enumerate(LINKS)]
        )
        once = np.asarray([max(0.0, (one.announced_ns or 0.0) - (one.answer_ns or 0.0)) for one in links])
        latency = np.asarray([one.latency_ns for one in links])
        told = np.asarray([one.tells_bytes for one in links])
        return ~told[link] | (per_byte[link] * size + once[link] > BYTES_MATTER * latency[link])

    def _named(self, passing: Passing, place: int) -> str:
        """A host, or both ends of a link."""
        if passing is interfaces:
            return self.source.places.hosts[host_of(place)]
        is_far, a, b = pair_of(place)
        names = self.source.places.clusters if is_far else self.source.places.hosts
        return f"{names[a]}-{names[b]}"

    def _sizes(self, runs: Runs) -> tuple[tuple[tuple[str, int], ...], tuple[Off, ...]]:
        """Bytes of messages of which neither a hop nor a probe had about as many, and how far off others are."""
        found = set[tuple[str, int]]()
        off: dict[str, list[Array]] = {}
        for one, part in pieces_of(runs, self.source.subject):
            for sent in one.messages(part):
                of_link = classes_of(sent, part.hosts, part.clusters)
                for place, name in enumerate(LINKS):
                    sizes = sent.size[of_link == place]
                    if len(sizes) and self.costs.bytes_matter(name):
                        beyond = self.costs.links[name].beyond_ns(sizes)
                        unknown = np.isnan(beyond[:, 0])
                        found |= {(name, size) for size in np.unique(sizes[unknown]).tolist()}
                        beside = np.column_stack([beyond, sizes])[~unknown]
                        off.setdefault(name, []).append(beside)
        known: list[Off] = []
        for name, parts in sorted(off.items()):
            each = np.concatenate(parts)
            if len(each) and each[:, :3].any():
                expected, low, high, _, size = each.mean(axis=0).tolist()
                per_byte = float((each[:, 3] * each[:, 4]).sum()) / max(1.0, float(each[:, 4].sum()))
                known.append((name, (expected, low, high), (size, per_byte)))
        return tuple(sorted(found)), tuple(known)

    def probed(self, guesses: Guesses, costs: Costs, end: int) -> Costs:
        """The costs with what a probe measured of the candidate's messages. end: EXPECTED, LOWEST or HIGHEST."""
        if not (guesses.off or guesses.waits):
            return costs
        # The same costs each time: replays are known by them.
        key = id(costs), (guesses.off, guesses.waits, end)
        if key not in self.with_probed:
            clusters = self.source.places.cluster_of_host
            for name, ends, of in guesses.off:
                costs = costs.longer_by(name, ends[end], of, clusters)
            self.with_probed[key] = with_waits(costs, guesses.waits, end, clusters)
        return self.with_probed[key]

    def fastest(self, guesses: Guesses, low: Costs) -> Costs:
        """The lower end of the costs, with messages of sizes that are guessed as fast as the shortest that were
        measured."""
        low = self.probed(guesses, low, LOWEST)
        return replace(low, sizes_as="shortest") if guesses.sizes else low

    def slowest(self, guesses: Guesses, high: Costs) -> Costs:
        """The upper end of the costs, with what is guessed as slow as it may be.

        At most, an interface is busy with a message for as long as the message is on its way, and a message of a size
        that is guessed takes what the longest took.
        """
        high = self.probed(guesses, high, HIGHEST)
        slow = replace(high, unmeasured="bound", sizes_as="longest" if guesses.sizes else "line")
        if guesses.shared or guesses.both_ways:
            ways = {pair_of(one.place)[1:] for one in guesses.shared}
            both = {pair_of(one.place) for one in guesses.both_ways}
            slow = replace(
                self._occupied(slow),
                clusters_share=slow.clusters_share | ways,
                directions_share=slow.directions_share | both,
            )
        if not guesses.interfaces:
            return slow
        links = [link for name, link in high.links.items() if name in LINKS[2:] and link.hops and link.most_bytes > 0]
        taken = [link.latency_ns / link.most_bytes + link.per_byte_ns for link in links]
        return replace(slow, interface_per_byte_ns=max([slow.interface_per_byte_ns, *taken]))

    def _occupied(self, costs: Costs) -> Costs:
        """The same if a message occupies a link for as long as it is on its way. Of messages of one size, that is all
        that they take."""
        far = {
            name: link for name, link in costs.links.items() if name in LINKS[2:] and link.hops and link.most_bytes > 0
        }
        each = {name: link.latency_ns / link.most_bytes for name, link in far.items()}
        told = {
            name: replace(link, per_byte_ns=link.per_byte_ns + each[name])
            for name, link in far.items()
            if link.tells_bytes
        }
        of_one_size = {name: ns for name, ns in each.items() if name not in told}
        costs = replace(costs, links=costs.links | told)
        return costs.in_bytes(of_one_size, self.source.places.cluster_of_host)


def measured_of(source: Source, costs: Costs) -> Measured:
    """costs: fitted from the run, or from a run over a tree."""
    rows = hops_of(source)
    collective: Array = source.arrays["hops.collective"][rows]
    rows = rows[np.isin(collective, np.unique(collective)[-LOOKED_AT:]) & ~_sets_up(source)[collective]]
    hops = model_hops(source, rows)
    links = [costs.links[name] for name in LINKS]
    latency, per_byte = (np.array([getattr(link, name) for link in links]) for name in ("latency_ns", "per_byte_ns"))
    transit = latency[hops.link] + per_byte[hops.link] * hops.size
    clusters = np.asarray(source.places.cluster_of_host)
    # Of a message that its receiver waited for it is known how long it was on its way. At interfaces, those that queue
    # for other reasons would pass for some that met there.
    seen = np.where(hops.binding, hops.received - hops.sent, transit)
    of_class = [hops.link == place for place in range(len(LINKS))]
    most: dict[Passing, Array] = {}
    for passing in PASSINGS:
        how, taken = (any_at_interfaces, transit) if passing is interfaces else (passing, seen)
        most[passing] = np.asarray([meeting_bytes(how, hops.of(mine), clusters, taken[mine]) for mine in of_class])
    # Where those over slow links meet, those over faster ones may as well; how these queue does not show those.
    return Measured(source, costs, {one: np.maximum.accumulate(of[::-1])[::-1] for one, of in most.items()})


def _sets_up(source: Source) -> Array:
    """Whether a collective is the first of its operation and communicator: a library may make connections and
    communicators in it, by messages that it sends never again."""
    collectives = source.tables["collectives"]
    ops = np.unique(operations_of(collectives), return_inverse=True)[1]
    kinds = np.stack([integers(collectives, "comm"), ops])
    result = np.zeros(len(ops), bool)
    result[np.unique(kinds, axis=1, return_index=True)[1]] = True
    return result
