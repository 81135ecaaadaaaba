"""The rows of a comparison: for each point, the times by the formulas, by the replay, and as measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.errors import InputError
from hopscope.machine.formulas import FORMULAS, MODELS
from hopscope.machine.hops import Array
from hopscope.machine.parameters import Row, links_of, models_by_class
from hopscope.machine.published import Hockney, LogGP, PLogP
from hopscope.machine.routes import fitted
from hopscope.machine.schedules import replayed_ns, replayed_over_links_ns, schedules
from hopscope.native import _plan
from hopscope.native.sequences import leaves
from hopscope.query import catalog, row_table
from hopscope.replay.fitting.trace_parameters import Fitted
from hopscope.replay.formula_times.measured import Measured
from hopscope.replay.formula_times.points import OPERATIONS, Point, points
from hopscope.vocabulary.links import LINKS

MOST_MESSAGES = 20_000
"""A point with more messages is not replayed."""

Models = Mapping[str, Hockney | LogGP | PLogP]
Replay = Callable[[Point], float | None]


def table_of(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """The rows as a table with the columns of `analyze formulas`."""
    return row_table.table_of(catalog.load().computed["formulas"].default.columns, rows)


def of_trace(
    trace_fit: Fitted,
    measured: Mapping[Point, Measured],
    parameters: Sequence[Row],
    *,
    operation: str | None = None,
    link: str | None = None,
) -> list[dict[str, Any]]:
    """The rows of a trace, for points up to the longest message of its hops or of the parameters. parameters: of the
    links, from the trace or from a machine file; formulas and replay use them. link: the class of links of the
    formulas. Raises InputError for an unknown operation or link, or if no link has a model."""
    is_probed = any(row.source is not None for row in parameters)  # a trace's are for classes of links
    models, name = _models(parameters, link, () if is_probed else trace_fit.untold)
    _check(operation)
    tables = trace_fit.source.tables
    replay = _replay_of_machine(trace_fit, parameters) if is_probed else _replay_of_trace(trace_fit)
    longest = max(int(trace_fit.sizes.max()), _longest(parameters))
    selection = points(list(measured), len(tables["ranks"]), longest, operation)
    return [_row(point, models, name, replay, measured.get(point)) for point in selection]


@dataclass(frozen=True)
class _Placed:
    """A point's schedules, the host of each rank, and the class of link between each two ranks (ranks x ranks) as an
    index in LINKS."""

    plan: _plan.Schedules
    hosts: list[int]
    link: Array

    @property
    def links(self) -> list[int]:
        """The classes of links between the ranks, as indices in LINKS."""
        return np.unique(self.link[~np.eye(len(self.hosts), dtype=bool)]).tolist()


def _placing(trace_fit: Fitted) -> Callable[[Point], _Placed | None]:
    """A function that places a point's schedules on ranks of the trace. It returns None for a point without schedules
    or with too many messages."""
    places, members = trace_fit.source.places, _members(trace_fit.source.tables["comms"])
    classes = trace_fit.costs.classes(places.cluster_of_host)

    def placed(point: Point) -> _Placed | None:
        hosts = [places.host_of_rank[rank] for rank in members(point.ranks)]
        plan = _schedules(point, hosts, [places.cluster_of_host[host] for host in hosts])
        return None if plan is None else _Placed(plan, hosts, classes[np.ix_(hosts, hosts)])

    return placed


def _replay_of_trace(trace_fit: Fitted) -> Replay:
    """A function that replays a point with the costs of the trace, ns. It returns None if a link has no known costs."""
    machine = fitted(trace_fit.costs, trace_fit.source.places.cluster_of_host)
    placed, known_links = _placing(trace_fit), {LINKS.index(name) for name in trace_fit.known_links}

    def replay(point: Point) -> float | None:
        placement = placed(point)
        if placement is None or not (trace_fit.costs.machine.emulated or known_links.issuperset(placement.links)):
            return None
        return float(leaves([placement.plan], placement.hosts, machine).max())

    return replay


def _replay_of_machine(trace_fit: Fitted, parameters: Sequence[Row]) -> Replay:
    """A function that replays a point, ns, with the LogGP parameters of the class of link between each two ranks. It
    returns None if a class has no such parameters."""
    placed = _placing(trace_fit)
    loggp_of_link = {
        LINKS.index(name): model
        for name, models in models_by_class(parameters).items()
        if isinstance(model := models.get("LogGP"), LogGP)
    }

    def replay(point: Point) -> float | None:
        placement = placed(point)
        if placement is None or not set(loggp_of_link).issuperset(placement.links):
            return None
        return replayed_over_links_ns(placement.plan, loggp_of_link, placement.link)

    return replay


def of_machine(
    parameters: Sequence[Row], ranks: int, *, operation: str | None = None, link: str | None = None
) -> list[dict[str, Any]]:
    """The rows of a machine file, for points with up to this number of ranks, each rank on a host of its own. Raises
    InputError for an unknown operation or link."""
    _check(operation)
    if not links_of(parameters):
        return []
    models, name = _models(parameters, link)
    loggp = models.get("LogGP")

    def replay(point: Point) -> float | None:
        if loggp is None or _schedules(point) is None:
            return None
        return replayed_ns(point.operation, point.algorithm, point.call, loggp)

    selection = points([], max(2, ranks), _longest(parameters), operation)
    return [_row(point, models, name, replay, None) for point in selection]


def _longest(parameters: Sequence[Row]) -> int:
    """Bytes of the longest message that was measured for a machine file; 0 for parameters from a trace."""
    return max((row.bytes or 0 for row in parameters if row.count and row.source is not None), default=0)


def _check(operation: str | None) -> None:
    if operation is not None and operation not in OPERATIONS:
        raise InputError(f"no formula for {operation} was published; choose one of {', '.join(OPERATIONS)}")


def _models(parameters: Sequence[Row], link: str | None, untold: Sequence[str] = ()) -> tuple[Models, str]:
    """The models of a class of links, and the name of the class. link: the class; None for the farthest class with
    models. untold: sentences that explain why links have no models."""
    by_class = models_by_class(parameters)
    if not by_class:
        lack = (
            "no link has the parameters of a model: its messages have one size only or always contend with others, so "
            "nothing shows the time per byte; run the program with messages of several sizes, or give --machine the "
            "file of `hopscope probe`."
        )
        raise InputError(" ".join([lack, *untold]).removesuffix("."))
    if link is not None and link not in by_class:
        raise InputError(f"nothing was measured of the links {link!r}; choose one of {', '.join(by_class)}")
    name = link or max(by_class, key=LINKS.index)
    return by_class[name], name


def _schedules(
    point: Point, hosts: Sequence[int] | None = None, clusters: Sequence[int] | None = None
) -> _plan.Schedules | None:
    """The schedules of a point; None if there are none, or if they have too many messages."""
    call = point.call
    messages = call.segments * (call.ranks - 1) * (call.ranks if point.operation == "MPI_Alltoall" else 1)
    if messages > MOST_MESSAGES:
        return None
    return schedules(point.operation, point.algorithm, call, hosts, clusters)


def _members(comms: pa.Table) -> Callable[[int], Sequence[int]]:
    """A function that returns, for a number of ranks, the members of the first communicator of that size or, if there
    is none, the first members of the largest communicator."""
    groups = [tuple(members) for members in comms["members"].to_pylist()]
    largest = max(groups, key=len)
    first: dict[int, tuple[int, ...]] = {}
    for members in groups:
        first.setdefault(len(members), members)
    return lambda count: first.get(count, largest[:count])


def _row(point: Point, models: Models, link: str, replay: Replay, measured: Measured | None) -> dict[str, Any]:
    by_formula = {
        f"{model.__name__.lower()}_ns": FORMULAS[point.operation, point.algorithm, model](
            point.call, models[model.__name__]
        )
        if model.__name__ in models
        else None
        for model in MODELS
    }
    median = measured.median if measured else None
    return {
        **point._asdict(),
        "link": link,
        **by_formula,
        "replay_ns": replay(point),
        "measured_ns": median.value if median else None,
        "low_ns": None if median is None or np.isnan(median.low) else median.low,
        "high_ns": None if median is None or np.isnan(median.high) else median.high,
        "collectives": median.count if median else 0,
        "skewed": measured.skewed if measured else 0,
    }
