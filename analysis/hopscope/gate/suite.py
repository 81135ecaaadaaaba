"""All gates of a file on one trace: asks each analysis once, judges what is exact before what is time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from hopscope.errors import InputError
from hopscope.gate.config import Asked
from hopscope.gate.expression import Gate, parse
from hopscope.gate.judgement import Outcome, judge
from hopscope.query.header import Analysis

if TYPE_CHECKING:
    from hopscope.query.answer import Answer

Trace = TypeVar("Trace")
"""An opened trace, whose module imports this package. Only a question asks it anything."""

Kind = Literal["structure", "time"]

NO_BASELINE = "it refers to a baseline; give one with --baseline BASE, or skip such gates with --skip-baseline"


@dataclass(frozen=True)
class Question(Generic[Trace]):
    """One line of the file, understood: the analysis at its grain and how to ask it. `ask` is None where it needs a
    baseline and there is none."""

    asked: Asked
    analysis: Analysis
    ask: Callable[[Trace], Answer] | None


@dataclass(frozen=True)
class Judged:
    """A gate with its analysis, its kind and how it came out; `outcome` is None where it was left out."""

    question: str
    kind: Kind
    expression: str
    outcome: Outcome | None


def judge_all(
    questions: Sequence[Question[Trace]], trace: Trace, base: Trace | None, *, skip_baseline: bool = False
) -> list[Judged]:
    """Every gate of these questions, structure before time and else as the file has them.

    An analysis that the trace cannot answer leaves its gates undecided. Raises InputError for a gate that makes no
    sense on its columns.
    """
    judged = [one for question in questions for one in _judge_question(question, trace, base, skip=skip_baseline)]
    return sorted(judged, key=lambda one: one.kind == "time")


def _judge_question(question: Question[Trace], trace: Trace, base: Trace | None, *, skip: bool) -> list[Judged]:
    # A gate that the analysis has by itself is not judged again where the file has it too.
    gates = list(dict.fromkeys([*question.asked.gates, *(parse(text) for text in question.analysis.gates)]))

    def with_outcome(gate: Gate, outcome: Outcome | None) -> Judged:
        kind: Kind = "structure" if gate.column in question.analysis.exact else "time"
        return Judged(question.asked.question, kind, gate.expression, outcome)

    def without_answer(gate: Gate, why: str) -> Judged:
        return with_outcome(
            gate, Outcome(gate.expression, "undecided", f"gate {gate.expression!r} cannot be judged: {why}")
        )

    if question.ask is None:
        return [with_outcome(gate, None) if skip else without_answer(gate, NO_BASELINE) for gate in gates]
    relative = any(gate.relative for gate in gates)
    try:
        rows = question.ask(trace).rows
        base_rows = question.ask(base).rows if relative and base is not None else None
    except InputError as error:
        return [without_answer(gate, str(error)) for gate in gates]
    judged: list[Judged] = []
    for gate in gates:
        if gate.relative and base is None:
            judged.append(with_outcome(gate, None) if skip else without_answer(gate, NO_BASELINE))
        else:
            judged.append(with_outcome(gate, judge(gate, question.analysis, rows, base_rows)))
    return judged
