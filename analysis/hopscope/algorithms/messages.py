"""The messages of a collective as an algorithm prescribes them: who sends how much to whom, why and after what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

UP: Final = "up"
"""The role of a contribution towards one rank."""
DOWN: Final = "down"
"""The role of a result from one rank."""
EXCHANGE: Final = "exchange"
"""The role of a step between peers."""


class Message(NamedTuple):
    """One message. Ranks are those of the communicator."""

    src: int
    dst: int
    bytes: int
    role: str
    prerequisites: tuple[int, ...] = ()
    """The messages, by their place in the list, that src must receive before it sends this one."""


@dataclass(frozen=True)
class Pattern:
    """An algorithm's messages. Each comes after the messages that it waits for; those of one edge are in the order of
    sending."""

    messages: Sequence[Message]

    @cached_property
    def edges(self) -> dict[tuple[int, int], list[int]]:
        """The places of the messages of each edge, which is a sender and a receiver."""
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
        """The length of the longest chain that ends with each message."""
        return self.chains([1] * len(self.messages))

    @property
    def roles(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """The roles of the messages of each edge."""
        return {edge: tuple(self.messages[number].role for number in numbers) for edge, numbers in self.edges.items()}

    @property
    def order(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """The levels of the messages of each edge: equal for two patterns whose messages come in the same order."""
        return {edge: tuple(self.levels[number] for number in numbers) for edge, numbers in self.edges.items()}

    def chains(self, weights: Sequence[int]) -> list[int]:
        """The greatest weight of a chain that ends with each message."""
        sums: list[int] = []
        for message, weight in zip(self.messages, weights, strict=True):
            sums.append(weight + max((sums[prerequisite] for prerequisite in message.prerequisites), default=0))
        return sums

    def concatenate(self, second: Pattern) -> Pattern:
        """Both patterns in sequence: a rank begins the second when it has received all messages of the first.

        If both have the same number of segments, each segment of the second waits only for its segment of the first.
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
    """Writes a pattern round by round: a rank's sends come after its receives in earlier rounds."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._levels: list[int] = []
        self._receipts: dict[int, list[int]] = {}

    def round(self, sends: Iterable[tuple[int, int, int]], role: str = EXCHANGE) -> None:
        """Add one round of sends (src, dst, bytes), which begin at once."""
        arriving: dict[int, list[int]] = defaultdict(list)
        for src, dst, size in sends:
            receipts = self._receipts.get(src, [])
            arriving[dst].append(len(self._messages))
            self._messages.append(Message(src, dst, size, role, tuple(receipts)))
            self._levels.append(1 + max((self._levels[number] for number in receipts), default=0))
        for rank, numbers in arriving.items():
            # The receive with the longest chain stands for all earlier ones.
            longest = max(self._receipts.get(rank, []), key=self._levels.__getitem__, default=None)
            self._receipts[rank] = numbers if longest is None else [longest, *numbers]

    def pattern(self) -> Pattern:
        """The written pattern."""
        return Pattern(self._messages)
