"""Sentences on a sweep: the penalty (the share of time lost) of following the library's own choice, or a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hopscope.advice.sweep.decision import penalties, penalty_of
from hopscope.advice.sweep.methods import DEFAULT
from hopscope.advice.sweep.models import NAMES, REPLAY
from hopscope.format.quantities import number, plural, share


def summary(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A sentence on the library's own choice and one on each model that has a choice at a point. rows: the
    result of `decisions`."""
    total = sum(row["methods"] for row in rows)
    for model in (DEFAULT, *NAMES):
        figures = penalties(rows, model)
        if figures is None:
            continue
        points = sum(row[penalty_of(model)] is not None for row in rows)
        times = sum(row["replays" if model == REPLAY else "formulas"] for row in rows)
        scope = "" if model == DEFAULT else f", with times for {number(times)} of {plural(total, 'measured method')}"
        median, high, largest = map(share, figures)
        name = "the library's own choice" if model == DEFAULT else model if model != REPLAY else "the replay"
        yield (
            f"Penalty of {name}: median {median}, 90th percentile {high}, largest {largest}, at {number(points)} of "
            f"{plural(len(rows), 'point')}{scope}."
        )
