"""Rules files of Open MPI's coll/tuned: which algorithm they ask for, by communicator size and message size.

Numbers, with comments from # to the end of the line: how many operations; of each its id and how many communicator
sizes; of each of these the size and how many message sizes; of each of these the bytes, the algorithm's number (0: no
wish), the fan-out and the segment size. Version 2, which release 5 has, starts with `rule-file-version-2` and allows
one more number at the end of the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

_OPERATIONS: Final = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan"),
    *("gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv"),
)
"""In the order of their ids."""


def operation_id(operation: str) -> int:
    """The id of an operation, such as `bcast`. Raises ValueError if rules know none."""
    return _OPERATIONS.index(operation)


class Rule(NamedTuple):
    """One row: from so many bytes on."""

    bytes: int
    algorithm: int
    fan_out: int


Rules = Mapping[str, Sequence[tuple[int, Sequence[Rule]]]]
"""Rows of each operation, by least communicator size."""


def read_rules(text: str) -> Rules:
    """Raises ValueError if the text is no rules file."""
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
    """The row that tuned takes; all that it may take where the message size is unknown; none without rules. What is
    smaller than the first row takes the first row."""
    of_sizes = rules.get(operation, ())
    rows = ([rows for least_ranks, rows in of_sizes if least_ranks <= ranks] or [rows for _, rows in of_sizes[:1]])[-1:]
    if not rows or size is None:
        return rows[0] if rows else ()
    return ([rule for rule in rows[0] if rule.bytes <= size] or rows[0][:1])[-1:]


def size_in_rules(operation: str, ranks: int, payload: int | None) -> int | None:
    """The message size by which tuned looks for a row; None where it depends on the length of one element."""
    if operation in ("barrier", "alltoallv"):
        return 0
    if operation in ("gather", "scatter", "scan", "exscan") or payload is None:
        return None
    return payload // ranks if operation == "allgatherv" else payload
