"""Gates on an answer: `KEY.COLUMN OP NUMBER[UNIT]`, such as `wan.share > 40%` or `"any rank".late_1ms > 5`.

    gate   = row "." COLUMN op number
    row    = "*" | WORD | STRING                 the row of that key; * is any row
    op     = "<" | "<=" | ">" | ">=" | "==" | "!="
    number = digits, sign, fraction and exponent, then a unit: ns us ms s, %, B KB MB GB KiB MiB GiB

A gate says what must not be: it fails when it is true. It is undecided when it cannot be judged: no such row, no
value, or a value whose
undecided part could turn it. The parser reads text and nothing in it is ever executed.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hopscope.catalog import Analysis, Column
from hopscope.errors import InputError
from hopscope.render.quantities import key_text, quantity

Verdict = Literal["passed", "failed", "undecided"]
Row = Mapping[str, Any]

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

# What one of each unit is in the column's own unit, and which columns it goes with.
_UNITS: dict[str, tuple[str, float]] = {
    "ns": ("ns", 1),
    "us": ("ns", 1e3),
    "ms": ("ns", 1e6),
    "s": ("ns", 1e9),
    "%": ("share", 0.01),
    "B": ("bytes", 1),
    "KB": ("bytes", 1e3),
    "MB": ("bytes", 1e6),
    "GB": ("bytes", 1e9),
    "KiB": ("bytes", 2**10),
    "MiB": ("bytes", 2**20),
    "GiB": ("bytes", 2**30),
}

_WORD = re.compile(r"[A-Za-z0-9_+:/@-]+")
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([A-Za-z%]*)")


@dataclass(frozen=True)
class Gate:
    """A gate as written and as understood. `key` is None for `*`, any row."""

    expression: str
    key: str | None
    column: str
    operator: str
    number: float
    unit: str | None

    def holds(self, value: float, limit: float) -> bool:
        """Whether the comparison is true, which is what the gate is there to catch."""
        return _OPERATORS[self.operator](value, limit)


@dataclass(frozen=True)
class Outcome:
    """How a gate came out, and why in one sentence."""

    expression: str
    outcome: Verdict
    sentence: str


def parse(expression: str) -> Gate:
    """The gate in this text. Raises InputError that shows the place where it stops making sense."""
    return _Parser(expression).gate()


def judge(gate: Gate, analysis: Analysis, rows: Sequence[Row]) -> Outcome:
    """How the gate comes out on these rows. Raises InputError where its unit does not go with the column."""
    columns = {column.name: column for column in analysis.columns}
    if gate.column not in columns:
        return _undecided(gate, f"there is no column {gate.column}; there are {', '.join(columns)}")
    chosen = [row for row in rows if gate.key is None or key_text(analysis, row) == gate.key]
    if not chosen:
        if not rows:
            return _undecided(gate, "there are no rows")
        return _undecided(
            gate, f"there is no row {gate.key!r}; there are {_some([key_text(analysis, row) for row in rows])}"
        )
    outcomes = [_judge_row(gate, analysis, columns[gate.column], row) for row in chosen]
    for wanted in ("failed", "undecided"):
        for outcome in outcomes:
            if outcome.outcome == wanted:
                return outcome
    return (
        outcomes[0]
        if gate.key is not None
        else Outcome(gate.expression, "passed", f"{gate.expression}: true of no row")
    )


def worst(outcomes: Sequence[Outcome]) -> Verdict:
    """Of several gates: failed if any failed, else undecided if any could not be judged, else passed."""
    verdicts = {outcome.outcome for outcome in outcomes}
    return "failed" if "failed" in verdicts else "undecided" if "undecided" in verdicts else "passed"


def _judge_row(gate: Gate, analysis: Analysis, column: Column, row: Row) -> Outcome:
    name = f"{key_text(analysis, row)}.{column.name}"
    value = row[column.name]
    unit = row.get("unit") if column.unit == "of unit" else column.unit
    limit = _limit(gate, column, unit)
    if value is None:
        return _undecided(gate, f"{name} has no value")
    if not isinstance(value, bool | int | float):
        return _undecided(gate, f"{name} is the text {value!r} and no number")
    if math.isnan(value):
        return _undecided(gate, f"{name} is not a number")
    shown = quantity(value, unit)
    holds = gate.holds(float(value), limit)
    doubt = row.get(analysis.uncertain.get(column.name, ""))
    if doubt is not None and gate.holds(float(value) + float(doubt), limit) != holds:
        return _undecided(
            gate, f"{name} is {shown}, but another {quantity(doubt, unit)} is undecided and could turn it"
        )
    if holds:
        return Outcome(gate.expression, "failed", f"gate {gate.expression!r} fails: {name} is {shown}")
    return Outcome(gate.expression, "passed", f"gate {gate.expression!r} passes: {name} is {shown}")


def _limit(gate: Gate, column: Column, unit: str | None) -> float:
    if gate.unit is None:
        if unit == "share" and abs(gate.number) > 1:
            raise InputError(
                f"gate {gate.expression!r}: {column.name} is a share between 0 and 1; write {gate.number:g}% or "
                f"{gate.number / 100:g}"
            )
        return gate.number
    kind, factor = _UNITS[gate.unit]
    if {"at": "ns"}.get(unit or "", unit) != kind:
        raise InputError(
            f"gate {gate.expression!r}: {column.name} is no {_KINDS[kind]}, so it cannot be compared with {gate.unit}; "
            "write the number without a unit"
        )
    return gate.number * factor


_KINDS = {"ns": "time", "share": "share", "bytes": "size"}


def _undecided(gate: Gate, why: str) -> Outcome:
    return Outcome(gate.expression, "undecided", f"gate {gate.expression!r} cannot be judged: {why}")


def _some(keys: Sequence[str]) -> str:
    return ", ".join(keys[:20]) + (f" and {len(keys) - 20} more" if len(keys) > 20 else "")


class _Parser:
    """Recursive descent over the characters of one gate."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def gate(self) -> Gate:
        key = self._row()
        self._expect(".")
        column = self._word("a column")
        comparison = self._operator()
        number, unit = self._number()
        self._spaces()
        if self.at < len(self.text):
            raise self._wrong("the end")
        return Gate(self.text, key, column, comparison, number, unit)

    def _row(self) -> str | None:
        self._spaces()
        if self.text.startswith("*", self.at):
            self.at += 1
            return None
        if self.text.startswith('"', self.at):
            return self._string()
        return self._word('a key, "a quoted key" or *')

    def _string(self) -> str:
        begin, parts = self.at, list[str]()
        self.at += 1
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == '"':
                self.at += 1
                return "".join(parts)
            if letter == "\\":
                self.at += 1
                if self.at == len(self.text):
                    break
            parts.append(self.text[self.at])
            self.at += 1
        self.at = begin
        raise self._wrong('a closing " for the one here')

    def _word(self, wanted: str) -> str:
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise self._wrong(wanted)
        self.at = match.end()
        return match[0]

    def _operator(self) -> str:
        self._spaces()
        for length in (2, 1):
            found = self.text[self.at : self.at + length]
            if found in _OPERATORS:
                self.at += len(found)
                return found
        raise self._wrong(f"one of {' '.join(_OPERATORS)}")

    def _number(self) -> tuple[float, str | None]:
        self._spaces()
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self._wrong("a number")
        unit = match[2] or None
        self.at = match.end()
        if unit is None:
            begin = self.at
            self._spaces()
            word = re.compile(r"[A-Za-z%]+").match(self.text, self.at)
            if word is None:
                self.at = begin
                return float(match[1]), None
            unit, self.at = word[0], word.end()
        if unit not in _UNITS:
            self.at -= len(unit)
            raise self._wrong(f"a unit of {' '.join(_UNITS)} or none")
        return float(match[1]), unit

    def _expect(self, mark: str) -> None:
        if not self.text.startswith(mark, self.at):
            raise self._wrong(repr(mark))
        self.at += len(mark)

    def _spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def _wrong(self, wanted: str) -> InputError:
        return InputError(
            f"gate {self.text!r}: expected {wanted} at position {self.at + 1}; "
            'a gate is KEY.COLUMN OP NUMBER, such as wan.share > 40% or "any rank".late_1ms > 5'
        )
