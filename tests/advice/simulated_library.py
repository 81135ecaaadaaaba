"""A simulated run whose MPI library does each Allreduce by recursive doubling, message by message on a known
network."""

from __future__ import annotations

import math

from simulated_network import ENTER, HANDLE, LEAVE, SEND, Network, Run

POST = 100
"""Time from posting a receive to sending, in ns. If the message is already there, it is received after half of this
time."""


class LibraryRun(Run):
    """A `Run` with the MPI library's own messages. The number of ranks is a power of two. rendezvous_from: a message of
    more bytes leaves only when its receiver's CTS arrives, and blocks its sender until then."""

    engine = "native"
    tree_file = None

    def __init__(self, network: Network, size: int = 8, jitter: int = 0, rendezvous_from: float = math.inf) -> None:
        super().__init__(network, {"shape": "flat"}, size, jitter)
        self.rendezvous_from = rendezvous_from

    def allreduce(self, op: str = "MPI_Allreduce") -> None:
        """Adds an Allreduce. In each round every rank posts a receive, sends to its peer, and then needs the peer's
        message."""
        number, enter = len(self.rows["collectives"]), list(self.clocks)
        times = [t + ENTER for t in enter]
        for distance in (1 << i for i in range((self.ranks - 1).bit_length())):
            posted, next_times = list(times), list(times)
            sent = [t + POST for t in posted]
            departures = [
                self._goes_ns(rank, rank ^ distance, sent[rank], posted[rank ^ distance]) for rank in range(self.ranks)
            ]
            for rank in range(self.ranks):
                peer = rank ^ distance
                arrival = departures[peer] + self._transit_ns(peer, rank)
                wait_begin = sent[rank] + SEND
                receive_end = posted[rank] + POST // 2 if arrival <= posted[rank] else max(arrival, wait_begin)
                received = None if arrival <= wait_begin else wait_begin, receive_end
                self.record_hop(number, (peer, rank), sent[peer], posted[rank], received)
                if self.size > self.rendezvous_from:
                    self.rows["hops"][-1]["send_end_ns"] = departures[peer]
                next_times[rank] = max(receive_end, wait_begin, departures[rank]) + HANDLE
            times = next_times
        self.clocks = [t + LEAVE for t in times]
        self.record_calls(number, enter, op)

    def set_up(self, messages: int) -> None:
        """Adds the messages with which the library sets itself up to the next collective, before its other messages:
        `messages` over each edge of a ring."""
        number = len(self.rows["collectives"])
        for _ in range(messages):
            for rank in range(self.ranks):
                ends = rank, (rank + 1) % self.ranks
                sent = self.clocks[rank] + ENTER
                receive_end = sent + self._transit_ns(*ends)
                self.record_hop(number, ends, sent, sent, (sent, receive_end))
            self.clocks = [t + max(self.network.latency.values()) + HANDLE for t in self.clocks]

    def _transit_ns(self, src: int, dst: int) -> int:
        network = self.network
        hosts = network.hosts[src], network.hosts[dst]
        latency = network.pairs.get(hosts, network.latency[network.link(src, dst)])
        return latency + int(network.per_byte * self.size) + self.chance.randint(0, self.jitter)

    def _goes_ns(self, src: int, dst: int, sent: int, posted: int) -> int:
        """The time at which a message leaves: at once, or when the CTS arrives."""
        if self.size <= self.rendezvous_from:
            return sent
        latency = self.network.latency[self.network.link(src, dst)]
        return max(sent + latency, posted) + latency
