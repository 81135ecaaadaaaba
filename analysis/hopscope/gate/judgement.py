"""Evaluates a gate on the rows of an answer. A gate is undecided if there is no such row or no value, or if the
undecided part of the value could change the result."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from hopscope.errors import InputError, shortened_list, suggestion
from hopscope.format.quantities import alike, number, quantity
from hopscope.gate.expression import UNITS, Gate
from hopscope.query.catalog import ROWS_MOVED
from hopscope.query.header import Analysis, Column

Verdict = Literal["passed", "failed", "undecided"]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a gate, and its reason in one sentence."""

    expression: str
    outcome: Verdict
    sentence: str


def evaluate(gate: Gate, analysis: Analysis, rows: Sequence[Row], base: Sequence[Row] | None = None) -> Outcome:
    """The gate's outcome on these rows. base: the baseline's rows, for a gate that refers to them. Raises InputError if
    the gate's unit does not fit the column."""
    columns = {column.name: column for column in analysis.columns}
    if gate.column not in columns:
        return _undecided(
            gate,
            f"unknown column {gate.column}; the columns are {', '.join(columns)}{suggestion(gate.column, columns)}",
        )
    selection = _selected_rows(gate, analysis, rows)
    if not selection:
        if not rows:
            return _undecided(gate, "there are no rows")
        keys = [_key_text(analysis, row) for row in rows]
        return _undecided(
            gate,
            f"no row {gate.key!r}; the rows are {shortened_list(keys, 20)}{suggestion(str(gate.key), keys)}"
            + (f"; others are in `analyze {ROWS_MOVED[analysis.command]}`" if analysis.command in ROWS_MOVED else ""),
        )
    outcomes = [_judge_row(gate, analysis, columns[gate.column], row, base) for row in selection]
    for verdict in ("failed", "undecided"):
        for outcome in outcomes:
            if outcome.outcome == verdict:
                return outcome
    if gate.key is not None:
        return outcomes[0]
    return Outcome(
        gate.expression, "passed", f"gate {gate.expression!r} passes: it holds for none of {len(selection)} rows"
    )


def _selected_rows(gate: Gate, analysis: Analysis, rows: Sequence[Row]) -> list[Row]:
    """The rows that a gate is about. If the row is missing and the header lists it under `zero`, a row of zeros."""
    if gate.key is not None and gate.key in analysis.named_rows:
        column, value = analysis.named_rows[gate.key]
        selection = [row for row in rows if row[column] == value][:1]
    else:
        selection = [row for row in rows if gate.key is None or _key_text(analysis, row) == gate.key]
    if not selection and gate.key in analysis.zero:
        return [dict.fromkeys((column.name for column in analysis.columns), 0) | dict.fromkeys(analysis.key, gate.key)]
    return selection


def worst(outcomes: Sequence[Outcome]) -> Verdict:
    """The worst verdict of several gates: failed, else undecided, else passed."""
    verdicts = {outcome.outcome for outcome in outcomes}
    return "failed" if "failed" in verdicts else "undecided" if "undecided" in verdicts else "passed"


def _judge_row(gate: Gate, analysis: Analysis, column: Column, row: Row, base: Sequence[Row] | None) -> Outcome:
    name = f"{_key_text(analysis, row)}.{column.name}"
    value = row[column.name]
    unit = row.get("unit") if column.unit == "of unit" else column.unit
    limit = _limit(gate, column, unit)
    wrong = _no_number(value)
    if wrong is not None:
        return _undecided(gate, f"{name} {wrong}")
    text = quantity(value, unit)
    if gate.relative is not None:
        base_value = _base_value(gate, name, analysis, column, row, base)
        if isinstance(base_value, str):
            return _undecided(gate, base_value)
        limit = {"+": base_value + limit, "-": base_value - limit, "*": base_value * limit}[gate.relative]
        text, base_text = alike(unit, float(value), base_value)
        text += f", and {base_text} in the baseline"
    holds = gate.holds(float(value), limit)
    doubt = row.get(analysis.uncertain.get(column.name, ""))
    if doubt is not None and gate.holds(float(value) + float(doubt), limit) != holds:
        return _undecided(
            gate, f"{name} is {text}, but another {quantity(doubt, unit)} is undecided and could change the outcome"
        )
    if holds:
        instead = analysis.describes.get(column.name)
        hint = f"; {column.name} only describes and blames nobody, so use {instead} in gates" if instead else ""
        return Outcome(gate.expression, "failed", f"gate {gate.expression!r} fails: {name} is {text}{hint}")
    return Outcome(gate.expression, "passed", f"gate {gate.expression!r} passes: {name} is {text}")


def _key_text(analysis: Analysis, row: Row) -> str:
    """The name of a row: its key columns, joined by spaces."""
    return " ".join(str(row[name]) for name in analysis.key)


def _no_number(value: object) -> str | None:
    """The reason why a value cannot be compared; None if it can."""
    if value is None:
        return "has no value"
    if not isinstance(value, bool | int | float | Decimal):
        return f"is the text {value!r}, not a number"
    return "is not a number" if math.isnan(value) else None


def _base_value(  # noqa: PLR0917 - the gate, what it is about, and the baseline
    gate: Gate, name: str, analysis: Analysis, column: Column, row: Row, base: Sequence[Row] | None
) -> float | str:
    """The baseline's value for this row, or a sentence that says why there is none. A row named by the header is
    compared with the baseline's row of the same name, even if their keys differ."""
    if base is None:
        return "it refers to a baseline; give one with `analyze gate --baseline BASE`"
    key = _key_text(analysis, row)
    has_fixed_name = gate.key in analysis.named_rows or gate.key in analysis.zero
    matches = (
        _selected_rows(gate, analysis, base) if has_fixed_name else [r for r in base if _key_text(analysis, r) == key]
    )
    if len(matches) != 1:
        return f"the baseline has {len(matches) or 'no'} row{'s' if matches else ''} {key!r}"
    wrong = _no_number(matches[0][column.name])
    return f"{name} of the baseline {wrong}" if wrong else float(matches[0][column.name])


def _limit(gate: Gate, column: Column, unit: str | None) -> float:
    if gate.relative == "*":
        return gate.number * (0.01 if gate.unit == "%" else 1)
    if gate.unit is None:
        if unit == "share" and abs(gate.number) > 1:
            raise InputError(
                f"gate {gate.expression!r}: {column.name} is a share between 0 and 1; write {number(gate.number)}% or "
                f"{number(gate.number / 100)}"
            )
        return gate.number
    kind, factor = UNITS[gate.unit]
    if {"at": "ns"}.get(unit or "", unit) != kind:
        raise InputError(
            f"gate {gate.expression!r}: {column.name} is not a {_KINDS[kind]}, so it cannot be compared with "
            f"{gate.unit}; write the number without a unit"
        )
    return gate.number * factor


_KINDS = {"ns": "time", "share": "share", "bytes": "size"}


def _undecided(gate: Gate, reason: str) -> Outcome:
    return Outcome(gate.expression, "undecided", f"gate {gate.expression!r} cannot be judged: {reason}")
