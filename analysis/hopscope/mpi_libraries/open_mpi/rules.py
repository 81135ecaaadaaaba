"""Rules files of Open MPI's coll/tuned, which request an algorithm by operation, communicator size and message size.

A file is a list of numbers, with comments from # to the end of the line. It begins with the number of operations. For
each operation follow its id, the number of communicator sizes, and their entries. An entry has the communicator size,
the number of message sizes, and for each message size four numbers: bytes, the algorithm's number (0: no request),
fan-out and segment size. Version 2 of the format, since release 5, begins with `rule-file-version-2` and allows a
fifth number at the end of the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

_OPERATIONS: Final = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan"),
    *("gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv"),
)
"""The operations, in the order of their ids."""


def operation_id(operation: str) -> int:
    """The id of an operation, such as `bcast`. Raises ValueError if it has none."""
    return _OPERATIONS.index(operation)


class Rule(NamedTuple):
    """A rule of a file: the algorithm's number and fan-out for messages of `bytes` bytes or more."""

    bytes: int
    algorithm: int
    fan_out: int


Rules = Mapping[str, Sequence[tuple[int, Sequence[Rule]]]]
"""For each operation, its entries: the smallest communicator size to which an entry applies, and its rules by message
size."""


def read_rules(text: str) -> Rules:
    """The rules in a file's text. Raises ValueError if the text is not a rules file."""
    text = re.sub(r"#.*", "", text)
    head = re.match(r"\s*rule-file-version-(\d+)", text)
    tokens = iter(re.findall(r"\d+|\n|[^\s\d]+", text[head.end() :] if head else text))

    def following() -> int:
        for token in tokens:
            if token != "\n":
                return int(token)
        raise ValueError("it ends too early")

    def to_end_of_line() -> None:
        for token in tokens:
            if token == "\n":
                return

    def row() -> Rule:
        rule = Rule(following(), following(), following())
        following()
        if head and int(head[1]) > 1:
            to_end_of_line()
        return rule

    rules: dict[str, list[tuple[int, list[Rule]]]] = {}
    for _ in range(following()):
        number = following()
        sizes = rules.setdefault(_OPERATIONS[number] if number < len(_OPERATIONS) else f"id {number}", [])
        for _ in range(following()):
            sizes.append((following(), [row() for _ in range(following())]))
    return rules


def rules_for(rules: Rules, operation: str, ranks: int, size: int | None) -> Sequence[Rule]:
    """The rule that `tuned` uses, as a list; if the message size is unknown, all rules that it may use; empty if there
    is no rule. Sizes below the first rule's also use the first rule."""
    of_sizes = rules.get(operation, ())
    rows = ([rows for least_ranks, rows in of_sizes if least_ranks <= ranks] or [rows for _, rows in of_sizes[:1]])[-1:]
    if not rows or size is None:
        return rows[0] if rows else ()
    return ([rule for rule in rows[0] if rule.bytes <= size] or rows[0][:1])[-1:]


def size_in_rules(operation: str, ranks: int, payload: int | None) -> int | None:
    """The message size, in bytes, by which `tuned` looks for a rule; 0 for operations without one. None if the payload
    is unknown, or if the size depends on the length of a datatype's element."""
    if operation in ("barrier", "alltoallv"):
        return 0
    if operation in ("gather", "scatter", "scan", "exscan") or payload is None:
        return None
    return payload // ranks if operation == "allgatherv" else payload
