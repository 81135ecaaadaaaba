"""Table of a tuning's candidates: their predictions, measured gains and outcomes."""

from __future__ import annotations

from dataclasses import dataclass

from hopscope.advice.tune.candidate import BASELINE
from hopscope.advice.tune.decision import Gain, gain_of
from hopscope.advice.tune.journal import Journal


@dataclass(frozen=True)
class CandidateRow:
    """A candidate's row. gain: the mean over its measured runs; None without one. low, high: the gain's interval; None
    with fewer than two measured runs."""

    name: str
    kind: str
    predicted: float | None
    gain: float | None
    low: float | None
    high: float | None
    runs: int
    outcome: str


def candidate_rows(journal: Journal) -> list[CandidateRow]:
    """All candidates, the fastest first; candidates without a measured gain come last."""
    rows = [_row(journal, candidate.name, candidate.kind, candidate.predicted_gain) for candidate in journal.candidates]
    return sorted(rows, key=lambda row: (row.gain is None, -(row.gain or 0.0)))


def _row(journal: Journal, name: str, kind: str, predicted: float | None) -> CandidateRow:
    pairs: list[tuple[float, float]] = []
    detail: str | None = None
    for measurement in journal.measurements:
        if measurement.candidate != name or measurement.phase not in ("elimination", "confirmation"):
            continue
        base = journal.recorded(measurement.phase, measurement.block, BASELINE.name)
        if measurement.run.figure is None:
            detail = f"{measurement.run.outcome}: {measurement.run.detail}"
        elif base is not None and base.figure is not None:
            pairs.append((measurement.run.library or base.figure, measurement.run.figure))
    result = journal.result or {}
    if detail is None:
        is_best = name == result.get("confirmed")
        detail = "not measured" if not pairs else "confirmed" if is_best else "eliminated"
    if not pairs:
        return CandidateRow(name, kind, predicted, None, None, None, 0, detail)
    gain = gain_of(pairs) if len(pairs) > 1 else Gain(1 - pairs[0][1] / pairs[0][0], 0, 0, 1)
    ends = (gain.low, gain.high) if len(pairs) > 1 else (None, None)
    return CandidateRow(name, kind, predicted, gain.gain, *ends, len(pairs), detail)
