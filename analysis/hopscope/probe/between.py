"""Measures what somebody else has chosen: pairs of hosts, sizes, and messages that meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopscope.probe.machine_file import entry_of
from hopscope.probe.measuring import LATENCY_TRIPS, NS, SIZES, Progress
from hopscope.probe.sampling import POINT_SECONDS, median_of
from hopscope.probe.session import Machine

MOST_MESSAGE_SIZES = 3
"""Of the first pair of each class, what messages of so many sizes take, for what a byte takes."""
MEETINGS, MOST_MEETINGS = 3, 12
"""So often two messages meet at least and at most, for each delay, and each goes alone as often."""
DELAYS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875)
"""In shares of what a message takes alone: of two that go opposite ways, one begins so much after the other. Those that
go the same way begin together."""

_Words = Mapping[str, Any]


def measure_between(
    machine: Machine, missing: Sequence[_Words], progress: Progress = lambda what: None
) -> dict[str, Any]:
    """As much of a machine file's content as tells what messages between these pairs of hosts take; and, in `sizes` and
    `meetings`, what those of these sizes and those that meet there do.

    missing: as `remap.judging.missing.missing_of` has it. A size has `one_way_ns`, that of the messages `beside` it in
    `beside_ns`, and that of one byte in `least_ns`. A meeting has `alone_ns`, the median of what the slower of the
    messages takes alone until its sender knows that it is there, and how much longer the slower one takes if they meet:
    `least_wait_ns`, the median for the delay by which they wait least, and `most_wait_ns`, what was seen twice of all
    delays.
    """
    pairs, sizes, meetings = (
        [one for one in missing if one.get("kind", "pair") == kind] for kind in ("pair", "size", "meeting")
    )
    result = _pairs(machine, pairs, progress)
    result["sizes"] = []
    for number, one in enumerate(sizes):
        progress(f"{one['bytes']} bytes over a {one['link']} link, {number + 1} of {len(sizes)}")
        times = {"one_way_ns": one["bytes"], "beside_ns": one["beside"], "least_ns": SIZES[0]}
        result["sizes"].append(
            {**one, **{name: entry_of(_one_way(machine, one["ranks"], size)) for name, size in times.items()}}
        )
    result["meetings"] = []
    for number, one in enumerate(meetings):
        progress(f"messages that meet at {one['name']}, {number + 1} of {len(meetings)}")
        result["meetings"].append({**one, **_meeting(machine, one)})
    return result


def _one_way(machine: Machine, ranks: Sequence[int], size: int) -> Any:
    words = ("pingpong", size, LATENCY_TRIPS, int(POINT_SECONDS * NS), f"{ranks[0]}:{ranks[1]}")
    return median_of([trip / 2 for trip in machine.measure(*words)[ranks[0]]])


def _pairs(machine: Machine, pairs: Sequence[_Words], progress: Progress) -> dict[str, Any]:
    latencies: list[dict[str, Any]] = []
    links: dict[str, dict[str, Any]] = {}
    ranks: dict[str, list[int]] = {}
    for number, pair in enumerate(pairs):
        progress(f"{' and '.join(pair['hosts'])}, {number + 1} of {len(pairs)}")
        size = pair.get("bytes", SIZES[0])
        for one in (pair, *([pair["beside"]] if pair.get("beside") and pair["link"] not in links else [])):
            one_way = entry_of(_one_way(machine, one["ranks"], size))
            latencies.append({"hosts": one["hosts"], "link": pair["link"], "bytes": size, "one_way_ns": one_way})
            for host, rank in zip(one["hosts"], one["ranks"], strict=True):
                ranks.setdefault(host, [rank])
        if pair["link"] not in links:
            points = [
                {"bytes": size, "one_way_ns": entry_of(_one_way(machine, pair["ranks"], size))}
                for size in SIZES[:MOST_MESSAGE_SIZES]
            ]
            links[pair["link"]] = {"link": pair["link"], "outlying": False, "sizes": points}
    hosts = [{"name": name, "ranks": mine} for name, mine in ranks.items()]
    return {"hosts": hosts, "latencies": latencies, "links": list(links.values())}


def _meeting(machine: Machine, meeting: _Words) -> dict[str, float]:
    """Two messages alone and together, in turn, so that what disturbs one disturbs the other."""
    ranks, opposite = meeting["ranks"], meeting["passing"] == "both_ways"
    words = [f"{src}:{dst}" for src, dst in ranks]

    def took(delay_ns: float, count: int, *pairs: str) -> dict[int, list[float]]:
        return machine.measure("together", meeting["bytes"], count, int(delay_ns), *pairs)

    trial = max(float(np.median(took(0, 1, pair)[src])) for pair, (src, _) in zip(words, ranks, strict=True))
    delays = [share * trial for share in (DELAYS if opposite else DELAYS[:1])]
    fits = POINT_SECONDS * NS / max(1.0, trial)
    count = int(np.clip(fits / (len(ranks) + len(delays)), MEETINGS, MOST_MEETINGS))
    by_pair: list[list[float]] = [[] for _ in words]
    met: list[dict[int, list[float]]] = [{} for _ in delays]
    for part in (count - count // 2, count // 2):
        for at, (pair, (src, _)) in enumerate(zip(words, ranks, strict=True)):
            by_pair[at] += took(0, part, pair)[src]
        for delay, together in zip(delays, met, strict=True):
            for src, more in took(delay, part, *words).items():
                together.setdefault(src, []).extend(more)
    # A rank that sends both has one time for them when they meet.
    alone: dict[int, float] = {}
    for (src, _), times in zip(ranks, by_pair, strict=True):
        alone[src] = max(alone.get(src, 0.0), float(np.median(times)))
    # The slower one's, each time. Which state two messages come to that go opposite ways is a matter of chance, too.
    waits = [np.max([np.asarray(of) - alone[src] for src, of in together.items()], axis=0) for together in met]
    most = float(np.sort(np.concatenate(waits))[-2])
    least = min(float(np.median(of)) for of in waits)
    return {"alone_ns": max(alone.values()), "least_wait_ns": max(0.0, least), "most_wait_ns": max(0.0, most)}
