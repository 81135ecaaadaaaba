"""Decisions from a sweep: the best method of each point, the penalty (the share of time lost) of following the library
or a model, and the rules. They serve `analyze decide`, `sweep --refine` and `tune --machine`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise, zip_longest
from operator import attrgetter
from typing import Any, Final

import numpy as np

from hopscope.advice.sweep.engine import tree_file
from hopscope.advice.sweep.grid import Point
from hopscope.advice.sweep.measured import Sweep, deviation, fastest_time
from hopscope.advice.sweep.measuring import MOST_DEVIATION, SURELY_SLOWER
from hopscope.advice.sweep.methods import DEFAULT, Method
from hopscope.advice.sweep.models import NAMES, REPLAY, Predictions
from hopscope.mpi_libraries.open_mpi.rules import size_in_rules
from hopscope.mpi_libraries.written import Choice, Setting, setting_file

_DISPUTED: Final = 0.05
"""If following a model costs more than this share at a point, the point is measured again."""
_LEAST_GAIN: Final = 0.02
"""If the best method gains less than this share, the library's own choice stays."""


def decisions(sweep: Sweep) -> list[dict[str, Any]]:
    """A row for each point. One half of each method's times selects the best method, and the other half gives its time;
    with one set of times for both, the luckiest of many methods would seem faster than it is."""
    predictions = None if sweep.machine is None else Predictions(sweep.machine, sweep.made["hosts"])
    return [_decision(sweep, point, predictions) for point in sweep.points]


def disputed(sweep: Sweep) -> dict[Point, set[str]]:
    """The points whose repeats differ much, or where a model's choice takes clearly longer than the best method, each
    with the methods to measure again: the library's own choice, those of the models, and all that are not surely
    slower."""
    contenders_of: dict[Point, set[str]] = {}
    for point, row in zip(sweep.points, decisions(sweep), strict=True):
        if row["unsteady"] or any((row[penalty_of(model)] or 0.0) > _DISPUTED for model in NAMES):
            measured = sweep.times_at(point)
            best = min(map(fastest_time, measured.values()))
            contenders = {name for name, times in measured.items() if fastest_time(times) <= SURELY_SLOWER * best}
            contenders_of[point] = contenders | ({DEFAULT, *(row[model.lower()] for model in NAMES)} & set(measured))
    return contenders_of


def penalties(rows: Sequence[Mapping[str, Any]], model: str) -> tuple[float, float, float] | None:
    """The penalty of following a model: median, 90th percentile and maximum over the points at which the model has a
    choice; None if there is no such point. model: one of NAMES, or the library's `default`."""
    shares = [row[penalty_of(model)] for row in rows if row[penalty_of(model)] is not None]
    if not shares:
        return None
    median, high = np.quantile(shares, (0.5, 0.9)).tolist()
    return median, high, max(shares)


def penalty_of(model: str) -> str:
    """The column with the penalty of following a model, or the library's `default`."""
    return "penalty" if model == DEFAULT else f"{model.lower()}_penalty"


def _decision(sweep: Sweep, point: Point, predictions: Predictions | None) -> dict[str, Any]:
    samples = {name: times for name, times in sweep.times_at(point).items() if len(times) > 1}
    best = min(samples, key=lambda name: fastest_time(samples[name][::2]), default=None)
    scores = {name: fastest_time(times[1::2]) for name, times in samples.items()}
    scored = None if best is None else scores[best]
    methods = [method for method in sweep.methods[point.operation] if method.name in samples]
    times = {} if predictions is None else predictions.times_of(point, methods)
    choices = {model: _fastest(times.get(model, {})) for model in NAMES}

    def penalty(name: str | None) -> float | None:
        return None if name not in scores or scored is None else max(0.0, scores[name] / scored - 1)

    return {
        "operation": point.operation,
        "ranks": point.ranks,
        "bytes": point.bytes,
        "best": best,
        "time_ns": scored,
        "default_ns": scores.get(DEFAULT),
        "penalty": penalty(DEFAULT),
        **{model.lower(): choice for model, choice in choices.items()},
        **{penalty_of(model): penalty(choice) for model, choice in choices.items()},
        "methods": len(samples),
        "formulas": max((len(models_times) for model, models_times in times.items() if model != REPLAY), default=0),
        "replays": len(times.get(REPLAY, {})),
        "repeats": 0 if best is None else len(samples[best]),
        "unsteady": best is not None and deviation(samples[best]) > MOST_DEVIATION,
    }


def _fastest(times: Mapping[str, float]) -> str | None:
    """The method with the shortest time; None if all times are equal."""
    return min(times, key=lambda name: times[name]) if len(set(times.values())) > 1 else None


def rules_of(sweep: Sweep, path: str) -> Setting | None:
    """The setting that makes the library use the best methods; None if its own choices are as good. path: of the
    future file. MPICH's variables depend on neither sizes nor ranks, so an operation has only one method there."""
    choices = choices_of(sweep)
    return setting_file(choices, path, extra_settings_of(sweep, choices)) if choices else None


def choices_of(sweep: Sweep) -> list[Choice]:
    """The algorithms that the library should run, with the ranks and bytes for which each applies."""
    return _choices(sweep) if sweep.made["flavour"] == "openmpi" else _choices_for_all(sweep)


def extra_settings_of(sweep: Sweep, choices: Sequence[Choice]) -> list[tuple[str, str]]:
    """Further parameters or variables (name, value) that the operations of these choices need."""
    operations = {choice.algorithm.operation for choice in choices}
    return [(name, value) for operation, name, value in sweep.made["besides"] if operation in operations]


def _choices(sweep: Sweep) -> list[Choice]:
    """The choices for Open MPI. A point's choice applies to sizes up to the middle, on a logarithmic scale, between its
    size and the next one, and to numbers of ranks below the next measured one."""
    choices: list[Choice] = []
    for point, most_ranks, begin, end in _ranges(sweep, lambda p: size_in_rules(p.operation, p.ranks, p.bytes) or 0):
        method = _best(sweep, point)
        if method is not None and method.offered is not None:
            choices += [
                Choice(method.offered, members, begin, end, 0, method.segment_bytes)
                for members in range(point.ranks, most_ranks + 1)
            ]
    return choices


def engine_rules(sweep: Sweep) -> dict[str, Any] | None:
    """The tree file for the points at which the engine is clearly faster than every method of the library; None if
    there is no such point."""
    ranges = [
        (method, point, most_ranks, begin, end)
        for point, most_ranks, begin, end in _ranges(sweep, lambda point: point.block_bytes)
        if (method := _best_of_engine(sweep, point)) is not None
    ]
    return tree_file(ranges) if ranges else None


def _ranges(sweep: Sweep, size_of: Callable[[Point], int]) -> Iterator[tuple[Point, int, int, int | None]]:
    """Each point with the range to which its method applies: the largest number of ranks, and the first and the last
    size. size_of: a point's size as rules count it. The last size is None where there is no limit."""
    for _, of_operation in groupby(sweep.points, key=attrgetter("operation")):
        by_ranks = [list(group) for _, group in groupby(of_operation, key=attrgetter("ranks"))]
        for points, following in zip_longest(by_ranks, by_ranks[1:]):
            most_ranks = following[0].ranks - 1 if following else points[0].ranks
            sizes = [size_of(point) for point in points]
            cuts = [0, *(math.isqrt(max(1, small) * large) + 1 for small, large in pairwise(sizes))]
            ends = [*(cut - 1 for cut in cuts[1:]), None]
            for point, begin, end in zip(points, cuts, ends, strict=True):
                yield point, most_ranks, begin, end


def _best(sweep: Sweep, point: Point) -> Method | None:
    """The library's best method at a point; None if the library's own choice is as good."""
    methods = {method.name: method for method in sweep.methods[point.operation] if method.rule is None}
    times = {name: fastest_time(times) for name, times in sweep.times_at(point).items() if name in methods}
    best = min(times, key=lambda name: times[name], default=DEFAULT)
    is_default_as_good = best == DEFAULT or times.get(DEFAULT, math.inf) <= (1 + _LEAST_GAIN) * times[best]
    return None if is_default_as_good else methods[best]


def _best_of_engine(sweep: Sweep, point: Point) -> Method | None:
    """The engine's best method at a point; None if a method of the library is as good."""
    times = {name: fastest_time(times) for name, times in sweep.times_at(point).items()}
    methods = {method.name: method for method in sweep.methods[point.operation] if method.rule is not None}
    of_engine = {name: time for name, time in times.items() if name in methods}
    of_library = [time for name, time in times.items() if name not in methods]
    best = min(of_engine, key=lambda name: of_engine[name], default=None)
    if best is None or min(of_library, default=math.inf) <= (1 + _LEAST_GAIN) * of_engine[best]:
        return None
    return methods[best]


def _choices_for_all(sweep: Sweep) -> list[Choice]:
    """The choices for MPICH: for each operation, the method with the smallest geometric mean, over all points, of its
    time divided by the default's."""
    choices: list[Choice] = []
    for operation, methods in sweep.methods.items():
        ratios: dict[str, list[float]] = {}
        of_library = {method.name for method in methods if method.rule is None}
        for point in sweep.points:
            samples = sweep.times_at(point)
            if point.operation == operation and DEFAULT in samples:
                for name in samples.keys() & of_library:
                    ratios.setdefault(name, []).append(
                        math.log(fastest_time(samples[name]) / fastest_time(samples[DEFAULT]))
                    )
        whole = {name: sum(logs) / len(logs) for name, logs in ratios.items() if len(logs) == len(ratios[DEFAULT])}
        best = min(whole, key=lambda name: whole[name], default=DEFAULT)
        method = next(method for method in methods if method.name == best)
        if method.offered is not None and whole[best] < math.log(1 - _LEAST_GAIN):
            choices.append(Choice(method.offered, 0))
    return choices
