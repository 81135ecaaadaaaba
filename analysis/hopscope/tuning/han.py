"""Open MPI's `han`, which runs an operation by other ones inside hosts and between them: what makes it do so, each of
them by `tuned`, whose rules then say by which algorithm. Only its simple form is known (algorithms.han_calls).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from hopscope.algorithms.han_calls import CALLS

_TUNED: Final = "tuned"
_VALUE = re.compile(r"^mca:coll:\w+:param:(coll_\w+):value:(.*)$", re.MULTILINE)
_PASSES_ON = re.compile(
    r"^mca:coll:han:param:(coll_han_(\w+)_dynamic_global_communicator_module):help:.*\b(\d+) = tuned\b", re.MULTILINE
)
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
    values, passed_on = dict(_VALUE.findall(text)), passed_on_by(text)
    if not passed_on or "coll_han_priority" not in values:
        return {}
    (number,) = {value for _, value in passed_on.values()}
    by_name = set(_FORM.findall(text))
    found: dict[str, Simple] = {}
    for operation, calls in CALLS.items():
        if operation in by_name:
            form = (f"coll_han_use_{operation}_algorithm", "simple")
        elif f"coll_han_use_simple_{operation}" in values:
            form = (f"coll_han_use_simple_{operation}", "1")
        else:
            continue
        others = [one for name, one in passed_on.items() if name != operation]
        before = [] if comes_first(text) else [("coll_han_priority", str(_priority(values, _TUNED) + 1)), *others]
        if passed_on.get("allreduce") in before:
            continue
        modules = dict.fromkeys(f"coll_han_{part.operation}_dynamic_{part.level}_module" for part in calls)
        settings = [form, *((name, number) for name in modules if values.get(name) != number)]
        found[operation] = Simple(operation, (*settings, *before))
    return found


def comes_first(text: str) -> bool:
    """From the same: whether `han` has a higher priority than `tuned`."""
    values = dict(_VALUE.findall(text))
    return _priority(values, "han") > _priority(values, _TUNED)


def passed_on_by(text: str) -> dict[str, tuple[str, str]]:
    """From the same: by operation the parameter, and its value, by which `han` passes it on to `tuned`."""
    return {operation: (setting, value) for setting, operation, value in _PASSES_ON.findall(text)}


def _priority(values: Mapping[str, str], component: str) -> int:
    return int(values.get(f"coll_{component}_priority", -1))
