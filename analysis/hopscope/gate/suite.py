"""Evaluates all gates of a file on one trace. Asks each analysis once. Gates on structure come before gates on
times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from hopscope.errors import InputError
from hopscope.gate.config import GateLine
from hopscope.gate.expression import Gate, parse
from hopscope.gate.judgement import Outcome, evaluate
from hopscope.query.header import Analysis

if TYPE_CHECKING:
    from hopscope.query.answer import Answer

Trace = TypeVar("Trace")
"""The class of an opened trace. This module cannot import that class, because its module imports this package."""

Kind = Literal["structure", "time"]

NO_BASELINE = "it refers to a baseline; give one with --baseline BASE, or skip such gates with --skip-baseline"


@dataclass(frozen=True)
class Question(Generic[Trace]):
    """A line of the file as a query: the analysis at its grain, and `ask`, which is None if the line needs a baseline
    and there is none."""

    line: GateLine
    analysis: Analysis
    ask: Callable[[Trace], Answer] | None


@dataclass(frozen=True)
class GateResult:
    """A gate with its analysis, kind and outcome, which is None if it was skipped."""

    question: str
    kind: Kind
    expression: str
    outcome: Outcome | None


def evaluate_all(
    questions: Sequence[Question[Trace]], trace: Trace, base: Trace | None, *, skip_baseline: bool = False
) -> list[GateResult]:
    """The results of every gate of these questions: gates on structure first, then those on times, each in the file's
    order.

    If the trace cannot answer an analysis, its gates are undecided. Raises InputError for a gate that does not fit its
    column.
    """
    gate_results = [
        gate_result
        for question in questions
        for gate_result in _judge_question(question, trace, base, skip=skip_baseline)
    ]
    return sorted(gate_results, key=lambda gate_result: gate_result.kind == "time")


def _judge_question(question: Question[Trace], trace: Trace, base: Trace | None, *, skip: bool) -> list[GateResult]:
    # If both the analysis and the file have a gate, it is evaluated once.
    gates = list(dict.fromkeys([*question.line.gates, *(parse(text) for text in question.analysis.gates)]))

    def with_outcome(gate: Gate, outcome: Outcome | None) -> GateResult:
        kind: Kind = "structure" if gate.column in question.analysis.exact else "time"
        return GateResult(question.line.question, kind, gate.expression, outcome)

    def without_answer(gate: Gate, reason: str) -> GateResult:
        return with_outcome(
            gate, Outcome(gate.expression, "undecided", f"gate {gate.expression!r} cannot be judged: {reason}")
        )

    if question.ask is None:
        return [with_outcome(gate, None) if skip else without_answer(gate, NO_BASELINE) for gate in gates]
    relative = any(gate.relative for gate in gates)
    try:
        rows = question.ask(trace).rows
        base_rows = question.ask(base).rows if relative and base is not None else None
    except InputError as error:
        return [without_answer(gate, str(error)) for gate in gates]
    gate_results: list[GateResult] = []
    for gate in gates:
        if gate.relative and base is None:
            gate_results.append(with_outcome(gate, None) if skip else without_answer(gate, NO_BASELINE))
        else:
            gate_results.append(with_outcome(gate, evaluate(gate, question.analysis, rows, base_rows)))
    return gate_results
