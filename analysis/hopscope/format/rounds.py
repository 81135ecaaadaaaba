"""Rounds of an algorithm as text, such as `1, 4-6`."""

from collections.abc import Iterable
from itertools import groupby


def spans(rounds: Iterable[int]) -> str:
    """Write rounds as text. Successive rounds become a span."""
    runs = groupby(enumerate(sorted(set(rounds))), key=lambda entry: entry[1] - entry[0])
    spans_found = [[number for _, number in run] for _, run in runs]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in spans_found)


def numbers(text: str) -> list[int]:
    """Read the rounds in a text that `spans` wrote."""
    ends = [[int(end) for end in span.split("-")] for span in text.split(", ")]
    return [number for span in ends for number in range(span[0], span[-1] + 1)]
