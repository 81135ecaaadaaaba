"""Finds a rank order for a trace and says what it gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.errors import InputError
from hopscope.links import LINKS
from hopscope.quantities import alike, in_words, interval, number, plural, share
from hopscope.reorder.costs import HostCosts, costs_of
from hopscope.reorder.leaders import led_hops, roles
from hopscope.reorder.on_path import most_saved
from hopscope.reorder.partition import partitioned
from hopscope.reorder.places import Places, places_of
from hopscope.reorder.rerun import Rerun, rerun_of
from hopscope.reorder.swaps import Judge
from hopscope.reorder.traffic import Array, Traffic, traffic_of, unseen

LEAST_GAIN = 0.01
"""Share of the time on links, and of the run's, that an order must save to be suggested."""
MOST_STARTED_OVER = 512
"""Of more ranks, swaps better only the partition: from worse orders they take a minute and come to nothing better."""
_SHOWN = ("wan", "lan", "shm")
_NEARER = 1e-6
"""Between links that cost the same, a nearer one is preferred by this share of the greatest latency."""

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
        ("gain_low", pa.float64()),
        ("gain_high", pa.float64()),
        ("run_gain", pa.float64()),
        ("run_gain_low", pa.float64()),
        ("run_gain_high", pa.float64()),
        ("fitted_from", pa.int64()),
        ("chosen", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class Order:
    """A suggested rank order. hosts: of each rank of MPI_COMM_WORLD in the new order, also where it is not chosen."""

    table: pa.Table
    hosts: tuple[str, ...]
    chosen: bool
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class _OnLinks:
    """What a placement puts on each class of link, by its number."""

    messages: Array
    bytes: Array
    latency_ns: Array
    byte_ns: Array

    def __add__(self, other: _OnLinks) -> _OnLinks:
        """Of both together."""
        return _OnLinks(
            self.messages + other.messages,
            self.bytes + other.bytes,
            self.latency_ns + other.latency_ns,
            self.byte_ns + other.byte_ns,
        )

    @property
    def ns(self) -> Array:
        """Their summed time."""
        return self.latency_ns + self.byte_ns


def suggest(table: Callable[[str], pa.Table]) -> Order:
    """The best order found for a trace, given its `table` function; `description.py` says how.

    Raises InputError where the hosts are not the launcher's to choose, or nothing was sent.
    """
    run = table("run").to_pylist()[0]
    ranks = table("ranks")
    _check(run, ranks)
    places, hops = places_of(ranks), table("hops")
    led = led_hops(table, places)
    traffic = traffic_of(table, hops.filter(pa.array(~led)))
    of_hosts = traffic_of(table, hops.filter(pa.array(led)), messages=False)
    if not len(traffic.low) and not len(of_hosts.low):
        raise InputError(
            "the trace shows no messages between ranks, so nothing tells which of them belong together; record the "
            "application's messages (`--record all`), or the MPI library's own (HOPSCOPE_NATIVE)"
        )
    costs = costs_of(table, places)
    place = best_order(traffic, costs, places)
    then = roles(places, place)[places.today]
    before, after = (
        _on_links(traffic, costs, places, each) + _on_links(of_hosts, costs, places, led_at)
        for each, led_at in ((places.today, places.today), (place, then))
    )
    draws = _gains(before, after, costs)
    low, high = (float(np.quantile(draws, end)) for end in (0.025, 0.975)) if costs.fitted else (None, None)
    gain = _saved(before.ns.sum(), after.ns.sum()) or 0.0
    at_most = most_saved(table, traffic, costs, places, place, led=led)
    missing = unseen(table)
    near = slice(0, LINKS.index("wan"))
    inside = (before.ns[near] - after.ns[near]).sum()
    trades = inside < LEAST_GAIN * before.ns.sum() and all(
        np.array_equal(_between_clusters(sent, places, now), _between_clusters(sent, places, new))
        for sent, now, new in ((traffic, places.today, place), (of_hosts, places.today, then))
    )
    recorded = run["record"] != "collectives"
    reason = reason_to_stay(places, gain, low, at_most, without_messages=not recorded, only_trades=trades)
    rerun: Rerun | str = "the trace has no critical path"
    if reason is None and at_most is not None:
        rerun = rerun_of(table, costs, places, place, led)
        reason = why_not_worth_it(rerun) if isinstance(rerun, Rerun) else None
    found = rerun if isinstance(rerun, Rerun) else None
    chosen = reason is None
    rows = [_row(link, before, after, costs, link_number=LINKS.index(link), chosen=chosen) for link in _SHOWN]
    total = {
        "link": "all",
        **{name: sum(row[name] for row in rows) for name in ("messages", "new_messages", "bytes", "new_bytes")},
        "predicted_ns": float(before.ns.sum()) if costs.fitted else None,
        "new_predicted_ns": float(after.ns.sum()) if costs.fitted else None,
        "gain": gain,
        "gain_low": low,
        "gain_high": high,
        "run_gain": found.gain if found else None,
        "run_gain_low": found.low if found else None,
        "run_gain_high": found.high if found else None,
        "fitted_from": sum(row["fitted_from"] for row in rows),
        "chosen": chosen,
    }
    if reason is None:
        said = [*_suggestion(rows, total, at_most, rerun), *_limits(traffic, costs, places, place)]
    else:
        said = [f"Leave the order as it is: {reason}."]
    said += missing
    hosts = tuple(places.hosts[host] for host in place[places.movable])
    return Order(pa.Table.from_pylist([*rows, total], schema=SCHEMA), hosts, chosen, tuple(said))


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
    """The host of each rank: the best placement after swaps, or today's own if none is better than that."""
    preference = _NEARER * max(1.0, float(costs.latency_ns.max()))
    judge = Judge(traffic, costs.latency_ns + preference * places.classes(), costs.per_byte_ns)
    starts = [partitioned(traffic, costs, places)]
    if len(places.movable) <= MOST_STARTED_OVER:
        starts += [places.today, _in_blocks(places)]
    found = [places.today, *(judge.bettered(start, places.movable) for start in starts)]
    best = min(found, key=judge.cost)
    return _relabelled(judge, best, places)


def _in_blocks(places: Places) -> Array:
    """Ranks fill the hosts in turn."""
    place = places.today.copy()
    place[places.movable] = np.sort(places.today[places.movable])
    return place


def _relabelled(judge: Judge, place: Array, places: Places) -> Array:
    """The same order with hosts exchanged where that costs nothing and leaves more ranks where they are."""
    for a in range(len(places.hosts)):
        for b in range(a + 1, len(places.hosts)):
            here, there = (places.movable[place[places.movable] == host] for host in (a, b))
            if len(here) != len(there):
                continue
            other = place.copy()
            other[here], other[there] = b, a
            stay, would_stay = (int((each == places.today).sum()) for each in (place, other))
            if would_stay > stay and judge.cost(other) <= judge.cost(place) * (1 + 1e-12):
                place = other
    return place


def _on_links(traffic: Traffic, costs: HostCosts, places: Places, place: Array) -> _OnLinks:
    ends = place[traffic.low], place[traffic.high]
    link = places.classes()[ends]
    amounts = traffic.messages, traffic.bytes
    times = traffic.messages * costs.latency_ns[ends], traffic.bytes * costs.per_byte_ns[ends]
    return _OnLinks(*(np.bincount(link, weights=each, minlength=len(LINKS)) for each in (*amounts, *times)))


def _between_clusters(traffic: Traffic, places: Places, place: Array) -> Array:
    """The messages and bytes between each pair of clusters, both ways."""
    way, count = places.ways(place[traffic.low], place[traffic.high]), places.clusters
    crosses = way >= 0
    cells = [
        np.bincount(way[crosses], weights=each[crosses], minlength=count * count).reshape(count, count)
        for each in (traffic.messages, traffic.bytes)
    ]
    return np.stack([cell + cell.T for cell in cells])


def _gains(before: _OnLinks, after: _OnLinks, costs: HostCosts) -> Array:
    """The gain in each resample."""
    today, then = (
        each.latency_ns @ costs.latency_factors + each.byte_ns @ costs.byte_factors for each in (before, after)
    )
    return 1 - np.divide(then, today, out=np.ones_like(then), where=today > 0)


def _saved(before: float, after: float) -> float | None:
    return 1 - after / before if before > 0 else None


def _row(
    link: str, before: _OnLinks, after: _OnLinks, costs: HostCosts, *, link_number: int, chosen: bool
) -> dict[str, Any]:
    today, then = float(before.ns[link_number]), float(after.ns[link_number])
    return {
        "link": link,
        "messages": int(before.messages[link_number]),
        "new_messages": int(after.messages[link_number]),
        "bytes": int(before.bytes[link_number]),
        "new_bytes": int(after.bytes[link_number]),
        "predicted_ns": today if costs.fitted else None,
        "new_predicted_ns": then if costs.fitted else None,
        "gain": _saved(today, then) if costs.fitted else None,
        "gain_low": None,
        "gain_high": None,
        "run_gain": None,
        "run_gain_low": None,
        "run_gain_high": None,
        "fitted_from": int(costs.rows[link_number]),
        "chosen": chosen,
    }


def reason_to_stay(
    places: Places,
    gain: float,
    low: float | None,
    at_most: float | None,
    *,
    without_messages: bool,
    only_trades: bool,
) -> str | None:
    """Why no order is suggested; None if one is. low: the lower end of the gain. only_trades: as many messages and
    bytes go between any two clusters as today, and nothing is saved inside them."""
    may_be_chance = low is not None and low <= 0
    reasons = (
        (len(np.unique(places.today[places.movable])) < 2, "all ranks are on one host"),
        (
            without_messages,
            "without the application's messages, an order that suits its collectives may be worse for the rest",
        ),
        (gain <= 0, "no order was found that spends less time on links"),
        (gain < LEAST_GAIN, f"the best order found saves {share(gain)} of the time on links, too little for a change"),
        (may_be_chance, f"the best order found saves {share(gain)} of the time on links, which may be chance"),
        (
            only_trades,
            "another one would only trade links between the same clusters, and what one run shows of those may be "
            "their queues",
        ),
        (
            at_most is not None and at_most <= 0,
            "another one would save time on links, but none of it on the run's critical path",
        ),
    )
    return next((reason for holds, reason in reasons if holds), None)


def why_not_worth_it(rerun: Rerun) -> str | None:
    """Why the predicted run is no reason to change the order; None if it is one."""
    if rerun.gain > 0 and rerun.low > 0 and rerun.gain > max(rerun.error, LEAST_GAIN):
        return None
    if rerun.gain <= 0:
        return f"another one would save time on links, but {_predicted(rerun)}"
    return (
        f"another one would save time on links, but {_predicted(rerun)}, which may be chance or the replay's error "
        f"({share(rerun.error)} on this run)"
    )


def _predicted(rerun: Rerun) -> str:
    """What the run is predicted to take."""
    today, then = alike("ns", rerun.before_ns, rerun.after_ns)
    each = "" if rerun.iterations is None else " an iteration"
    change = "less" if rerun.gain >= 0 else "more"
    ends = interval(rerun.low, rerun.high) if rerun.gain >= 0 else interval(-rerun.high, -rerun.low)
    return f"the run is predicted to take {then}{each} for {today}, {share(abs(rerun.gain))} {change} ({ends})"


def _suggestion(
    rows: list[dict[str, Any]], total: dict[str, Any], at_most: float | None, rerun: Rerun | str
) -> list[str]:
    """What the new order does and gains."""
    slow = next((row for row in rows if row["messages"] or row["new_messages"]), rows[0])
    moved = f"{plural(slow['messages'], slow['link'] + ' message')} become {number(slow['new_messages'])}"
    if total["predicted_ns"] is None:
        return [
            f"{moved}. No rank waited for a message, so nothing tells what one costs, and no time is predicted.",
        ]
    today, then = alike("ns", total["predicted_ns"], total["new_predicted_ns"])
    ends = interval(total["gain_low"], total["gain_high"])
    said = [
        f"{moved}; the predicted time on links, summed over all messages, goes from {today} to {then}: "
        f"{share(total['gain'])} less ({ends})."
    ]
    if isinstance(rerun, Rerun):
        said.append(
            f"T{_predicted(rerun)[1:]}; a replay in today's order is {share(rerun.error)} off from the run. A rerun "
            "shows it."
        )
    elif at_most is None:
        said.append(f"What the run gains is not predicted: {rerun}.")
    else:
        said.append(
            f"What the run gains is not predicted: {rerun}. By the messages on today's critical path, it gains at "
            f"most {share(at_most)} of its time, apart from shorter queues on shared links; a rerun shows it."
        )
    return said


def _limits(traffic: Traffic, costs: HostCosts, places: Places, place: Array) -> list[str]:
    """What the prediction leans on that was not measured."""
    if not costs.fitted:
        return []
    ends = place[traffic.low], place[traffic.high]
    unmeasured = int(traffic.messages[~costs.measured[ends] & (ends[0] != ends[1])].sum())
    said: list[str] = []
    if unmeasured:
        said.append(
            f"{plural(unmeasured, 'message')} of the new order would go between hosts for which no rank waited in this "
            "run; they count as the slowest measured pair of their class, and may be slower."
        )
    used = [int(link) for link in np.unique(places.classes()[ends]) if link > 0]
    for what, known, instead in (
        ("The latency", costs.rows > 0, "all of what the next faster one takes where none is slower"),
        ("The time per byte", costs.several_sizes, "nothing where none is known"),
    ):
        like = [LINKS[link] for link in used if not known[link]]
        if like:
            said.append(
                f"{what} of {in_words(like)} links was not measured; it counts half of what the next slower class "
                f"takes, {instead}, and the interval reaches from nothing to all of the slower class's."
            )
    return said
