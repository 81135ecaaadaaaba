"""Predictions of the models Hockney, LogGP and PLogP, and of the replay, for a sweep's methods, from parameters of the
same machine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

import numpy as np

from hopscope.advice.sweep.grid import Point
from hopscope.advice.sweep.layout import layout_of
from hopscope.advice.sweep.methods import Method
from hopscope.machine.formulas import FORMULAS, MODELS
from hopscope.machine.hops import Array
from hopscope.machine.parameters import models_by_class, rows_of_machine
from hopscope.machine.published import Call, LogGP
from hopscope.machine.schedules import replayed_over_links_ns
from hopscope.mpi_libraries.planned import Unplanned, messages_name, planned
from hopscope.replay.formula_times.measured import published_name
from hopscope.vocabulary.links import LINKS, link_classes

REPLAY: Final = "replay"
NAMES: Final = (*(model.__name__ for model in MODELS), REPLAY)
"""The models, as the formulas name them, and the replay of the messages under LogGP."""
_GAMMA: Final = ("MPI_SUM", "MPI_INT")
"""The reduction operation and the datatype that a sweep uses."""
_LEAST_RANKS: Final = 3
"""An algorithm on fewer ranks gets the name that it has on this number of ranks, because on two ranks many algorithms
send the same messages and have one name."""


class Predictions:
    """Times that the models predict. machine: the content of a machine file. hosts: the host of each rank."""

    def __init__(self, machine: dict[str, Any], hosts: list[str]) -> None:
        self._models = models_by_class(rows_of_machine(machine, *_GAMMA))
        self._layout = layout_of(hosts, machine)
        self._links = cache(self._links_between)

    def times_of(self, point: Point, methods: Iterable[Method]) -> dict[str, dict[str, float]]:
        """The predicted times, ns, by model and name of method. Methods that a model cannot predict are left out."""
        times: dict[str, dict[str, float]] = {name: {} for name in NAMES}
        for method in methods:
            for name, time in self._times(point, method).items():
                times[name][method.name] = time
        return times

    def _times(self, point: Point, method: Method) -> dict[str, float]:
        if method.offered is None:
            return {}
        times: dict[str, float] = {}
        algorithm = published_name(point.function, messages_name(method.offered, max(point.ranks, _LEAST_RANKS)))
        # A formula knows only one class of link, so it gets the farthest between these ranks.
        link_models = self._models.get(LINKS[self._links(point.ranks).max()], {})
        for model in MODELS:
            if algorithm is not None and model.__name__ in link_models:
                call = Call(point.ranks, point.bytes, method.segment_bytes)
                times[model.__name__] = FORMULAS[point.function, algorithm, model](call, link_models[model.__name__])
        replayed = self._replayed(point, method)
        return times if replayed is None else {**times, REPLAY: replayed}

    def _replayed(self, point: Point, method: Method) -> float | None:
        """The time, ns, of a replay of the method's messages over the links between the ranks. None where the messages,
        or the parameters of a link, are unknown."""
        assert method.offered is not None
        plan = planned(method.offered, point.ranks, least_bytes=point.bytes if point.bytes else None)
        links = self._links(point.ranks)
        loggp = {
            LINKS.index(link): model
            for link, models in self._models.items()
            if isinstance(model := models.get("LogGP"), LogGP)
        }
        if isinstance(plan, Unplanned) or not set(np.unique(links[~np.eye(len(links), dtype=bool)])) <= set(loggp):
            return None
        rule = {**plan.rule, "segment_bytes": method.segment_bytes} if method.segment_bytes else plan.rule
        schedules = self._layout.schedules(point, rule, plan.trees)
        if schedules is None:
            return None
        return replayed_over_links_ns(schedules, loggp, links)

    def _links_between(self, ranks: int) -> Array:
        """The class of the link between each two of the first `ranks` ranks, as its index in LINKS."""
        hosts, clusters = np.asarray(self._layout.hosts[:ranks]), np.asarray(self._layout.clusters[:ranks])
        return link_classes((hosts[:, None], clusters[:, None]), (hosts, clusters))
