"""The published formulas for the times of barrier, broadcast, reduce and alltoall, by operation, algorithm and model.

A formula takes a Call and a model's parameters (`hopscope.machine.published`) and returns the time in ns. A barrier's
messages have no bytes. A reduction combines a segment of m_s bytes in the time gamma m_s. `sweep` compares algorithms
by these formulas.

If a rank sends to k destinations in a row, its gaps g and G are those for k destinations, if the parameters have them
(`for_destinations`). The published formulas have only one gap, but the paper's main finding is that the gap depends on
the number of destinations.
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
    """A reference to a formula: the publication, and the row of its table."""
    operation, algorithm, model = row
    return f"{SOURCE}, table row {operation.removeprefix('MPI_').lower()}, {algorithm}, {model.__name__}"


def _fan(formula: Formula, destinations: int | None = None) -> Formula:
    """The formula, with gaps for a rank that sends to this number of destinations in a row; None: to all other
    ranks."""
    return lambda call, model: formula(call, model.for_destinations(destinations or call.ranks - 1))


def _doubling_rounds(call: Call) -> int:
    """Rounds of recursive doubling: floor(log2 P), and two more if P is not a power of two."""
    return call.ranks.bit_length() - 1 + (0 if call.is_power_of_two else 2)


def _half_segments(call: Call) -> int:
    """ceil(n_s / 2): segments of the longer half of a split message."""
    return (call.segments + 1) // 2


def _binary_levels(call: Call, model: LogGP) -> float:
    """The time until the first segment is at the last leaf of a binary tree. On the way to this leaf, it is always the
    second message of a node."""
    model = model.for_destinations(_CHILDREN)
    return call.binary_depth * (model.L + 2 * (model.o + model.bytes(call.segment)) + model.g)


def _binary_interval(call: Call, model: LogGP) -> float:
    """The time between two segments at a node of a binary tree, which receives each segment once and sends it twice."""
    model = model.for_destinations(_CHILDREN)
    return max(2 * (model.g + model.bytes(call.segment)), 3 * model.o)


def _binary_bcast(call: Call, model: PLogP, segments: float) -> float:
    """The time to broadcast this number of segments over a binary tree."""
    g = model.for_destinations(_CHILDREN).g(call.segment)
    interval = max(2 * g, model.o_r(call.segment) + g + model.o_s(call.segment))
    return call.binary_depth * (model.L + 2 * g) + (segments - 1) * interval


def _combined(call: Call, model: Hockney) -> float:
    """The time to send and combine a segment: alpha + m_s beta + gamma m_s."""
    return model.message(call.segment) + model.gamma * call.segment


def _work(call: Call, model: LogGP) -> float:
    """The time of a rank to receive and combine a segment: o + gamma m_s."""
    return model.o + model.gamma * call.segment


def _interval(call: Call, model: PLogP) -> float:
    """The time between two segments that a rank receives and combines."""
    return max(model.g(call.segment), model.o_r(call.segment) + model.gamma * call.segment)


def _exchanges(call: Call) -> float:
    """The length of the longest sequence of messages in a linear alltoall in which each rank begins to send when it has
    the previous rank's block: (P - 1)(n_s P + 1 - P / 2)."""
    return (call.ranks - 1) * (call.segments * call.ranks + 1 - call.ranks / 2)


_BARRIER: Final[dict[tuple[str, Model], Formula]] = {
    # These are lower bounds. The replay takes twice the first term: the root receives P - 1 messages and sends P - 1.
    ("flat", Hockney): lambda call, model: (call.ranks - 1) * model.alpha(0),
    ("flat", LogGP): _fan(lambda call, model: (call.ranks - 2) * model.g + 2 * (model.L + 2 * model.o)),
    ("flat", PLogP): _fan(lambda call, model: call.ranks * model.g(0) + 2 * model.L),
    # The replay of the following algorithms has o instead of g, because no rank sends so soon after its last message
    # that it has to wait for the gap.
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
    # In the replay, a rank in the middle of the chain takes at least 2o per segment, because it receives and sends it.
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
    # The last term is the exchange of halves in one message. The engine exchanges them segment by segment, which costs
    # each inner node a third send per segment.
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
    # In LogGP's row, the root is busy while a message's bytes arrive. In the replay, they arrive while the root
    # combines the previous message.
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
    # In these formulas, rank i + 1 begins to send when it has rank i's block. They are upper bounds: in the replay, the
    # messages of different ranks overlap.
    ("linear", Hockney): lambda call, model: (
        call.ranks * model.message(call.segment) + _exchanges(call) * model.alpha(call.segment)
    ),
    ("linear", LogGP): _fan(
        lambda call, model: (
            call.ranks * (model.L + 2 * model.o) + _exchanges(call) * (model.g + model.bytes(call.segment))
        )
    ),
    ("linear", PLogP): _fan(lambda call, model: call.ranks * model.L + _exchanges(call) * model.g(call.segment)),
    # The times that the paper measured are far longer. The replay has o instead of g.
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
"""The formulas to use: as published, or corrected if the published one is wrong (see PRINTED)."""

UPPER_BOUNDS: Final[dict[Row, Formula]] = {
    ("MPI_Barrier", "flat", LogGP): _fan(
        lambda call, model: (call.ranks - 2) * (model.g + model.o) + 2 * (model.L + 2 * model.o)
    ),
    ("MPI_Barrier", "flat", PLogP): _fan(
        lambda call, model: call.ranks * (model.g(0) + model.o_r(0)) + 2 * (model.L - model.o_r(0))
    ),
}
"""The upper bounds, for rows that were published with a lower and an upper bound. FORMULAS has the lower bounds."""

PRINTED: Final[dict[Row, Formula]] = {
    # The second term lacks the factor n_s - 1, so cutting a message into segments would cost nothing. It also lacks the
    # 3o of a node that receives a segment once and sends it twice. And the first term has two gaps per level, although
    # a node has only one, between its two messages.
    ("MPI_Bcast", "binary", LogGP): lambda call, model: (
        call.binary_depth * (model.L + 2 * (model.o + model.bytes(call.segment) + model.g))
        + 2 * (model.bytes(call.segment) + model.g)
    ),
    # The factors for depth and segments are exchanged: every segment costs a latency, and the depth only multiplies a
    # gap. And the last exchange has half a segment, although partners lack half of the message.
    ("MPI_Bcast", "split binary", LogGP): lambda call, model: (
        2 * (_half_segments(call) - 1) * (model.L + model.g + 2 * (model.o + model.bytes(call.segment)))
        + call.binary_depth * (model.g + model.bytes(call.segment))
        + model.L
        + 2 * model.o
        + model.bytes(call.segment / 2)
    ),
    # The term of the last exchange is missing (both other models have one), and n_s / 2 is not rounded up.
    ("MPI_Bcast", "split binary", PLogP): lambda call, model: _binary_bcast(call, model, call.segments / 2),
    # Both terms are multiplied by the depth, although the levels work on different segments at the same time. And the
    # bytes of two children arrive in the time of one child's, although an interface receives them one after the other
    # (as in the PLogP row).
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
"""The published formulas that FORMULAS corrects, with their errors in the comments. The replay of complete trees agrees
exactly with the corrected formulas."""
