"""The syntax of a gate: `KEY.COLUMN OP LIMIT`, such as `whole.change_low > 5%` or `*.late_1ms > baseline + 5`.

    gate   = row "." COLUMN op limit
    row    = "*" | WORD | STRING                 the row of that key; * is any row
    op     = "<" | "<=" | ">" | ">=" | "==" | "!="
    limit  = number | "baseline" | "baseline" ("+" | "-" | "*") number
    number = digits, sign, fraction and exponent, then a unit: ns us ms s, %, B KB MB GB KiB MiB GiB

A gate states a fault: it fails if the statement is true. `baseline` is the same row and column of another run, as
`analyze gate --baseline` gives it: `baseline + 5%` of a share is five points more, `baseline * 1.1` a tenth more. The
parser reads text and nothing in it is ever executed.
"""

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from hopscope.errors import InputError

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

_WORD = re.compile(r"[A-Za-z0-9_+:/@-]+")
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([A-Za-z%]*)")


# For each unit, the kind of columns that it fits, and its size in the unit of these columns.
UNITS: dict[str, tuple[str, float]] = {
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


@dataclass(frozen=True)
class Gate:
    """A gate as written, and its parsed parts. `key` is None for `*`, any row.

    relative: the operation between the baseline's value and the number (`+`, `-` or `*`); None if the number itself is
    the limit.
    """

    expression: str
    key: str | None
    column: str
    operator: str
    number: float
    unit: str | None
    relative: str | None = None

    def holds(self, value: float, limit: float) -> bool:
        """Tells if the comparison is true, which means that the gate has found its fault."""
        return _OPERATORS[self.operator](value, limit)


def parse(expression: str) -> Gate:
    """The gate in this text. Raises InputError that shows the position of the first mistake."""
    return _Parser(expression).gate()


class _Parser:
    """Recursive descent over the characters of one gate."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def gate(self) -> Gate:
        key = self._row()
        self._expect(".")
        column = self._word("a column")
        comparison = self._operator()
        relative = self._baseline()
        number, unit = self._number() if relative != "=" else (0.0, None)
        self._spaces()
        if self.position < len(self.text):
            raise self._wrong("the end")
        if relative == "*" and unit not in (None, "%"):
            raise self._wrong(f"a factor, without {unit}")
        return Gate(self.text, key, column, comparison, number, unit, "+" if relative == "=" else relative)

    def _row(self) -> str | None:
        self._spaces()
        if self.text.startswith("*", self.position):
            self.position += 1
            return None
        if self.text.startswith('"', self.position):
            return self._string()
        return self._word('a key, "a quoted key" or *')

    def _string(self) -> str:
        begin, parts = self.position, list[str]()
        self.position += 1
        while self.position < len(self.text):
            letter = self.text[self.position]
            if letter == '"':
                self.position += 1
                return "".join(parts)
            if letter == "\\":
                self.position += 1
                if self.position == len(self.text):
                    break
            parts.append(self.text[self.position])
            self.position += 1
        self.position = begin
        raise self._wrong('a closing " for the one here')

    def _word(self, expected: str) -> str:
        match = _WORD.match(self.text, self.position)
        if match is None:
            raise self._wrong(expected)
        self.position = match.end()
        return match[0]

    def _operator(self) -> str:
        self._spaces()
        for length in (2, 1):
            operator = self.text[self.position : self.position + length]
            if operator in _OPERATORS:
                self.position += len(operator)
                return operator
        raise self._wrong(f"one of {' '.join(_OPERATORS)}")

    def _baseline(self) -> str | None:
        """Read the word `baseline`, if it is next, and the sign after it. Returns the sign (`+`, `-` or `*`), `=` if
        the word stands alone, or None if there is no such word."""
        self._spaces()
        if not self.text.startswith("baseline", self.position):
            return None
        self.position += len("baseline")
        self._spaces()
        if self.position == len(self.text):
            return "="
        mark = self.text[self.position]
        if mark not in "+-*":
            raise self._wrong("+, -, * or the end")
        self.position += 1
        return mark

    def _number(self) -> tuple[float, str | None]:
        self._spaces()
        match = _NUMBER.match(self.text, self.position)
        if match is None:
            raise self._wrong("a number")
        if not math.isfinite(float(match[1])):
            raise self._wrong("a smaller number")
        unit = match[2] or None
        self.position = match.end()
        if unit is None:
            begin = self.position
            self._spaces()
            word = re.compile(r"[A-Za-z%]+").match(self.text, self.position)
            if word is None:
                self.position = begin
                return float(match[1]), None
            unit, self.position = word[0], word.end()
        if unit not in UNITS:
            self.position -= len(unit)
            raise self._wrong(f"a unit of {' '.join(UNITS)} or none")
        return float(match[1]), unit

    def _expect(self, mark: str) -> None:
        if not self.text.startswith(mark, self.position):
            raise self._wrong(repr(mark))
        self.position += len(mark)

    def _spaces(self) -> None:
        while self.position < len(self.text) and self.text[self.position] in " \t":
            self.position += 1

    def _wrong(self, expected: str) -> InputError:
        return InputError(
            f"gate {self.text!r}: expected {expected} at position {self.position + 1}; "
            'a gate is KEY.COLUMN OP NUMBER, such as whole.change_low > 5% or "any rank".late_1ms > 5'
        )
