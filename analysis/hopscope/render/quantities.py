"""Values in words for people: times with their unit, shares in per cent, sizes in binary units, three digits where
more would be noise."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from hopscope.catalog import Analysis

_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def quantity(value: object, unit: str | None) -> str:
    """A value in the unit of its column (`ns`, `at`, `share`, `bytes`, another word or none); null is a dash."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    known = _IN_UNIT.get(unit or "")
    if known is not None:
        return known(value)
    text = f"{value:,}".replace(",", " ") if isinstance(value, int) else _plain(value)
    return text if unit is None else f"{text} {unit}"


def nanoseconds(text: str) -> int:
    """The time in such a text: `1.5s`, `20ms`, `300us`, `4000ns` or plain nanoseconds. Raises ValueError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|ms|us|µs|ns|)", text)
    if match is None:
        raise ValueError(text)
    sizes = {name: size for size, name in _TIMES} | {"us": 1e3, "ns": 1, "": 1}
    return round(float(match[1]) * sizes[match[2]])


def key_text(analysis: Analysis, row: Mapping[str, Any]) -> str:
    """What names a row: its key columns, joined by spaces."""
    return " ".join(str(row[name]) for name in analysis.key)


def _scaled(value: float, scale: tuple[tuple[float, str], ...], smallest: str) -> str:
    for size, name in scale:
        # 999.6 ms rounds to 1000 ms, which is 1 s.
        if abs(value) >= size * 0.9995:
            return f"{_significant(value / size)} {name}"
    return f"{_plain(float(value)) if isinstance(value, float) else value} {smallest}"


def _significant(value: float) -> str:
    magnitude = abs(value)
    return f"{value:.0f}" if magnitude >= 99.95 else f"{value:.1f}" if magnitude >= 9.995 else f"{value:.2f}"


def _per_cent(value: float) -> str:
    # A share that is not nothing never reads as nothing.
    return "<0.1 %" if 0 < value < 0.0005 else f"{100 * value + 0.0:.1f} %".replace("-0.0 ", "0.0 ")


def _plain(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", " ")
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}".replace(",", " ")


_IN_UNIT: dict[str, Callable[[float], str]] = {
    "at": lambda value: f"{value / 1e9:.6f} s",
    "ns": lambda value: _scaled(value, _TIMES, "ns"),
    "bytes": lambda value: _scaled(value, _SIZES, "B"),
    "share": _per_cent,
}
