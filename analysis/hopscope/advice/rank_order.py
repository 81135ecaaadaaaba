"""Rank order as a candidate: its messages on slow links, and the time of the run with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.advice.pipeline import Suggestion
from hopscope.advice.placement.costs import costs_of
from hopscope.advice.placement.leaders import led_hops
from hopscope.advice.placement.load import load_of, rows_of
from hopscope.advice.placement.rerun import rerun_of
from hopscope.advice.placement.swaps import best_order
from hopscope.advice.placement.traffic import one_sided, traffic_of, unseen
from hopscope.errors import InputError
from hopscope.format.quantities import alike, interval, number, plural, share
from hopscope.query import catalog, row_table
from hopscope.replay.candidate import Candidate
from hopscope.replay.prediction import LEAST_GAIN, ranked
from hopscope.replay.run.places import places_of
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import tune_command

_NO_ORDER = "no order was found that spends less time on links"
_NO_WAIT = "no rank waited for a message"
_ONE_HOST = "all ranks are on one host"
_RECORD_MESSAGES = "record the application's messages (`--record all`), or the MPI library's own (HOPSCOPE_NATIVE)"
_WITHOUT_MESSAGES = "without the application's messages, an order that suits its collectives may be worse for the rest"


def suggest_order(table: Callable[[str], pa.Table]) -> Suggestion:
    """The best rank order for a run on its hosts. Raises InputError if the launcher cannot choose the hosts, or nothing
    was sent."""
    run, ranks = table("run").to_pylist()[0], table("ranks")
    _check(run, ranks)
    places, hops = places_of(ranks), table("hops")
    led = led_hops(table, places)
    traffic, of_hosts = traffic_of(places, table("messages"), hops.filter(~led)), traffic_of(places, hops.filter(led))
    if not len(traffic.low) and not len(of_hosts.low):
        raise InputError(
            "the trace shows no messages between ranks, so nothing tells which of them belong together; "
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
    reason = _ONE_HOST if len(set(baseline.hosts)) < 2 else _NO_ORDER if rows[-1]["gain"] < LEAST_GAIN else None
    has_order, error = reason is None, 0.0
    if has_order:
        used = np.flatnonzero((new[0] > 0) & (costs.rows == 0) & costs.fitted).tolist()
        order = replace(order, extrapolates=tuple(f"{LINKS[link]} links" for link in used if link > 0))
        reason = _WITHOUT_MESSAGES if run["record"] == "collectives" else None if costs.fitted else _NO_WAIT
        if reason is None:
            model, after_ns = rerun_of(table, costs, places, place, led)
            reason, error = model.reason_unpredicted, model.error
            if reason is None:
                baseline, order = model.predicted(baseline, model.baseline_ns), model.predicted(order, after_ns)
    # An order without a prediction is suggested because it saves time on links.
    is_suggested = reason not in (None, _ONE_HOST, _NO_ORDER, _WITHOUT_MESSAGES)
    (order,) = ranked([replace(order, reason_unpredicted=reason, is_suggested=is_suggested)])
    rows[-1] |= {"run_gain": order.predicted_gain, "run_gain_low": order.gain_low, "run_gain_high": order.gain_high}
    rows = [row | {"chosen": order.is_suggested} for row in rows]
    sentences = (*_sentences(rows, baseline, order, error, tune_command(run)), *unseen(table))
    answer = row_table.table_of(catalog.load().computed["reorder"].default.columns, rows)
    return Suggestion(baseline, (order,) if has_order else (), answer, sentences)


def _sentences(
    rows: list[dict[str, Any]], baseline: Candidate, order: Candidate, error: float, measure: str
) -> Iterator[str]:
    """The effect and the gain of the new order, or the reason for none. measure: the command that measures it."""
    reason = order.reason_unpredicted
    slow = next((row for row in rows if row["messages"] or row["new_messages"]), rows[0])
    moved = f"{plural(slow['messages'], slow['link'] + ' message')} become {number(slow['new_messages'])}"
    if reason in (_ONE_HOST, _NO_ORDER, _WITHOUT_MESSAGES):
        yield f"Leave the order as it is: {reason}."
        return
    if rows[-1]["predicted_ns"] is not None:
        old_time, new_time = alike("ns", rows[-1]["predicted_ns"], rows[-1]["new_predicted_ns"])
        moved += f"; the time on links, summed over all messages, goes from {old_time} to {new_time}"
    if reason is not None:
        yield f"{moved}."
        yield f"What the run gains is not predicted: {reason}. Measure it: `{measure}`."
        return
    old_time, new_time = alike("ns", baseline.predicted_ns, order.predicted_ns)
    gain = order.predicted_gain or 0.0
    predicted = (
        f"he run is predicted to take {new_time} for {old_time}: {share(abs(gain))} {'less' if gain >= 0 else 'more'} "
        f"(gain {interval(order.gain_low or 0.0, order.gain_high or 0.0)}, error {share(error)})"
    )
    if order.is_suggested:
        yield f"{moved}."
        yield f"T{predicted}. Measure it: `{measure}`."
    else:
        yield f"Leave the order as it is: {moved}, but t{predicted}."
    if order.extrapolates:
        yield f"The run did not measure {' and '.join(order.extrapolates)}, which the new order uses."


def _check(run: dict[str, Any], ranks: pa.Table) -> None:
    """Raises InputError if the launcher cannot choose the hosts of this run."""
    if run["emulated"]:
        raise InputError(
            "the run emulated its links, and its topology file says which host a rank is on; change `placement` there, "
            "or reorder a run on real hosts or on `--net`"
        )
    hosts_of_memory: dict[int, set[tuple[str, str]]] = {}
    for row in ranks.to_pylist():
        if row["memory"] is not None:
            hosts_of_memory.setdefault(row["memory"], set()).add((row["host"], row["cluster"]))
    for hosts in hosts_of_memory.values():
        if len(hosts) > 1:
            raise InputError(
                f"the hosts {', '.join(sorted(host for host, _ in hosts))} of the topology file are one machine, so a "
                "launcher cannot tell them apart; reorder a run on real hosts or on `--net`"
            )
