"""The candidates of a run: known shapes and algorithms, cut ones where that can be judged, and the search's own."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from hopscope.links import LINKS
from hopscope.model.costs import Costs
from hopscope.remap.candidates.algorithms import algorithms, cut, longest_cut
from hopscope.remap.candidates.candidate import TREE, Candidate, shapes
from hopscope.remap.candidates.laid import Messages, classes_of
from hopscope.remap.candidates.search import search as local_search
from hopscope.remap.run.program import Subject

SEARCH_WINDOW = 15
"""Iterations that the local search replays; predictions are of the whole run."""
PERTURBED = ((1.3, 0.8), (0.8, 1.2))
"""The search judges a tree on the fitted machine and on ones whose latencies and interfaces differ by these factors, so
that it does not find trees that are fast only if every message keeps its turn."""
SEGMENTS = (1 << 14, 1 << 16, 1 << 18)
MOST_SEARCHED = 1_000
"""Trees that send more messages than this are searched with fewer tries, for each takes as much longer to replay."""
CUT = 5
"""So many of the fastest whole trees, and of the fastest other algorithms, are cut into segments."""


class Times(Protocol):
    """Judges candidates by some iterations."""

    def iteration_ns(self, candidate: Candidate, costs: Costs, /) -> float:
        """Mean time per iteration, or what orders candidates like it."""
        ...


class Screens(Times, Protocol):
    """Judges many candidates, and by fewer iterations those of a search."""

    def window(self, iterations: int) -> Times:
        """Judges by so many iterations."""
        ...


@dataclass
class Pool:
    """Candidates, and whether some were left out for their messages' sizes, of which nothing was measured."""

    candidates: list[Candidate] = field(default_factory=list[Candidate])
    left_out: bool = False


def pool_of(
    subject: Subject,
    screen: Screens,
    over: Sequence[Candidate],
    costs: Costs,
    *,
    tries: int,
    alike: float,
    only: Collection[str] | None = None,
) -> Pool:
    """Known shapes and algorithms, segmented ones where messages are large, and the search's own trees.

    Where the best of all uses pairs of hosts that no hop measured, the search also looks for a tree without such pairs.
    alike: a tree of the search is kept only if it is better than every other candidate by this share, for shapes are
    easier to read. over: what ran. only: the algorithms that may be suggested, all if None.
    """
    result = Pool()
    time: dict[str, float] = {}

    def judged(candidates: Iterable[Candidate]) -> list[Candidate]:
        found: list[Candidate] = []
        for candidate in candidates:
            if only is not None and candidate.algorithm not in only:
                continue
            if not sizes_are_known(candidate, subject, costs):
                result.left_out = True
                continue
            time[candidate.name] = screen.iteration_ns(candidate, costs)
            found.append(candidate)
        return sorted(found, key=lambda candidate: time[candidate.name])

    trees, others = judged(shapes(subject)), judged(algorithms(subject))
    size = longest_cut(subject)
    cuts: list[Candidate] = []
    for segment_bytes in SEGMENTS:
        if 2 * segment_bytes <= size:
            cuts += cut(subject, [*trees[:CUT], *others[:CUT]], segment_bytes)
    known = sorted([*trees, *others, *judged(cuts)], key=lambda candidate: time[candidate.name])
    result.candidates = [one for one in known if not any(_same(one, ran) for ran in over)]
    if only is None or TREE in only:
        result.candidates[:0] = _searched(subject, screen, over, known, costs, tries=tries, alike=alike)
    return result


def _searched(
    subject: Subject,
    screen: Screens,
    over: Sequence[Candidate],
    known: list[Candidate],
    costs: Costs,
    *,
    tries: int,
    alike: float,
) -> list[Candidate]:
    judge = screen.window(SEARCH_WINDOW)
    machines = [costs, *(_perturbed(costs, *factors) for factors in PERTURBED)]

    def time_of(candidate: Candidate) -> float:
        return sum(judge.iteration_ns(candidate, machine) for machine in machines)

    def is_measured(candidate: Candidate) -> bool:
        return candidate.host_pairs(subject) <= costs.measured

    def time_if_measured(candidate: Candidate) -> float:
        return time_of(candidate) if is_measured(candidate) else math.inf

    def kept(found: Candidate | None, others: Sequence[Candidate]) -> list[Candidate]:
        fastest = min((screen.iteration_ns(candidate, costs) for candidate in others), default=math.inf)
        return [found] if found and screen.iteration_ns(found, costs) < (1 - alike) * fastest else []

    def tries_of(starts: Sequence[Candidate]) -> int:
        most = max((len(sent.src) for start in starts for sent in start.messages(subject)), default=0)
        return tries if most <= MOST_SEARCHED else tries * MOST_SEARCHED // most

    trees = [candidate for candidate in known if candidate.plans]
    searched = kept(local_search(subject, trees[:3], time_of, tries_of(trees[:3])), known)
    if known and not is_measured((searched or known)[0]):
        measured = [candidate for candidate in (*over, *known) if is_measured(candidate)]
        starts = [candidate for candidate in measured if candidate.plans]
        found = kept(local_search(subject, starts[:3], time_if_measured, tries_of(starts[:3])), measured)
        searched += [replace(candidate, name="search over measured pairs") for candidate in found]
    return searched


def sizes_are_known(candidate: Candidate, subject: Subject, costs: Costs) -> bool:
    """Whether the hops tell what the candidate's messages take. Of an emulated machine it is known."""
    if costs.machine.emulated:
        return True
    return all(_are_known(sent, subject, costs) for sent in candidate.messages(subject))


def _are_known(sent: Messages, subject: Subject, costs: Costs) -> bool:
    links = classes_of(sent, subject.hosts, subject.clusters)
    return all(bool(costs.links[name].judges(sent.size[links == number]).all()) for number, name in enumerate(LINKS))


def _same(a: Candidate, b: Candidate) -> bool:
    """The same edges, in whatever order children are served; of other algorithms, the same rule."""

    def edges(candidate: Candidate) -> list[tuple[int, ...]]:
        return [tree.parents for plan in candidate.plans for tree in plan]

    if not a.plans or not b.plans:
        return (a.rule, a.plans) == (b.rule, b.plans)
    return (edges(a), a.segment_bytes) == (edges(b), b.segment_bytes)


def _perturbed(costs: Costs, latency: float, interface: float) -> Costs:
    """The same machine, off by these factors."""
    links = {name: replace(link, latency_ns=link.latency_ns * latency) for name, link in costs.links.items()}
    return replace(
        costs,
        links=links,
        interface_message_ns=costs.interface_message_ns * interface,
        interface_per_byte_ns=costs.interface_per_byte_ns * interface,
    )
