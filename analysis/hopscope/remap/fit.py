"""From a run's tables to costs, and how far those may be off."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from hopscope.model.costs import LINKS, Costs, Hops, LinkCost, fit_links
from hopscope.model.local_costs import fit_local
from hopscope.paths.columns import Array, codes, integers
from hopscope.remap.program import Source

RESAMPLES = 40
MOST_HOPS = 20_000
"""Hops of evenly chosen collectives beyond this many are left out of the fit."""


def hops_of(source: Source) -> Hops:
    """The hops of the subject's collectives but the first, which sets the communicator up."""
    arrays, places, subject = source.arrays, source.places, source.subject
    row = arrays["hops.collective"]
    chosen = subject.simulated[1:] if len(subject.simulated) > 1 else subject.simulated
    per_collective = max(1, int(np.isin(row, chosen).sum()) // max(1, len(chosen)))
    step = max(1, -(-len(chosen) * per_collective // MOST_HOPS))
    kept = np.flatnonzero(np.isin(row, chosen[::step]) & (arrays["hops.from_engine"] == 1))
    table = source.tables["hops"]
    host = np.zeros(1 + max(places.host_of_rank), np.int64)
    host[list(places.host_of_rank)] = list(places.host_of_rank.values())
    src, dst = integers(table, "src")[kept], integers(table, "dst")[kept]
    return Hops(
        row[kept],
        src,
        dst,
        host[src],
        host[dst],
        arrays["hops.link"][kept].astype(np.int64),
        codes(table, "phase", ("up", "down", "exchange"))[kept] == 0,
        integers(table, "segment")[kept],
        arrays["hops.bytes"][kept],
        arrays["hops.send_begin_ns"][kept],
        arrays["hops.recv_end_ns"][kept],
        codes(table, "binding", ("recv", "send", "none", "undecided"))[kept] == 0,
        arrays["hops.clock_error_ns"][kept],
    )


def fit(source: Source) -> tuple[Costs, Costs, Costs]:
    """The costs, and the same at the lower and the upper end of what the hops allow.

    The ends are the 5 % and 95 % quantiles of each link's latency over collectives drawn again with replacement; pairs
    of hosts that no hop measured are as the fastest and as the slowest measured pair of their class.
    """
    tables, arrays, subject = source.tables, source.arrays, source.subject
    hops = hops_of(source)
    emulated = tables["run"]["emulated"].to_pylist()[0] or "{}"
    costs = fit_links(hops, interfaces_known="host_interface" in json.loads(emulated))
    width = 1 + int(integers(tables["hops"], "src").max(initial=0))
    width = max(width, 1 + int(integers(tables["calls"], "rank").max(initial=0)))
    keys = arrays["calls.collective"] * width + arrays["calls.rank"]
    order = np.argsort(keys)

    def of_call(column: str, rank: Array) -> Array:
        at = order[np.minimum(np.searchsorted(keys[order], hops.collective * width + rank), len(order) - 1)]
        return arrays[column][at]

    entered = np.stack([of_call("calls.enter_ns", rank) for rank in (hops.src, hops.dst)])
    left = np.stack([of_call("calls.leave_ns", rank) for rank in (hops.src, hops.dst)])
    ids = integers(tables["collectives"], "collective_id")[subject.simulated]
    steps = tables["steps"].filter(np.isin(integers(tables["steps"], "collective_id"), ids))
    costs.local = fit_local(hops, entered, left, steps)
    low, high = _ends(hops, costs)
    return costs, low, high


def _ends(hops: Hops, costs: Costs) -> tuple[Costs, Costs]:
    chance = np.random.default_rng(1)
    _, which = np.unique(hops.collective, return_inverse=True)
    transit = (hops.received - hops.sent).astype(np.float64)
    low: dict[str, LinkCost] = {}
    high: dict[str, LinkCost] = {}
    for name, cost in costs.links.items():
        mine = hops.binding & (hops.link == LINKS.index(name))
        if not mine.any():
            low[name], high[name] = replace(cost), replace(cost)
            continue
        values, groups = transit[mine], which[mine]
        # Medians of collectives first, so that a draw is one pick per collective.
        order = np.lexsort((values, groups))
        groups, values = groups[order], values[order]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(groups) > 0]))
        counts = np.diff(np.concatenate([starts, [len(groups)]]))
        middles = values[starts + counts // 2]
        draws = np.median(chance.choice(middles, (RESAMPLES, len(middles))), axis=1)
        middle = float(np.median(middles))
        fractions = [float(np.quantile(draws, q)) / middle if middle > 0 else 1.0 for q in (0.05, 0.95)]
        low[name] = replace(cost, latency_ns=cost.latency_ns * min(1.0, fractions[0]))
        high[name] = replace(cost, latency_ns=cost.latency_ns * max(1.0, fractions[1]))
    return replace(costs, links=low, unmeasured="fastest"), replace(costs, links=high, unmeasured="slowest")
