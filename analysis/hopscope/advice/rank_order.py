"""Another rank order as a candidate: its messages on slow links, and the predicted time of the run with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from hopscope.advice.pipeline import Suggestion
from hopscope.advice.placement.answer import NO_ORDER, NO_WAIT, ONE_HOST, WITHOUT_MESSAGES, sentences_of
from hopscope.advice.placement.costs import costs_of
from hopscope.advice.placement.hosts import check_hosts
from hopscope.advice.placement.leaders import led_hops
from hopscope.advice.placement.load import load_of, rows_of
from hopscope.advice.placement.rerun import rerun_of
from hopscope.advice.placement.swaps import best_order
from hopscope.advice.placement.traffic import one_sided, traffic_of, unseen
from hopscope.errors import InputError
from hopscope.query import catalog, row_table
from hopscope.replay.candidate import Candidate
from hopscope.replay.prediction import LEAST_GAIN, ranked
from hopscope.replay.run.places import places_of
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import tune_command

_RECORD_MESSAGES = "record the application's messages (`--record all`), or the MPI library's own (HOPSCOPE_NATIVE)"


def suggest_order(table: Callable[[str], pa.Table]) -> Suggestion:
    """The best rank order for a run on its hosts. Raises InputError if the launcher cannot choose the hosts, or if the
    trace shows no messages."""
    run, ranks = table("run").to_pylist()[0], table("ranks")
    check_hosts(run, ranks)
    places, hops = places_of(ranks), table("hops")
    led = led_hops(table, places)
    traffic, of_hosts = traffic_of(places, table("messages"), hops.filter(~led)), traffic_of(places, hops.filter(led))
    if not len(traffic.low) and not len(of_hosts.low):
        raise InputError(
            "the trace shows no messages between ranks, so it does not show which ranks belong together; "
            + (one_sided(table) or _RECORD_MESSAGES)
        )
    costs = costs_of(table, places)
    place = best_order(traffic, costs, places)
    stays, old, new = (
        load_of(graph, costs, places, hosts)
        for graph, hosts in ((of_hosts, places.baseline), (traffic, places.baseline), (traffic, place))
    )
    rows = rows_of(stays + old, stays + new, costs)
    baseline, order = (
        Candidate(name, "order", hosts=tuple(places.hosts[host] for host in hosts[places.movable]))
        for name, hosts in (("baseline", places.baseline), ("rank order", place))
    )
    reason = ONE_HOST if len(set(baseline.hosts)) < 2 else NO_ORDER if rows[-1]["gain"] < LEAST_GAIN else None
    has_order, error = reason is None, 0.0
    if has_order:
        used = np.flatnonzero((new[0] > 0) & (costs.rows == 0) & costs.fitted).tolist()
        order = replace(order, extrapolates=tuple(f"{LINKS[link]} links" for link in used if link > 0))
        reason = WITHOUT_MESSAGES if run["record"] == "collectives" else None if costs.fitted else NO_WAIT
        if reason is None:
            model, after_ns = rerun_of(table, costs, places, place, led)
            reason, error = model.reason_unpredicted, model.error
            if reason is None:
                baseline, order = model.predicted(baseline, model.baseline_ns), model.predicted(order, after_ns)
    # If only the time of the whole run cannot be predicted, the order is suggested because it saves time on links.
    is_suggested = reason not in (None, ONE_HOST, NO_ORDER, WITHOUT_MESSAGES)
    (order,) = ranked([replace(order, reason_unpredicted=reason, is_suggested=is_suggested)])
    rows[-1] |= {"run_gain": order.predicted_gain, "run_gain_low": order.gain_low, "run_gain_high": order.gain_high}
    rows = [row | {"chosen": order.is_suggested} for row in rows]
    sentences = (*sentences_of(rows, baseline, order, error, tune_command(run)), *unseen(table))
    answer = row_table.table_of(catalog.load().computed["reorder"].default.columns, rows)
    return Suggestion(baseline, (order,) if has_order else (), answer, sentences)
