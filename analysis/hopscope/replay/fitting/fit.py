"""Fits the costs of links, interfaces and ranks to the hops of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hopscope.dataset.path_columns import MISSING, Array, integers
from hopscope.errors import InputError
from hopscope.machine.costs import Costs
from hopscope.machine.emulated import Machine, machine_of
from hopscope.machine.hops import Hops
from hopscope.machine.link_fit import fit_links
from hopscope.machine.local_costs import fit_ends, fit_local
from hopscope.replay.fitting.rendezvous import ends_of, limit_of, with_rendezvous
from hopscope.replay.run.events import NO_LIMITS, Events, events_of, local_costs
from hopscope.replay.run.hops import Calls, hops_of, model_hops
from hopscope.replay.run.subject import Source

MOST_HOPS = 20_000
"""With more hops than this, only the hops of a random sample of collectives are fitted."""
MOST_QUEUED = 2_000_000
"""With more hops in a run over emulated links, the fit assumes that fitted hops queue only with each other."""


def fitted_hops(source: Source) -> tuple[Array, Hops]:
    """The rows and the hops of the subject's collectives, without the first collective, which sets the communicator up.
    Raises InputError if no rank waited for any of these hops."""
    subject = source.subject
    collective = source.arrays["hops.collective"]
    collectives = subject.simulated[1:] if len(subject.simulated) > 1 else subject.simulated
    rows = hops_of(source)
    rows = rows[np.isin(collective[rows], collectives)]
    if len(rows) > MOST_HOPS:
        # Random, because in a program that calls several collectives in a cycle, every n-th may be the same call.
        sample = np.random.default_rng(1).choice(
            collectives, max(1, len(collectives) * MOST_HOPS // len(rows)), replace=False
        )
        rows = rows[np.isin(collective[rows], sample)]
    hops = model_hops(source, rows)
    if not hops.binding.any():
        raise InputError(
            f"no rank waited for a hop of {subject.op}, so the trace does not show what a message costs; the ranks "
            "wait for late ranks instead, and `analyze last-arrivals` names these"
        )
    return rows, hops


def _delays(source: Source, rows: Array, machine: Machine) -> Array:
    """Queueing delays of these hops on an emulated machine, ns; 0 on a real machine. They queue with all hops of the
    engine, even with earlier collectives' hops, which may still be on a link."""
    engine_hops = np.flatnonzero(source.arrays["hops.from_engine"])
    if not machine.emulated or len(engine_hops) > MOST_QUEUED:
        return machine.delays(model_hops(source, rows)) if machine.emulated else np.zeros(len(rows))
    return machine.delays(model_hops(source, engine_hops))[np.searchsorted(engine_hops, rows)]


def fit(source: Source, limits: Mapping[str, float] = NO_LIMITS, events: Events | None = None) -> Costs:
    """Fits the costs of links and of the ranks' own work. limits: bytes of the longest eager message by class of links,
    from `limits_of`. events: the result of `events_of` if the MPI library ran the subject's collectives; None: it is
    computed if needed."""
    tables, arrays, subject = source.tables, source.arrays, source.subject
    rows, hops = fitted_hops(source)
    emulated, places = tables["run"]["emulated"].to_pylist()[0], source.places
    machine = machine_of(json.loads(emulated or "null"), places.hosts, places.cluster_of_host, places.clusters)
    delays = _delays(source, rows, machine)
    costs = fit_links(hops, machine, delays, _carried(source) if machine.emulated else 0.0)
    if machine.emulated:
        # An emulated link delays a message from the start of its send, and the real transport below it is the same for
        # all links. So all links have one eager limit.
        limit = limit_of(ends_of(source), only_late=True)
        costs.links = {name: replace(link, eager_bytes=limit) for name, link in costs.links.items()}
    elif limits:
        costs = with_rendezvous(costs, hops, ends_of(source), limits)
    if subject.native:
        costs.local = local_costs(events or events_of(source, limits))
        return costs
    ids = integers(tables["collectives"], "collective_id")[subject.simulated]
    steps = tables["steps"].filter(np.isin(integers(tables["steps"], "collective_id"), ids))
    calls = Calls(source)
    ends = [calls.rows_of(hops.collective, rank) for rank in (hops.src, hops.dst)]
    entered, left = (np.stack([arrays[f"calls.{boundary}_ns"][end] for end in ends]) for boundary in ("enter", "leave"))
    costs.local = fit_local(hops, entered, left, steps, machine)
    costs.links = fit_ends(hops, costs.links, steps)
    return costs


def _carried(source: Source) -> float:
    """The time, ns, in which the MPI library itself carries a message under an emulated link: the median time of sends
    whose receives were posted before. Such a send ends when the receiver has the message, or almost at once if the
    library copies the message."""
    rows, arrays = hops_of(source), source.arrays
    begin, end, post = (arrays[f"hops.{name}_ns"][rows] for name in ("send_begin", "send_end", "recv_post"))
    has_times = (end != MISSING) & (post != MISSING) & (post <= begin)
    return float(np.median((end - begin)[has_times])) if has_times.any() else 0.0
