"""What a candidate leans on that the run did not measure, and how slow that may be at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscope.links import LINKS, link_class
from hopscope.model.costs import BYTES_MATTER, NEAR, SMALL, Costs, HostPair
from hopscope.paths.columns import Array, integers
from hopscope.remap.candidates.combination import Runs, pieces_of
from hopscope.remap.candidates.laid import classes_of
from hopscope.remap.judging.meeting import Passing, both_ways, interfaces, meeting_bytes, met, pair_of, shared
from hopscope.remap.run.hops import hops_of, model_hops
from hopscope.remap.run.program import Places, Source, operations_of

Row = dict[str, Any]

LOOKED_AT = 50
"""Collectives in which messages that met are looked for."""
PASSINGS: tuple[Passing, ...] = (interfaces, shared, both_ways)
"""Where messages meet."""


@dataclass(frozen=True)
class Guesses:
    """What no hop measured: pairs of hosts; how long messages wait for one another that meet, where none met in the run
    or only far shorter ones; and bytes of messages of which the hops had only far shorter and far longer ones.

    interfaces: hosts. shared: links between clusters that have several messages at once, and both_ways: links between
    clusters or hosts that have messages of both directions at once; the names of both ends.
    """

    pairs: tuple[HostPair, ...] = ()
    interfaces: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    shared: tuple[str, ...] = ()
    both_ways: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pairs or self.interfaces or self.links or self.sizes)

    @property
    def links(self) -> int:
        """On how many links messages meet."""
        return len({*self.shared, *self.both_ways})


@dataclass(frozen=True)
class Measured:
    """What the run's hops measured. met: of each of PASSINGS the most bytes of messages that met there, by link class;
    0: none did."""

    source: Source
    costs: Costs
    met: Mapping[Passing, Array]

    def guesses(self, runs: Runs) -> Guesses:
        """What it needs besides."""
        subject = self.source.subject
        pairs = tuple(sorted(runs.host_pairs(subject) - self.costs.measured))
        if self.costs.machine.emulated:
            return Guesses(pairs)
        found = {passing: self._meetings(runs, passing) for passing in PASSINGS}
        named = [tuple(self._named(one) for one in sorted(found[passing])) for passing in (shared, both_ways)]
        return Guesses(pairs, tuple(sorted(found[interfaces])), self._sizes(runs), *named)

    def _meetings(self, runs: Runs, passing: Passing) -> set[int]:
        """Where long messages meet of which the run had none, or only far shorter ones, that did."""
        found = set[int]()
        short = np.maximum(SMALL, NEAR * self.met[passing])
        clusters = np.asarray(self.source.places.cluster_of_host)
        for one, part in pieces_of(runs, self.source.subject):
            hosts = np.asarray(part.hosts)
            for sent in one.messages(part):
                link = classes_of(sent, part.hosts, part.clusters)
                long = sent.size > short[link]
                if passing is not interfaces:
                    long &= self._matters(sent.size, link)
                together = [column[long] for column in sent.together]
                found |= met(passing, hosts[sent.src[long]], hosts[sent.dst[long]], clusters, together)
        return found

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

    def _named(self, place: int) -> str:
        """Both ends of a link."""
        is_far, a, b = pair_of(place)
        names = self.source.places.clusters if is_far else self.source.places.hosts
        return f"{names[a]}-{names[b]}"

    def _sizes(self, runs: Runs) -> tuple[int, ...]:
        """Bytes of messages of which no hop had about as many."""
        found = set[int]()
        for one, part in pieces_of(runs, self.source.subject):
            for sent in one.messages(part):
                of_link = classes_of(sent, part.hosts, part.clusters)
                for place, name in enumerate(LINKS):
                    if self.costs.bytes_matter(name):
                        sizes = np.unique(sent.size[of_link == place])
                        found |= set(sizes[~self.costs.links[name].is_near(sizes)].tolist())
        return tuple(sorted(found))

    def fastest(self, guesses: Guesses, low: Costs) -> Costs:
        """The lower end of the costs, with messages of sizes that are guessed as fast as the shortest that were
        measured."""
        return replace(low, sizes_as="shortest") if guesses.sizes else low

    def slowest(self, guesses: Guesses, high: Costs) -> Costs:
        """The upper end of the costs, with what is guessed as slow as it may be.

        At most, an interface is busy with a message for as long as the message is on its way, and a message of a size
        that is guessed takes what the longest took.
        """
        slow = replace(high, unmeasured="bound", sizes_as="longest" if guesses.sizes else "line")
        if guesses.shared or guesses.both_ways:
            slow = replace(
                self._occupied(slow), clusters_share=bool(guesses.shared), directions_share=bool(guesses.both_ways)
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
        hidden = {name: 0.0 if link.tells_bytes else link.latency_ns for name, link in far.items()}
        links = {
            name: replace(
                link,
                latency_ns=link.latency_ns - hidden[name],
                per_byte_ns=link.per_byte_ns + link.latency_ns / link.most_bytes,
            )
            for name, link in far.items()
        }
        classes = costs.classes(self.source.places.cluster_of_host)
        pairs = {pair: max(0.0, ns - hidden.get(LINKS[classes[pair]], 0.0)) for pair, ns in costs.pairs.items()}
        return replace(costs, links=costs.links | links, pairs=pairs)


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
        taken = transit if passing is interfaces else seen
        most[passing] = np.asarray([meeting_bytes(passing, hops.of(mine), clusters, taken[mine]) for mine in of_class])
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


def missing_of(rows: Sequence[Row], guessed: Mapping[str, Guesses], places: Places) -> list[dict[str, Any]]:
    """The pairs of hosts that candidates lean on which may gain: `hosts` by name, `ranks` that are on them, and the
    class of `link`."""
    pairs = {
        pair
        for row in rows
        if row["predicted_low_ns"] < row["measured_ns"]
        for pair in guessed.get(row["name"], Guesses()).pairs
    }
    first = {host: rank for rank, host in sorted(places.host_of_rank.items(), reverse=True)}
    of = places.cluster_of_host
    return [
        {
            "hosts": [places.hosts[host] for host in pair],
            "ranks": [first[host] for host in pair],
            "link": link_class(same_rank=False, same_host=False, same_cluster=of[pair[0]] == of[pair[1]]),
        }
        for pair in sorted(pairs)
    ]
