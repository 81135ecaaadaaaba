"""Patterns: the messages that an algorithm prescribes for a collective, with their roles and prerequisites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

UP: Final = "up"
"""The role of a message towards a root, with a contribution to the result."""
DOWN: Final = "down"
"""The role of a message from a root, with a result."""
EXCHANGE: Final = "exchange"
"""The role of a message between peers, such as two partners in recursive doubling."""


class Message(NamedTuple):
    """One message. Ranks are those of the communicator."""

    src: int
    dst: int
    bytes: int
    role: str
    prerequisites: tuple[int, ...] = ()
    """The messages that src must receive before it sends this one, by their index in the pattern."""


@dataclass(frozen=True)
class Pattern:
    """An algorithm's messages. Each comes after its prerequisites, and messages of one edge (sender and receiver) are
    in the order of sending."""

    messages: Sequence[Message]

    @cached_property
    def edges(self) -> dict[tuple[int, int], list[int]]:
        """The indices of the messages of each edge (sender and receiver)."""
        edges: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, message in enumerate(self.messages):
            edges[message.src, message.dst].append(number)
        return dict(edges)

    @cached_property
    def counts(self) -> dict[tuple[int, int], int]:
        """The number of messages of each edge."""
        return {edge: len(numbers) for edge, numbers in self.edges.items()}

    @cached_property
    def levels(self) -> list[int]:
        """For each message, the length of the longest chain of prerequisites that ends with it."""
        return self.chains([1] * len(self.messages))

    @property
    def roles(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """The roles of the messages of each edge."""
        return {edge: tuple(self.messages[number].role for number in numbers) for edge, numbers in self.edges.items()}

    @property
    def order(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """The levels of the messages of each edge. They are equal for patterns that prescribe the same messages in the
        same order."""
        return {edge: tuple(self.levels[number] for number in numbers) for edge, numbers in self.edges.items()}

    def chains(self, weights: Sequence[int]) -> list[int]:
        """For each message, the greatest weight of a chain of prerequisites that ends with it."""
        sums: list[int] = []
        for message, weight in zip(self.messages, weights, strict=True):
            sums.append(weight + max((sums[prerequisite] for prerequisite in message.prerequisites), default=0))
        return sums

    def concatenate(self, second: Pattern) -> Pattern:
        """This pattern followed by `second`, which a rank begins when it has received all its messages of the first.

        If both patterns have the same number of segments, each segment of the second waits only for the same segment of
        the first.
        """
        arrived: dict[int, list[int]] = defaultdict(list)
        nth: dict[int, int] = {}
        for edge, numbers in self.edges.items():
            arrived[edge[1]] += numbers
            nth |= {number: place for place, number in enumerate(numbers)}
        other_nth = {number: place for numbers in second.edges.values() for place, number in enumerate(numbers)}
        in_step = max(self.counts.values(), default=0) == max(second.counts.values(), default=0) > 1
        shift, messages = len(self.messages), list(self.messages)
        for number, message in enumerate(second.messages):
            prerequisites = [prerequisite + shift for prerequisite in message.prerequisites]
            if not prerequisites:
                prerequisites = [b for b in arrived[message.src] if not in_step or nth[b] == other_nth[number]]
            messages.append(message._replace(prerequisites=tuple(prerequisites)))
        return Pattern(messages)


class Script:
    """Builds a pattern round by round. A rank sends only after it has received all its messages of earlier rounds."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._levels: list[int] = []
        self._receipts: dict[int, list[int]] = {}

    def round(self, sends: Iterable[tuple[int, int, int]], role: str = EXCHANGE) -> None:
        """Add one round of sends (src, dst, bytes), which do not wait for each other."""
        arriving: dict[int, list[int]] = defaultdict(list)
        for src, dst, size in sends:
            receipts = self._receipts.get(src, [])
            arriving[dst].append(len(self._messages))
            self._messages.append(Message(src, dst, size, role, tuple(receipts)))
            self._levels.append(1 + max((self._levels[number] for number in receipts), default=0))
        for rank, numbers in arriving.items():
            # Of the rank's earlier receives, keep only the one with the longest chain.
            longest = max(self._receipts.get(rank, []), key=self._levels.__getitem__, default=None)
            self._receipts[rank] = numbers if longest is None else [longest, *numbers]

    def pattern(self) -> Pattern:
        """The pattern of all rounds so far."""
        return Pattern(self._messages)
