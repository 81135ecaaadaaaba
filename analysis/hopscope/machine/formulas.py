"""The published formulas for barrier, broadcast, reduce and alltoall: one table, a row per operation, algorithm, model.

A formula takes a Call and a model's parameters (`hopscope.machine.published`) and gives the time in ns. A barrier's
messages have no bytes; a reduction combines a segment in gamma m_s. `sweep` lets each model choose by them.

If a rank sends to k destinations in a row, g and G are those for k, if the parameters have them (`for_destinations`).
The published formulas have one gap; that it depends on the destinations is the paper's main finding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hopscope.machine.published import Call, Hockney, LogGP, PLogP

Model = type[Hockney] | type[LogGP] | type[PLogP]
Row = tuple[str, str, Model]
"""The MPI function, the algorithm as the paper calls it, and the model."""
Formula = Callable[[Call, Any], float]

SOURCE: Final = (
    "J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, "
    '"Performance Analysis of MPI Collective Operations" (2005)'
)
MODELS: Final[tuple[Model, ...]] = (Hockney, LogGP, PLogP)
_CHILDREN: Final = 2
"""Children of a node of a binary tree."""


def source_of(row: Row) -> str:
    """The publication and the row of its table."""
    operation, algorithm, model = row
    return f"{SOURCE}, table row {operation.removeprefix('MPI_').lower()}, {algorithm}, {model.__name__}"


def _fan(formula: Formula, destinations: int | None = None) -> Formula:
    """A formula with the gaps for these destinations in a row, by default all other ranks."""
    return lambda call, model: formula(call, model.for_destinations(destinations or call.ranks - 1))


def _doubling_rounds(call: Call) -> int:
    """Rounds of recursive doubling: floor(log2 P), and two more if that is not log2 P."""
    return call.ranks.bit_length() - 1 + (0 if call.is_power_of_two else 2)


def _half_segments(call: Call) -> int:
    """ceil(n_s / 2): segments of the longer half of a split message."""
    return (call.segments + 1) // 2


def _binary_levels(call: Call, model: LogGP) -> float:
    """Until the first segment is at the last leaf: it is the second child's on every level."""
    model = model.for_destinations(_CHILDREN)
    return call.binary_depth * (model.L + 2 * (model.o + model.bytes(call.segment)) + model.g)


def _binary_interval(call: Call, model: LogGP) -> float:
    """Between two segments at a node that receives each once and sends it twice."""
    model = model.for_destinations(_CHILDREN)
    return max(2 * (model.g + model.bytes(call.segment)), 3 * model.o)


def _binary_bcast(call: Call, model: PLogP, segments: float) -> float:
    """The broadcast of so many segments over a binary tree."""
    g = model.for_destinations(_CHILDREN).g(call.segment)
    interval = max(2 * g, model.o_r(call.segment) + g + model.o_s(call.segment))
    return call.binary_depth * (model.L + 2 * g) + (segments - 1) * interval


def _combined(call: Call, model: Hockney) -> float:
    """alpha + m_s beta + gamma m_s."""
    return model.message(call.segment) + model.gamma * call.segment


def _work(call: Call, model: LogGP) -> float:
    """Overhead and combining of a segment."""
    return model.o + model.gamma * call.segment


def _interval(call: Call, model: PLogP) -> float:
    """Between two segments that a rank receives and combines."""
    return max(model.g(call.segment), model.o_r(call.segment) + model.gamma * call.segment)


def _exchanges(call: Call) -> float:
    """(P - 1)(n_s P + 1 - P / 2): messages of an alltoall in sequence if each rank begins when it has the one before
    it's."""
    return (call.ranks - 1) * (call.segments * call.ranks + 1 - call.ranks / 2)


_BARRIER: Final[dict[tuple[str, Model], Formula]] = {
    # A lower bound. The replay takes twice the first term: the root receives P - 1 messages and sends as many.
    ("flat", Hockney): lambda call, model: (call.ranks - 1) * model.alpha(0),
    ("flat", LogGP): _fan(lambda call, model: (call.ranks - 2) * model.g + 2 * (model.L + 2 * model.o)),
    ("flat", PLogP): _fan(lambda call, model: call.ranks * model.g(0) + 2 * model.L),
    # In the replay of the others o takes the place of g: nobody sends so soon after its last message that g counts.
    ("double ring", Hockney): lambda call, model: 2 * call.ranks * model.alpha(0),
    ("double ring", LogGP): lambda call, model: 2 * call.ranks * (model.L + model.o + model.g),
    ("double ring", PLogP): lambda call, model: 2 * call.ranks * (model.L + model.g(0)),
    ("recursive doubling", Hockney): lambda call, model: _doubling_rounds(call) * model.alpha(0),
    ("recursive doubling", LogGP): lambda call, model: _doubling_rounds(call) * (model.L + model.o + model.g),
    ("recursive doubling", PLogP): lambda call, model: _doubling_rounds(call) * (model.L + model.g(0)),
    ("bruck", Hockney): lambda call, model: call.doublings * model.alpha(0),
    ("bruck", LogGP): lambda call, model: call.doublings * (model.L + model.o + model.g),
    ("bruck", PLogP): lambda call, model: call.doublings * (model.L + model.g(0)),
}

_BCAST: Final[dict[tuple[str, Model], Formula]] = {
    ("linear", Hockney): lambda call, model: call.segments * (call.ranks - 1) * model.message(call.segment),
    ("linear", LogGP): _fan(
        lambda call, model: (
            model.L + 2 * model.o - model.g + call.segments * (call.ranks - 1) * (model.bytes(call.segment) + model.g)
        )
    ),
    ("linear", PLogP): _fan(lambda call, model: model.L + call.segments * (call.ranks - 1) * model.g(call.segment)),
    # In the replay a rank between two others, which receives and sends each segment, takes at least 2o for one.
    ("pipeline", Hockney): lambda call, model: (call.ranks + call.segments - 2) * model.message(call.segment),
    ("pipeline", LogGP): lambda call, model: (
        (call.ranks - 1) * (model.L + 2 * model.o + model.bytes(call.segment))
        + (call.segments - 1) * (model.g + model.bytes(call.segment))
    ),
    ("pipeline", PLogP): lambda call, model: (
        (call.ranks - 1) * (model.L + model.g(call.segment)) + (call.segments - 1) * model.g(call.segment)
    ),
    ("binomial", Hockney): lambda call, model: call.doublings * call.segments * model.message(call.segment),
    ("binomial", LogGP): lambda call, model: (
        call.doublings
        * (
            model.L
            + 2 * model.o
            + model.bytes(call.segment)
            + (call.segments - 1) * (model.g + model.bytes(call.segment))
        )
    ),
    ("binomial", PLogP): lambda call, model: call.doublings * (model.L + call.segments * model.g(call.segment)),
    ("binary", Hockney): lambda call, model: (
        (call.binary_depth + call.segments - 1) * (model.alpha(call.segment) + model.message(call.segment))
    ),
    ("binary", LogGP): lambda call, model: (
        _binary_levels(call, model) + (call.segments - 1) * _binary_interval(call, model)
    ),
    ("binary", PLogP): lambda call, model: _binary_bcast(call, model, call.segments),
    # The engine passes a half on to the partner segment by segment, which takes each inner node a third send.
    ("split binary", Hockney): lambda call, model: (
        (call.binary_depth + _half_segments(call) - 1) * (model.alpha(call.segment) + model.message(call.segment))
        + model.message(call.size / 2)
    ),
    ("split binary", LogGP): lambda call, model: (
        _binary_levels(call, model)
        + (_half_segments(call) - 1) * _binary_interval(call, model)
        + (model.L + 2 * model.o + model.bytes(call.size / 2))
    ),
    ("split binary", PLogP): lambda call, model: (
        _binary_bcast(call, model, _half_segments(call)) + (model.L + model.g(call.size / 2))
    ),
}

_REDUCE: Final[dict[tuple[str, Model], Formula]] = {
    # LogGP holds the root busy while a message's bytes come. In the replay they come while it combines the one before.
    ("flat", Hockney): lambda call, model: call.segments * (call.ranks - 1) * _combined(call, model),
    ("flat", LogGP): lambda call, model: (
        model.o
        + model.bytes(call.segment)
        + model.L
        + call.segments * max(model.g, (call.ranks - 1) * (_work(call, model) + model.bytes(call.segment)))
    ),
    ("flat", PLogP): lambda call, model: model.L + (call.ranks - 1) * call.segments * _interval(call, model),
    ("pipeline", Hockney): lambda call, model: (call.ranks + call.segments - 2) * _combined(call, model),
    ("pipeline", LogGP): lambda call, model: (
        (call.ranks - 1) * (model.L + model.o + model.bytes(call.segment) + _work(call, model))
        + (call.segments - 1) * max(model.g, model.o + model.bytes(call.segment) + _work(call, model))
    ),
    ("pipeline", PLogP): lambda call, model: (
        (call.ranks - 1) * (model.L + _interval(call, model))
        + (call.segments - 1) * (_interval(call, model) + model.o_s(call.segment))
    ),
    ("binomial", Hockney): lambda call, model: call.segments * call.doublings * _combined(call, model),
    ("binomial", LogGP): lambda call, model: (
        call.doublings
        * (model.o + model.L + call.segments * (model.bytes(call.segment) + max(model.g, _work(call, model))))
    ),
    ("binomial", PLogP): lambda call, model: (
        call.doublings
        * (
            model.L
            + call.segments
            * max(
                model.g(call.segment),
                model.o_r(call.segment) + model.gamma * call.segment + model.o_s(call.segment),
            )
        )
    ),
    ("binary", Hockney): lambda call, model: 2 * (call.binary_depth + call.segments - 1) * _combined(call, model),
    ("binary", LogGP): lambda call, model: (
        call.binary_depth
        * (
            model.L
            + model.o
            + model.bytes(call.segment)
            + _work(call, model)
            + max(model.g + model.bytes(call.segment), _work(call, model))
        )
        + (call.segments - 1) * max(2 * (model.g + model.bytes(call.segment)), model.o + 2 * _work(call, model))
    ),
    ("binary", PLogP): lambda call, model: (
        call.binary_depth * (model.L + 2 * _interval(call, model))
        + (call.segments - 1) * (model.o_s(call.segment) + 2 * _interval(call, model))
    ),
}

_ALLTOALL: Final[dict[tuple[str, Model], Formula]] = {
    # Rank i + 1 sends when it has rank i's block. An upper bound: the replay overlaps what different ranks send.
    ("linear", Hockney): lambda call, model: (
        call.ranks * model.message(call.segment) + _exchanges(call) * model.alpha(call.segment)
    ),
    ("linear", LogGP): _fan(
        lambda call, model: (
            call.ranks * (model.L + 2 * model.o) + _exchanges(call) * (model.g + model.bytes(call.segment))
        )
    ),
    ("linear", PLogP): _fan(lambda call, model: call.ranks * model.L + _exchanges(call) * model.g(call.segment)),
    # Measurements were far longer. In the replay o takes the place of g.
    ("pairwise", Hockney): lambda call, model: (call.ranks - 1) * model.message(call.size),
    ("pairwise", LogGP): _fan(
        lambda call, model: (call.ranks - 1) * (model.L + model.o + model.bytes(call.size) + model.g)
    ),
    ("pairwise", PLogP): _fan(lambda call, model: (call.ranks - 1) * (model.L + model.g(call.size))),
}

FORMULAS: Final[dict[Row, Formula]] = {
    (operation, algorithm, model): formula
    for operation, formulas in (
        ("MPI_Barrier", _BARRIER),
        ("MPI_Bcast", _BCAST),
        ("MPI_Reduce", _REDUCE),
        ("MPI_Alltoall", _ALLTOALL),
    )
    for (algorithm, model), formula in formulas.items()
}
"""Formulas to use: as published, or corrected where that is wrong."""

UPPER_BOUNDS: Final[dict[Row, Formula]] = {
    ("MPI_Barrier", "flat", LogGP): _fan(
        lambda call, model: (call.ranks - 2) * (model.g + model.o) + 2 * (model.L + 2 * model.o)
    ),
    ("MPI_Barrier", "flat", PLogP): _fan(
        lambda call, model: call.ranks * (model.g(0) + model.o_r(0)) + 2 * (model.L - model.o_r(0))
    ),
}
"""The upper bounds of rows that are published as a lower and an upper bound; FORMULAS has the lower ones."""

PRINTED: Final[dict[Row, Formula]] = {
    # n_s does not occur: the second term has no factor, so cutting costs nothing. A node sends every segment twice and
    # receives it once, and each level has one gap, between its two messages, and not two.
    ("MPI_Bcast", "binary", LogGP): lambda call, model: (
        call.binary_depth * (model.L + 2 * (model.o + model.bytes(call.segment) + model.g))
        + 2 * (model.bytes(call.segment) + model.g)
    ),
    # The factors of depth and segments are exchanged: the latency is paid for every segment, and the depth only
    # multiplies a gap. The last exchange has half a segment; partners lack half of the message.
    ("MPI_Bcast", "split binary", LogGP): lambda call, model: (
        2 * (_half_segments(call) - 1) * (model.L + model.g + 2 * (model.o + model.bytes(call.segment)))
        + call.binary_depth * (model.g + model.bytes(call.segment))
        + model.L
        + 2 * model.o
        + model.bytes(call.segment / 2)
    ),
    # The last exchange has no term, although both other models have one, and n_s / 2 is not rounded up.
    ("MPI_Bcast", "split binary", PLogP): lambda call, model: _binary_bcast(call, model, call.segments / 2),
    # Both terms are multiplied by the depth, but the levels work on different segments at one time. And the bytes of
    # two children come in the time of one; an interface takes one after the other, as the PLogP row has it.
    ("MPI_Reduce", "binary", LogGP): lambda call, model: (
        call.binary_depth
        * (
            model.L
            + model.bytes(call.segment)
            + (3 * model.o + 2 * model.gamma * call.segment)
            + (call.segments - 1)
            * (model.bytes(call.segment) + max(model.g, 3 * model.o + 2 * model.gamma * call.segment))
        )
    ),
}
"""As published, of the rows that FORMULAS corrects, and what is wrong. The replay of complete trees agrees exactly with
the corrected ones."""
