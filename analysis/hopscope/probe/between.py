"""Measures pairs of hosts that somebody else has chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.probe.machine_file import entry_of
from hopscope.probe.measuring import LATENCY_TRIPS, NS, SIZES, Progress
from hopscope.probe.sampling import POINT_SECONDS, median_of
from hopscope.probe.session import Machine

MOST_MESSAGE_SIZES = 3
"""Of the first pair of each class, what messages of so many sizes take, for what a byte takes."""


def measure_between(
    machine: Machine, pairs: Sequence[Mapping[str, Any]], progress: Progress = lambda what: None
) -> dict[str, Any]:
    """As much of a machine file's content as tells what messages between these pairs of hosts take.

    pairs: each with its `hosts` by name, the `ranks` on them, and its class of `link` (`remap.guesses.missing_of`).
    """

    def one_way(ranks: Sequence[int], size: int) -> Any:
        words = ("pingpong", size, LATENCY_TRIPS, int(POINT_SECONDS * NS), f"{ranks[0]}:{ranks[1]}")
        return entry_of(median_of([trip / 2 for trip in machine.measure(*words)[ranks[0]]]))

    latencies: list[dict[str, Any]] = []
    links: dict[str, dict[str, Any]] = {}
    for number, pair in enumerate(pairs):
        progress(f"{' and '.join(pair['hosts'])}, {number + 1} of {len(pairs)}")
        latencies.append({"hosts": pair["hosts"], "link": pair["link"], "one_way_ns": one_way(pair["ranks"], SIZES[0])})
        if pair["link"] not in links:
            sizes = SIZES[:MOST_MESSAGE_SIZES]
            points = [{"bytes": size, "one_way_ns": one_way(pair["ranks"], size)} for size in sizes]
            links[pair["link"]] = {"link": pair["link"], "outlying": False, "sizes": points}
    ranks: dict[str, list[int]] = {}
    for pair in pairs:
        for host, rank in zip(pair["hosts"], pair["ranks"], strict=True):
            ranks.setdefault(host, [rank])
    hosts = [{"name": name, "ranks": mine} for name, mine in ranks.items()]
    return {"hosts": hosts, "latencies": latencies, "links": list(links.values())}
