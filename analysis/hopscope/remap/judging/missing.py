"""What a probe has to measure so that no candidate leans on a guess."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hopscope.links import LINKS, link_class
from hopscope.model.costs import SMALL, Costs, HostPair
from hopscope.remap.judging.guesses import PASSINGS, Guesses
from hopscope.remap.judging.meeting import Meeting, interfaces, shared
from hopscope.remap.run.program import Places

Row = dict[str, Any]

PARTS = (1 / 16, 1 / 4, 4)
"""Messages of so many times the bytes of those of one size tell what a byte of these takes."""
HARDLY = 1.25
"""Messages of up to so many times as many bytes take about as long."""


def missing_of(
    rows: Sequence[Row], guessed: Mapping[str, Guesses], places: Places, costs: Costs
) -> list[dict[str, Any]]:
    """What candidates lean on which may gain, as JSON has it. `kind` says what it is.

    `pair`: `hosts` by name, `ranks` that are on them, their class of `link`, and the `bytes` of a message as hops of
    that class had it; `beside` is a pair of this class that they show, None if there is none. `size`: `bytes` of a
    message over a class of `link`; those that the hops had which come nearest are `beside`. `meeting`: two messages of
    `bytes` that meet, each a pair of `ranks`; `passing` and `place` are what they pass, for whoever reads the answer,
    and `name` for the user.
    """
    may_gain = [guessed.get(row["name"], Guesses()) for row in rows if row["predicted_low_ns"] < row["measured_ns"]]
    ranks = _ranks_of(places)
    of = places.cluster_of_host
    pairs: list[dict[str, Any]] = []
    # A ping there and back tells both ways.
    for a, b in sorted({(min(pair), max(pair)) for one in may_gain for pair in one.pairs}):
        link = link_class(same_rank=False, same_host=False, same_cluster=of[a] == of[b])
        known = costs.links[link]
        pairs.append(
            {
                "kind": "pair",
                "hosts": [places.hosts[a], places.hosts[b]],
                "ranks": [ranks[a][0], ranks[b][0]],
                "link": link,
                "bytes": int(known.least_bytes) if known.hops else 1,
                "beside": _beside(link, places, costs),
            }
        )
    return [
        *pairs,
        *_sizes({*_telling(costs), *(one for guesses in may_gain for one in guesses.sizes)}, places, costs),
        *_meetings(may_gain, places),
    ]


def _ranks_of(places: Places) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for rank, host in sorted(places.host_of_rank.items()):
        found.setdefault(host, []).append(rank)
    return found


def _beside(link: str, places: Places, costs: Costs) -> dict[str, Any] | None:
    ranks = _ranks_between(link, places, costs)
    return ranks and {"hosts": [places.hosts[places.host_of_rank[rank]] for rank in ranks], "ranks": list(ranks)}


def _telling(costs: Costs) -> Iterator[tuple[str, int]]:
    """Of classes of links that had long messages of one size: others, which tell what a byte takes. Candidates that cut
    messages, or gather them, are not judged without."""
    if costs.machine.emulated:
        return
    for name, link in costs.links.items():
        if link.hops and not link.tells_bytes and link.most_bytes > SMALL:
            yield from ((name, size) for part in PARTS if (size := int(link.most_bytes * part)) > SMALL)


def _sizes(sizes: set[tuple[str, int]], places: Places, costs: Costs) -> Iterator[dict[str, Any]]:
    """One size stands for those that are hardly longer."""
    for name in LINKS:
        ranks, measured = _ranks_between(name, places, costs), np.asarray(costs.links[name].sizes)
        chosen: list[float] = []
        for size in sorted(size for link, size in sizes if link == name):
            if ranks is None or not len(measured) or (chosen and size < HARDLY * chosen[-1]):
                continue
            chosen.append(size)
            apart = np.abs(np.log(np.maximum(measured, SMALL)) - math.log(max(size, SMALL)))
            beside = int(measured[apart.argmin()])
            yield {"kind": "size", "link": name, "bytes": size, "beside": beside, "ranks": list(ranks)}


def _ranks_between(name: str, places: Places, costs: Costs) -> tuple[int, int] | None:
    """Two ranks that stand for a class of links: of hosts that are like the others; None where no hop was."""
    ranks, of = _ranks_of(places), places.cluster_of_host
    if name == "shm":
        return next(((mine[0], mine[1]) for mine in ranks.values() if len(mine) > 1), None)
    known: list[HostPair] = [
        (a, b)
        for a, b in sorted(costs.measured)
        if link_class(same_rank=False, same_host=False, same_cluster=of[a] == of[b]) == name
    ]
    usual = [pair for pair in known if pair not in costs.pairs and pair[::-1] not in costs.pairs]
    return next(((ranks[a][0], ranks[b][0]) for a, b in (*usual, *known)), None)


def _meetings(may_gain: Sequence[Guesses], places: Places) -> Iterator[dict[str, Any]]:
    """The longest messages of each place."""
    ranks = _ranks_of(places)
    for passing in PASSINGS:
        longest: dict[int, Meeting] = {}
        for guesses in may_gain:
            for one in _of(guesses, passing):
                if one.place not in longest or longest[one.place].size < one.size:
                    longest[one.place] = one
        for place, one in sorted(longest.items()):
            # Ranks of their own where hosts have several.
            taken: dict[int, int] = {}
            pairs: list[list[int]] = []
            for ends in one.messages:
                pairs.append([ranks[host][taken.get(host, 0) % len(ranks[host])] for host in ends])
                taken |= {host: taken.get(host, 0) + 1 for host in ends}
            found = {"kind": "meeting", "passing": passing.__name__, "place": place, "name": one.name}
            yield {**found, "bytes": one.size, "ranks": pairs}


def _of(guesses: Guesses, passing: object) -> tuple[Meeting, ...]:
    return guesses.interfaces if passing is interfaces else guesses.shared if passing is shared else guesses.both_ways
