"""`analyze delayed-hops`: finds the cost of a delayed hop. Replays its collective with the hop at its usual time, and
everything else as recorded."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa

from hopscope.query.header import Scalar

Row = dict[str, Any]


@dataclass
class _Collective:
    """One collective: its calls by rank, and its hops in the order in which they were received."""

    calls: dict[int, Row] = field(default_factory=dict[int, Row])
    hops: list[Row] = field(default_factory=list[Row])

    @cached_property
    def received(self) -> dict[int, list[Row]]:
        """The hops that each rank received, in the order in which it received them."""
        return self._hops_by("dst")

    @cached_property
    def sent(self) -> dict[int, list[Row]]:
        """The hops that each rank sent."""
        return self._hops_by("src")

    def _hops_by(self, end: str) -> dict[int, list[Row]]:
        hops: dict[int, list[Row]] = {rank: [] for rank in self.calls}
        for hop in self.hops:
            hops[hop[end]].append(hop)
        return hops


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[Row]:
    """One row per delayed hop, the longest delay first."""
    collectives: dict[int, _Collective] = {}
    for row in rows.to_pylist():
        collective = collectives.setdefault(row["collective_id"], _Collective())
        if row["what"] == "call":
            collective.calls[row["src"]] = row
        else:
            collective.hops.append(row)
    answer_rows: list[Row] = []
    for collective in collectives.values():
        collective.hops.sort(key=lambda hop: (hop["end_ns"], hop["hop_id"]))
        answer_rows += [_hop_row(collective, hop) for hop in collective.hops if hop["delayed"]]
    return sorted(answer_rows, key=lambda row: (-row["delay_ns"], row["hop_id"]))


class _Replay:
    """A replay of a collective in which one hop takes its usual time. It gives the receive time of each hop."""

    def __init__(self, collective: _Collective, cured: Row) -> None:
        self.collective = collective
        self.received: dict[int, int] = {}
        self._ends: dict[int, list[int]] = defaultdict(list)
        """The recorded receive times of each rank's hops, in order. For each of them, `_latest` has the latest receive
        time of the rank up to this hop in the replay."""
        self._latest: dict[int, list[int]] = defaultdict(list)
        for hop in collective.hops:
            # A message that its receiver waited for takes as long as recorded. Others may have lain unread, so they
            # take their usual time.
            flight = hop["end_ns"] - hop["begin_ns"]
            if hop is cured or (not hop["waited"] and hop["usual_ns"] is not None):
                flight = hop["usual_ns"]
            elif not hop["waited"]:
                flight = 0
            sent = hop["begin_ns"] - self.shift(hop["src"], hop["begin_ns"])
            ready = hop["ready_ns"] - self.shift(hop["dst"], hop["ready_ns"])
            received = min(hop["end_ns"], max(sent + flight, ready))
            self.received[hop["hop_id"]] = received
            latest = self._latest[hop["dst"]]
            latest.append(max(received, latest[-1]) if latest else received)
            self._ends[hop["dst"]].append(hop["end_ns"])

    def shift(self, rank: int, time_ns: int) -> int:
        """The time in ns by which this rank is ahead of the recorded run at `time_ns`. It depends only on the rank's
        last receive before."""
        arrived = self.collective.calls[rank]["begin_ns"]
        arrivals = bisect_right(self._ends[rank], time_ns)
        if not arrivals:
            return 0
        return max(arrived, self._ends[rank][arrivals - 1]) - max(arrived, self._latest[rank][arrivals - 1])

    def leave(self, rank: int) -> int:
        """The time at which this rank leaves the collective in the replay."""
        left = self.collective.calls[rank]["end_ns"]
        return left - self.shift(rank, left)

    def absorbed(self, rank: int) -> tuple[int, str]:
        """The gain in ns that this rank does not pass on, and what absorbs it: a later hop, or the rank's own
        arrival."""
        gains = [(hop["end_ns"] - self.received[hop["hop_id"]], hop) for hop in self.collective.received[rank]]
        gain, first = max(gains, key=lambda pair: pair[0], default=(0, None))
        if first is None or gain <= 0:
            return 0, ""
        sends = [hop["begin_ns"] for hop in self.collective.sent[rank] if hop["begin_ns"] >= first["end_ns"]]
        limit_ns = min(sends, default=self.collective.calls[rank]["end_ns"])
        other_hops = [hop for hop in self.collective.received[rank] if hop["end_ns"] <= limit_ns and hop is not first]
        latest = max(other_hops, key=lambda hop: self.received[hop["hop_id"]], default=None)
        arrived = self.collective.calls[rank]["begin_ns"]
        blocker = "own arrival"
        if latest is not None and self.received[latest["hop_id"]] > arrived:
            blocker = f"hop {latest['src']}->{latest['dst']}"
        return gain - self.shift(rank, limit_ns), blocker


def _hop_row(collective: _Collective, hop: Row) -> Row:
    replay = _Replay(collective, hop)
    leaves = {rank: replay.leave(rank) for rank in collective.calls}
    moved = max(call["end_ns"] for call in collective.calls.values()) - max(leaves.values())
    absorbed = [(*replay.absorbed(rank), rank) for rank in collective.calls]
    largest, blocker, absorber = max(absorbed, key=lambda pair: (pair[0], -pair[2]))
    took = hop["end_ns"] - hop["begin_ns"]
    delay = took - hop["usual_ns"]
    return {
        **{name: hop[name] for name in ("hop_id", "collective", "role", "src", "dst", "tree", "link", "usual_ns")},
        "took_ns": took,
        "delay_ns": delay,
        "moved_ns": moved,
        "amplification": moved / delay,
        "ranks": sum(leave < collective.calls[rank]["end_ns"] for rank, leave in leaves.items()),
        "absorbed_at": absorber if largest > 0 else None,
        "absorbed_ns": largest,
        "behind": blocker if largest > 0 else None,
    }
