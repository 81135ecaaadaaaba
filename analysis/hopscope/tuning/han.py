"""Open MPI's `han`, which runs an operation by other ones inside hosts and between them: what makes it do so, each of
them by `tuned`, whose rules then say by which algorithm.

Only its simple form is known, in which these operations come one after another on whole messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

INSIDE: Final = "intra_node"
"""The level of a host's ranks, in `han`'s words."""
BETWEEN: Final = "inter_node"
"""That of the hosts' leaders."""
_WHOLE: Final = "global_communicator"
_TUNED: Final = "tuned"

OWN, HOST, ALL = range(3)
"""A block of a rank, or the whole message; the blocks of a host's ranks; all ranks' blocks."""


class Part(NamedTuple):
    """An operation that `han` calls at a level, and on what."""

    operation: str
    level: str
    blocks: int = OWN


CALLS: Final[Mapping[str, Sequence[Part]]] = {
    "allreduce": (Part("reduce", INSIDE), Part("allreduce", BETWEEN), Part("bcast", INSIDE)),
    "reduce": (Part("reduce", INSIDE), Part("reduce", BETWEEN)),
    "bcast": (Part("bcast", BETWEEN), Part("bcast", INSIDE)),
    "allgather": (Part("gather", INSIDE), Part("allgather", BETWEEN, HOST), Part("bcast", INSIDE, ALL)),
    "barrier": (Part("barrier", INSIDE), Part("barrier", BETWEEN), Part("barrier", INSIDE)),
}
"""What the simple form of an operation calls in turn."""

_VALUE = re.compile(r"^mca:coll:\w+:param:(coll_\w+):value:(.*)$", re.MULTILINE)
_FORM = re.compile(r"^mca:coll:han:param:coll_han_use_(\w+)_algorithm:enumerator:value:\d+:simple$", re.MULTILINE)


class Simple(NamedTuple):
    """The simple form of an operation. settings: the parameters that make `han` take the operation so, call `tuned` for
    the rest of it, and leave it all other operations that `tuned` runs."""

    operation: str
    settings: tuple[tuple[str, str], ...]


def simple_forms(text: str) -> dict[str, Simple]:
    """From what `ompi_info --param coll all --level 9 --parsable` prints: the simple forms by operation.

    Where `han` comes last by itself, as in release 4.1, only that of an Allreduce: a job whose Allreduces `han` has to
    pass on dies of a segmentation fault in them.
    """
    values = dict(_VALUE.findall(text))
    number = next((found[1] for found in re.finditer(rf"\b(\d+) = {_TUNED}\b", text)), None)
    if number is None or "coll_han_priority" not in values:
        return {}
    by_name = set(_FORM.findall(text))
    found: dict[str, Simple] = {}
    for operation, calls in CALLS.items():
        if operation in by_name:
            form = (f"coll_han_use_{operation}_algorithm", "simple")
        elif f"coll_han_use_simple_{operation}" in values:
            form = (f"coll_han_use_simple_{operation}", "1")
        else:
            continue
        comes_first = _first(operation, values, number)
        if (_module("allreduce", _WHOLE), number) in comes_first:
            continue
        passes_on = dict.fromkeys(_module(part.operation, part.level) for part in calls)
        settings = [form, *((name, number) for name in passes_on if values.get(name) != number)]
        found[operation] = Simple(operation, (*settings, *comes_first))
    return found


def _module(operation: str, level: str) -> str:
    return f"coll_han_{operation}_dynamic_{level}_module"


def _first(operation: str, values: Mapping[str, str], tuned: str) -> list[tuple[str, str]]:
    """What puts `han` before `tuned`, for this operation alone; nothing where it comes first already."""
    han, other = (int(values.get(f"coll_{name}_priority", -1)) for name in ("han", _TUNED))
    if han > other:
        return []
    ends = re.compile(rf"coll_han_(\w+)_dynamic_{_WHOLE}_module")
    others = [match for name in values if (match := ends.fullmatch(name)) and match[1] != operation]
    return [("coll_han_priority", str(other + 1)), *((match[0], tuned) for match in others)]
