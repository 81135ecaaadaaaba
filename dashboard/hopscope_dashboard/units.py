"""Numbers as people read them: nanoseconds, bytes and shares, each with its unit."""

from dataclasses import dataclass

MISSING = "–"


@dataclass(frozen=True)
class TimeUnit:
    """A unit of time to draw an axis in."""

    name: str
    """As written after the number: `ms`."""
    nanoseconds: float
    """How many nanoseconds one is."""


_UNITS = (TimeUnit("s", 1e9), TimeUnit("ms", 1e6), TimeUnit("µs", 1e3), TimeUnit("ns", 1.0))
_MINUTE = 60e9


def time_unit(span_ns: float) -> TimeUnit:
    """Choose the unit in which `span_ns` is a number from 1 up (10 s and more: seconds; below that milliseconds)."""
    for unit in _UNITS:
        least = 10.0 if unit.name == "s" else 1.0
        if abs(span_ns) >= least * unit.nanoseconds:
            return unit
    return _UNITS[-1]


def duration(ns: float | None) -> str:
    """Write a time of nanoseconds with three significant digits and its unit: `20.4 ms`; a dash for None."""
    if ns is None:
        return MISSING
    if ns == 0:
        return "0"
    if abs(ns) >= 2 * _MINUTE:
        minutes, rest = divmod(abs(ns) / 1e9, 60)
        return f"{'-' if ns < 0 else ''}{minutes:.0f} min {rest:.0f} s"
    # What rounds up to 1000 of a unit is 1 of the next.
    unit = next((unit for unit in _UNITS if abs(ns) >= 0.9995 * unit.nanoseconds), _UNITS[-1])
    return f"{_three_digits(ns / unit.nanoseconds)} {unit.name}"


def share(value: float | None) -> str:
    """Write a share of 0 to 1 in per cent: `41 %`, `4.1 %`, `<0.1 %`; a dash for None."""
    if value is None:
        return MISSING
    percent = 100 * value
    if percent == 0:
        return "0 %"
    if 0 < percent < 0.05:
        return "<0.1 %"
    # 99.97 must not read as all of it.
    if percent >= 99.95 and value < 1:
        return ">99.9 %"
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.1f} %"


def interval(low: float | None, high: float | None) -> str:
    """Write the interval of a share of 0 to 1 in per cent: `96.6 to 97.0 %`; a dash if an end is None."""
    if low is None or high is None:
        return MISSING
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def size(value: float | None) -> str:
    """Write bytes with a binary unit: `8 B`, `1.5 KiB`; a dash for None."""
    if value is None:
        return MISSING
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= factor:
            return f"{value / factor:.1f} {unit}".replace(".0 ", " ")
    return f"{value:.0f} B"


def count(value: float | None) -> str:
    """Write a number with a thin space between thousands; a dash for None."""
    if value is None:
        return MISSING
    text = f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
    return text.replace(",", "\u202f")


def plural(number: int, one: str, many: str | None = None) -> str:
    """Write `1 rank`, `8 ranks`."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def _three_digits(value: float) -> str:
    magnitude = abs(value)
    digits = 0 if magnitude >= 99.95 else 1 if magnitude >= 9.995 else 2
    return f"{value:.{digits}f}"
