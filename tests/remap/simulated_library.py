"""A run whose Allreduce the MPI library does by recursive doubling, simulated message by message on a known network."""

from __future__ import annotations

import math
from typing import Any

from simulated_network import ENTER, HANDLE, LEAVE, SEND, Network, Run, SimulatedTrace

POST = 100
"""From posting a receive to sending, ns. A message that is there already is received halfway."""


class LibraryRun(Run):
    """As `Run`, with the library's own messages. Ranks are a power of two. rendezvous_from: a longer message goes when
    its receiver has answered, and blocks its sender until then."""

    def __init__(self, network: Network, size: int = 8, jitter: int = 0, rendezvous_from: float = math.inf) -> None:
        super().__init__(network, {"shape": "flat"}, size, jitter)
        self.rendezvous_from = rendezvous_from

    def allreduce(self, op: str = "MPI_Allreduce") -> None:
        """In each round every rank posts a receive, sends to its peer, and then needs the peer's message."""
        number, enter = len(self.rows["collectives"]), list(self.now)
        now = [t + ENTER for t in enter]
        for distance in (1 << i for i in range((self.ranks - 1).bit_length())):
            posted, then = list(now), list(now)
            sent = [t + POST for t in posted]
            gone = [
                self._goes_ns(rank, rank ^ distance, sent[rank], posted[rank ^ distance]) for rank in range(self.ranks)
            ]
            for rank in range(self.ranks):
                peer = rank ^ distance
                there = gone[peer] + self._transit_ns(peer, rank)
                needed = sent[rank] + SEND
                seen = posted[rank] + POST // 2 if there <= posted[rank] else max(there, needed)
                self._record(
                    number, (peer, rank), sent[peer], posted[rank], (None if there <= needed else needed, seen)
                )
                if self.size > self.rendezvous_from:
                    self.rows["hops"][-1]["send_end_ns"] = gone[peer]
                then[rank] = max(seen, needed, gone[rank]) + HANDLE
            now = then
        self.now = [t + LEAVE for t in now]
        self.record_calls(number, enter, op)

    def set_up(self, messages: int) -> None:
        """What the library sends in the collective that comes next, before its own messages: so many in each edge of
        a ring."""
        number = len(self.rows["collectives"])
        for _ in range(messages):
            for rank in range(self.ranks):
                ends = rank, (rank + 1) % self.ranks
                sent = self.now[rank] + ENTER
                seen = sent + self._transit_ns(*ends)
                self._record(number, ends, sent, sent, (sent, seen))
            self.now = [t + max(self.network.latency.values()) + HANDLE for t in self.now]

    def _transit_ns(self, src: int, dst: int) -> int:
        network = self.network
        hosts = network.hosts[src], network.hosts[dst]
        latency = network.pairs.get(hosts, network.latency[network.link(src, dst)])
        return latency + int(network.per_byte * self.size) + self.chance.randint(0, self.jitter)

    def _goes_ns(self, src: int, dst: int, sent: int, posted: int) -> int:
        """When a message goes: at once, or when the answer to its announcement is there."""
        if self.size <= self.rendezvous_from:
            return sent
        latency = self.network.latency[self.network.link(src, dst)]
        return max(sent + latency, posted) + latency

    def _record(
        self, number: int, ends: tuple[int, int], sent: int, posted: int, received: tuple[int | None, int]
    ) -> None:
        (src, dst), (needed, seen) = ends, received
        self.rows["hops"].append(
            {
                "collective_id": number, "role": "exchange", "round": 0, "segment": 0, "src": src, "dst": dst,
                "src_location": src, "dst_location": dst, "bytes": self.size, "send_begin_ns": sent,
                "send_wait_begin_ns": None, "send_end_ns": sent + 100, "recv_post_ns": posted,
                "recv_wait_begin_ns": needed, "recv_end_ns": seen, "arrived_early": needed is None,
                "link": self.network.link(src, dst), "source": "native", "clock_error_ns": 0,
            }
        )  # fmt: skip

    def record_calls(self, number: int, enter: list[int], op: str = "MPI_Allreduce", root: int | None = None) -> None:
        """The calls of one collective, left now."""
        for rank in range(self.ranks):
            self.rows["calls"].append(
                {
                    "collective_id": number, "rank": rank, "location": rank, "enter_ns": enter[rank],
                    "leave_ns": self.now[rank], "bytes_sent": self.size, "bytes_received": self.size,
                    "engine": "native", "tree": None, "call_site": "app+1",
                }
            )  # fmt: skip
        self.rows["collectives"].append(
            {
                "collective_id": number, "comm": 0, "seq": number, "op": op, "root": root,
                "comm_size": self.ranks, "bytes": self.size, "first_enter_ns": min(enter), "last_enter_ns": max(enter),
                "first_leave_ns": min(self.now), "last_leave_ns": max(self.now), "complete": True,
            }
        )  # fmt: skip

    def trace(self, tree_file: str | None = None) -> SimulatedTrace:
        """What the collector recorded: no tree."""
        made: Any = super().trace(tree_file)
        made.tables["trees"] = made.tables["trees"].slice(0, 0)
        return made
