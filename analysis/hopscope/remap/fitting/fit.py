"""From a run's tables to costs."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pyarrow.compute as pc

from hopscope.errors import InputError
from hopscope.links import LINKS
from hopscope.model.costs import INSIDE, Costs, HostPair
from hopscope.model.eager import answered_from, eager_limit, held_from, with_announcements
from hopscope.model.hops import Hops
from hopscope.model.link_fit import OUTLYING, OUTLYING_HOPS, fit_links, interface_delays
from hopscope.model.local_costs import fit_ends, fit_local
from hopscope.model.machine import Machine, machine_of
from hopscope.paths.columns import MISSING, Array, integers
from hopscope.remap.fitting.rendezvous import ends_of, limits_of, with_rendezvous
from hopscope.remap.run.events import Events, local_costs
from hopscope.remap.run.hops import Calls, hops_of, model_hops
from hopscope.remap.run.program import Source

MOST_HOPS = 20_000
"""Of more hops than this, those of some collectives are fitted."""
MOST_QUEUED = 2_000_000
"""With more of them in a run over emulated links, those that were fitted are taken to queue by themselves."""


def fitted_hops(source: Source) -> Hops:
    """The hops of the subject's collectives but the first, which sets the communicator up. Raises InputError if none
    was waited for."""
    return _fitted(source)[1]


def _fitted(source: Source) -> tuple[Array, Hops]:
    """See `fitted_hops`; their rows too."""
    subject = source.subject
    collective = source.arrays["hops.collective"]
    chosen = subject.simulated[1:] if len(subject.simulated) > 1 else subject.simulated
    rows = hops_of(source)
    rows = rows[np.isin(collective[rows], chosen)]
    if len(rows) > MOST_HOPS:
        # By chance: every n-th collective of a program that calls several in turn may always be the same one.
        drawn = np.random.default_rng(1).choice(chosen, max(1, len(chosen) * MOST_HOPS // len(rows)), replace=False)
        rows = rows[np.isin(collective[rows], drawn)]
    hops = model_hops(source, rows)
    if not hops.binding.any():
        raise InputError(
            f"no rank waited for a hop of {subject.op}, so the trace does not show what a message costs; ranks wait "
            "for those that come late: `analyze last-arrivals` names them"
        )
    return rows, hops


def _delays(source: Source, rows: Array, machine: Machine) -> Array:
    """What an emulated machine made these hops queue, ns. All hops of the engine queue with them, also those of the
    collectives before: what one leaves on a link holds up the next."""
    every = np.flatnonzero(source.arrays["hops.from_engine"])
    if not machine.emulated or len(every) > MOST_QUEUED:
        return machine.delays(model_hops(source, rows)) if machine.emulated else np.zeros(len(rows))
    return machine.delays(model_hops(source, every))[np.searchsorted(every, rows)]


def fit(source: Source, events: Events | None = None) -> Costs:
    """The first of what `fits` gives."""
    return fits(source, events)[0]


def fits(source: Source, events: Events | None = None) -> list[Costs]:
    """The costs. events: what the ranks did in the subject's collectives, if the MPI library ran them.

    If the hops show senders that are blocked although the receive was posted, there are several: the senders wait for
    the CTS, they do not, or, where both ends show it, what long messages take is no multiple of a latency. A link with
    little bandwidth blocks them as well, so the replay of the baseline has to tell.
    """
    tables, arrays, subject = source.tables, source.arrays, source.subject
    rows, hops = _fitted(source)
    emulated, places = tables["run"]["emulated"].to_pylist()[0], source.places
    machine = machine_of(json.loads(emulated or "null"), places.hosts, places.cluster_of_host, places.clusters)
    delays = _delays(source, rows, machine)
    ids = integers(tables["collectives"], "collective_id")[subject.simulated]
    steps = tables["steps"].filter(np.isin(integers(tables["steps"], "collective_id"), ids))
    costs = fit_links(hops, machine, delays, _carried(source) if machine.emulated else 0.0)
    if events is not None:
        if events.limits and not machine.emulated:
            costs = with_rendezvous(costs, hops, ends_of(source), events.limits)
        costs.local = local_costs(events)
        return [costs]
    calls = Calls(source)
    ends = [calls.of(hops.collective, rank) for rank in (hops.src, hops.dst)]
    entered, left = (np.stack([arrays[f"calls.{at}_ns"][end] for end in ends]) for at in ("enter", "leave"))
    costs.local = fit_local(hops, entered, left, steps, machine)
    costs.links = fit_ends(hops, costs.links, steps)
    if machine.emulated:
        # An emulated link delays a message from its sending on; what carries it blocks its sender, on any link alike.
        size, waited, went_on = _met_late(source)[1:]
        limit = held_from(size, waited, went_on)
        links = {name: replace(link, eager_bytes=limit) for name, link in costs.links.items()}
        return [replace(costs, links=links)]
    found = [_announced(source, hops, costs, are_answered=answered) for answered in (True, False)]
    if found[0].links == found[1].links:
        del found[1]
    both_ends = ends_of(source)
    limits = limits_of(both_ends)
    if limits:
        known = with_rendezvous(costs, hops, both_ends, limits)
        known.links = fit_ends(hops, known.links, steps)
        found.append(known)
    return found


def _carried(source: Source) -> float:
    """What it takes the software to carry the median message: its sender is done with it when its receiver, whose
    receive was posted before, has it. One of which a copy was kept takes next to nothing. ns."""
    rows, arrays = hops_of(source), source.arrays
    begin, end, post = (arrays[f"hops.{name}_ns"][rows] for name in ("send_begin", "send_end", "recv_post"))
    known = (end != MISSING) & (post != MISSING) & (post <= begin)
    return float(np.median((end - begin)[known])) if known.any() else 0.0


def _met_late(source: Source) -> tuple[Array, Array, Array, Array]:
    """Of each hop its row and its bytes, whether its sender waited for a receive that was posted late, and whether it
    went on before."""
    rows, arrays = hops_of(source), source.arrays
    begin, end, post, error = (
        arrays[f"hops.{name}_ns"][rows] for name in ("send_begin", "send_end", "recv_post", "clock_error")
    )
    known = (end != MISSING) & (post != MISSING)
    late = known & (post > begin + error)
    return rows, arrays["hops.bytes"][rows], late & (end >= post - error), late & (end < post - error)


def _announced(source: Source, hops: Hops, costs: Costs, *, are_answered: bool) -> Costs:
    """The costs with the bytes from which messages go by rendezvous: where senders met receives that were posted late,
    or (are_answered) were blocked although the receive was posted before."""
    rows, size, held, went_on = _met_late(source)
    waited = held & pc.equal(source.tables["hops"]["binding"], "send").to_numpy()[rows]
    of_link = source.arrays["hops.link"][rows]
    links, pairs = dict(costs.links), dict(costs.pairs)
    for place, name in enumerate(LINKS):
        mine, fits = of_link == place, hops.binding & (hops.link == place)
        transit = hops.received[fits] - hops.sent[fits]
        limit = eager_limit(size[mine], waited[mine], went_on[mine])
        if limit is not None:
            links[name] = with_announcements(links[name], limit, hops.size[fits], transit)
        elif are_answered and place > LINKS.index(INSIDE):
            answered = _answered(source, rows[mine])
            limit = answered_from(answered.size, answered.held_ns, answered.transit_ns)
            long = answered.size > limit if limit is not None else np.zeros(len(answered.size), bool)
            if limit is None or not long.any():
                continue
            # Until the answer is there, it takes two latencies.
            latency = float(np.median(answered.held_ns[long])) / 2
            service = costs.interface_message_ns, costs.interface_per_byte_ns
            queued = interface_delays(hops, service[0], np.full(len(hops.sent), latency), service[1])[fits]
            found = with_announcements(links[name], limit, hops.size[fits], transit - queued, latency)
            if found is not links[name]:
                pairs = {pair: ns for pair, ns in pairs.items() if pair not in set(answered.pairs)}
                outlying = answered.outlying(long, found.latency_ns)
                pairs |= outlying
                links[name] = found
    return replace(costs, links=links, pairs=pairs)


@dataclass(frozen=True)
class _Answered:
    """Messages whose receives were posted before they were sent: how long the sender was blocked, and the way took."""

    size: Array
    held_ns: Array
    transit_ns: Array
    src_host: Array
    dst_host: Array

    @property
    def pairs(self) -> list[HostPair]:
        """The directed pairs of hosts of each."""
        return list(zip(self.src_host.tolist(), self.dst_host.tolist(), strict=True))

    def outlying(self, long: Array, latency_ns: float) -> dict[HostPair, float]:
        """The latencies of pairs that are unlike the others'."""
        found: dict[HostPair, float] = {}
        for a, b in set(self.pairs):
            mine = long & (self.src_host == a) & (self.dst_host == b)
            if mine.sum() >= OUTLYING_HOPS:
                own = float(np.median(self.held_ns[mine])) / 2
                if abs(own - latency_ns) > OUTLYING * latency_ns:
                    found[a, b] = own
        return found


def _answered(source: Source, rows: Array) -> _Answered:
    arrays = source.arrays
    begin, end, post, there = (
        arrays[f"hops.{name}_ns"][rows] for name in ("send_begin", "send_end", "recv_post", "recv_end")
    )
    known = (end != MISSING) & (post != MISSING) & (post <= begin) & (there > begin)
    mine = model_hops(source, rows[known])
    return _Answered(
        mine.size, (end - begin)[known], (there - begin)[known].astype(np.float64), mine.src_host, mine.dst_host
    )
