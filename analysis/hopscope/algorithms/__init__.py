"""Recognises the algorithm by which each collective ran.

kinds.py recognises collectives once, when a trace is converted. candidates.py lists the known algorithms of each
operation, and recognition.py compares them with the recorded messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hopscope.algorithms.observed import Observed, RecordedMessage

Row = dict[str, Any]


def observed(row: Row) -> Observed:
    """Turn a row with a collective and the columns of its messages (lists) into an Observed."""
    columns = ("src", "dst", "lengths", "sent_ns", "received_ns", "is_wan")
    messages = [RecordedMessage(*values) for values in zip(*(row[name] for name in columns), strict=True)]
    places = [numbered(row[name] or ["here"] * row["ranks"]) for name in ("hosts", "clusters")]
    return Observed(blocking_form(row["op"]), row["ranks"], row["root"], row["bytes"], messages, *places)


def numbered(names: Sequence[object]) -> tuple[int, ...]:
    """Number names in the order in which they first appear."""
    numbers: dict[object, int] = {}
    return tuple(numbers.setdefault(name, len(numbers)) for name in names)


def blocking_form(op: str) -> str:
    """Give an operation's blocking form: MPI_Allreduce for MPI_Iallreduce, MPI_Allreduce_init or MPI_Allreduce_c."""
    name = re.sub(r"(_init)?(_c)?$", "", op)
    return re.sub(r"^MPI_I([a-z])", lambda match: f"MPI_{match[1].upper()}", name)
