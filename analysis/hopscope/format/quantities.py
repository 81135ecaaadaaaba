"""Turns values into text, for tables, sentences, pages, reports and SQL. These are the rules:

* Times, sizes and plain numbers have three significant digits; whole numbers have all their digits.
  Times keep their zeros (`20.0 ms`), for they are measured; sizes and plain numbers do not (`64 KiB`, `2.5`).
* A time has the largest of the units s, ms, µs and ns in which it is 1 or more; from two minutes on it is written
  `3 min 20 s`. A point in time, from the start of the trace, is in seconds to the microsecond: `1.234568 s`.
* A share of 0 to 1 is per cent with one digit after the point: `45.6 %`. A share just above 0 is `<0.1 %`, one just
  below 1 is `>99.9 %`.
* An interval of shares that is wider than 100 % is written `undecided`, or `above 20.0 %` if its low end is above zero.
* A change has its sign: `+1.20 ms`, `-82.0 %`.
* Bytes have binary units: `1.5 KiB`.
* Thousands are separated by commas: `1,234,567`. No number ever has an exponent.
* Values that a sentence compares have one unit (`alike`), and so have the ends of an interval: `40.1 to 44.9 %`.
* A position on the axis of a drawing has the axis's unit, to a thousandth of it.
* An unknown value is a dash.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

MISSING = "–"
UNDECIDED = "undecided"

_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))
_MINUTE = 60e9
# A value below this in a shared unit would lose its digits, so values then keep their own units.
_LEAST_IN_UNIT = 0.1


@dataclass(frozen=True)
class TimeUnit:
    """A unit of time."""

    name: str
    """The unit's symbol after a number: `ms`."""
    nanoseconds: float
    """The length of one unit in nanoseconds."""


_TIMES = (TimeUnit("s", 1e9), TimeUnit("ms", 1e6), TimeUnit("µs", 1e3), TimeUnit("ns", 1.0))


def quantity(value: object, unit: str | None = None) -> str:
    """A value in the unit of its column (`ns`, `at`, `bytes`, `share`, another word or none)."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    if unit in _IN_UNIT:
        return _IN_UNIT[unit](value)
    return f"{number(value)} {unit.removesuffix('s') if value == 1 else unit}" if unit else number(value)


def duration(ns: float | None) -> str:
    """A time: `20.4 ms`."""
    if ns is None:
        return MISSING
    return _minutes(ns) if abs(ns) >= 2 * _MINUTE else _time(ns, _time_unit(ns))


def milliseconds(limit: float) -> str:
    """A limit in milliseconds as text: `0.1 ms`, `30 ms`."""
    return f"{number(limit)} ms"


def moment(ns: float | None) -> str:
    """A point in time, from the start of the trace on: `1.234568 s`."""
    return MISSING if ns is None else f"{ns / 1e9:,.6f} s"


def exact_moment(ns: int) -> str:
    """A time since the start of the trace, in ns, to the last digit."""
    return f"{ns / 1e9:,.9f} s"


def share(value: float | None) -> str:
    """A share of 0 to 1: `45.6 %`."""
    if value is None:
        return MISSING
    if 0 < value < 0.0005:
        return "<0.1 %"
    return ">99.9 %" if 0.9995 <= value < 1 else f"{_percent(value)} %"


def size(value: float | None) -> str:
    """Bytes: `1.5 KiB`."""
    return MISSING if value is None else _size(value, *_size_unit(value))


def exact_size(value: int) -> str:
    """The bytes of one message without rounding: `64 KiB`, `2,000 B`."""
    units = (unit for unit in _SIZES if abs(value) >= unit[0] and _is_exact(value, unit[0]))
    return _size(value, *next(units, _SIZES[-1]))


def number(value: float | None) -> str:
    """A count or any other plain number: `1,234,567`, `0.963`."""
    if value is None:
        return MISSING
    if value == int(value):
        return f"{int(value):,}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:,.0f}"


def plural(count: int, singular: str, plural_form: str | None = None) -> str:
    """A count with its noun: `1 rank`, `8 ranks`."""
    return f"{number(count)} {singular if count == 1 else plural_form or singular + 's'}"


def in_words(names: Sequence[str]) -> str:
    """The names as a list in a sentence: `a, b and c`."""
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + [*names[-1:]])


def alike(unit: str | None, *values: float | None) -> list[str]:
    """Values that a sentence compares, in one unit: `40.6 ms`, `0.72 ms`."""
    sizes = [abs(value) for value in values if value is not None]
    largest = max(sizes, default=0)
    if unit == "ns" and largest < 2 * _MINUTE:
        shared = _time_unit(largest)
        if all(size >= _LEAST_IN_UNIT * shared.nanoseconds or not size for size in sizes):
            return [MISSING if value is None else _time(value, shared) for value in values]
    if unit == "bytes":
        factor, name = _size_unit(largest)
        if all(size >= _LEAST_IN_UNIT * factor or not size for size in sizes):
            return [MISSING if value is None else _size(value, factor, name) for value in values]
    return [quantity(value, unit) for value in values]


def interval(low: float | None, high: float | None, unit: str | None = "share") -> str:
    """An interval from one value to another, with one unit if both have the same: `96.6 to 97.0 %`."""
    if low is None or high is None:
        return MISSING
    if unit == "share":
        if high - low > 1:
            return f"above {_percent(low)} %" if low > 0 else UNDECIDED
        return f"{_percent(low)} to {_percent(high)} %"
    first, last = alike(unit, low, high)
    (begin, _, unit_text), (_, _, of_last) = first.rpartition(" "), last.rpartition(" ")
    return f"{begin} to {last}" if begin and unit_text == of_last and " " not in begin else f"{first} to {last}"


def change(value: float | None, unit: str) -> str:
    """A difference with its sign: `+1.20 ms`, `-82.0 %`."""
    text = quantity(value, unit)
    return f"+{text}" if value is not None and value > 0 else text


def changes(ns: float | None, part: float | None) -> str:
    """A difference of times in ns, and its share of the time before: `-9.92 s, -82.0 %`."""
    texts = [text for text in (change(ns, "ns"), change(part, "share")) if text != MISSING]
    return ", ".join(texts) or MISSING


def on_axis(ns: float, unit: TimeUnit) -> str:
    """A position on an axis in this unit: `20.412 ms`."""
    return f"{ns / unit.nanoseconds:,.3f} {unit.name}"


def axis_unit(span_ns: float) -> TimeUnit:
    """The unit of a time axis of this length. Seconds are used from ten seconds on."""
    minimums = {"s": 10}
    fitting = (unit for unit in _TIMES if abs(span_ns) >= minimums.get(unit.name, 1) * unit.nanoseconds)
    return next(fitting, _TIMES[-1])


def nanoseconds(text: str) -> int:
    """The time in ns that a text gives: `2min`, `1.5s`, `20ms`, `300us`, `4000ns` or plain nanoseconds. Raises
    ValueError."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(min|s|ms|us|µs|ns|)", text)
    if match is None:
        raise ValueError(text)
    sizes = {unit.name: unit.nanoseconds for unit in _TIMES} | {"min": _MINUTE, "us": 1e3, "": 1}
    # Decimal, because a floating-point number has too few digits for a time of months.
    return round(Decimal(match[1]) * Decimal(sizes[match[2]]))


def first_value(text: str) -> float | None:
    """The number at the beginning of a text that this module made, in its column's unit (ns, bytes, 1 for a share), so
    that texts can be sorted by value; None if there is none. Of an interval, the lower end."""
    match = _FIRST.match(text)
    if match is None:
        return None
    value = float(match["number"].replace(",", ""))
    if match["seconds"]:
        return math.copysign(abs(value) * _MINUTE + float(match["seconds"]) * 1e9, value)
    # `<0.1 %` and `>99.9 %` are sorted between this bound and the next digit.
    value += {"<": -0.05, ">": 0.05}.get(match["bound"], 0)
    return value * _FACTORS.get(match["unit"], 1)


def _time_unit(ns: float) -> TimeUnit:
    # 999.6 ms rounds to 1000 ms, which is 1 s.
    return next((unit for unit in _TIMES if abs(ns) >= 0.9995 * unit.nanoseconds), _TIMES[-1])


def _time(ns: float, unit: TimeUnit) -> str:
    if unit.name == "ns":
        return f"{number(ns)} ns"
    value = ns / unit.nanoseconds
    digits = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{digits}f} {unit.name}"


def _minutes(ns: float) -> str:
    minutes, seconds = divmod(round(abs(ns) / 1e9), 60)
    return f"{'-' if ns < 0 else ''}{minutes:,} min {seconds} s"


def _percent(value: float) -> str:
    # Adding 0.0 removes the sign of zero: -0.0001 becomes 0.0.
    return f"{round(100 * value, 1) + 0.0:.1f}"


def _size_unit(value: float) -> tuple[int, str]:
    return next((scale for scale in _SIZES if abs(value) >= 0.9995 * scale[0]), _SIZES[-1])


def _is_exact(value: int, factor: int) -> bool:
    return float(number(value / factor).replace(",", "")) * factor == value


def _size(value: float, factor: int, name: str) -> str:
    return f"{number(value / factor)} {name}"


_IN_UNIT: dict[str | None, Callable[[float], str]] = {
    "at": moment,
    "bytes": size,
    "ns": duration,
    "share": share,
}

_FACTORS = {"%": 0.01, **{unit.name: unit.nanoseconds for unit in _TIMES}, **{name: factor for factor, name in _SIZES}}
_FIRST = re.compile(
    r"(?:above )?(?P<bound>[<>]?)\+?(?P<number>-?\d[\d,]*(?:\.\d+)?)"
    rf"(?: min (?P<seconds>\d+) s|(?: to -?\d[\d,]*(?:\.\d+)?)? (?P<unit>{'|'.join(_FACTORS)})(?!\w))?"
)
