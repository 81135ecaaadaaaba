"""Finds all causes that make a run slow, and the cost of each.

A cause that only follows from another one must not count: if messages are late because their sender computes longer
than the others, they cost nothing once that computing is gone. So causes are weighed one after another, each in a run
without the causes found before: first messages received in the wrong order, then computing, then collectives that do
not overlap with it, then other messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Final

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array, integers
from hopscope.explain.diagnosis.algorithms import slow_algorithm
from hopscope.explain.diagnosis.computing import Cause, causes_of
from hopscope.explain.diagnosis.core_use import core_use_of
from hopscope.explain.diagnosis.entry import NOTE, Cost, Entry, Facts
from hopscope.explain.diagnosis.functions import Functions
from hopscope.explain.diagnosis.hosts import host_of_ranks, placement_of, slow_link_cause
from hopscope.explain.diagnosis.messages import MessageCause, causes_in_messages, crossings_cause
from hopscope.explain.diagnosis.overlap import no_overlap_cause
from hopscope.explain.diagnosis.rerun import Changed, Changes, Rerun, joined
from hopscope.explain.diagnosis.sites import Gaps

_LEAST_SHARE: Final = 0.01
"""Costs below this share of the run are not reported."""
_OWN_SHARE: Final = 0.5
"""A cause counts only if this share of its cost remains in a run without the causes found before."""

Read = Callable[[str], pa.Table]


def causes_in(facts: Facts, read: Read) -> list[Entry]:
    """The causes of a run with their costs. The first entry is `balanced`; it has the share of time in which the ranks
    compute."""
    if facts.begin_ns is None or facts.end_ns is None or facts.run_ns <= 0:
        return [Entry("balanced")]
    rerun = Rerun(read, facts.begin_ns, facts.end_ns)
    gaps = Gaps(rerun)
    functions = Functions(rerun, gaps)
    cuts = np.sort(integers(read("iteration_cuts"), "begin_ns"))
    in_messages = causes_in_messages(rerun)
    weighed = _Weighed(facts, rerun)
    recorded = weighed.without_causes()
    for cause in in_messages:
        if cause.kind == "wrong-order":
            weighed.add(cause, recorded)
    without_order = weighed.without_causes()
    for cause in causes_of(gaps, facts.run_ns):
        cost = weighed.cost(cause.changes(gaps, rerun), without_order)
        if cost is not None:
            entry = _of_computing(cause, cost, gaps, rerun, cuts)
            weighed.entries.append(replace(entry, functions=functions.of_cause(cause)))
    overlap = no_overlap_cause(rerun)
    if overlap is not None:
        weighed.add(overlap, weighed.without_causes())
    without_computing = weighed.without_causes()
    # A sender may be late only because it waits for a message itself. So weigh late senders in a run with quick
    # messages.
    bound = [cause.changes for cause in in_messages if cause.kind in ("latency-bound", "bandwidth-bound")]
    quick = reduce(joined, bound)
    link_causes = [crossings_cause(rerun, _crossings(read)), slow_link_cause(rerun)]
    for cause in [*in_messages, *(cause for cause in link_causes if cause is not None)]:
        if cause.kind == "late-sender":
            weighed.add(cause, rerun.changed(joined(without_computing.changes, quick)))
        elif cause.kind != "wrong-order":
            weighed.add(cause, without_computing)
    balanced = Entry(
        "balanced", computing_share=gaps.computing_within(facts.begin_ns, facts.end_ns) / max(1, facts.ranks)
    )
    placement = placement_of(read, rerun, facts.run_ns)
    if placement is not None:
        weighed.entries.append(Entry("placement", placement.cost, hosts=placement.hosts))
    slow = slow_algorithm(read, rerun)
    if slow is not None:
        algorithms = (slow.recorded, slow.better)
        weighed.entries.append(Entry("algorithm", slow.cost, sites=slow.sites, algorithms=algorithms))
    return [balanced, *_exclusive(weighed.entries)]


class _Weighed:
    """Collects the causes that cost something, and replays the run without them."""

    def __init__(self, facts: Facts, rerun: Rerun) -> None:
        self._run_ns = facts.run_ns
        self._rerun = rerun
        self._changes: Changes = {}
        self.entries: list[Entry] = []

    def without_causes(self) -> Changed:
        """The run without the causes found so far, except those too cheap for a note."""
        return self._rerun.changed(self._changes)

    def cost(self, changes: Changes, base: Changed) -> Cost | None:
        """The cost of a cause. None if it is small, or if most of it is gone in `base`, which is the run without other
        causes."""
        cost = self._rerun.cost(changes)
        if cost.ns < _LEAST_SHARE * self._run_ns:
            return None
        if base.changes and self._rerun.cost(changes, base).ns < max(_OWN_SHARE * cost.ns, _LEAST_SHARE * self._run_ns):
            return None
        if cost.ns >= NOTE * self._run_ns:
            self._changes = joined(self._changes, changes)
        return cost

    def add(self, cause: MessageCause, base: Changed) -> None:
        """Add a cause in messages if it costs something."""
        cost = self.cost(cause.changes, base)
        if cost is not None:
            self.entries.append(
                Entry(
                    cause.kind,
                    cost,
                    cause.ranks,
                    cause.find_sites(),
                    count=cause.count,
                    hosts=cause.hosts,
                    times=cause.times,
                )
            )


def _crossings(read: Read) -> dict[int, int]:
    rows = read("kind_crossings").to_pylist()
    return {row["kind"]: row["crossings"] for row in rows if row["kind"] is not None and (row["crossings"] or 0) > 1}


def _exclusive(entries: list[Entry]) -> list[Entry]:
    """The entries, except those that another entry explains better.

    `crossings`, `slow-link` and `no-overlap` explain why messages are slow. If together they cost half as much as
    `latency-bound`, `bandwidth-bound` or `algorithm`, that entry is left out. `latency-bound` and `bandwidth-bound` are
    also left out if `placement` or `algorithm` saves half of their cost; of these two, only the costlier stays. In the
    same way, `placement` replaces an `algorithm`, and `slow-link` a `placement`.
    """
    costs = {entry.kind: entry.cost.ns for entry in entries if entry.cost is not None}
    bound = ("latency-bound", "bandwidth-bound")
    explained = sum(costs.get(kind, 0) for kind in ("crossings", "slow-link", "no-overlap"))

    def is_exclusive(entry: Entry) -> bool:
        cost = costs.get(entry.kind, 0)
        if entry.kind in bound:
            sibling = bound[1 - bound.index(entry.kind)]
            remedies = (costs.get("placement", 0), costs.get("algorithm", 0))
            return max(explained, *remedies) < _OWN_SHARE * cost and cost >= costs.get(sibling, 0)
        if entry.kind == "algorithm":
            return max(explained, costs.get("placement", 0)) < _OWN_SHARE * cost
        return entry.kind != "placement" or costs.get("slow-link", 0) < _OWN_SHARE * cost

    return [entry for entry in entries if is_exclusive(entry)]


def _of_computing(cause: Cause, cost: Cost, gaps: Gaps, rerun: Rerun, cuts: Array) -> Entry:
    ends = gaps.end[cause.gaps]
    iteration = np.unique(np.searchsorted(cuts, ends, side="right") - 1)
    iteration = iteration[(iteration >= 0) & (iteration < len(cuts) - 1)]
    iterations = (int(iteration[0]), int(iteration[-1]), len(iteration)) if len(iteration) else None
    host = host_of_ranks(cause.ranks, rerun.tables["ranks"]) if cause.kind == "imbalance" else None
    return Entry(
        "slow-host" if host else cause.kind,
        cost,
        cause.ranks_by_cost(gaps),
        cause.sites(gaps, rerun),
        iterations,
        own_ns=cause.own_ns,
        others_ns=cause.others_ns,
        even_ns=cause.even_share * cost.ns if cause.kind == "imbalance" else None,
        hosts=(host,) if host else (),
        core_use=core_use_of(cause.excess_of_ranks(gaps), rerun.tables["ranks"]),
    )
