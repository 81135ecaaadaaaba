"""Finds a rank order for a trace and its gain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.advice.orders.costs import HostCosts, costs_of
from hopscope.advice.orders.leaders import led_hops
from hopscope.advice.orders.partition import partitioned
from hopscope.advice.orders.places import Places, places_of
from hopscope.advice.orders.rerun import Rerun, rerun_of
from hopscope.advice.orders.swaps import Objective
from hopscope.advice.orders.traffic import Traffic, traffic_of, unseen
from hopscope.dataset.path_columns import Array
from hopscope.errors import InputError
from hopscope.format.quantities import alike, interval, number, plural, share
from hopscope.mpi_libraries.rank_files import LauncherFile
from hopscope.replay.candidate import Candidate
from hopscope.replay.prediction import LEAST_GAIN, ranked
from hopscope.vocabulary.links import LINKS, classes_of_hosts
from hopscope.vocabulary.words import tune_command

MOST_STARTED_OVER = 512
"""With more ranks, swaps start only from the partition: from other orders they take a minute without a benefit."""
_TABLE_LINKS = ("wan", "lan", "shm")
_NEARER = 1e-6
"""Between links that cost the same, a nearer one is preferred by this share of the greatest latency."""
_WITHOUT_MESSAGES = "without the application's messages, an order that suits its collectives may be worse for the rest"

SCHEMA = pa.schema(
    [
        ("link", pa.string()),
        ("messages", pa.int64()),
        ("new_messages", pa.int64()),
        ("bytes", pa.int64()),
        ("new_bytes", pa.int64()),
        ("predicted_ns", pa.float64()),
        ("new_predicted_ns", pa.float64()),
        ("gain", pa.float64()),
        ("run_gain", pa.float64()),
        ("run_gain_low", pa.float64()),
        ("run_gain_high", pa.float64()),
        ("fitted_from", pa.int64()),
        ("chosen", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class Order:
    """A rank order. hosts: of each rank of MPI_COMM_WORLD in it, even if it is not suggested. candidates: the order, if
    it spends less time on links."""

    table: pa.Table
    hosts: tuple[str, ...]
    is_suggested: bool
    sentences: tuple[str, ...]
    candidates: tuple[Candidate, ...] = ()
    file: LauncherFile | None = None
    """The launcher's file, where it was written."""


def suggest(table: Callable[[str], pa.Table]) -> Order:
    """The best order found for a trace, given its `table` function; `sql/computed/reorder.sql` says how.

    Raises InputError if the launcher cannot choose the hosts, or nothing was sent.
    """
    run, ranks = table("run").to_pylist()[0], table("ranks")
    _check(run, ranks)
    places, hops = places_of(ranks), table("hops")
    led = led_hops(table, places)
    traffic = traffic_of(places, table("messages"), hops.filter(pa.array(~led)))
    of_hosts = traffic_of(places, hops.filter(pa.array(led)))
    if not len(traffic.low) and not len(of_hosts.low):
        raise InputError(
            "the trace shows no messages between ranks, so nothing tells which of them belong together; record the "
            "application's messages (`--record all`), or the MPI library's own (HOPSCOPE_NATIVE)"
        )
    costs = costs_of(table, places)
    place = best_order(traffic, costs, places)
    stays = _on_links(of_hosts, costs, places, places.baseline)
    old_load, new_load = (stays + _on_links(traffic, costs, places, hosts) for hosts in (places.baseline, place))
    gain = _saved(old_load[2].sum(), new_load[2].sum()) or 0.0
    hosts = tuple(places.hosts[host] for host in place[places.movable])
    rerun: Rerun | str = "no order was found that spends less time on links"
    candidates: list[Candidate] = []
    if len(np.unique(places.baseline[places.movable])) < 2:
        rerun = "all ranks are on one host"
    elif gain >= LEAST_GAIN:
        is_whole = run["record"] != "collectives"
        rerun = rerun_of(table, costs, places, place, led) if is_whole else _WITHOUT_MESSAGES
        proposal = Candidate(
            "rank order", "order", hosts=hosts, extrapolates=_extrapolates(traffic, costs, places, place),
            reason_unpredicted=rerun if isinstance(rerun, str) else None,
        )  # fmt: skip
        candidates = ranked([rerun.model.predicted(proposal, rerun.after_ns) if isinstance(rerun, Rerun) else proposal])
    # An order without a prediction is suggested for its saving on links.
    is_suggested = any(
        candidate.is_suggested or (candidate.predicted_ns is None and rerun != _WITHOUT_MESSAGES)
        for candidate in candidates
    )
    best = candidates[0] if candidates else Candidate("rank order", "order")
    columns = [LINKS.index(link) for link in _TABLE_LINKS]
    rows = [
        _row(link, old_load[:, [column]], new_load[:, [column]], costs)
        for link, column in zip(_TABLE_LINKS, columns, strict=True)
    ]
    total = _row("all", old_load[:, columns], new_load[:, columns], costs) | {
        "gain": gain,
        "run_gain": best.predicted_gain,
        "run_gain_low": best.gain_low,
        "run_gain_high": best.gain_high,
        "fitted_from": sum(row["fitted_from"] for row in rows),
    }
    sentences = [*_sentences(rows, total, best, rerun, tune_command(run)), *unseen(table)]
    candidates = [replace(candidate, is_suggested=is_suggested) for candidate in candidates]
    rows_table = pa.Table.from_pylist([row | {"chosen": is_suggested} for row in (*rows, total)], schema=SCHEMA)
    return Order(rows_table, hosts, is_suggested, tuple(sentences), tuple(candidates))


def _check(run: dict[str, Any], ranks: pa.Table) -> None:
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


def best_order(traffic: Traffic, costs: HostCosts, places: Places) -> Array:
    """The host of each rank: the best placement after swaps, or the baseline if none is better."""
    preference = _NEARER * max(1.0, float(costs.latency_ns.max()))
    objective = Objective(
        traffic, costs.latency_ns + preference * classes_of_hosts(places.cluster_of_host), costs.per_byte_ns
    )
    starts = [partitioned(traffic, costs, places)]
    if len(places.movable) <= MOST_STARTED_OVER:
        starts += [places.baseline, _in_blocks(places)]
    placements = [places.baseline, *(objective.bettered(start, places.movable) for start in starts)]
    return _relabelled(objective, min(placements, key=objective.cost), places)


def _in_blocks(places: Places) -> Array:
    """Ranks fill the hosts one after another."""
    place = places.baseline.copy()
    place[places.movable] = np.sort(places.baseline[places.movable])
    return place


def _relabelled(objective: Objective, place: Array, places: Places) -> Array:
    """The order with hosts exchanged if that costs nothing and keeps more ranks in place."""
    for a in range(len(places.hosts)):
        for b in range(a + 1, len(places.hosts)):
            first_ranks, second_ranks = (places.movable[place[places.movable] == host] for host in (a, b))
            if len(first_ranks) != len(second_ranks):
                continue
            exchanged = place.copy()
            exchanged[first_ranks], exchanged[second_ranks] = b, a
            stay, would_stay = (int((hosts == places.baseline).sum()) for hosts in (place, exchanged))
            if would_stay > stay and objective.cost(exchanged) <= objective.cost(place) * (1 + 1e-12):
                place = exchanged
    return place


def _on_links(traffic: Traffic, costs: HostCosts, places: Places, place: Array) -> Array:
    """Load of a placement on each class of link: messages, bytes and ns."""
    ends = place[traffic.low], place[traffic.high]
    link = classes_of_hosts(places.cluster_of_host)[ends]
    times = traffic.messages * costs.latency_ns[ends] + traffic.bytes * costs.per_byte_ns[ends]
    return np.stack([np.bincount(link, amount, len(LINKS)) for amount in (traffic.messages, traffic.bytes, times)])


def _saved(old: float, new: float) -> float | None:
    return 1 - new / old if old > 0 else None


def _row(link: str, old_load: Array, new_load: Array, costs: HostCosts) -> dict[str, Any]:
    """A row of the table without the columns of the whole run. old_load, new_load: of `_on_links`, for its classes."""
    (messages, size, ns), (new_messages, new_size, new_ns) = (
        old_load.sum(axis=1).tolist(),
        new_load.sum(axis=1).tolist(),
    )
    return {
        "link": link,
        "messages": int(messages),
        "new_messages": int(new_messages),
        "bytes": int(size),
        "new_bytes": int(new_size),
        "predicted_ns": ns if costs.fitted else None,
        "new_predicted_ns": new_ns if costs.fitted else None,
        "gain": _saved(ns, new_ns) if costs.fitted else None,
        "fitted_from": int(costs.rows[LINKS.index(link)]) if link in LINKS else None,
    }


def _extrapolates(traffic: Traffic, costs: HostCosts, places: Places, place: Array) -> tuple[str, ...]:
    """Classes of links that the new order uses and that no rank waited on. An unmeasured pair of hosts counts as the
    slowest of its class."""
    of_hosts = classes_of_hosts(places.cluster_of_host)
    used = np.unique(of_hosts[place[traffic.low], place[traffic.high]]).tolist()
    return tuple(f"{LINKS[link]} links" for link in used if costs.fitted and link > 0 and not costs.rows[link])


def _sentences(
    rows: list[dict[str, Any]], total: dict[str, Any], best: Candidate, rerun: Rerun | str, measure: str
) -> Iterator[str]:
    """The effect and the gain of the new order, or the reason for none. measure: the command that measures it."""
    slow = next((row for row in rows if row["messages"] or row["new_messages"]), rows[0])
    moved = f"{plural(slow['messages'], slow['link'] + ' message')} become {number(slow['new_messages'])}"
    if total["gain"] < LEAST_GAIN or rerun == _WITHOUT_MESSAGES:
        reason = "no order was found that spends less time on links"
        yield f"Leave the order as it is: {rerun if isinstance(rerun, str) else reason}."
        return
    if total["predicted_ns"] is not None:
        old_time, new_time = alike("ns", total["predicted_ns"], total["new_predicted_ns"])
        moved += f"; the time on links, summed over all messages, goes from {old_time} to {new_time}"
    if isinstance(rerun, str):
        yield f"{moved}."
        yield f"What the run gains is not predicted: {rerun}. Measure it: `{measure}`."
        return
    old_time, new_time = alike("ns", rerun.model.baseline_ns, rerun.after_ns)
    gain = best.predicted_gain or 0.0
    predicted = (
        f"the run is predicted to take {new_time} for {old_time}: {share(abs(gain))} {'less' if gain >= 0 else 'more'} "
        f"(gain {interval(best.gain_low or 0.0, best.gain_high or 0.0)}, error {share(rerun.model.error)})"
    )
    if best.is_suggested:
        yield f"{moved}."
        yield f"T{predicted[1:]}. Measure it: `{measure}`."
    else:
        yield f"Leave the order as it is: {moved}, but {predicted}."
    if best.extrapolates:
        yield f"The run did not measure {' and '.join(best.extrapolates)}, which the new order uses."
