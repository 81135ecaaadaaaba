"""What a candidate leans on that the run did not measure, and how slow that may be at most."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscope.links import LINKS, link_class
from hopscope.model.costs import NEAR, SMALL, Costs, HostPair
from hopscope.model.hops import Hops
from hopscope.paths.columns import Array, integers
from hopscope.remap.candidates.combination import Runs, pieces_of
from hopscope.remap.candidates.laid import classes_of, crowded_hosts
from hopscope.remap.run.hops import hops_of, model_hops
from hopscope.remap.run.program import Places, Source, operations_of

Row = dict[str, Any]

LOOKED_AT = 50
"""Collectives in which messages that went at once are looked for."""
OFTEN = 0.1
"""They count if more than this share of the collectives have some."""


@dataclass(frozen=True)
class Guesses:
    """Pairs of hosts that no hop measured; hosts whose interface has long messages at once where none had in the run,
    or only far shorter ones: how long these wait for one another, no hop tells; and bytes of messages of which the hops
    had only far shorter and far longer ones."""

    pairs: tuple[HostPair, ...] = ()
    interfaces: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pairs or self.interfaces or self.sizes)


@dataclass(frozen=True)
class Measured:
    """What the run's hops measured."""

    source: Source
    costs: Costs
    crowded_bytes: int  # most bytes of messages that went through one interface at once; 0: none did

    def guesses(self, runs: Runs) -> Guesses:
        """What it needs besides."""
        subject = self.source.subject
        pairs = tuple(sorted(runs.host_pairs(subject) - self.costs.measured))
        if self.costs.machine.emulated:
            return Guesses(pairs)
        sizes = self._sizes(runs)
        short = max(SMALL, NEAR * self.crowded_bytes)
        found = set[int]()
        for one, part in pieces_of(runs, subject):
            hosts = np.asarray(part.hosts)
            for sent in one.messages(part):
                long = sent.size > short
                together = [column[long] for column in sent.together]
                found |= crowded_hosts(hosts[sent.src[long]], hosts[sent.dst[long]], together)
        return Guesses(pairs, tuple(sorted(found)), sizes)

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
        if not guesses.interfaces:
            return slow
        links = [link for name, link in high.links.items() if name in LINKS[2:] and link.hops and link.most_bytes > 0]
        taken = [link.latency_ns / link.most_bytes + link.per_byte_ns for link in links]
        return replace(slow, interface_per_byte_ns=max([slow.interface_per_byte_ns, *taken]))


def measured_of(source: Source, costs: Costs) -> Measured:
    """costs: fitted from the run, or from a run over a tree."""
    rows = hops_of(source)
    collective: Array = source.arrays["hops.collective"][rows]
    rows = rows[np.isin(collective, np.unique(collective)[-LOOKED_AT:]) & ~_sets_up(source)[collective]]
    hops = model_hops(source, rows)
    links = [costs.links[name] for name in LINKS]
    latency, per_byte = (np.array([getattr(link, name) for link in links]) for name in ("latency_ns", "per_byte_ns"))
    return Measured(source, costs, crowded_bytes(hops, latency[hops.link] + per_byte[hops.link] * hops.size))


def _sets_up(source: Source) -> Array:
    """Whether a collective is the first of its operation and communicator: a library may make connections and
    communicators in it, by messages that it sends never again."""
    collectives = source.tables["collectives"]
    ops = np.unique(operations_of(collectives), return_inverse=True)[1]
    kinds = np.stack([integers(collectives, "comm"), ops])
    result = np.zeros(len(ops), bool)
    result[np.unique(kinds, axis=1, return_index=True)[1]] = True
    return result


def crowded_bytes(hops: Hops, transit_ns: Array) -> int:
    """The most bytes such that messages of as many went through one interface at once; 0 if none did. transit_ns: how
    long each is on its way.

    Of a library's messages the rounds are not known, so those count that leave or reach a host within half of that.
    """
    sizes = [0, *np.unique(hops.size).tolist()]
    often = OFTEN * len(np.unique(hops.collective))

    def meet(least: int) -> bool:
        mine = np.flatnonzero((hops.src_host != hops.dst_host) & (hops.size >= least))
        met = set[int]()
        for host, at in ((hops.src_host, hops.sent), (hops.dst_host, hops.sent + transit_ns)):
            order = mine[np.lexsort((at[mine], host[mine], hops.collective[mine]))]
            one, next_one = order[:-1], order[1:]
            together = (hops.collective[one] == hops.collective[next_one]) & (host[one] == host[next_one])
            together &= at[next_one] - at[one] < transit_ns[one] / 2
            met |= set(hops.collective[one[together]].tolist())
        return len(met) > often

    # Where messages of so many bytes meet, those of fewer do as well.
    meeting = bisect_left(sizes, x=True, lo=1, key=lambda least: not meet(least))
    return int(sizes[meeting - 1])


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
