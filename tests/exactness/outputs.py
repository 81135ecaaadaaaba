"""Compares two outputs of one program, apart from times and from rounding in sums of another order.

The program's rules remove times and rates. Of the rest, words and whole numbers must be equal, and numbers with a
decimal point equal within the bound: |a - b| <= bound * max(1, |a|, |b|).
"""

import re
from dataclasses import dataclass, field

_NUMBER = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eEdD][+-]?\d+)?")
_FRACTION = re.compile(r"[.eEdD]")
_DASHES = re.compile(r"\s*-{2,}(\s+-{2,}){3,}\s*")


@dataclass(frozen=True)
class Rules:
    """Rules for reading a program's output."""

    timed_lines: str = r"(?!)"
    """A pattern for lines that are left out."""
    timed_words: str = r"(?!)"
    """A pattern for words that are left out."""
    timed_columns: str = r"(?!)"
    """A pattern for titles of columns that are left out. A line of dashes is below the titles."""
    residuals: str = r"(?!)"
    """A pattern for lines and titles of columns whose fractions are rounding errors, in units of their usual size. Both
    outputs must only have them below `largest_residual`. The program's own verdict on them is a word, and must be
    equal."""
    largest_residual: float = 0
    bound: float = 0


@dataclass
class Compared:
    """Numbers of compared fields, and the differences."""

    exact: int = 0
    """Words and whole numbers."""
    fractions: int = 0
    residuals: int = 0
    largest: float = 0
    """The largest |a - b| / max(1, |a|, |b|)."""
    differences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Field:
    text: str
    line: int
    residual: bool = False


def compare(expected: str, actual: str, rules: Rules, same_order: bool) -> Compared:
    """Compares an output with the expected one. same_order: the program added in the same order, so every fraction,
    residuals included, must be equal to the last digit."""
    expected_fields, actual_fields = _fields(expected, rules), _fields(actual, rules)
    result = Compared()
    for expected_field, actual_field in zip(expected_fields, actual_fields, strict=False):
        difference = _compare_field(expected_field, actual_field, rules, same_order, result)
        if difference:
            result.differences.append(f"line {expected_field.line}: {difference}")
            if len(result.differences) >= 20:
                return result
    if len(expected_fields) != len(actual_fields) and not result.differences:
        result.differences.append(f"{len(actual_fields)} fields instead of {len(expected_fields)}")
    return result


def _compare_field(
    expected_field: _Field, actual_field: _Field, rules: Rules, same_order: bool, result: Compared
) -> str:
    if not (_is_fraction(expected_field.text) and _is_fraction(actual_field.text)):
        result.exact += 1
        return (
            ""
            if expected_field.text == actual_field.text
            else f"{actual_field.text!r} instead of {expected_field.text!r}"
        )
    a, b = _value(expected_field.text), _value(actual_field.text)
    distance = abs(a - b) / max(1, abs(a), abs(b))
    if expected_field.residual and not same_order:
        result.residuals += 1
        fits = max(abs(a), abs(b)) <= rules.largest_residual
        return "" if fits else f"residual {actual_field.text} instead of {expected_field.text}"
    result.fractions += 1
    result.largest = max(result.largest, distance)
    fits = expected_field.text == actual_field.text if same_order else distance <= rules.bound
    return "" if fits else f"{actual_field.text} instead of {expected_field.text}"


def _is_fraction(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text) and _FRACTION.search(text))


def _value(text: str) -> float:
    return float(re.sub("[dD]", "e", text))


def _fields(text: str, rules: Rules) -> list[_Field]:
    """The fields of an output, without times."""
    fields: list[_Field] = []
    titles: list[str] = []
    title_line = ""
    for number, whole in enumerate(text.splitlines(), 1):
        if _DASHES.fullmatch(whole):
            titles = _titles(title_line, whole)
        title_line = whole
        if re.search(rules.timed_lines, whole):
            continue
        words = re.sub(rules.timed_words, " ", whole).replace("=", " = ").split()
        column_titles = titles if len(words) == len(titles) else [""] * len(words)
        for word, title in zip(words, column_titles, strict=True):
            if not (title and re.search(rules.timed_columns, title)):
                residual = re.search(rules.residuals, title or whole) is not None
                fields.append(_Field(word, number, residual))
    return fields


def _titles(titles: str, dashes: str) -> list[str]:
    """The titles above each run of dashes."""
    return [titles[match.start() : match.end()].strip() or "-" for match in re.finditer("-{2,}", dashes)]
