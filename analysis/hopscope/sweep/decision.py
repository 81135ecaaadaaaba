"""What a sweep says: the best method of each point, what following the library's own choice costs, and the rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, Final

from hopscope.algorithms.rules import size_in_rules
from hopscope.sweep.grid import Point
from hopscope.sweep.measured import Sweep, deviation, least
from hopscope.sweep.measuring import MOST_DEVIATION
from hopscope.sweep.methods import DEFAULT, Method
from hopscope.tuning.written import Choice, Setting, rules_file, variables_file

_LEAST_GAIN: Final = 0.02
"""Where the best method gains less than this, the library's own choice stays."""


def decisions(sweep: Sweep) -> list[dict[str, Any]]:
    """A row for each point. The best method is chosen on every other time, and scored on the others, so that the
    luckiest of many does not count as better than it is."""
    return [_decision(sweep, point) for point in sweep.points]


def _decision(sweep: Sweep, point: Point) -> dict[str, Any]:
    known = {name: times for name, times in sweep.at(point).items() if len(times) > 1}
    best = min(known, key=lambda name: least(known[name][::2]), default=None)
    own = known.get(DEFAULT)
    scored = None if best is None else least(known[best][1::2])
    default = None if own is None else least(own[1::2])
    return {
        "operation": point.operation,
        "ranks": point.ranks,
        "bytes": point.bytes,
        "best": best,
        "time_ns": scored,
        "default_ns": default,
        "penalty": None if scored is None or default is None else max(0.0, default / scored - 1),
        "methods": len(known),
        "repeats": 0 if best is None else len(known[best]),
        "unsteady": best is not None and deviation(known[best]) > MOST_DEVIATION,
    }


def rules_of(sweep: Sweep, path: str) -> Setting | None:
    """What the library reads so that it follows the best methods; None where its own choices are as good. path: where
    the file will be. MPICH's variables know neither sizes nor ranks, so an operation has one method there."""
    choices = choices_of(sweep)
    if not choices:
        return None
    return (rules_file if sweep.made["flavour"] == "openmpi" else variables_file)(
        choices, path, besides_of(sweep, choices)
    )


def choices_of(sweep: Sweep) -> list[Choice]:
    """The algorithms that the library is to run."""
    return _choices(sweep) if sweep.made["flavour"] == "openmpi" else _choices_for_all(sweep)


def besides_of(sweep: Sweep, choices: Sequence[Choice]) -> list[tuple[str, str]]:
    """The parameters or variables that have to be set besides these choices."""
    operations = {choice.algorithm.operation for choice in choices}
    return [(name, value) for operation, name, value in sweep.made["besides"] if operation in operations]


def _choices(sweep: Sweep) -> list[Choice]:
    """Each point's choice holds up to the middle, on a logarithmic scale, between it and the next size, and up to the
    next number of ranks."""
    choices: list[Choice] = []
    for _, of_operation in groupby(sweep.points, key=attrgetter("operation")):
        by_ranks = [(ranks, list(of)) for ranks, of in groupby(of_operation, key=attrgetter("ranks"))]
        for (ranks, of), following in zip(
            by_ranks, [*(ranks for ranks, _ in by_ranks[1:]), by_ranks[-1][0] + 1], strict=True
        ):
            for point, begin, end in _ranges(of):
                method = _best(sweep, point)
                if method is not None and method.offered is not None:
                    choices += [
                        Choice(method.offered, members, begin, end, 0, method.segment_bytes)
                        for members in range(ranks, following)
                    ]
    return choices


def _ranges(points: Sequence[Point]) -> list[tuple[Point, int, int | None]]:
    """Each point with the first and the last of the sizes in rules that it decides."""
    sizes = [size_in_rules(point.operation, point.ranks, point.bytes) or 0 for point in points]
    cuts = [0, *(math.isqrt(max(1, small) * large) + 1 for small, large in pairwise(sizes))]
    ends = [*(cut - 1 for cut in cuts[1:]), None]
    return list(zip(points, cuts, ends, strict=True))


def _best(sweep: Sweep, point: Point) -> Method | None:
    """The method to set at a point; None where the library's own choice is as good."""
    known = sweep.at(point)
    if not known:
        return None
    best = min(known, key=lambda name: least(known[name]))
    if DEFAULT in known and least(known[DEFAULT]) <= (1 + _LEAST_GAIN) * least(known[best]):
        return None
    return next(method for method in sweep.methods[point.operation] if method.name == best)


def _choices_for_all(sweep: Sweep) -> list[Choice]:
    """For each operation the method with the least mean ratio to the default over all points."""
    choices: list[Choice] = []
    for operation, methods in sweep.methods.items():
        ratios: dict[str, list[float]] = {}
        for point in sweep.points:
            known = sweep.at(point)
            if point.operation == operation and DEFAULT in known:
                for name, times in known.items():
                    ratios.setdefault(name, []).append(math.log(least(times) / least(known[DEFAULT])))
        whole = {name: sum(of) / len(of) for name, of in ratios.items() if len(of) == len(ratios[DEFAULT])}
        best = min(whole, key=lambda name: whole[name], default=DEFAULT)
        method = next(method for method in methods if method.name == best)
        if method.offered is not None and whole[best] < math.log(1 - _LEAST_GAIN):
            choices.append(Choice(method.offered, 0))
    return choices
