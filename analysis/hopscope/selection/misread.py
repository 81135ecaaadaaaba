"""Finds options of a selection that are invalid for any trace. Pages of the dashboard ignore such an option and say
so."""

import re

from hopscope.format.quantities import nanoseconds

_RANK = r"\s*([0-9]{1,9})\s*"


def misread(option: str, text: str) -> str | None:
    """The problem with an option's text and its remedy, in a sentence; None if there is none."""
    if not text.strip():
        return f"--{option} is empty; give a value or leave the option out"
    if option in ("from", "to"):
        return _misread_time(option, text)
    return _misread_ranks(text) if option == "ranks" else None


def rank_ranges(text: str) -> list[tuple[int, int]]:
    """The first and last rank of each item of a valid list such as 3,8-15."""
    return [(int(bounds[1]), int(bounds[2] or bounds[1])) for part in text.split(",") if (bounds := _range(part))]


def _misread_time(option: str, text: str) -> str | None:
    if re.fullmatch(r"[0-9]+\.[0-9]+", text):
        return f"--{option} {text} has no unit; write {text}s or {text}ms, or a whole number of ns"
    try:
        time_ns = 0 if text == "start" else 1 if text == "end" or re.fullmatch(r"i:[0-9]+", text) else nanoseconds(text)
    except ValueError:
        return (
            f"--{option} {text} is not a time; write for example 1.5s, 20ms, i:120 for the beginning of iteration 120, "
            "start or end"
        )
    if option == "to" and time_ns == 0:
        return f"--to {text} is the start of the trace, so nothing comes before it; give a later time"
    return None


def _misread_ranks(text: str) -> str | None:
    for part in text.split(","):
        bounds = _range(part)
        if bounds is None:
            return f"--ranks {text} is not a list of ranks; write for example 3,8-15"
        if bounds[2] and int(bounds[2]) < int(bounds[1]):
            return f"--ranks {text}: {part.strip()} runs backwards; write {bounds[2]}-{bounds[1]}"
    return None


def _range(part: str) -> re.Match[str] | None:
    return re.fullmatch(f"{_RANK}(?:-{_RANK})?", part, re.ASCII)
