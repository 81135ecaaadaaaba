"""A recorded collective: its messages with their times at both ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, inf
from typing import NamedTuple

import numpy as np

Edge = tuple[int, int]


class RecordedMessage(NamedTuple):
    """A message of a run. Ranks are those of the communicator."""

    src: int
    dst: int
    bytes: int
    sent_ns: int
    received_ns: int
    is_wan: bool = False


@dataclass(frozen=True)
class Observed:
    """One collective. bytes: the payload. A rank's messages to itself do not count, because they show nothing about the
    algorithm."""

    operation: str
    """The blocking form, such as MPI_Allreduce."""
    ranks: int
    root: int | None
    bytes: int
    messages: Sequence[RecordedMessage]
    hosts: tuple[int, ...] = ()
    clusters: tuple[int, ...] = ()

    @cached_property
    def edges(self) -> dict[Edge, list[RecordedMessage]]:
        """The messages of each edge (sender and receiver), in the order of sending."""
        edges: dict[Edge, list[RecordedMessage]] = defaultdict(list)
        for message in sorted(self.messages, key=lambda m: (m.sent_ns, m.received_ns)):
            if message.src != message.dst:
                edges[message.src, message.dst].append(message)
        return dict(edges)

    @cached_property
    def counts(self) -> dict[Edge, int]:
        """The number of messages of each edge."""
        return {edge: len(messages) for edge, messages in self.edges.items()}

    @cached_property
    def edge_numbers(self) -> bytes:
        """The sorted numbers src * ranks + dst of all messages, as bytes of 64-bit integers. They are equal for
        collectives with the same number of messages on every edge."""
        numbers = [src * self.ranks + dst for (src, dst), count in self.counts.items() for _ in range(count)]
        return np.sort(np.array(numbers, dtype=np.int64)).tobytes()

    @cached_property
    def total(self) -> int:
        """The number of messages."""
        return sum(self.counts.values())

    @cached_property
    def sizes(self) -> list[int]:
        """The distinct lengths of messages in bytes, the longest first."""
        return sorted({message.bytes for messages in self.edges.values() for message in messages}, reverse=True)

    @cached_property
    def unit(self) -> int:
        """The greatest common divisor of the payload and all lengths of messages, in bytes."""
        return gcd(self.bytes, *self.sizes) or 1

    @property
    def units(self) -> int:
        """The payload, in multiples of `unit`."""
        return self.bytes // self.unit

    @cached_property
    def turning(self) -> list[int]:
        """The ranks that sent nothing before they had received all their messages. In a reduction that is followed by a
        broadcast, only the root does so, because every message of the broadcast waits for the whole reduction. Of two
        ranks, the list has both, because the order of their two messages is not reliable."""
        if self.ranks <= 2:
            return list(range(self.ranks))
        first_sends = dict.fromkeys(range(self.ranks), inf)
        last_receives = dict.fromkeys(range(self.ranks), -inf)
        for (src, dst), messages in self.edges.items():
            first_sends[src] = min(first_sends[src], *(message.sent_ns for message in messages))
            last_receives[dst] = max(last_receives[dst], *(message.received_ns for message in messages))
        return [rank for rank in range(self.ranks) if last_receives[rank] <= first_sends[rank]]

    @cached_property
    def key(self) -> object:
        """A key that is equal for collectives with the same candidates."""
        lengths = tuple(sorted((edge, tuple(m.bytes for m in messages)) for edge, messages in self.edges.items()))
        roots = tuple(self.turning)  # the possible roots of a reduction and a broadcast
        return (self.operation, self.ranks, self.root, self.bytes, lengths, self.hosts, self.clusters, roots)
