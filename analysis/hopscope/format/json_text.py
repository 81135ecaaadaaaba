"""Reads JSON of unknown origin. Any fault in it raises a ValueError."""

import json
import math
from collections.abc import Iterable
from typing import NoReturn, cast

DEEPEST = 128
"""The largest depth of nested lists and objects. The collector's reader has the same limit (collector/src/json)."""


def read_json(text: str) -> object:
    """The value of a JSON text. Raises ValueError, also for numbers that no float can hold and for nesting deeper than
    DEEPEST; it is a json.JSONDecodeError if the position of the mistake is known."""
    too_deep = ValueError(f"its lists or objects are nested more than {DEEPEST} deep")
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise too_deep from None
    level: list[object] = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return value
    raise too_deep


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits} is too large")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number in JSON")
