"""What a candidate leans on that the run did not measure, and how slow that may be at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopscope.links import LINKS, link_class
from hopscope.model.costs import SMALL, Costs, HostPair
from hopscope.paths.columns import Array, codes, integers
from hopscope.remap.candidates.combination import Runs, pieces_of
from hopscope.remap.candidates.laid import classes_of, crowded_hosts
from hopscope.remap.run.hops import hops_of, model_hops
from hopscope.remap.run.program import Places, Source
from hopscope.words import PHASES

Row = dict[str, Any]

LOOKED_AT = 50
"""Collectives in which messages that went at once are looked for."""


@dataclass(frozen=True)
class Guesses:
    """Pairs of hosts that no hop measured; hosts whose interface has long messages at once, which none had in the run:
    how long these wait for one another, no hop tells; and bytes of messages of which the hops had only far shorter and
    far longer ones."""

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
    crowds: bool  # whether messages went through one interface at once

    def guesses(self, runs: Runs) -> Guesses:
        """What it needs besides."""
        subject = self.source.subject
        pairs = tuple(sorted(runs.host_pairs(subject) - self.costs.measured))
        if self.costs.machine.emulated:
            return Guesses(pairs)
        sizes = self._sizes(runs)
        if self.crowds:
            return Guesses(pairs, sizes=sizes)
        found = set[int]()
        for one, part in pieces_of(runs, subject):
            hosts = np.asarray(part.hosts)
            for sent in one.messages(part):
                long = sent.size > SMALL
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
    rows = rows[np.isin(collective, np.unique(collective)[-LOOKED_AT:])]
    table, hops = source.tables["hops"], model_hops(source, rows)
    phase = codes(table, "phase", tuple(PHASES))[rows]
    together = [hops.collective, phase, *(integers(table, name)[rows] for name in ("round", "segment"))]
    return Measured(source, costs, bool(crowded_hosts(hops.src_host, hops.dst_host, together)))


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
