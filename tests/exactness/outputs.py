"""Are two outputs of one program the same, but for times and for the rounding of sums in another order?

What a program prints of times and rates is taken out by its rules. Of the rest words and whole numbers must be the
same, and numbers with a decimal point within the bound: |a - b| <= bound * max(1, |a|, |b|).
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
    """Lines that match are left out."""
    timed_words: str = r"(?!)"
    """Matches within a line are left out."""
    timed_columns: str = r"(?!)"
    """Columns, below a title and a line of dashes, whose title matches."""
    residuals: str = r"(?!)"
    """Lines or columns' titles that match have rounding itself as their fractions, in units of its usual size: these
    need only be below `largest_residual`, in both. The program's own verdict on them is a word and must be the same.
    """
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
    """Holds an output against the expected one. With `same_order` the program's sums were made in the same order, and
    every fraction, residuals too, must be the same to the last digit.
    """
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
    """The fields of an output, but for what is timed."""
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
    """Titles above each run of dashes."""
    return [titles[match.start() : match.end()].strip() or "-" for match in re.finditer("-{2,}", dashes)]
