"""JSON that others wrote, read so that whatever is wrong with it is a ValueError."""

import json
import math
from typing import NoReturn


def read_json(text: str) -> object:
    """The value of a JSON text. Raises ValueError, json.JSONDecodeError where a place can be named: also for numbers
    that no float can hold, and for what is nested deeper than Python reads."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise ValueError("its lists or objects are nested too deeply") from None


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits} is too large")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number in JSON")
